// /api/v1/operator/withholding-tax: withholding tax of a month by client, as JSON, as CSV and as a page to
// print.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo } from '#money.ts'
import {
  MonthQuery,
  OPERATOR,
  parseMonth,
  registerFiles,
  SCOPES,
  withReport,
} from './report-views.ts'
import { readWithholding, type Withholding } from './withholding.ts'

const WITHHOLDING = `${OPERATOR}/withholding-tax`

const RowView = view('WithholdingTax', (f: Fields<Withholding>) => ({
  clientId: f.text('clientCode'),
  currency: f.text('currency'),
  invoiced: f.naira('invoicedKobo', 'Stated on VAT invoices of the month, less its credit notes.'),
  withheld: f.naira('withheldKobo', 'Booked in the month, less what was reversed.'),
  creditNotes: f.naira('creditNotesKobo', 'Received in the month, less what was reversed.'),
  writtenOff: f.naira('writtenOffKobo', 'In the month.'),
  receivable: f.naira('receivableKobo', 'Credit notes still due at the end of the month.'),
}))

const ReportView = view(
  'WithholdingTaxReport',
  (f: Fields<{ month: string; rows: Withholding[] }>) => ({
    month: f.text('month'),
    rows: f.list(RowView, 'rows', 'By currency and client.'),
  }),
)

export const COLUMNS: Columns<Withholding> = [
  ['clientId', ({ clientCode }) => clientCode],
  ['invoiced', ({ invoicedKobo }) => formatKobo(invoicedKobo), 'amount'],
  ['withheld', ({ withheldKobo }) => formatKobo(withheldKobo), 'amount'],
  ['creditNotes', ({ creditNotesKobo }) => formatKobo(creditNotesKobo), 'amount'],
  ['writtenOff', ({ writtenOffKobo }) => formatKobo(writtenOffKobo), 'amount'],
  ['receivable', ({ receivableKobo }) => formatKobo(receivableKobo), 'amount'],
  ['currency', ({ currency }) => currency],
]

const withholdingTax = resource(WITHHOLDING, {
  tag: 'Accounting',
  noun: 'withholding tax',
  view: ReportView,
  scopes: SCOPES,
}).get('getWithholdingTax', {
  path: '',
  summary: 'Retrieve the withholding tax of a month',
  description:
    'By client: the tax that VAT invoices state, the tax withheld, the credit notes received, and the ' +
    'tax whose credit notes are still due.',
  query: MonthQuery,
  run: async (_db, call) => ({
    month: call.query.month,
    rows: await readRows(call, call.query.month),
  }),
})

export const withholdingTaxRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  withholdingTax.register(app, deps)
  registerFiles(app, deps, {
    path: WITHHOLDING,
    operation: 'WithholdingTax',
    of: 'the withholding tax of a month',
    fields: MonthQuery,
    read: async ({ month }: { month: string }) => ({
      name: `withholding-tax-${month}`,
      title: `Withholding tax of ${month}`,
      about: ['Invoiced, withheld, and due as credit notes (West Africa Time)'],
      table: { columns: COLUMNS, rows: await readRows(deps, month) },
      stamp: ['month', month],
    }),
  })
}

function readRows({ db, clock }: Deps, month: string): Promise<Withholding[]> {
  const period = parseMonth(month, clock())
  return withReport(db, (tx) => readWithholding(tx, { ...period, month }))
}
