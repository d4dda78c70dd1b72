// /api/v1/balances: balances of a client, in total, by merchant and by subaccount.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { LIMIT_DEFAULT } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { type Balance, readBalances } from '#domain/reports/balances.ts'
import { listMerchantBalances } from '#domain/reports/merchant-balances.ts'
import { listSubaccountBalances } from '#domain/reports/subaccount-balances.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { AtQuery, parseAt, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import {
  MerchantBody,
  merchantBalanceRoutes,
  merchantPage,
  presentMerchant,
  presentSubaccount,
  SubaccountBody,
  subaccountBalanceRoutes,
  subaccountPage,
} from './balance-lists.ts'

const BalanceBody = named('Balance', {
  currency: Type.String(),
  gross: Type.Number({
    description:
      'Credits reported for your accounts, plus unidentified money assigned to you. Equals net + ' +
      'reversed + returned + refunded + suspended + fees.',
  }),
  net: Type.Number({
    description:
      'collected + pending − refunded, and also available + pending + subaccounts + reserved + ' +
      'inTransit + paidOut + payoutFees − receivable − writtenOff.',
  }),
  suspended: Type.Number({ description: 'inSuspense + returning.' }),
  collected: Type.Number({
    description:
      'Received on collection accounts and by paid payments; paying out and refunding change nothing.',
  }),
  pending: Type.Number({ description: 'Part payments not yet settled.' }),
  inSuspense: Type.Number({ description: 'Held in suspense.' }),
  returning: Type.Number({ description: 'Being returned to payers.' }),
  returned: Type.Number({
    description: 'Returned to payers from suspense, confirmed by the banks.',
  }),
  reversed: Type.Number({ description: 'Reversed by the banks.' }),
  fees: Type.Number({ description: 'Fees and VAT charged on credits, less those given back.' }),
  available: Type.Number({
    description:
      'To pay out or refund: on collection accounts and from paid payments. As much as you owe ' +
      '(receivable) stays.',
  }),
  subaccounts: Type.Number({ description: 'Shares of your subaccounts, not yet settled.' }),
  reserved: Type.Number({ description: 'Held back from settlements until it is released.' }),
  inTransit: Type.Number({
    description: 'In settlements, payouts and refunds that the banks have not confirmed.',
  }),
  paidOut: Type.Number({ description: 'Paid out, confirmed by the banks.' }),
  refunded: Type.Number({ description: 'Refunded to payers, confirmed by the banks.' }),
  payoutFees: Type.Number({ description: 'Fees and VAT charged on payouts.' }),
  receivable: Type.Number({ description: 'What you owe: reversed after it had left.' }),
  writtenOff: Type.Number({ description: 'What you owed and no longer do.' }),
})

const BalancesBody = named('Balances', {
  totals: Type.Array(BalanceBody, { description: 'One per currency.' }),
  merchants: Type.Array(MerchantBody, { description: `The first ${LIMIT_DEFAULT}.` }),
  merchantsNextCursor: nullable('string', {
    description: 'Cursor for the rest, at /api/v1/balances/merchants.',
  }),
  subaccounts: Type.Array(SubaccountBody, { description: `The first ${LIMIT_DEFAULT}.` }),
  subaccountsNextCursor: nullable('string', {
    description: 'Cursor for the rest, at /api/v1/balances/subaccounts.',
  }),
})

export const balanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  await app.register(merchantBalanceRoutes, deps)
  await app.register(subaccountBalanceRoutes, deps)

  app.get(
    '/api/v1/balances',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getBalances',
        tags: ['Balances'],
        summary: 'Retrieve balances',
        description: 'Not available to clients restricted to certain merchantCodes.',
        security: BEARER,
        querystring: query(AtQuery),
        response: { 200: ApiEnvelope(BalancesBody) },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const at = parseAt(asked, clock())
      const first = { at, limit: LIMIT_DEFAULT + 1 }
      const [totals, merchants, subaccounts] = await withSnapshot(db, async (tx) => [
        await readBalances(tx, client.id, at),
        await listMerchantBalances(tx, client.id, first),
        await listSubaccountBalances(tx, client.id, first),
      ])
      const about = { clientId: client.id, at: asked.at }
      const byMerchant = merchantPage(sealer, about, merchants)
      const bySubaccount = subaccountPage(sealer, about, subaccounts)
      return accepted('Balances retrieved successfully', {
        totals: totals.map(presentBalance),
        merchants: byMerchant.rows.map(presentMerchant),
        merchantsNextCursor: byMerchant.nextCursor,
        subaccounts: bySubaccount.rows.map(presentSubaccount),
        subaccountsNextCursor: bySubaccount.nextCursor,
      })
    },
  )
}

function presentBalance(balance: Balance) {
  return {
    currency: balance.currency,
    gross: toNaira(balance.grossKobo),
    net: toNaira(balance.netKobo),
    suspended: toNaira(balance.suspendedKobo),
    collected: toNaira(balance.collectedKobo),
    pending: toNaira(balance.pendingKobo),
    inSuspense: toNaira(balance.inSuspenseKobo),
    returning: toNaira(balance.returningKobo),
    returned: toNaira(balance.returnedKobo),
    reversed: toNaira(balance.reversedKobo),
    fees: toNaira(balance.feesKobo),
    available: toNaira(balance.availableKobo),
    subaccounts: toNaira(balance.subaccountsKobo),
    reserved: toNaira(balance.reservedKobo),
    inTransit: toNaira(balance.inTransitKobo),
    paidOut: toNaira(balance.paidOutKobo),
    refunded: toNaira(balance.refundedKobo),
    payoutFees: toNaira(balance.payoutFeesKobo),
    receivable: toNaira(balance.receivableKobo),
    writtenOff: toNaira(balance.writtenOffKobo),
  }
}
