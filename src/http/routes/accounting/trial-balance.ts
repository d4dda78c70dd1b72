// /api/v1/operator/trial-balance: what each account code has at any moment, as JSON, as CSV and as a
// page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { totalsOf } from '#domain/accounting/journal-lines.ts'
import { readTrialBalance, type TrialBalanceRow } from '#domain/accounting/trial-balance.ts'
import { type Columns, CsvExports } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { AtQuery, parseAt, query } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, named } from '#http/schemas.ts'
import { formatKobo, kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { CSV_NOTE, content, sendPage, sendTable } from './report-formats.ts'
import { OPERATOR, withReport } from './report-query.ts'

const TRIAL_BALANCE = `${OPERATOR}/trial-balance`

const RowBody = named('TrialBalanceLine', {
  accountCode: Type.String(),
  accountName: Type.String(),
  currency: Type.String(),
  debit: Type.Number(),
  credit: Type.Number(),
})

const TotalBody = named('TrialBalanceTotal', {
  currency: Type.String(),
  debit: Type.Number(),
  credit: Type.Number(),
})

const TrialBalanceBody = named('TrialBalance', {
  at: Type.String(),
  lines: Type.Array(RowBody, { description: 'By currency and code.' }),
  totals: Type.Array(TotalBody, { description: 'One per currency; debit equals credit.' }),
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
  const onRequest = authentication.requires('operator')
  const exports = new CsvExports()
  const schema = (operationId: string, summary: string, description: string) => ({
    operationId,
    tags: ['Accounting'],
    summary,
    description,
    security: BEARER,
    querystring: query(AtQuery),
  })
  const read = async (asked: { at?: string }) => {
    const now = clock()
    const at = parseAt(asked, now)
    const rows = await withReport(db, (tx) => readTrialBalance(tx, { at, chart }))
    return { at: timestamp(at ?? now), rows, totals: totalsOf(rows) }
  }

  app.get(
    TRIAL_BALANCE,
    {
      onRequest,
      schema: {
        ...schema(
          'getTrialBalance',
          'Retrieve the trial balance',
          'The balance of each account code at any moment, as a debit or a credit.',
        ),
        response: { 200: ApiEnvelope(TrialBalanceBody), '4xx': ApiFailure },
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

  app.get(
    `${TRIAL_BALANCE}.csv`,
    {
      exposeHeadRoute: false,
      onRequest,
      schema: {
        ...schema('exportTrialBalance', 'Export the trial balance as CSV', CSV_NOTE),
        response: content('text/csv'),
      },
    },
    async ({ client, query: asked }, reply) => {
      const { at, rows } = await read(asked)
      const columns: Columns<TrialBalanceRow> = [...COLUMNS, ['at', () => at]]
      const file = { exports, clientId: client.id, name: 'trial-balance' }
      return sendTable(reply, file, { columns, rows })
    },
  )

  app.get(
    `${TRIAL_BALANCE}.html`,
    {
      exposeHeadRoute: false,
      onRequest,
      schema: {
        ...schema(
          'printTrialBalance',
          'Retrieve the trial balance as a page to print',
          'The same lines as the CSV, with totals.',
        ),
        response: content('text/html'),
      },
    },
    async ({ query: asked }, reply) => {
      const { at, rows, totals } = await read(asked)
      const sums = totals.map(({ currency, debitKobo, creditKobo }) => ({
        ...{ code: 'Total', name: '', currency },
        debitKobo: kobo(debitKobo),
        creditKobo: kobo(creditKobo),
      }))
      return sendPage(reply, {
        title: 'Trial balance',
        about: [`As of ${at} (West Africa Time)`],
        tables: [{ columns: COLUMNS, rows, totals: sums }],
      })
    },
  )
}

function present({ code, name, currency, debitKobo, creditKobo }: TrialBalanceRow) {
  const [debit, credit] = [toNaira(debitKobo), toNaira(creditKobo)]
  return { accountCode: code, accountName: name, currency, debit, credit }
}
