// /api/v1/operator/balances: what the operator holds across all clients, at any moment, as JSON and as CSV.
// Contains clients, merchant codes and banks, and no personal data.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { AtQuery, parseAt } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  type BalanceColumn,
  COLUMNS,
  type OperatorBalance,
  readOperatorBalances,
} from './operator-balances.ts'
import { OPERATOR, registerFiles, SCOPES, withReport } from './report-views.ts'

const BALANCES = `${OPERATOR}/balances`
const ROWS_MAX = 10_000

const NAMES = ['collected', ...(Object.keys(COLUMNS) as BalanceColumn[])] as const

type Balances = { at: string; rows: OperatorBalance[] }
type Totals = { currency: string } & Record<`${(typeof NAMES)[number]}Kobo`, Kobo>

const TotalView = view('OperatorBalanceTotal', (f: Fields<Totals>) => ({
  currency: f.text('currency'),
  collected: f.naira('collectedKobo', 'Credits reported, less reversals.'),
  available: f.naira('availableKobo', 'On collection accounts and from paid payments.'),
  pending: f.naira('pendingKobo', 'Part payments.'),
  suspended: f.naira('suspendedKobo', 'In suspense.'),
  returning: f.naira('returningKobo', 'Being returned to payers.'),
  subaccounts: f.naira('subaccountsKobo'),
  reserved: f.naira('reservedKobo'),
  held: f.naira('heldKobo', 'Stopped by holds.'),
  forfeited: f.naira('forfeitedKobo', 'Held, then taken for good; to be paid on.'),
  inTransit: f.naira('inTransitKobo', 'In settlements, payouts and refunds.'),
  feeIncome: f.naira('feeIncomeKobo'),
  vatPayable: f.naira('vatPayableKobo'),
  receivable: f.naira('receivableKobo', 'What the client owes.'),
  writtenOff: f.naira('writtenOffKobo'),
  bankBalance: f.naira('bankBalanceKobo', 'What the bank holds for us.'),
  shortfall: f.naira('shortfallKobo', 'Due from bank: what the bank owes us.'),
  dueToBank: f.naira(
    'dueToBankKobo',
    'Due to bank: what the bank paid or kept for us that the books do not know as anybody’s.',
  ),
  bankCosts: f.naira('bankCostsKobo'),
  inputVat: f.naira('inputVatKobo'),
  stampDuty: f.naira('stampDutyKobo'),
  withheldTax: f.naira('withheldTaxKobo', 'Withheld from fees; the credit note is due.'),
  taxCredits: f.naira('taxCreditsKobo', 'Withheld, with a credit note.'),
  doubtfulDebts: f.naira('doubtfulDebtsKobo'),
  provisions: f.naira('provisionsKobo', 'Allowance for doubtful debts.'),
}))

const RowView = view('OperatorBalance', (f: Fields<OperatorBalance>) => ({
  clientId: f.textOrNull('clientCode', 'Null: no client’s.'),
  merchantCode: f.textOrNull('merchantCode', 'Null: of no collection account.'),
  bankCode: f.textOrNull('bankCode', 'Null: at no bank in particular.'),
  ...TotalView.fields,
}))

const BalancesView = view('OperatorBalances', (f: Fields<Balances>) => ({
  at: f.text('at'),
  totals: f.list(TotalView, ({ rows }) => totalsOf(rows), 'One per currency, of all rows.'),
  rows: f.list(
    RowView,
    ({ rows }) => rows.slice(0, ROWS_MAX),
    `The first ${ROWS_MAX}; the CSV has all.`,
  ),
  hasMore: f.flag(({ rows }) => rows.length > ROWS_MAX),
}))

export const CSV_COLUMNS: Columns<OperatorBalance> = [
  ['clientId', ({ clientCode }) => clientCode],
  ['merchantCode', ({ merchantCode }) => merchantCode],
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ...NAMES.map((name) => {
    return [name, (row: OperatorBalance) => formatKobo(row[`${name}Kobo`]), 'amount'] as const
  }),
]

const operatorBalances = resource(BALANCES, {
  tag: 'Accounting',
  noun: 'balances',
  view: BalancesView,
  scopes: SCOPES,
}).get('getOperatorBalances', {
  path: '',
  summary: 'Retrieve balances across all clients',
  description:
    'By client, merchantCode and bank, at any moment. Every ledger account is in one row and ' +
    'one column, so the totals add up to the trial balance.',
  query: AtQuery,
  run: (_db, call) => read(call, call.query),
})

export const operatorBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  operatorBalances.register(app, deps)
  registerFiles(app, deps, {
    path: BALANCES,
    operation: 'OperatorBalances',
    of: 'balances across all clients',
    fields: AtQuery,
    read: async (query: { at?: string }) => {
      const { at, rows } = await read(deps, query)
      const table = { columns: CSV_COLUMNS, rows }
      return { name: 'balances', title: 'Balances', about: [], table, stamp: ['at', at] }
    },
    hasPage: false, // The table is too wide to print.
  })
}

async function read({ db, clock }: Deps, query: { at?: string }): Promise<Balances> {
  const now = clock()
  const at = parseAt(query, now)
  const rows = await withReport(db, (tx) => readOperatorBalances(tx, at))
  return { at: timestamp(at ?? now), rows }
}

function totalsOf(rows: readonly OperatorBalance[]): Totals[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    const sums = NAMES.map((name) => {
      const total = own.reduce((sum, row) => sum + row[`${name}Kobo`], 0n)
      return [`${name}Kobo`, kobo(total)]
    })
    return { currency, ...Object.fromEntries(sums) } as Totals
  })
}
