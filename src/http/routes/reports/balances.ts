// /api/v1/balances: balances of a client, in total and by merchant.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { LIMIT_DEFAULT, type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { type Balance, readBalances } from '#domain/reports/balances.ts'
import {
  listMerchantBalances,
  type MerchantBalance,
  type MerchantName,
} from '#domain/reports/merchant-balances.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import {
  AtQuery,
  ListEnvelope,
  listResponse,
  PageQuery,
  parseAt,
  parseLimit,
  query,
} from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, named, nullable } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { toNaira } from '#money.ts'

const BalanceBody = named('Balance', {
  currency: Type.String(),
  gross: Type.Number({
    description:
      'Credits reported for your accounts, plus unidentified money assigned to you. Equals net + ' +
      'reversed + returned + suspended + fees.',
  }),
  net: Type.Number({
    description:
      'collected + pending, and also available + pending + subaccounts + reserved + inTransit + ' +
      'paidOut + refunded + payoutFees − receivable − writtenOff.',
  }),
  suspended: Type.Number({ description: 'inSuspense + returning.' }),
  collected: Type.Number({
    description:
      'Received on collection accounts and by paid payments; paying it out changes nothing.',
  }),
  pending: Type.Number({ description: 'Part payments not yet settled.' }),
  inSuspense: Type.Number({ description: 'Held in suspense.' }),
  returning: Type.Number({ description: 'Being returned to payers.' }),
  returned: Type.Number({ description: 'Returned to payers, confirmed by the banks.' }),
  reversed: Type.Number({ description: 'Reversed by the banks.' }),
  fees: Type.Number({ description: 'Fees and VAT charged on credits, less those given back.' }),
  available: Type.Number({
    description: 'To pay out or refund: on collection accounts and from paid payments.',
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

const MerchantBody = named('MerchantBalance', {
  merchantId: Type.String(),
  merchantCode: Type.String(),
  currency: Type.String(),
  accounts: Type.Integer({ description: 'Number of collection accounts.' }),
  collected: Type.Number({
    description: 'Received on its collection accounts; paying it out changes nothing.',
  }),
  available: Type.Number({ description: 'On its collection accounts, to pay out or refund.' }),
  inSuspense: Type.Number({ description: 'Sent to its collection accounts and in suspense.' }),
  returned: Type.Number({ description: 'Sent to its collection accounts and returned.' }),
})

const BalancesBody = named('Balances', {
  totals: Type.Array(BalanceBody, { description: 'One per currency.' }),
  merchants: Type.Array(MerchantBody, { description: `The first ${LIMIT_DEFAULT}.` }),
  merchantsNextCursor: nullable('string', {
    description: 'Cursor for the rest, at /api/v1/balances/merchants.',
  }),
})

export const balanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  const tags = ['Balances']
  const listOf = (clientId: ClientId, at: string | undefined): List => ({
    name: 'merchants',
    clientId,
    filters: { at },
  })
  const cursorAfter = (list: List) => (last: MerchantBalance) =>
    writeCursor(sealer, list, [last.merchantId, last.merchantCode, last.currency])

  app.get(
    '/api/v1/balances',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getBalances',
        tags,
        summary: 'Retrieve balances',
        description: 'Not available to clients restricted to certain merchantCodes.',
        security: BEARER,
        querystring: query(AtQuery),
        response: { 200: ApiEnvelope(BalancesBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const at = parseAt(asked, clock())
      const [totals, merchants] = await withSnapshot(db, async (tx) => [
        await readBalances(tx, client.id, at),
        await listMerchantBalances(tx, client.id, { at, limit: LIMIT_DEFAULT + 1 }),
      ])
      const page = toPage(merchants, LIMIT_DEFAULT, cursorAfter(listOf(client.id, asked.at)))
      return accepted('Balances retrieved successfully', {
        totals: totals.map(presentBalance),
        merchants: page.rows.map(presentMerchant),
        merchantsNextCursor: page.nextCursor,
      })
    },
  )

  app.get(
    '/api/v1/balances/merchants',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listMerchantBalances',
        tags,
        summary: 'List balances by merchant, by merchantId',
        description: 'Grouped by merchantId and merchantCode of the collection accounts.',
        security: BEARER,
        querystring: query({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(MerchantBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const at = parseAt(asked, clock())
      const list = listOf(client.id, asked.at)
      const after = parseMerchant(readCursor(sealer, list, asked.cursor))
      const limit = parseLimit(asked)
      const rows = await listMerchantBalances(db, client.id, { after, at, limit: limit + 1 })
      const page = toPage(rows, limit, cursorAfter(list))
      return listResponse('Balances retrieved successfully', page, presentMerchant)
    },
  )
}

function parseMerchant(cursor: readonly string[] | undefined): MerchantName | undefined {
  if (!cursor) return undefined
  const [merchantId, merchantCode, currency] = cursor as [string, string, string]
  return { merchantId, merchantCode, currency }
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

function presentMerchant(merchant: MerchantBalance) {
  return {
    merchantId: merchant.merchantId,
    merchantCode: merchant.merchantCode,
    currency: merchant.currency,
    accounts: Number(merchant.accounts),
    collected: toNaira(merchant.collectedKobo),
    available: toNaira(merchant.availableKobo),
    inSuspense: toNaira(merchant.inSuspenseKobo),
    returned: toNaira(merchant.returnedKobo),
  }
}
