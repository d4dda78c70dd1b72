// Routes of the journal of a day (as JSON, as CSV and as a page to print) and of closing days.
//
// The CSV has the layouts that accounting programs import. The hash of the `manilla` file is stored with a
// closed day, so its text for a line must never change (I68).
//
//   manilla     one row per debit or credit, all currencies
//   xero        manual journals: amounts above zero are debits
//   quickbooks  QuickBooks Online, journal entries: accounts by name
//   sage        Sage 50, transactions: JD and JC

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DAY_MS, timestamp, watDay } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { type Batches, type Columns, CsvExports, csvText } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { BEARER, oneOf, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { timingWindows } from '#reconciliation/daily-proof.ts'
import type { Sealer } from '#seal.ts'
import { completeDay, markDay } from './close-day.ts'
import {
  accountOf,
  type ClosedDay,
  findClosedDay,
  type Journal,
  type JournalEntry,
  type JournalTransfer,
  listClosedDays,
  periodOf,
  readDayTotals,
  readJournal,
  readJournalTransfers,
  type TransferSide,
} from './journal.ts'
import {
  amountOrNone,
  CSV_NOTE,
  content,
  DayQuery,
  dayField,
  OPERATOR,
  parseDay,
  parsePastDay,
  SCOPES,
  SidesView,
  sendPage,
  withReport,
} from './report-views.ts'

const LAYOUTS = ['manilla', 'xero', 'quickbooks', 'sage'] as const
type Layout = (typeof LAYOUTS)[number]

// A row of the CSV: an entry of the day's journal, or one side of a transfer.
type JournalRow = JournalEntry & {
  day: string
  reference: string
  transferId: number | null
  postedAt: string | null
}

// The journal number in accounting programs. A day has one journal for each currency.
function journalNumber(day: string, currency: string): string {
  return `MANILLA-${day}-${currency}`
}

// Rows with the sums of a day. They stand for many transfers, so they name none.
function toRows({ day, entries }: Pick<Journal, 'day' | 'entries'>): JournalRow[] {
  return entries.map((entry) => ({
    ...entry,
    day,
    reference: journalNumber(day, entry.currency),
    transferId: null,
    postedAt: null,
  }))
}

// Describes a row for accountants, for example "bank charge, bank 058". Contains nothing about payers.
function narration({ reason, clientCode, bankCode }: JournalRow): string {
  const client = clientCode === null ? '' : `, client ${clientCode}`
  const bank = bankCode === null ? '' : `, bank ${bankCode}`
  return `${reason.replaceAll('_', ' ')}${client}${bank}`
}

const [dayOf, monthOf] = [
  (row: JournalRow) => row.day.slice(8),
  (row: JournalRow) => row.day.slice(5, 7),
]
const yearOf = (row: JournalRow) => row.day.slice(0, 4)
const dayFirst = (row: JournalRow) => `${dayOf(row)}/${monthOf(row)}/${yearOf(row)}`
const monthFirst = (row: JournalRow) => `${monthOf(row)}/${dayOf(row)}/${yearOf(row)}`
const signed = ({ debitKobo, creditKobo }: JournalRow) => formatKobo(kobo(debitKobo - creditKobo))
const emptyCell = () => ''

export const COLUMNS: Readonly<Record<Layout, Columns<JournalRow>>> = {
  manilla: [
    ['date', ({ day }) => day, 'time'],
    ['accountCode', ({ code }) => code],
    ['accountName', ({ name }) => name],
    ['debit', ({ debitKobo }) => amountOrNone(debitKobo), 'amount'],
    ['credit', ({ creditKobo }) => amountOrNone(creditKobo), 'amount'],
    ['currency', ({ currency }) => currency],
    ['reference', ({ reference }) => reference],
    ['narration', narration],
    ['clientId', ({ clientCode }) => clientCode],
    ['bankCode', ({ bankCode }) => bankCode],
    ['reason', ({ reason }) => reason],
    ['transferId', ({ transferId }) => transferId],
    ['postedAt', ({ postedAt }) => postedAt, 'time'],
  ],
  xero: [
    ['*Narration', ({ day, currency }) => journalNumber(day, currency)],
    ['*Date', dayFirst],
    ['Description', (row) => narrationWithReference(row)],
    ['*AccountCode', ({ code }) => code],
    ['*TaxRate', () => 'Tax Exempt'],
    ['*Amount', signed],
    ['TrackingName1', emptyCell],
    ['TrackingOption1', emptyCell],
    ['TrackingName2', emptyCell],
    ['TrackingOption2', emptyCell],
  ],
  quickbooks: [
    ['*JournalNo', ({ day, currency }) => journalNumber(day, currency)],
    ['*JournalDate', monthFirst],
    ['*AccountName', ({ name }) => name],
    ['*Debits', ({ debitKobo }) => amountOrNone(debitKobo)],
    ['*Credits', ({ creditKobo }) => amountOrNone(creditKobo)],
    ['Description', (row) => narrationWithReference(row)],
    ['Name', emptyCell],
    ['Currency', ({ currency }) => currency],
    ['Location', emptyCell],
    ['Class', emptyCell],
  ],
  sage: [
    ['Type', ({ debitKobo }) => (debitKobo > 0n ? 'JD' : 'JC')],
    ['Account Reference', emptyCell],
    ['Nominal A/C Ref', ({ code }) => code],
    ['Department Code', () => 0],
    ['Date', dayFirst],
    ['Reference', ({ reference }) => reference.slice(0, SAGE_REFERENCE_MAX)],
    ['Details', (row) => narration(row).slice(0, SAGE_DETAILS_MAX)],
    ['Net Amount', ({ debitKobo, creditKobo }) => formatKobo(kobo(debitKobo + creditKobo))],
    ['Tax Code', () => 'T9'], // Outside the scope of VAT.
    ['Tax Amount', () => '0.00'],
  ],
}

const SAGE_REFERENCE_MAX = 30
const SAGE_DETAILS_MAX = 60

// The narration for Xero and QuickBooks. They have no column for the reference of a transfer.
function narrationWithReference(row: JournalRow): string {
  return row.transferId === null ? narration(row) : `${narration(row)}, ${row.reference}`
}

// The `manilla` file of a day. A closed day keeps the hash of this file.
function journalText(journal: Journal): string {
  return csvText(COLUMNS.manilla, toRows(journal))
}

// /api/v1/operator/journal: the journal of a day as JSON, as CSV in the layouts of accounting programs, and
// as a page to print.

const JOURNAL = `${OPERATOR}/journal`
const routeSchema = { tags: ['Accounting'], security: BEARER }

const LineView = view('JournalLine', (f: Fields<JournalEntry>) => ({
  accountCode: f.text('code'),
  accountName: f.text('name'),
  clientId: f.textOrNull('clientCode'),
  bankCode: f.textOrNull('bankCode'),
  currency: f.text('currency'),
  reason: f.text('reason'),
  debit: f.naira('debitKobo'),
  credit: f.naira('creditKobo'),
}))

const JournalView = view('Journal', (f: Fields<Journal>) => ({
  day: f.text('day'),
  isClosed: f.flag(({ closed }) => closed !== undefined, 'It never changes.'),
  journalHash: f.textOrNull(
    ({ closed }) => closed?.journalHash?.toString('hex') ?? null,
    'SHA-256 of journal.csv of a closed day.',
  ),
  transfers: f.integer(({ transfers }) => Number(transfers)),
  totals: f.list(SidesView, 'totals', 'One per currency; debit equals credit.'),
  lines: f.list(LineView, 'entries', 'By currency, code, owner and reason.'),
}))

const CsvQuery = {
  ...DayQuery,
  layout: Type.Optional(oneOf(LAYOUTS, 'Whose import it is for. Default manilla.')),
  detail: Type.Optional(
    oneOf(
      ['day', 'transfer'] as const,
      'The sums of the day (default), or two rows for each transfer in the order of posting.',
    ),
  ),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: `Only this currency. Default: all with layout manilla, ${CURRENCY} with others.`,
      'x-says': 'Must be a currency code of three letters.',
    }),
  ),
}

