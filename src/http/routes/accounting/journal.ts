// /api/v1/operator/journal: the journal of a day as JSON, as CSV in the layouts of accounting programs,
// and as a page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { Transaction } from '#db/transaction.ts'
import { findClosedDay } from '#domain/accounting/closed-days.ts'
import {
  accountOf,
  type Journal,
  type JournalEntry,
  readJournal,
} from '#domain/accounting/journal.ts'
import {
  type JournalTransfer,
  readJournalTransfers,
  type TransferSide,
} from '#domain/accounting/journal-transfers.ts'
import { findLatestTime } from '#domain/records/test-clocks.ts'
import { type Batches, CsvExports } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { query } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { BEARER, oneOf } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { CURRENCY, kobo } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { COLUMNS, type JournalRow, LAYOUTS, type Layout, toRows } from './journal-layouts.ts'
import { CSV_NOTE, content, SidesView, sendPage } from './report-formats.ts'
import { DayQuery, OPERATOR, parsePastDay, SCOPES, withReport } from './report-query.ts'

const JOURNAL = `${OPERATOR}/journal`
const about = { tags: ['Accounting'], security: BEARER }

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
  transfers: f.number(({ transfers }) => Number(transfers)),
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
  errors: ['period_archived'],
  run: (_db, call) => readPastDay(call, call.query.day),
})

export const journalRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(journalExport, deps)
  journal.register(app, deps)

  app.get(
    `${JOURNAL}.html`,
    {
      exposeHeadRoute: false,
      onRequest: deps.authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'printJournal',
        summary: 'Retrieve the journal of a day as a page to print',
        description: 'The same lines as the CSV, with totals.',
        querystring: query(DayQuery),
        response: content('text/html'),
      },
    },
    async ({ query: { day } }, reply) => sendPage(reply, pageOf(await readPastDay(deps, day))),
  )
}

const journalExport: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, chart } = deps
  const exports = new CsvExports()

  app.get(
    `${JOURNAL}.csv`,
    {
      exposeHeadRoute: false, // It would read all transfers of the day.
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'exportJournal',
        summary: 'Export the journal of a day as CSV',
        description:
          'As manual journals for Xero, journal entries for QuickBooks Online, transactions for ' +
          `Sage 50, or in our own layout. Of a closed day always the same bytes. ${CSV_NOTE}`,
        querystring: query(CsvQuery),
        response: content('text/csv'),
      },
    },
    async ({ client, query: asked }, reply) => {
      const day = parsePastDay(asked.day, await findLatestTime(db, clock()))
      const layout: Layout = asked.layout ?? 'manilla'
      const currency = asked.currency ?? (layout === 'manilla' ? undefined : CURRENCY)
      const isWanted = (row: JournalRow) => currency === undefined || row.currency === currency
      const rows =
        asked.detail === 'transfer'
          ? ofTransfers(deps, day)
          : once(toRows(await withReport(db, (tx) => readDay(tx, { day, chart }))))
      return exports.send(reply, client.id, {
        name: `journal-${day}`,
        columns: COLUMNS[layout],
        batches: filtered(rows, isWanted),
        hasMark: layout === 'manilla',
      })
    },
  )

  async function* ofTransfers({ chart: current }: Deps, day: string): Batches<JournalRow> {
    const used = (await findClosedDay(db, day))?.chart ?? current
    for await (const batch of readJournalTransfers(db, day)) {
      yield batch.flatMap((transfer) => bothSides(transfer, { day, chart: used, sealer }))
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

function causeOf(cause: JournalTransfer, sealer: Sealer): string {
  const { creditId, payoutReference, settlementReference, adjustmentId, differenceId } = cause
  if (creditId !== null) return `credit/${publicId(sealer, 'credit', creditId)}`
  if (adjustmentId !== null) return `adjustment/${publicId(sealer, 'adjustment', adjustmentId)}`
  if (differenceId !== null) return `difference/${publicId(sealer, 'difference', differenceId)}`
  return payoutReference ?? settlementReference ?? ''
}

async function* once(rows: readonly JournalRow[]): Batches<JournalRow> {
  yield rows
}

async function* filtered(
  batches: Batches<JournalRow>,
  isWanted: (row: JournalRow) => boolean,
): Batches<JournalRow> {
  for await (const batch of batches) yield batch.filter(isWanted)
}

async function readPastDay({ db, clock, chart }: Deps, text: string): Promise<Journal> {
  const day = parsePastDay(text, await findLatestTime(db, clock()))
  return withReport(db, (tx) => readDay(tx, { day, chart }))
}

async function readDay(tx: Transaction, asked: { day: string; chart: Deps['chart'] }) {
  return readJournal(tx, { ...asked, closed: await findClosedDay(tx, asked.day) })
}

const ON_PAGE = ['accountCode', 'accountName', 'narration', 'debit', 'credit', 'currency']

function pageOf(journal: Journal) {
  const { day, closed, transfers, totals } = journal
  const status = closed
    ? `Closed ${timestamp(closed.closedAt)} by ${closed.closedBy}`
    : 'Open: it may still change'
  const hash = closed?.journalHash
    ? [`SHA-256 of the CSV: ${closed.journalHash.toString('hex')}`]
    : []
  const columns = COLUMNS.manilla
    .filter(([name]) => ON_PAGE.includes(name))
    .toSorted(([one], [other]) => ON_PAGE.indexOf(one) - ON_PAGE.indexOf(other))
  const sums = totals.map(({ currency, debitKobo, creditKobo }) => ({
    ...{ code: 'Total', name: '', currency, clientCode: null, bankCode: null, reason: '' },
    ...{ day, reference: '', transferId: null, postedAt: null },
    debitKobo: kobo(debitKobo),
    creditKobo: kobo(creditKobo),
  }))
  return {
    title: `Journal of ${day}`,
    about: [`${transfers} transfers (West Africa Time)`, status, ...hash],
    tables: [{ columns, rows: toRows(journal), totals: sums }],
  }
}
