// /api/v1/balances/merchants and /api/v1/balances/subaccounts: balances of a client by each.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
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
import { BEARER, named } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'

export const MerchantBody = named('MerchantBalance', {
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

export const SubaccountBody = named('SubaccountBalance', {
  subaccountCode: Type.String(),
  name: Type.String(),
  currency: Type.String(),
  available: Type.Number({ description: 'Shares not yet settled.' }),
  inTransit: Type.Number({
    description: 'In settlements and payouts that the banks have not confirmed.',
  }),
  paidOut: Type.Number({ description: 'Paid out, confirmed by the banks.' }),
})

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
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listMerchantBalances',
        tags,
        summary: 'List balances by merchant, by merchantId',
        description: 'Grouped by merchantId and merchantCode of the collection accounts.',
        security: BEARER,
        querystring: query({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(MerchantBody) },
      },
    },
    async ({ client, query: asked }) => {
      const at = parseAt(asked, clock())
      const about = { clientId: client.id, at: asked.at, limit: parseLimit(asked) }
      const after = parseMerchant(readCursor(sealer, merchantList(about), asked.cursor))
      const limit = about.limit + 1
      const rows = await listMerchantBalances(db, client.id, { after, at, limit })
      const page = merchantPage(sealer, about, rows)
      return listResponse('Balances retrieved successfully', page, presentMerchant)
    },
  )
}

export const subaccountBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.get(
    '/api/v1/balances/subaccounts',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listSubaccountBalances',
        tags,
        summary: 'List balances by subaccount, by code',
        description: 'Not available to clients restricted to certain merchantCodes.',
        security: BEARER,
        querystring: query({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(SubaccountBody) },
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
      return listResponse('Balances retrieved successfully', page, presentSubaccount)
    },
  )
}

function parseMerchant(cursor: readonly string[] | undefined): MerchantName | undefined {
  if (!cursor) return undefined
  const [merchantId, merchantCode, currency] = cursor as [string, string, string]
  return { merchantId, merchantCode, currency }
}

export function presentMerchant(merchant: MerchantBalance) {
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

export function presentSubaccount(subaccount: SubaccountBalance) {
  return {
    subaccountCode: subaccount.subaccountCode,
    name: subaccount.name,
    currency: subaccount.currency,
    available: toNaira(subaccount.availableKobo),
    inTransit: toNaira(subaccount.inTransitKobo),
    paidOut: toNaira(subaccount.paidOutKobo),
  }
}
