// /api/v1/accounts/static/{accountNumber}/transactions: the statement of a collection account.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { readCursor, toPage, writeCursor } from '#db/paging.ts'
import type { Deps } from '#http/deps.ts'
import {
  ListEnvelope,
  listResponse,
  PageQuery,
  parseLimit,
  parseWindow,
  WindowQuery,
} from '#http/lists.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId, type TransferId } from '#ids.ts'
import { kobo } from '#money.ts'
import type { CauseReferences } from '#records/shared-sql.ts'
import type { Sealer } from '#seal.ts'
import {
  type Entry,
  type EntryPosition,
  getStatementAccount,
  listEntries,
  positionAfter,
} from './statement.ts'
import { ACCOUNTS, requireAccountNumber } from './views.ts'

// The object that caused a ledger transfer, if it is not a credit. Every list of transfers has these fields.
export const CauseView = view(undefined, (f: Fields<CauseReferences, { sealer: Sealer }>) => ({
  payoutReference: f.textOrNull('payoutReference', 'Of a payout or refund.'),
  settlementReference: f.textOrNull('settlementReference', 'Of a settlement, or its payouts.'),
  adjustmentId: f.integerOrNull(
    ({ adjustmentId }, { sealer }) =>
      adjustmentId === null ? null : publicId(sealer, 'adjustment', adjustmentId),
    'Of a recovery or write-off.',
  ),
  differenceId: f.integerOrNull(
    ({ differenceId }, { sealer }) =>
      differenceId === null ? null : publicId(sealer, 'difference', differenceId),
    'Of what was booked from a bank’s statement.',
  ),
  holdReference: f.textOrNull('holdReference', 'Of what the operator held, released or took.'),
}))

type Naming = { sealer: Sealer; currency: string }

const EntryView = view('StatementEntry', (f: Fields<Entry, Naming>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'transfer', id)),
  type: f.text(
    'type',
    'credit, assign (from suspense), reversal, fee, fee_vat, split, settlement, payout, refund, ' +
      'recovery, hold, hold_release or forfeiture.',
  ),
  direction: f.as(Type.Unsafe<'in' | 'out'>({ type: 'string', enum: ['in', 'out'] }), 'direction'),
  amount: f.naira('amountKobo', 'Always positive: see direction.'),
  balanceAfter: f.naira('balanceAfterKobo', 'Account balance after posting.'),
  currency: f.text((_, { currency }) => currency),
  creditId: f.integerOrNull(
    ({ creditId }, { sealer }) => (creditId === null ? null : publicId(sealer, 'credit', creditId)),
    'Null for what was paid out, refunded, settled or held.',
  ),
  sessionId: f.textOrNull('sessionId', 'Session ID of the credit.'),
  narration: f.textOrNull('narration'),
  sourceAccountName: f.textOrNull('sourceAccountName'),
  ...CauseView.fields,
  postedAt: f.time('postedAt'),
}))

// A plain route instead of a resource, because its cursor carries the balance in addition to the id.
export const statementRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    `${ACCOUNTS}/:accountNumber/transactions`,
    {
      config: { errors: ['account_not_found'] },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listAccountTransactions',
        tags: ['Collection accounts'],
        summary: 'Retrieve an account statement, newest first',
        description: 'Every transfer in and out, with the running balance.',
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        querystring: strictObject({ ...WindowQuery, ...PageQuery }),
        response: { 200: ListEnvelope(EntryView.schema) },
      },
    },
    async ({ client, params, query: filters }) => {
      const window = parseWindow(filters)
      const accountNumber = requireAccountNumber(params.accountNumber)
      const account = await getStatementAccount(db, client.id, accountNumber)
      const { from, to, cursor } = filters
      const list = {
        name: 'transactions',
        clientId: client.id,
        filters: { accountNumber, from, to },
      }
      const after = parsePosition(readCursor(sealer, list, cursor))
      const limit = parseLimit(filters)
      const rows = await listEntries(db, account.id, { window, after, limit: limit + 1 })
      const page = toPage(rows, limit, (last) => {
        const { id, balanceKobo } = positionAfter(last)
        return writeCursor(sealer, list, [id.toString(), balanceKobo.toString()])
      })
      return listResponse('Transactions retrieved successfully', page, (entry) =>
        EntryView.present(entry, { sealer, currency: account.currency }),
      )
    },
  )
}

// Reads what the route wrote into the cursor: a transfer id and the balance before that transfer.
function parsePosition(cursor: readonly string[] | undefined): EntryPosition | undefined {
  if (!cursor) return undefined
  const [id, balanceKobo] = cursor as [string, string]
  return { id: BigInt(id) as TransferId, balanceKobo: kobo(BigInt(balanceKobo)) }
}
