// The reports of the operator's books, each as JSON, as CSV and as a page to print:
// /api/v1/operator/trial-balance: the balance of each account code at any moment.
// /api/v1/operator/balances: what the operator holds across all clients, at any moment. No page to print.
// /api/v1/operator/suspense-ageing: suspense by age, at any moment.
// /api/v1/operator/vat, …/stamp-duty, …/withholding-tax: the taxes of a month.
//
// They contain clients, merchant codes and banks, and no personal data.

import type { Columns } from '#http/csv.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { AGEING_BUCKETS } from '#records/shared-sql.ts'
import {
  type AgedSuspense,
  type BalanceColumn,
  COLUMNS,
  type OperatorBalance,
  readOperatorBalances,
  readSuspenseAgeing,
  readTrialBalance,
  type TrialBalanceRow,
} from './balances.ts'
import { type CurrencyTotal, totalsOf } from './journal.ts'
import { momentReport, monthReport, OPERATOR, SidesView } from './report-views.ts'
import {
  type InputVat,
  type OutputVat,
  readStampDuty,
  readVatReport,
  type StampDuty,
  type VatReport,
  type VatTotal,
} from './vat.ts'
import { readWithholding, type Withholding } from './vat-documents.ts'

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

export const TRIAL_BALANCE_COLUMNS: Columns<TrialBalanceRow> = [
  ['accountCode', ({ code }) => code],
  ['accountName', ({ name }) => name],
  ['debit', ({ debitKobo }) => formatKobo(debitKobo), 'amount'],
  ['credit', ({ creditKobo }) => formatKobo(creditKobo), 'amount'],
  ['currency', ({ currency }) => currency],
]

export const trialBalanceRoutes = momentReport({
  path: `${OPERATOR}/trial-balance`,
  noun: 'trial balance',
  title: 'Trial balance',
  of: 'the trial balance',
  operation: 'TrialBalance',
  description: 'The balance of each account code at any moment, as a debit or a credit.',
  view: TrialBalanceView,
  columns: TRIAL_BALANCE_COLUMNS,
  read: async (tx, { at }, { chart }) => {
    const rows = await readTrialBalance(tx, { at, chart })
    const totals = totalsOf(rows)
    return { data: { rows, totals }, rows, totals: totals.map(toTotalRow) }
  },
})

function toTotalRow({ currency, debitKobo, creditKobo }: CurrencyTotal): TrialBalanceRow {
  const sums = { debitKobo: kobo(debitKobo), creditKobo: kobo(creditKobo) }
  return { code: 'Total', name: '', currency, ...sums }
}

const ROWS_MAX = 10_000

// The columns of amounts, in the order of the report.
const AMOUNT_COLUMNS = ['collected', ...(Object.keys(COLUMNS) as BalanceColumn[])] as const

type Balances = { at: string; rows: OperatorBalance[] }
type BalanceTotals = { currency: string } & Record<`${(typeof AMOUNT_COLUMNS)[number]}Kobo`, Kobo>

const BalanceTotalView = view('OperatorBalanceTotal', (f: Fields<BalanceTotals>) => ({
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

const BalanceView = view('OperatorBalance', (f: Fields<OperatorBalance>) => ({
  clientId: f.textOrNull('clientCode', 'Null: no client’s.'),
  merchantCode: f.textOrNull('merchantCode', 'Null: of no collection account.'),
  bankCode: f.textOrNull('bankCode', 'Null: at no bank in particular.'),
  ...BalanceTotalView.fields,
}))

const BalancesView = view('OperatorBalances', (f: Fields<Balances>) => ({
  at: f.text('at'),
  totals: f.list(
    BalanceTotalView,
    ({ rows }) => totalsOfBalances(rows),
    'One per currency, of all rows.',
  ),
  rows: f.list(
    BalanceView,
    ({ rows }) => rows.slice(0, ROWS_MAX),
    `The first ${ROWS_MAX}; the CSV has all.`,
  ),
  hasMore: f.flag(({ rows }) => rows.length > ROWS_MAX),
}))

export const BALANCE_COLUMNS: Columns<OperatorBalance> = [
  ['clientId', ({ clientCode }) => clientCode],
  ['merchantCode', ({ merchantCode }) => merchantCode],
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ...AMOUNT_COLUMNS.map((name) => {
    return [name, (row: OperatorBalance) => formatKobo(row[`${name}Kobo`]), 'amount'] as const
  }),
]

export const operatorBalanceRoutes = momentReport({
  path: `${OPERATOR}/balances`,
  noun: 'balances',
  title: 'Balances',
  of: 'balances across all clients',
  operation: 'OperatorBalances',
  description:
    'By client, merchantCode and bank, at any moment. Every ledger account is in one row and ' +
    'one column, so the totals add up to the trial balance.',
  view: BalancesView,
  columns: BALANCE_COLUMNS,
  read: async (tx, { at }) => {
    const rows = await readOperatorBalances(tx, at)
    return { data: { rows }, rows }
  },
  hasPage: false, // The table is too wide to print.
})

// One row of sums per currency.
function totalsOfBalances(rows: readonly OperatorBalance[]): BalanceTotals[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const currencyRows = rows.filter((row) => row.currency === currency)
    const sums = AMOUNT_COLUMNS.map((name) => {
      const total = currencyRows.reduce((sum, row) => sum + row[`${name}Kobo`], 0n)
      return [`${name}Kobo`, kobo(total)]
    })
    return { currency, ...Object.fromEntries(sums) } as BalanceTotals
  })
}

const bucketField = (f: Fields<AgedSuspense>) =>
  f.oneOf('bucket', AGEING_BUCKETS, 'Age in days of the calendar (WAT).')

const AgedView = view('AgedSuspense', (f: Fields<AgedSuspense>) => ({
  bankCode: f.text('bankCode'),
  clientId: f.textOrNull('clientCode', 'Null: unidentified.'),
  currency: f.text('currency'),
  reason: f.text('reason'),
  bucket: bucketField(f),
  count: f.integer(({ items }) => Number(items)),
  amount: f.naira('kobo'),
}))

const AgedTotalView = view('AgedSuspenseTotal', (f: Fields<AgedSuspense>) => ({
  currency: f.text('currency'),
  bucket: bucketField(f),
  count: f.integer(({ items }) => Number(items)),
  amount: f.naira('kobo'),
}))

const AgeingView = view('SuspenseAgeing', (f: Fields<{ at: string; rows: AgedSuspense[] }>) => ({
  at: f.text('at'),
  totals: f.list(AgedTotalView, ({ rows }) => totalsOfAges(rows), 'By currency and age.'),
  rows: f.list(AgedView, 'rows', 'By currency, bank, client, reason and age.'),
}))

export const AGEING_COLUMNS: Columns<AgedSuspense> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['clientId', ({ clientCode }) => clientCode],
  ['reason', ({ reason }) => reason],
  // "days" is added because some spreadsheets read "2-7" as a date.
  ['ageDays', ({ bucket }) => `${bucket} days`],
  ['count', ({ items }) => Number(items)],
  ['amount', ({ kobo: sum }) => formatKobo(sum), 'amount'],
  ['currency', ({ currency }) => currency],
]

