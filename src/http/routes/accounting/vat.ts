// /api/v1/operator/vat: VAT of a month, as JSON, as CSV and as a page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { readVatReport, type VatReport } from '#domain/accounting/vat-report.ts'
import { findLatestTime } from '#domain/records/test-clocks.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { formatKobo, type Kobo, toNaira } from '#money.ts'
import { registerFiles } from './report-formats.ts'
import { MonthQuery, OPERATOR, parseMonth, withReport } from './report-query.ts'

const VAT = `${OPERATOR}/vat`

const OutputBody = named('OutputVat', {
  clientId: nullable('string'),
  currency: Type.String(),
  fees: Type.Number({ description: 'Fees it was charged on, less those given back.' }),
  charged: Type.Number(),
  givenBack: Type.Number(),
  vat: Type.Number({ description: 'charged − givenBack.' }),
})

const InputBody = named('InputVat', {
  bankCode: nullable('string'),
  currency: Type.String(),
  costs: Type.Number({ description: 'Bank charges it is on.' }),
  vat: Type.Number(),
})

const TotalBody = named('VatTotal', {
  currency: Type.String(),
  output: Type.Number(),
  input: Type.Number(),
  payable: Type.Number({ description: 'output − input. Negative: to be reclaimed.' }),
})

const VatBody = named('VatReport', {
  month: Type.String(),
  output: Type.Array(OutputBody, { description: 'Charged with our fees, by client.' }),
  input: Type.Array(InputBody, { description: 'Charged by banks, by bank.' }),
  totals: Type.Array(TotalBody, { description: 'One per currency.' }),
})

// Of the CSV and the page.
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

const COLUMNS: Columns<Row> = [
  ['side', ({ side }) => side],
  ['clientId', ({ clientId }) => clientId],
  ['bankCode', ({ bankCode }) => bankCode],
  ['base', ({ base }) => amount(base)],
  ['charged', ({ charged }) => amount(charged)],
  ['givenBack', ({ givenBack }) => amount(givenBack)],
  ['vat', ({ vat }) => amount(vat)],
  ['currency', ({ currency }) => currency],
]

export const vatRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const read = async (month: string) => {
    const period = parseMonth(month, await findLatestTime(db, clock()))
    return withReport(db, (tx) => readVatReport(tx, period))
  }

  app.get(
    VAT,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        operationId: 'getVatReport',
        tags: ['Accounting'],
        security: BEARER,
        querystring: query(MonthQuery),
        summary: 'Retrieve the VAT of a month',
        description:
          'Output VAT charged with fees, input VAT charged by banks, and what is payable. Equals ' +
          'what moved the ledger accounts of VAT in that month.',
        response: { 200: ApiEnvelope(VatBody) },
      },
    },
    async ({ query: { month } }) =>
      accepted('VAT retrieved successfully', { month, ...present(await read(month)) }),
  )

  registerFiles(app, deps, {
    path: VAT,
    operation: 'VatReport',
    of: 'the VAT of a month',
    fields: MonthQuery,
    read: async ({ month }: { month: string }) => {
      const all = toRows(await read(month))
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

// Output first, then input, then what is payable, each by currency and owner.
function toRows({ output, input, totals }: VatReport): Row[] {
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

function present({ output, input, totals }: VatReport) {
  return {
    output: output.map((row) => ({
      clientId: row.clientCode,
      currency: row.currency,
      fees: toNaira(row.feesKobo),
      charged: toNaira(row.chargedKobo),
      givenBack: toNaira(row.givenBackKobo),
      vat: toNaira(row.vatKobo),
    })),
    input: input.map((row) => ({
      bankCode: row.bankCode,
      currency: row.currency,
      costs: toNaira(row.costsKobo),
      vat: toNaira(row.vatKobo),
    })),
    totals: totals.map((row) => ({
      currency: row.currency,
      output: toNaira(row.outputKobo),
      input: toNaira(row.inputKobo),
      payable: toNaira(row.payableKobo),
    })),
  }
}