const journal = resource(JOURNAL, {
  tag: 'Accounting',
  noun: 'journal',
  view: JournalView,
  scopes: SCOPES,
}).get('getJournal', {
  path: '',
  summary: 'Retrieve the journal of a day',
  description:
    'What moved on each account code, by whose money it is and why. Debits equal credits, and ' +
    'both equal the transfers posted on that day. For an open day, the journal so far.',
  query: DayQuery,
  run: (_db, call) => readPastDay(call, call.query.day),
})

export const journalRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await journalExport(app, deps)
  journal.register(app, deps)

  app.get(
    `${JOURNAL}.html`,
    {
      exposeHeadRoute: false,
      onRequest: deps.authentication.requires('accounting:read'),
      schema: {
        ...routeSchema,
        operationId: 'printJournal',
        summary: 'Retrieve the journal of a day as a page to print',
        description: 'The same lines as the CSV, with totals.',
        querystring: strictObject(DayQuery),
        response: content('text/html'),
      },
    },
    async ({ query: { day } }, reply) => sendPage(reply, pageOf(await readPastDay(deps, day))),
  )
}

// GET journal.csv: the sums of the day, or with detail=transfer both sides of each transfer, in batches.
const journalExport: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, chart } = deps
  const exports = new CsvExports()

  app.get(
    `${JOURNAL}.csv`,
    {
      exposeHeadRoute: false, // A HEAD request would read all transfers of the day.
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...routeSchema,
        operationId: 'exportJournal',
        summary: 'Export the journal of a day as CSV',
        description:
          'As manual journals for Xero, journal entries for QuickBooks Online, transactions for ' +
          `Sage 50, or in our own layout. Of a closed day always the same bytes. ${CSV_NOTE}`,
        querystring: strictObject(CsvQuery),
        response: content('text/csv'),
      },
    },
    async ({ client, query }, reply) => {
      const day = parsePastDay(query.day, clock())
      const layout: Layout = query.layout ?? 'manilla'
      const currency = query.currency ?? (layout === 'manilla' ? undefined : CURRENCY)
      const isSelected = (row: JournalRow) => currency === undefined || row.currency === currency
      const rows =
        query.detail === 'transfer'
          ? transferRows(deps, day)
          : oneBatch(toRows(await withReport(db, (tx) => readDay(tx, { day, chart }))))
      return exports.send(reply, client.id, {
        name: `journal-${day}`,
        columns: COLUMNS[layout],
        batches: filterBatches(rows, isSelected),
        hasMark: layout === 'manilla', // Some accounting programs cannot read a byte order mark.
      })
    },
  )

  // Yields the rows of single transfers of a day, two for each, under the chart of a closed day or the
  // current one.
  async function* transferRows({ chart: current }: Deps, day: string): Batches<JournalRow> {
    const dayChart = (await findClosedDay(db, day))?.chart ?? current
    for await (const batch of readJournalTransfers(db, day)) {
      yield batch.flatMap((transfer) => bothSides(transfer, { day, chart: dayChart, sealer }))
    }
  }
}

