// /api/v1/operator/trial-balance: what each account code has at any moment, as JSON, as CSV and as a
// page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type CurrencyTotal, totalsOf } from '#domain/accounting/journal-lines.ts'
import { readTrialBalance, type TrialBalanceRow } from '#domain/accounting/trial-balance.ts'
import { findLatestTime } from '#domain/records/test-clocks.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { AtQuery, parseAt, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named } from '#http/schemas.ts'
import { formatKobo, kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { registerFiles, SidesTotal } from './report-formats.ts'
import { OPERATOR, withReport } from './report-query.ts'

const TRIAL_BALANCE = `${OPERATOR}/trial-balance`

const RowBody = named('TrialBalanceLine', {
  accountCode: Type.String(),
  accountName: Type.String(),
  currency: Type.String(),
  debit: Type.Number(),
  credit: Type.Number(),
})

const TrialBalanceBody = named('TrialBalance', {
  at: Type.String(),
  lines: Type.Array(RowBody, { description: 'By currency and code.' }),
  totals: Type.Array(SidesTotal, { description: 'One per currency; debit equals credit.' }),
})

const COLUMNS: Columns<TrialBalanceRow> = [
  ['accountCode', ({ code }) => code],
  ['accountName', ({ name }) => name],
  ['debit', ({ debitKobo }) => formatKobo(debitKobo)],
  ['credit', ({ creditKobo }) => formatKobo(creditKobo)],
  ['currency', ({ currency }) => currency],
]

export const trialBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock, chart } = deps
  const read = async (asked: { at?: string }) => {
    const now = await findLatestTime(db, clock())
    const at = parseAt(asked, now)
    const rows = await withReport(db, (tx) => readTrialBalance(tx, { at, chart }))
    return { at: timestamp(at ?? now), rows, totals: totalsOf(rows) }
  }

  app.get(
    TRIAL_BALANCE,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        operationId: 'getTrialBalance',
        tags: ['Accounting'],
        summary: 'Retrieve the trial balance',
        description: 'The balance of each account code at any moment, as a debit or a credit.',
        security: BEARER,
        querystring: query(AtQuery),
        response: { 200: ApiEnvelope(TrialBalanceBody) },
      },
    },
    async ({ query: asked }) => {
      const { at, rows, totals } = await read(asked)
      return accepted('Trial balance retrieved successfully', {
        at,
        lines: rows.map(present),
        totals: totals.map(({ currency, debitKobo, creditKobo }) => ({
          currency,
          debit: toNaira(kobo(debitKobo)),
          credit: toNaira(kobo(creditKobo)),
        })),
      })
    },
  )

  registerFiles(app, deps, {
    path: TRIAL_BALANCE,
    operation: 'TrialBalance',
    of: 'the trial balance',
    fields: AtQuery,
    read: async (asked: { at?: string }) => {
      const { at, rows, totals } = await read(asked)
      const about = [`As of ${at} (West Africa Time)`]
      const table = { columns: COLUMNS, rows, totals: totals.map(toTotal) }
      return { name: 'trial-balance', title: 'Trial balance', about, table, stamp: ['at', at] }
    },
  })
}

function toTotal({ currency, debitKobo, creditKobo }: CurrencyTotal): TrialBalanceRow {
  const sums = { debitKobo: kobo(debitKobo), creditKobo: kobo(creditKobo) }
  return { code: 'Total', name: '', currency, ...sums }
}

function present({ code, name, currency, debitKobo, creditKobo }: TrialBalanceRow) {
  const [debit, credit] = [toNaira(debitKobo), toNaira(creditKobo)]
  return { accountCode: code, accountName: name, currency, debit, credit }
}