export const suspenseAgeingRoutes = momentReport({
  path: `${OPERATOR}/suspense-ageing`,
  noun: 'suspense',
  title: 'Suspense by age',
  of: 'suspense by age',
  operation: 'SuspenseAgeing',
  description:
    'What was in suspense at a moment, by bank, client, reason and age. Adds up to the ' +
    'balance of suspense in the trial balance of that moment.',
  view: AgeingView,
  columns: AGEING_COLUMNS,
  read: async (tx, span) => {
    const rows = await readSuspenseAgeing(tx, span)
    return { data: { rows }, rows, totals: totalsOfAges(rows) }
  },
})

// Totals the rows by currency and age, in ascending order of both.
function totalsOfAges(rows: readonly AgedSuspense[]): AgedSuspense[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.flatMap((currency) =>
    AGEING_BUCKETS.flatMap((bucket) => {
      const group = rows.filter((row) => row.currency === currency && row.bucket === bucket)
      if (group.length === 0) return []
      return {
        bankCode: 'Total',
        clientCode: null,
        reason: '',
        currency,
        bucket,
        items: group.reduce((total, { items }) => total + items, 0n),
        kobo: kobo(group.reduce((total, row) => total + row.kobo, 0n)),
      }
    }),
  )
}

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

const VatTotalView = view('VatTotal', (f: Fields<VatTotal>) => ({
  currency: f.text('currency'),
  output: f.naira('outputKobo'),
  input: f.naira('inputKobo'),
  payable: f.naira('payableKobo', 'output − input. Negative: to be reclaimed.'),
}))

const VatView = view('VatReport', (f: Fields<VatReport & { month: string }>) => ({
  month: f.text('month'),
  output: f.list(OutputView, 'output', 'Charged with our fees, by client.'),
  input: f.list(InputView, 'input', 'Charged by banks, by bank.'),
  totals: f.list(VatTotalView, 'totals', 'One per currency.'),
}))