type Rendering = { day: string; chart: Deps['chart']; sealer: Sealer }

function bothSides(transfer: JournalTransfer, { day, chart, sealer }: Rendering): JournalRow[] {
  const { currency, reason, amountKobo } = transfer
  const reference = causeOf(transfer, sealer)
  const transferId = publicId(sealer, 'transfer', transfer.id)
  const postedAt = timestamp(transfer.postedAt)
  const row = (side: TransferSide, debitKobo: bigint, creditKobo: bigint): JournalRow => {
    const { code, name } = accountOf(chart, side.kind)
    const { clientCode, bankCode } = side
    const amounts = { debitKobo: kobo(debitKobo), creditKobo: kobo(creditKobo) }
    const cause = { reason, reference, transferId, postedAt }
    return { day, currency, code, name, clientCode, bankCode, ...amounts, ...cause }
  }
  return [row(transfer.debit, amountKobo, 0n), row(transfer.credit, 0n, amountKobo)]
}

// The reference of the credit, payout or other object that caused the transfer.
function causeOf(cause: JournalTransfer, sealer: Sealer): string {
  const { creditId, payoutReference, settlementReference, adjustmentId, differenceId } = cause
  const { holdReference } = cause
  if (creditId !== null) return `credit/${publicId(sealer, 'credit', creditId)}`
  if (adjustmentId !== null) return `adjustment/${publicId(sealer, 'adjustment', adjustmentId)}`
  if (differenceId !== null) return `difference/${publicId(sealer, 'difference', differenceId)}`
  return payoutReference ?? settlementReference ?? holdReference ?? ''
}

