// /api/v1/operator/balances: what the operator holds across all clients, at any moment, as JSON and as
// CSV. No personal data: clients, merchant codes and banks.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  type BalanceColumn,
  COLUMNS,
  type OperatorBalance,
  readOperatorBalances,
} from '#domain/accounting/operator-balances.ts'
import { findLatestTime } from '#domain/records/test-clocks.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { AtQuery, parseAt, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { formatKobo, type Kobo, kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { registerFiles } from './report-formats.ts'
import { OPERATOR, withReport } from './report-query.ts'

const BALANCES = `${OPERATOR}/balances`
const ROWS_MAX = 10_000

const NAMES = ['collected', ...(Object.keys(COLUMNS) as BalanceColumn[])] as const
type Name = (typeof NAMES)[number]

const Amounts = {
  collected: Type.Number({ description: 'Credits reported, less reversals.' }),
  available: Type.Number({ description: 'On collection accounts and from paid payments.' }),
  pending: Type.Number({ description: 'Part payments.' }),
  suspended: Type.Number({ description: 'In suspense.' }),
  returning: Type.Number({ description: 'Being returned to payers.' }),
  subaccounts: Type.Number(),
  reserved: Type.Number(),
  inTransit: Type.Number({ description: 'In settlements, payouts and refunds.' }),
  feeIncome: Type.Number(),
  vatPayable: Type.Number(),
  receivable: Type.Number({ description: 'What the client owes.' }),
  writtenOff: Type.Number(),
  bankBalance: Type.Number({ description: 'What the bank holds for us.' }),
  shortfall: Type.Number({ description: 'What the bank owes us.' }),
  bankCosts: Type.Number(),
  inputVat: Type.Number(),
} satisfies Record<Name, object>

const RowBody = named('OperatorBalance', {
  clientId: nullable('string', { description: 'Null: no client’s.' }),
  merchantCode: nullable('string', { description: 'Null: of no collection account.' }),
  bankCode: nullable('string', { description: 'Null: at no bank in particular.' }),
  currency: Type.String(),
  ...Amounts,
})

const TotalBody = named('OperatorBalanceTotal', { currency: Type.String(), ...Amounts })

const BalancesBody = named('OperatorBalances', {
  at: Type.String(),
  totals: Type.Array(TotalBody, { description: 'One per currency, of all rows.' }),
  rows: Type.Array(RowBody, { description: `The first ${ROWS_MAX}; the CSV has all.` }),
  hasMore: Type.Boolean(),
})

const CSV_COLUMNS: Columns<OperatorBalance> = [
  ['clientId', ({ clientCode }) => clientCode],
  ['merchantCode', ({ merchantCode }) => merchantCode],
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ...NAMES.map((name) => [name, (row: OperatorBalance) => formatKobo(row[`${name}Kobo`])] as const),
]

export const operatorBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const read = async (asked: { at?: string }) => {
    const now = await findLatestTime(db, clock())
    const at = parseAt(asked, now)
    const rows = await withReport(db, (tx) => readOperatorBalances(tx, at))
    return { at: timestamp(at ?? now), rows }
  }

  app.get(
    BALANCES,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        operationId: 'getOperatorBalances',
        tags: ['Accounting'],
        security: BEARER,
        querystring: query(AtQuery),
        summary: 'Retrieve balances across all clients',
        description:
          'By client, merchantCode and bank, at any moment. Every ledger account is in one row and ' +
          'one column, so the totals add up to the trial balance.',
        response: { 200: ApiEnvelope(BalancesBody) },
      },
    },
    async ({ query: asked }) => {
      const { at, rows } = await read(asked)
      return accepted('Balances retrieved successfully', {
        at,
        totals: totalsOf(rows),
        rows: rows.slice(0, ROWS_MAX).map((row) => ({
          clientId: row.clientCode,
          merchantCode: row.merchantCode,
          bankCode: row.bankCode,
          currency: row.currency,
          ...amounts((name) => row[`${name}Kobo`]),
        })),
        hasMore: rows.length > ROWS_MAX,
      })
    },
  )

  registerFiles(app, deps, {
    path: BALANCES,
    operation: 'OperatorBalances',
    of: 'balances across all clients',
    fields: AtQuery,
    read: async (asked: { at?: string }) => {
      const { at, rows } = await read(asked)
      const table = { columns: CSV_COLUMNS, rows }
      return { name: 'balances', title: 'Balances', about: [], table, stamp: ['at', at] }
    },
    hasPage: false, // Too wide to print.
  })
}

function amounts(read: (name: Name) => Kobo): Record<Name, number> {
  return Object.fromEntries(NAMES.map((name) => [name, toNaira(read(name))])) as Record<
    Name,
    number
  >
}

function totalsOf(rows: readonly OperatorBalance[]) {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    const sum = (name: Name) => kobo(own.reduce((total, row) => total + row[`${name}Kobo`], 0n))
    return { currency, ...amounts(sum) }
  })
}
