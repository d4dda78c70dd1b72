// /api/v1/balances/merchants and /api/v1/balances/subaccounts: balances of a client by each.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LIMIT_DEFAULT, type List, type Page, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import {
  listMerchantBalances,
  type MerchantBalance,
  type MerchantName,
} from '#domain/reports/merchant-balances.ts'
import {
  listSubaccountBalances,
  type SubaccountBalance,
} from '#domain/reports/subaccount-balances.ts'
import type { Deps } from '#http/deps.ts'
import {
  AtQuery,
  ListEnvelope,
  listResponse,
  PageQuery,
  parseAt,
  parseLimit,
  query,
} from '#http/lists.ts'
import { BEARER } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { ClientId } from '#ids.ts'
import type { Sealer } from '#seal.ts'

export const MerchantView = view('MerchantBalance', (f: Fields<MerchantBalance>) => ({
  merchantId: f.text('merchantId'),
  merchantCode: f.text('merchantCode'),
  currency: f.text('currency'),
  accounts: f.integer('accounts', 'Number of collection accounts.'),
  collected: f.naira(
    'collectedKobo',
    'Received on its collection accounts; paying it out changes nothing.',
  ),
  available: f.naira('availableKobo', 'On its collection accounts, to pay out or refund.'),
  inSuspense: f.naira('inSuspenseKobo', 'Sent to its collection accounts and in suspense.'),
  returned: f.naira('returnedKobo', 'Sent to its collection accounts and returned.'),
}))

export const SubaccountView = view('SubaccountBalance', (f: Fields<SubaccountBalance>) => ({
  subaccountCode: f.text('subaccountCode'),
  name: f.text('name'),
  currency: f.text('currency'),
  available: f.naira('availableKobo', 'Shares not yet settled.'),
  inTransit: f.naira(
    'inTransitKobo',
    'In settlements and payouts that the banks have not confirmed.',
  ),
  paidOut: f.naira('paidOutKobo', 'Paid out, confirmed by the banks.'),
}))

const tags = ['Balances']

// `at` as it was asked for: a cursor is of one moment.
type Asked = { clientId: ClientId; at: string | undefined; limit?: number }

const merchantList = ({ clientId, at }: Asked): List => ({
  name: 'merchants',
  clientId,
  filters: { at },
})

const subaccountList = ({ clientId, at }: Asked): List => ({
  name: 'subaccount-balances',
  clientId,
  filters: { at },
})

export function merchantPage(
  sealer: Sealer,
  asked: Asked,
  rows: readonly MerchantBalance[],
): Page<MerchantBalance> {
  return toPage(rows, asked.limit ?? LIMIT_DEFAULT, ({ merchantId, merchantCode, currency }) =>
    writeCursor(sealer, merchantList(asked), [merchantId, merchantCode, currency]),
  )
}

export function subaccountPage(
  sealer: Sealer,
  asked: Asked,
  rows: readonly SubaccountBalance[],
): Page<SubaccountBalance> {
  return toPage(rows, asked.limit ?? LIMIT_DEFAULT, ({ subaccountCode }) =>
    writeCursor(sealer, subaccountList(asked), [subaccountCode]),
  )
}

export const merchantBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.get(
    '/api/v1/balances/merchants',
    {
      config: { errors: ['period_archived'] },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listMerchantBalances',
        tags,
        summary: 'List balances by merchant, by merchantId',
        description: 'Grouped by merchantId and merchantCode of the collection accounts.',
        security: BEARER,
        querystring: query({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(MerchantView.schema) },
      },
    },
    async ({ client, query: asked }) => {
      const at = parseAt(asked, clock())
      const about = { clientId: client.id, at: asked.at, limit: parseLimit(asked) }
      const after = parseMerchant(readCursor(sealer, merchantList(about), asked.cursor))
      const limit = about.limit + 1
      const rows = await listMerchantBalances(db, client.id, { after, at, limit })
      const page = merchantPage(sealer, about, rows)
      return listResponse('Balances retrieved successfully', page, (row) =>
        MerchantView.present(row),
      )
    },
  )
}

export const subaccountBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.get(
    '/api/v1/balances/subaccounts',
    {
      config: { errors: ['period_archived'] },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listSubaccountBalances',
        tags,
        summary: 'List balances by subaccount, by code',
        description: 'Not available to clients restricted to certain merchantCodes.',
        security: BEARER,
        querystring: query({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(SubaccountView.schema) },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const at = parseAt(asked, clock())
      const about = { clientId: client.id, at: asked.at, limit: parseLimit(asked) }
      const after = readCursor(sealer, subaccountList(about), asked.cursor)?.[0]
      const limit = about.limit + 1
      const rows = await listSubaccountBalances(db, client.id, { after, at, limit })
      const page = subaccountPage(sealer, about, rows)
      return listResponse('Balances retrieved successfully', page, (row) =>
        SubaccountView.present(row),
      )
    },
  )
}

function parseMerchant(cursor: readonly string[] | undefined): MerchantName | undefined {
  if (!cursor) return undefined
  const [merchantId, merchantCode, currency] = cursor as [string, string, string]
  return { merchantId, merchantCode, currency }
}