// A row of the VAT report as CSV and as a page to print.
type VatRow = {
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

export const VAT_COLUMNS: Columns<VatRow> = [
  ['side', ({ side }) => side],
  ['clientId', ({ clientId }) => clientId],
  ['bankCode', ({ bankCode }) => bankCode],
  ['base', ({ base }) => amount(base), 'amount'],
  ['charged', ({ charged }) => amount(charged), 'amount'],
  ['givenBack', ({ givenBack }) => amount(givenBack), 'amount'],
  ['vat', ({ vat }) => amount(vat), 'amount'],
  ['currency', ({ currency }) => currency],
]

export const vatRoutes = monthReport({
  path: `${OPERATOR}/vat`,
  noun: 'VAT',
  title: 'VAT',
  about: 'Output VAT on fees, less input VAT on bank charges',
  of: 'the VAT of a month',
  operation: 'VatReport',
  description:
    'Output VAT charged with fees, input VAT charged by banks, and what is payable. Equals ' +
    'what moved the ledger accounts of VAT in that month.',
  view: VatView,
  columns: VAT_COLUMNS,
  read: async (tx, span) => {
    const data = await readVatReport(tx, span)
    return { data, rows: toVatRows(data) }
  },
})

// Returns output VAT first, then input VAT, then the payable totals, each ordered by currency and owner.
export function toVatRows({ output, input, totals }: VatReport): VatRow[] {
  const empty = { clientId: null, bankCode: null, base: null, charged: null, givenBack: null }
  return [
    ...output.map(
      (row): VatRow => ({
        ...empty,
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
      (row): VatRow => ({
        ...empty,
        side: 'input',
        bankCode: row.bankCode,
        base: row.costsKobo,
        vat: row.vatKobo,
        currency: row.currency,
      }),
    ),
    ...totals.map(
      (row): VatRow => ({
        ...empty,
        side: 'payable',
        vat: row.payableKobo,
        currency: row.currency,
      }),
    ),
  ]
}

const DutyRowView = view('StampDuty', (f: Fields<StampDuty>) => ({
  bankCode: f.text('bankCode'),
  currency: f.text('currency'),
  charged: f.naira('chargedKobo', 'Booked as charged by the bank.'),
  givenBack: f.naira('givenBackKobo'),
  duty: f.naira('dutyKobo', 'charged − givenBack.'),
  transfers: f.integer(
    'transfers',
    'Transfers that reach the threshold, on the side that bears it.',
  ),
  expected: f.naira(
    'expectedKobo',
    'What the rates in force come to on them. Exempt transfers are not known.',
  ),
}))

const DutyView = view('StampDutyReport', (f: Fields<{ month: string; rows: StampDuty[] }>) => ({
  month: f.text('month'),
  rows: f.list(DutyRowView, 'rows', 'By currency and bank.'),
}))

export const DUTY_COLUMNS: Columns<StampDuty> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['charged', ({ chargedKobo }) => formatKobo(chargedKobo)],
  ['givenBack', ({ givenBackKobo }) => formatKobo(givenBackKobo)],
  ['duty', ({ dutyKobo }) => formatKobo(dutyKobo)],
  ['transfers', ({ transfers }) => Number(transfers)],
  ['expected', ({ expectedKobo }) => formatKobo(expectedKobo)],
  ['currency', ({ currency }) => currency],
]

export const stampDutyRoutes = monthReport({
  path: `${OPERATOR}/stamp-duty`,
  noun: 'stamp duty',
  title: 'Stamp duty',
  about: 'Charged by banks, and expected by the rates in force',
  of: 'the stamp duty of a month',
  operation: 'StampDuty',
  description:
    'What banks charged, as it moved the ledger accounts of stamp duty in that month, and what the ' +
    'rates in force lead one to expect.',
  view: DutyView,
  columns: DUTY_COLUMNS,
  read: async (tx, span) => {
    const rows = await readStampDuty(tx, span)
    return { data: { rows }, rows }
  },
})

const WithholdingView = view('WithholdingTax', (f: Fields<Withholding>) => ({
  clientId: f.text('clientCode'),
  currency: f.text('currency'),
  invoiced: f.naira('invoicedKobo', 'Stated on VAT invoices of the month, less its credit notes.'),
  withheld: f.naira('withheldKobo', 'Booked in the month, less what was reversed.'),
  creditNotes: f.naira('creditNotesKobo', 'Received in the month, less what was reversed.'),
  writtenOff: f.naira('writtenOffKobo', 'In the month.'),
  receivable: f.naira('receivableKobo', 'Credit notes still due at the end of the month.'),
}))

const WithholdingReportView = view(
  'WithholdingTaxReport',
  (f: Fields<{ month: string; rows: Withholding[] }>) => ({
    month: f.text('month'),
    rows: f.list(WithholdingView, 'rows', 'By currency and client.'),
  }),
)

export const WITHHOLDING_COLUMNS: Columns<Withholding> = [
  ['clientId', ({ clientCode }) => clientCode],
  ['invoiced', ({ invoicedKobo }) => formatKobo(invoicedKobo), 'amount'],
  ['withheld', ({ withheldKobo }) => formatKobo(withheldKobo), 'amount'],
  ['creditNotes', ({ creditNotesKobo }) => formatKobo(creditNotesKobo), 'amount'],
  ['writtenOff', ({ writtenOffKobo }) => formatKobo(writtenOffKobo), 'amount'],
  ['receivable', ({ receivableKobo }) => formatKobo(receivableKobo), 'amount'],
  ['currency', ({ currency }) => currency],
]

export const withholdingTaxRoutes = monthReport({
  path: `${OPERATOR}/withholding-tax`,
  noun: 'withholding tax',
  title: 'Withholding tax',
  about: 'Invoiced, withheld, and due as credit notes',
  of: 'the withholding tax of a month',
  operation: 'WithholdingTax',
  description:
    'By client: the tax that VAT invoices state, the tax withheld, the credit notes received, and the ' +
    'tax whose credit notes are still due.',
  view: WithholdingReportView,
  columns: WITHHOLDING_COLUMNS,
  read: async (tx, span) => {
    const rows = await readWithholding(tx, span)
    return { data: { rows }, rows }
  },
})