// Rows that are already in memory, as the batches that an export expects.
async function* oneBatch(rows: readonly JournalRow[]): Batches<JournalRow> {
  yield rows
}

// Passes on only the selected rows of each batch, for an export of one currency.
async function* filterBatches(
  batches: Batches<JournalRow>,
  isSelected: (row: JournalRow) => boolean,
): Batches<JournalRow> {
  for await (const batch of batches) yield batch.filter(isSelected)
}

// Reads the journal of the day that a path or query names. Refuses a day that has not begun.
async function readPastDay({ db, clock, chart }: Deps, text: string): Promise<Journal> {
  const day = parsePastDay(text, clock())
  return withReport(db, (tx) => readDay(tx, { day, chart }))
}

// Reads the stored journal of a closed day, or the journal so far of an open one.
async function readDay(tx: Transaction, options: { day: string; chart: Deps['chart'] }) {
  return readJournal(tx, { ...options, closed: await findClosedDay(tx, options.day) })
}

const PAGE_COLUMNS = ['accountCode', 'accountName', 'narration', 'debit', 'credit', 'currency']

// The journal as a page to print, with one row of totals per currency. It shows the columns PAGE_COLUMNS of
// the `manilla` CSV, in the order of PAGE_COLUMNS.
function pageOf(journal: Journal) {
  const { day, closed, transfers, totals } = journal
  const status = closed
    ? `Closed ${timestamp(closed.closedAt)} by ${closed.closedBy}`
    : 'Open: it may still change'
  const hash = closed?.journalHash
    ? [`SHA-256 of the CSV: ${closed.journalHash.toString('hex')}`]
    : []
  const columns = COLUMNS.manilla
    .filter(([name]) => PAGE_COLUMNS.includes(name))
    .toSorted(([one], [other]) => PAGE_COLUMNS.indexOf(one) - PAGE_COLUMNS.indexOf(other))
  const sums = totals.map(({ currency, debitKobo, creditKobo }) => ({
    code: 'Total',
    name: '',
    currency,
    clientCode: null,
    bankCode: null,
    reason: '',
    day,
    reference: '',
    transferId: null,
    postedAt: null,
    debitKobo: kobo(debitKobo),
    creditKobo: kobo(creditKobo),
  }))
  return {
    title: `Journal of ${day}`,
    about: [`${transfers} transfers (West Africa Time)`, status, ...hash],
    tables: [{ columns, rows: toRows(journal), totals: sums }],
  }
}

// /api/v1/operator/days: lists which days are closed, and closes a day.

const DAYS_MAX = 366
const DAYS_DEFAULT = 31
const REASON_MAX = 500

type Day = {
  day: string
  closed: ClosedDay | undefined
  totals: readonly { currency: string; kobo: Kobo }[]
}

const DayView = view('AccountingDay', (f: Fields<Day>) => ({
  day: f.text('day', 'In West Africa.'),
  isClosed: f.flag(({ closed }) => closed !== undefined, 'Nothing posts into it any more.'),
  closedBy: f.textOrNull(({ closed }) => closed?.closedBy ?? null),
  closedAt: f.timeOrNull(({ closed }) => closed?.closedAt ?? null),
  reason: f.textOrNull(
    ({ closed }) => closed?.reason ?? null,
    'Why it was closed although not balanced.',
  ),
  unbalancedBanks: f.as(
    Type.Array(Type.String(), { description: 'Banks that were not balanced then.' }),
    ({ closed }) => closed?.unbalanced.map(({ bankCode }) => bankCode) ?? [],
  ),
  journalHash: f.textOrNull(
    ({ closed }) => closed?.journalHash?.toString('hex') ?? null,
    'SHA-256 of /api/v1/operator/journal.csv of the day. Null until it is completed.',
  ),
  transfers: f.integerOrNull(({ closed }) =>
    closed?.transfers == null ? null : Number(closed.transfers),
  ),
  debit: f.nairaOrNull(nairaTotal, `In ${CURRENCY}.`),
  credit: f.nairaOrNull(nairaTotal, `In ${CURRENCY}.`),
  totals: f.list(
    SidesView,
    ({ totals }) =>
      totals.map(({ currency, kobo: sum }) => ({ currency, debitKobo: sum, creditKobo: sum })),
    'One per currency.',
  ),
}))

