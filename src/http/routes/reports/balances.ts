// /api/v1/balances: what a client has with us, in all and by merchant.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { LIMIT_DEFAULT, type List, pageOf, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import {
  type Balance,
  listMerchantBalances,
  type MerchantBalance,
  type MerchantName,
  readBalances,
} from '#domain/reports/balances.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, limitOf, listResponse, NoQuery, PageQuery, query } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, nullable } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { toNaira } from '#money.ts'

const BalanceBody = Type.Object({
  currency: Type.String(),
  gross: Type.Number({
    description:
      'What banks reported for your numbers, and what was assigned to you from unidentified ' +
      'suspense. Sums to net, reversed, returned and suspended.',
  }),
  net: Type.Number({ description: 'collected and pending.' }),
  suspended: Type.Number({ description: 'inSuspense and returning.' }),
  collected: Type.Number({ description: 'On collection accounts, and of paid payments.' }),
  pending: Type.Number({ description: 'Part payments that are not settled yet.' }),
  inSuspense: Type.Number({ description: 'Held, and not given to anyone yet.' }),
  returning: Type.Number({ description: 'On its way back to payers.' }),
  returned: Type.Number({ description: 'Returned with payers, as the banks confirmed.' }),
  reversed: Type.Number({ description: 'Taken back by the banks.' }),
})

const MerchantBody = Type.Object({
  merchantId: Type.String(),
  merchantCode: Type.String(),
  currency: Type.String(),
  accounts: Type.Integer({ description: 'Number many collection accounts.' }),
  collected: Type.Number({ description: 'On its collection accounts.' }),
  inSuspense: Type.Number({ description: 'Sent to its collection accounts and held.' }),
  returned: Type.Number({ description: 'Sent to its collection accounts and returned.' }),
})

const BalancesBody = Type.Object({
  totals: Type.Array(BalanceBody, { description: 'One for each currency.' }),
  merchants: Type.Array(MerchantBody, { description: `The first ${LIMIT_DEFAULT}.` }),
  merchantsNextCursor: nullable('string', {
    description: 'For the rest of them, at /api/v1/balances/merchants.',
  }),
})

export const balanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const tags = ['Balances']
  const listOf = (clientId: ClientId): List => ({ name: 'merchants', clientId, filters: {} })
  const cursorAfter = (list: List) => (last: MerchantBalance) =>
    writeCursor(sealer, list, [last.merchantId, last.merchantCode, last.currency])

  app.get(
    '/api/v1/balances',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getBalances',
        tags,
        summary: 'What was collected, is held, and went back',
        description: 'Not for a client that is restricted to some merchantCodes.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(BalancesBody), '4xx': ApiFailure },
      },
    },
    async ({ client }) => {
      refuseRestricted(client)
      const [totals, merchants] = await withSnapshot(db, async (tx) => [
        await readBalances(tx, client.id),
        await listMerchantBalances(tx, client.id, { limit: LIMIT_DEFAULT + 1 }),
      ])
      const page = pageOf(merchants, LIMIT_DEFAULT, cursorAfter(listOf(client.id)))
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
        summary: 'Balances by merchant, in the order of their ids',
        description: 'Grouped the merchantId and merchantCode given to collection accounts.',
        security: BEARER,
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(MerchantBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const list = listOf(client.id)
      const after = merchantOf(readCursor(sealer, list, asked.cursor))
      const limit = limitOf(asked)
      const rows = await listMerchantBalances(db, client.id, { after, limit: limit + 1 })
      const page = pageOf(rows, limit, cursorAfter(list))
      return listResponse('Balances retrieved successfully', page, presentMerchant)
    },
  )
}

function merchantOf(cursor: readonly string[] | undefined): MerchantName | undefined {
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
  }
}

function presentMerchant(merchant: MerchantBalance) {
  return {
    merchantId: merchant.merchantId,
    merchantCode: merchant.merchantCode,
    currency: merchant.currency,
    accounts: Number(merchant.accounts),
    collected: toNaira(merchant.collectedKobo),
    inSuspense: toNaira(merchant.inSuspenseKobo),
    returned: toNaira(merchant.returnedKobo),
  }
}
