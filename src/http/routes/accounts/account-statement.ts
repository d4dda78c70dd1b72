// /api/v1/accounts/static/{accountNumber}/transactions: the statement of a collection account.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { isAccountNumber } from '#banks/nuban.ts'
import { readCursor, toPage, writeCursor } from '#db/paging.ts'
import {
  type Entry,
  type EntryPosition,
  getStatementAccount,
  listEntries,
  positionAfter,
} from '#domain/accounts/account-statement.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import {
  ListEnvelope,
  listResponse,
  PageQuery,
  parseLimit,
  parseWindow,
  query,
  WindowQuery,
} from '#http/lists.ts'
import { BEARER, named, nullable } from '#http/schemas.ts'
import { CauseFields, presentCause } from '#http/transfer-causes.ts'
import type { TransferId } from '#ids.ts'
import { kobo, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

const EntryBody = named('StatementEntry', {
  id: Type.Integer(),
  type: Type.String({
    description:
      'credit, assign (from suspense), reversal, fee, fee_vat, split, settlement, payout, refund or ' +
      'recovery.',
  }),
  direction: Type.Unsafe<'in' | 'out'>({ type: 'string', enum: ['in', 'out'] }),
  amount: Type.Number({ description: 'Always positive: see direction.' }),
  balanceAfter: Type.Number({ description: 'Account balance after posting.' }),
  currency: Type.String(),
  creditId: nullable('number', {
    description: 'Null for what was paid out, refunded or settled.',
  }),
  sessionId: nullable('string', { description: 'Session ID of the credit.' }),
  narration: nullable('string'),
  sourceAccountName: nullable('string'),
  ...CauseFields,
  postedAt: Type.String(),
})

export const statementRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    '/api/v1/accounts/static/:accountNumber/transactions',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listAccountTransactions',
        tags: ['Collection accounts'],
        summary: 'Retrieve an account statement, newest first',
        description: 'Every transfer in and out, with the running balance.',
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        querystring: query({ ...WindowQuery, ...PageQuery }),
        response: { 200: ListEnvelope(EntryBody) },
      },
    },
    async ({ client, params: { accountNumber }, query: asked }) => {
      const window = parseWindow(asked)
      if (!isAccountNumber(accountNumber)) throw new Refusal('account_not_found')
      const account = await getStatementAccount(db, client.id, accountNumber)
      const { from, to, cursor } = asked
      const filters = { accountNumber, from, to }
      const list = { name: 'transactions', clientId: client.id, filters }
      const after = parsePosition(readCursor(sealer, list, cursor))
      const limit = parseLimit(asked)
      const rows = await listEntries(db, account.id, { window, after, limit: limit + 1 })
      const page = toPage(rows, limit, (last) => {
        const { id, balanceKobo } = positionAfter(last)
        return writeCursor(sealer, list, [id.toString(), balanceKobo.toString()])
      })
      return listResponse('Transactions retrieved successfully', page, (entry) =>
        presentEntry(entry, account.currency, sealer),
      )
    },
  )
}

function parsePosition(cursor: readonly string[] | undefined): EntryPosition | undefined {
  if (!cursor) return undefined
  const [id, balanceKobo] = cursor as [string, string]
  return { id: BigInt(id) as TransferId, balanceKobo: kobo(BigInt(balanceKobo)) }
}

function presentEntry(entry: Entry, currency: string, sealer: Sealer) {
  return {
    id: publicId(sealer, 'transfer', entry.id),
    type: entry.type,
    direction: entry.direction,
    amount: toNaira(entry.amountKobo),
    balanceAfter: toNaira(entry.balanceAfterKobo),
    currency,
    creditId: entry.creditId === null ? null : publicId(sealer, 'credit', entry.creditId),
    sessionId: entry.sessionId,
    narration: entry.narration,
    sourceAccountName: entry.sourceAccountName,
    ...presentCause(entry, sealer),
    postedAt: timestamp(entry.postedAt),
  }
}
