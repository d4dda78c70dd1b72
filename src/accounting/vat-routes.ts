// /api/v1/operator/vat: VAT of a month, as JSON, as CSV and as a page to print.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, type Kobo } from '#money.ts'
import {
  MonthQuery,
  OPERATOR,
  parseMonth,
  registerFiles,
  SCOPES,
  withReport,
} from './report-views.ts'
import {
  type InputVat,
  type OutputVat,
  readVatReport,
  type VatReport,
  type VatTotal,
} from './vat.ts'

const VAT = `${OPERATOR}/vat`

const OutputView = view('OutputVat', (f: Fields<OutputVat>) => ({
  clientId: f.textOrNull('clientCode'),
  currency: f.text('currency'),
  fees: f.naira('feesKobo', 'Fees it was charged on, less those given back.'),
  charged: f.naira('chargedKobo'),
  givenBack: f.naira('givenBackKobo'),
  vat: f.naira('vatKobo', 'charged − givenBack.'),
}))

const InputView = view('InputVat', (f: Fields<InputVat>) => ({
  bankCode: f.textOrNull('bankCode'),
  currency: f.text('currency'),
  costs: f.naira('costsKobo', 'Bank charges it is on.'),
  vat: f.naira('vatKobo'),
}))

const TotalView = view('VatTotal', (f: Fields<VatTotal>) => ({
  currency: f.text('currency'),
  output: f.naira('outputKobo'),
  input: f.naira('inputKobo'),
  payable: f.naira('payableKobo', 'output − input. Negative: to be reclaimed.'),
}))

const VatView = view('VatReport', (f: Fields<VatReport & { month: string }>) => ({
  month: f.text('month'),
  output: f.list(OutputView, 'output', 'Charged with our fees, by client.'),
  input: f.list(InputView, 'input', 'Charged by banks, by bank.'),
  totals: f.list(TotalView, 'totals', 'One per currency.'),
}))

// A row of the CSV and of the page.
type Row = {
  side: 'output' | 'input' | 'payable'
  clientId: string | null
  bankCode: string | null
  base: Kobo | null
  charged: Kobo | null
  givenBack: Kobo | null
  vat: Kobo
  currency: string
}

const amount = (kobo: Kobo | null) => (kobo === null ? '' : formatKobo(kobo))

export const COLUMNS: Columns<Row> = [
  ['side', ({ side }) => side],
  ['clientId', ({ clientId }) => clientId],
  ['bankCode', ({ bankCode }) => bankCode],
  ['base', ({ base }) => amount(base), 'amount'],
  ['charged', ({ charged }) => amount(charged), 'amount'],
  ['givenBack', ({ givenBack }) => amount(givenBack), 'amount'],
  ['vat', ({ vat }) => amount(vat), 'amount'],
  ['currency', ({ currency }) => currency],
]

const vat = resource(VAT, {
  tag: 'Accounting',
  noun: 'VAT',
  view: VatView,
  scopes: SCOPES,
}).get('getVatReport', {
  path: '',
  summary: 'Retrieve the VAT of a month',
  description:
    'Output VAT charged with fees, input VAT charged by banks, and what is payable. Equals ' +
    'what moved the ledger accounts of VAT in that month.',
  query: MonthQuery,
  run: async (_db, call) => {
    const { month } = call.query
    return { month, ...(await read(call, month)) }
  },
})

export const vatRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  vat.register(app, deps)
  registerFiles(app, deps, {
    path: VAT,
    operation: 'VatReport',
    of: 'the VAT of a month',
    fields: MonthQuery,
    read: async ({ month }: { month: string }) => {
      const all = toRows(await read(deps, month))
      return {
        name: `vat-${month}`,
        title: `VAT of ${month}`,
        about: ['Output VAT on fees, less input VAT on bank charges (West Africa Time)'],
        table: { columns: COLUMNS, rows: all },
        stamp: ['month', month],
      }
    },
  })
}

async function read({ db, clock }: Deps, month: string): Promise<VatReport> {
  const period = parseMonth(month, clock())
  return withReport(db, (tx) => readVatReport(tx, period))
}

// Output first, then input, then what is payable, each by currency and owner.
export function toRows({ output, input, totals }: VatReport): Row[] {
  const none = { clientId: null, bankCode: null, base: null, charged: null, givenBack: null }
  return [
    ...output.map(
      (row): Row => ({
        ...none,
        side: 'output',
        clientId: row.clientCode,
        base: row.feesKobo,
        charged: row.chargedKobo,
        givenBack: row.givenBackKobo,
        vat: row.vatKobo,
        currency: row.currency,
      }),
    ),
    ...input.map(
      (row): Row => ({
        ...none,
        side: 'input',
        bankCode: row.bankCode,
        base: row.costsKobo,
        vat: row.vatKobo,
        currency: row.currency,
      }),
    ),
    ...totals.map(
      (row): Row => ({
        ...none,
        side: 'payable',
        vat: row.payableKobo,
        currency: row.currency,
      }),
    ),
  ]
}
