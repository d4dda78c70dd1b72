// GET /api/v1/accounts/static: list and filter collection accounts.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import {
  type AccountFilters,
  listAccounts,
  summarizeAccounts,
} from '#domain/accounts/account-list.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import {
  flag,
  ListEnvelope,
  listResponse,
  OrderQuery,
  PageQuery,
  parseLimit,
  parseWindow,
  query,
  WindowQuery,
} from '#http/lists.ts'
import { ApiEnvelope, BEARER, digits, text } from '#http/schemas.ts'
import {
  AmountQuery,
  parseAmounts,
  presentSummary,
  presentTotal,
  SUMMARISED,
  SummaryBody,
} from '#http/summaries.ts'
import { ACCOUNTS, OwnAccountBody } from './account-presenters.ts'
import { presentOwnAccounts } from './own-accounts.ts'

// What the list and its export can be narrowed by.
export const AccountFilterFields = {
  merchantId: Type.Optional(text(64, 'Merchant ID.')),
  merchantCode: Type.Optional(text(64, 'Merchant code.')),
  email: Type.Optional(text(254, 'Email address, case-insensitive.')),
  phone: Type.Optional(
    digits(
      '^[+ ]?[0-9]{7,15}$',
      'Phone number; 0803…, 234803… and +234803… are equivalent.',
      'Must be 7 to 15 digits with an optional leading +.',
    ),
  ),
  bvn: Type.Optional(
    digits('^[0-9]{11}$', 'BVN of the customer. Not for users.', 'Must be 11 digits.'),
  ),
  nin: Type.Optional(
    digits('^[0-9]{11}$', 'NIN of the customer. Not for users.', 'Must be 11 digits.'),
  ),
  name: Type.Optional(text(100, 'Part of the account name, case-insensitive.')),
  active: flag('true: takes money; false: was deactivated.'),
  default: flag('true: the default of its merchant; false: any other.'),
  ...AmountQuery, // Of the balance.
  ...WindowQuery,
}

const AccountsQuery = query({ ...AccountFilterFields, ...OrderQuery, ...PageQuery })

export const accountListRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    ACCOUNTS,
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listCollectionAccounts',
        tags: ['Collection accounts'],
        summary: 'List collection accounts, newest first',
        description:
          'Filters can be combined. from and to apply to createdAt, minAmount and maxAmount to ' +
          'accountBalance. A filtered page may hold fewer items than limit, or none, while hasMore ' +
          'is true: continue with nextCursor.',
        security: BEARER,
        querystring: AccountsQuery,
        response: { 200: ListEnvelope(OwnAccountBody) },
      },
    },
    async ({ client, isPerson, query: asked }) => {
      const { limit: _limit, cursor, order, ...given } = asked
      const list = { name: 'accounts', clientId: client.id, order, filters: given } as List
      const filters = parseAccountFilters(asked, isPerson)
      const position = readCursor(sealer, list, cursor)
      const limit = parseLimit(asked)
      const { rows, scannedTo } = await listAccounts(db, {
        sealer,
        client,
        filters,
        order,
        after: position && BigInt(position[0] as string),
        limit: limit + 1,
      })
      const shown = rows.slice(0, limit)
      const end = rows.length > limit ? shown.at(-1)?.id : scannedTo
      const nextCursor = end ? writeCursor(sealer, list, [end.toString()]) : null
      const page = { rows: await presentOwnAccounts(deps, shown), nextCursor }
      return listResponse('Collection accounts retrieved successfully', page, (row) => row)
    },
  )

  app.get(
    `${ACCOUNTS}/summary`,
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'summarizeCollectionAccounts',
        tags: ['Collection accounts'],
        summary: 'Count collection accounts and add up their balances',
        description: SUMMARISED,
        security: BEARER,
        querystring: query(AccountFilterFields),
        response: { 200: ApiEnvelope(SummaryBody) },
      },
    },
    async ({ client, isPerson, query: asked }) => {
      const how = { sealer, client, filters: parseAccountFilters(asked, isPerson) }
      const summary = await withSnapshot(db, (tx) => summarizeAccounts(tx, how))
      const shown = presentSummary(summary, presentTotal)
      return accepted('Collection accounts added up successfully', shown)
    },
  )
}

// In a query a + means a space, and nearly everybody forgets to write it as %2B.
type FilterQuery = Omit<Static<typeof AccountsQuery>, 'limit' | 'cursor' | 'order'>

export function parseAccountFilters(asked: FilterQuery, isPerson: boolean): AccountFilters {
  const { merchantId, merchantCode, bvn, nin, name } = asked
  if (isPerson) refuseMasked({ bvn, nin })
  return {
    ...parseWindow(asked),
    ...parseAmounts(asked),
    merchantId,
    merchantCode,
    bvn,
    nin,
    name,
    email: asked.email?.replaceAll(' ', '+'),
    phoneNumber: asked.phone?.replace(' ', '+'),
    isActive: asked.active && asked.active === 'true',
    isDefault: asked.default && asked.default === 'true',
  }
}

// People see these masked: whoever may look for one completes it by trying.
function refuseMasked(given: Record<string, string | undefined>): void {
  const message = 'Only for systems of the client: people see it masked.'
  const errors = Object.entries(given).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, message }],
  )
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
}
