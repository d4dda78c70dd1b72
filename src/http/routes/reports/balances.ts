// /api/v1/balances: balances of a client, in total and by merchant.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { LIMIT_DEFAULT, type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
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
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
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
  net: Type.Number({ description: 'collected + pending.' }),
  suspended: Type.Number({ description: 'inSuspense + returning.' }),
  collected: Type.Number({
    description: 'On collection accounts, from paid payments and with subaccounts.',
  }),
  pending: Type.Number({ description: 'Part payments not yet settled.' }),
  inSuspense: Type.Number({ description: 'Held in suspense.' }),
  returning: Type.Number({ description: 'Being returned to payers.' }),
  returned: Type.Number({ description: 'Returned to payers, confirmed by the banks.' }),
  reversed: Type.Number({ description: 'Reversed by the banks.' }),
  fees: Type.Number({ description: 'Fees and VAT charged, less those given back.' }),
})

const MerchantBody = named('MerchantBalance', {
  merchantId: Type.String(),
  merchantCode: Type.String(),
  currency: Type.String(),
  accounts: Type.Integer({ description: 'Number of collection accounts.' }),
  collected: Type.Number({ description: 'Collected on its collection accounts.' }),
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
        summary: 'Retrieve balances',
        description: 'Not available to clients restricted to certain merchantCodes.',
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
      const page = toPage(merchants, LIMIT_DEFAULT, cursorAfter(listOf(client.id)))
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
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(MerchantBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const list = listOf(client.id)
      const after = parseMerchant(readCursor(sealer, list, asked.cursor))
      const limit = parseLimit(asked)
      const rows = await listMerchantBalances(db, client.id, { after, limit: limit + 1 })
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
