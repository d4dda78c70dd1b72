// /api/v1/operator/trial-balance: the balance of each account code at any moment, as JSON, as CSV and as a
// page to print.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { AtQuery, parseAt } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, kobo } from '#money.ts'
import { type CurrencyTotal, totalsOf } from './journal.ts'
import { OPERATOR, registerFiles, SCOPES, SidesView, withReport } from './report-views.ts'
import { readTrialBalance, type TrialBalanceRow } from './trial-balance.ts'

const TRIAL_BALANCE = `${OPERATOR}/trial-balance`

type TrialBalance = { at: string; rows: TrialBalanceRow[]; totals: CurrencyTotal[] }

const LineView = view('TrialBalanceLine', (f: Fields<TrialBalanceRow>) => ({
  accountCode: f.text('code'),
  accountName: f.text('name'),
  currency: f.text('currency'),
  debit: f.naira('debitKobo'),
  credit: f.naira('creditKobo'),
}))

const TrialBalanceView = view('TrialBalance', (f: Fields<TrialBalance>) => ({
  at: f.text('at'),
  lines: f.list(LineView, 'rows', 'By currency and code.'),
  totals: f.list(SidesView, 'totals', 'One per currency; debit equals credit.'),
}))

export const COLUMNS: Columns<TrialBalanceRow> = [
  ['accountCode', ({ code }) => code],
  ['accountName', ({ name }) => name],
  ['debit', ({ debitKobo }) => formatKobo(debitKobo), 'amount'],
  ['credit', ({ creditKobo }) => formatKobo(creditKobo), 'amount'],
  ['currency', ({ currency }) => currency],
]

const trialBalance = resource(TRIAL_BALANCE, {
  tag: 'Accounting',
  noun: 'trial balance',
  view: TrialBalanceView,
  scopes: SCOPES,
}).get('getTrialBalance', {
  path: '',
  summary: 'Retrieve the trial balance',
  description: 'The balance of each account code at any moment, as a debit or a credit.',
  query: AtQuery,
  run: (_db, call) => read(call, call.query),
})

export const trialBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  trialBalance.register(app, deps)
  registerFiles(app, deps, {
    path: TRIAL_BALANCE,
    operation: 'TrialBalance',
    of: 'the trial balance',
    fields: AtQuery,
    read: async (query: { at?: string }) => {
      const { at, rows, totals } = await read(deps, query)
      const about = [`As of ${at} (West Africa Time)`]
      const table = { columns: COLUMNS, rows, totals: totals.map(toTotal) }
      return { name: 'trial-balance', title: 'Trial balance', about, table, stamp: ['at', at] }
    },
  })
}

async function read({ db, clock, chart }: Deps, query: { at?: string }): Promise<TrialBalance> {
  const now = clock()
  const at = parseAt(query, now)
  const rows = await withReport(db, (tx) => readTrialBalance(tx, { at, chart }))
  return { at: timestamp(at ?? now), rows, totals: totalsOf(rows) }
}

function toTotal({ currency, debitKobo, creditKobo }: CurrencyTotal): TrialBalanceRow {
  const sums = { debitKobo: kobo(debitKobo), creditKobo: kobo(creditKobo) }
  return { code: 'Total', name: '', currency, ...sums }
}