// The debits of a day in naira, which equal its credits. Null until the day is completely closed.
function nairaTotal({ closed, totals }: Day): Kobo | null {
  if (closed?.transfers == null) return null
  return totals.find(({ currency }) => currency === CURRENCY)?.kobo ?? kobo(0n)
}

export const days = resource(`${OPERATOR}/days`, {
  tag: 'Accounting',
  noun: 'day',
  view: DayView,
  scopes: SCOPES,
  params: { day: (text: string) => parseDay(text) },
})
  .act('closeDay', {
    path: '/:day/close',
    summary: 'Close a day',
    description:
      'Nothing posts into a closed day, its journal never changes, and it never opens again. ' +
      'A day can be closed five minutes after its end, after the day before it (the first one ' +
      'closed begins the series), and when every bank is balanced, unless a reason is given. ' +
      'Closing a closed day changes nothing.',
    body: strictObject({
      reason: Type.Optional(
        text(REASON_MAX, 'Why it is closed although a bank is not balanced. Audited.'),
      ),
    }),
    message: 'Day closed successfully',
    errors: ['day_not_balanced', 'day_not_over', 'earlier_day_open', 'later_day_closed'],
    pool: 'settlementPool',
    // `prepare` commits before `run` begins. From then on no transfer can be posted into the day, so the
    // journal that `run` reads is final.
    prepare: (call) => {
      const { db, clock, realClock, clientId, actor, chart, banks, params, body, request } = call
      const by = { clientId, actor }
      const windows = timingWindows(banks)
      const closing = { day: params.day, reason: body.reason ?? null, chart, windows, by }
      return withCaller(call, { request, pool: db }, (tx) =>
        markDay(tx, { clockTime: clock(), realTime: realClock() }, closing),
      )
    },
    run: async (tx, { now, params: { day } }) => {
      const closed = await completeDay(tx, now, { day, textOf: journalText })
      const totals = await readDayTotals(tx, { first: day, last: day })
      return { day, closed, totals }
    },
  })
  .get('listAccountingDays', {
    path: '',
    summary: 'List days and whether they are closed',
    description: `Newest first, at most ${DAYS_MAX}.`,
    query: {
      from: Type.Optional(dayField('First day. Default: 30 days before to.')),
      to: Type.Optional(dayField('Last day, inclusive. Default: today.')),
    },
    view: Type.Array(DayView.schema),
    message: 'Days retrieved successfully',
    run: async (db, { query, now }) => {
      const listed = listDays(query, now)
      const bounds = { first: listed.at(-1) as string, last: listed[0] as string }
      const [closed, totals] = await withReport(db, async (tx) => [
        await listClosedDays(tx, bounds),
        await readDayTotals(tx, bounds),
      ])
      return listed.map((day) =>
        DayView.present({
          day,
          closed: closed.find((each) => each.day === day),
          totals: totals.filter((each) => each.day === day),
        }),
      )
    },
  })

type Bounds = { from?: string | undefined; to?: string | undefined }

// The days from `from` to `to`, newest first. By default the last 31 days.
function listDays({ from, to }: Bounds, now: Date): string[] {
  const lastDay = to === undefined ? watDay(now) : parseDay(to, 'to')
  const lastMs = periodOf(lastDay).from.getTime()
  const firstMs = from === undefined ? lastMs - (DAYS_DEFAULT - 1) * DAY_MS : startOf(from)
  const count = Math.round((lastMs - firstMs) / DAY_MS) + 1
  if (count < 1) throw invalidField('to', 'Must not be earlier than from.')
  if (count > DAYS_MAX) throw invalidField('from', `Must be at most ${DAYS_MAX} days before to.`)
  return Array.from({ length: count }, (_, daysBack) =>
    watDay(new Date(lastMs - daysBack * DAY_MS)),
  )
}

const startOf = (from: string) => periodOf(parseDay(from, 'from')).from.getTime()
