// The pack of a month: its CSV files, its signed manifest, and the ZIP archive of both. docs/proof.md
// specifies them, and verifier/verify_proof.py reads them, so a change of a column needs a new version of the
// format.
//
// The trial balances and the journal have one row per kind of ledger account. In a chart of accounts, several
// kinds may share one code, and a kind may get another code later. So the verifier adds up the kinds, whose
// names never change.
//
// No file names a payer.

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ChartEntry } from '#config/chart-settings.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type Columns, csvText } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import type { ProofKey } from '#proof/files.ts'
import { signManifest } from '#proof/write.ts'
import {
  type CrossDayItem,
  type DailyProof,
  readCrossDayItems,
  readDailyProofs,
  readStandingItems,
  type StandingItem,
  timingWindows,
} from '#reconciliation/daily-proof.ts'
import { type KindTotal, readKindTotals, readSuspenseAgeing } from './balances.ts'
import {
  accountOf,
  type ClosedDay,
  findClosedDay,
  type JournalLine,
  readClosedLines,
} from './journal.ts'
import { daysOf, type Month, type PackFile } from './month.ts'
import {
  AGEING_COLUMNS,
  DUTY_COLUMNS,
  toVatRows,
  VAT_COLUMNS,
  WITHHOLDING_COLUMNS,
} from './report-routes.ts'
import { amountOrNone } from './report-views.ts'
import { readStampDuty, readVatReport } from './vat.ts'
import { COLUMNS as DOCUMENT_COLUMNS } from './vat-document-routes.ts'
import { listDocumentsOfMonth, readWithholding } from './vat-documents.ts'

// A balance is either a debit or a credit: the other amount is 0.
type Balance = ChartEntry & { kind: string; currency: string; debitKobo: Kobo; creditKobo: Kobo }
type Entry = ChartEntry & JournalLine & { day: string }

const BALANCE_COLUMNS: Columns<Balance> = [
  ['account', ({ kind }) => kind],
  ['accountCode', ({ code }) => code],
  ['accountName', ({ name }) => name],
  ['debit', ({ debitKobo }) => formatKobo(debitKobo)],
  ['credit', ({ creditKobo }) => formatKobo(creditKobo)],
  ['currency', ({ currency }) => currency],
]

const JOURNAL_COLUMNS: Columns<Entry> = [
  ['date', ({ day }) => day],
  ['account', ({ kind }) => kind],
  ['accountCode', ({ code }) => code],
  ['accountName', ({ name }) => name],
  ['debit', ({ debitKobo }) => amountOrNone(debitKobo)],
  ['credit', ({ creditKobo }) => amountOrNone(creditKobo)],
  ['currency', ({ currency }) => currency],
  ['reason', ({ reason }) => reason],
  ['clientId', ({ clientCode }) => clientCode],
  ['bankCode', ({ bankCode }) => bankCode],
]

// The balance of each kind of account, under its code in the chart of the closed day. Omits kinds that never
// moved.
function toBalances(totals: readonly KindTotal[], { chart }: ClosedDay): Balance[] {
  const moved = totals.filter(({ debits, credits }) => debits !== 0n || credits !== 0n)
  const rows = moved.map(({ kind, currency, debits, credits }) => {
    const net = debits - credits
    return {
      kind,
      currency,
      ...accountOf(chart, kind),
      debitKobo: kobo(net > 0n ? net : 0n),
      creditKobo: kobo(net < 0n ? -net : 0n),
    }
  })
  return sortBy(rows, ({ currency, code, kind }) => [currency, code, kind])
}

// Turns the journal lines of a closed day into entries, each either a debit or a credit. A line with
// movements both ways becomes two entries.
function toEntries(lines: readonly JournalLine[], { day, chart }: ClosedDay): Entry[] {
  const zeroKobo = kobo(0n)
  const entries = lines
    .map((line) => ({ ...line, ...accountOf(chart, line.kind), day }))
    .flatMap((line) => [
      { ...line, creditKobo: zeroKobo },
      { ...line, debitKobo: zeroKobo },
    ])
    // If the line did not move in one direction, that entry has two zeros and is dropped.
    .filter(({ debitKobo, creditKobo }) => debitKobo !== creditKobo)
  return sortBy(entries, (entry) => {
    const { currency, code, kind, clientCode, bankCode, reason, creditKobo } = entry
    return [
      currency,
      code,
      kind,
      clientCode,
      bankCode,
      reason,
      creditKobo === 0n ? 'debit' : 'credit',
    ]
  })
}

// Sorts the rows of a file of the month's pack. Compares code units instead of using a locale, so that a pack
// has the same bytes on every machine.
function sortBy<Row>(rows: readonly Row[], keyOf: (row: Row) => (string | null)[]): Row[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row).join('\u0000') }))
  keyed.sort((one, other) => (one.key < other.key ? -1 : 1))
  return keyed.map(({ row }) => row)
}

// The ledger's balance at each bank, at the beginning and the end of the month.
type BankBalance = { bankCode: string; currency: string; openingKobo: Kobo; closingKobo: Kobo }

const BANK_COLUMNS: Columns<BankBalance> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ['opening', ({ openingKobo }) => formatKobo(openingKobo)],
  ['closing', ({ closingKobo }) => formatKobo(closingKobo)],
]

// Reads the ledger's balance at each bank, at the beginning and at the end of the month: today's balance less
// what moved since. The owner of a bank's ledger account is the text "bank:" with the bank's code.
async function readBankBalances(db: Queryable, { from, to }: Month): Promise<BankBalance[]> {
  const { rows } = await db.query<BankBalance>({
    name: 'read-bank-balances-of-month',
    text: `with banks as (
             select id, substr(owner, 6) as bank_code, currency, debits_kobo - credits_kobo as kobo
               from ledger_accounts where kind = 'bank'
           ), moved as (
             select b.id, t.amount_kobo as kobo, t.posted_at
               from transfers t join banks b on b.id = t.debit_account_id where t.posted_at >= $1
              union all
             select b.id, -t.amount_kobo, t.posted_at
               from transfers t join banks b on b.id = t.credit_account_id where t.posted_at >= $1
           )
           select b.bank_code, b.currency, (b.kobo - coalesce(sum(m.kobo), 0))::bigint as opening_kobo,
                  (b.kobo - coalesce(sum(m.kobo) filter (where m.posted_at >= $2), 0))::bigint
                    as closing_kobo
             from banks b left join moved m using (id)
            group by b.id, b.bank_code, b.currency, b.kobo order by b.bank_code, b.currency`,
    values: [from, to],
  })
  return rows
}

// Refuses if the ledger balance of a proof differs from the journal. A proof includes an item only after
// matching has read it, up to a minute later, and a pack with a proof that lacks items would not verify.
function requireWholeLedger(
  proofs: readonly DailyProof[],
  banks: readonly BankBalance[],
  journal: readonly Entry[],
): void {
  for (const { bankCode, currency, openingKobo } of banks) {
    const isOfBank = (row: { bankCode: string | null; currency: string }) =>
      row.bankCode === bankCode && row.currency === currency
    const moves = journal.filter((entry) => entry.kind === 'bank' && isOfBank(entry))
    for (const { day, ledgerKobo } of proofs.filter(isOfBank)) {
      const booksKobo = moves
        .filter((move) => move.day <= day)
        .reduce((sum, { debitKobo, creditKobo }) => sum + debitKobo - creditKobo, 0n + openingKobo)
      if (ledgerKobo === null || ledgerKobo === booksKobo) continue
      const message = `Bank ${bankCode}, ${day}: the ledger is not matched yet. Try again in a minute.`
      throw new Refusal('month_not_ready', [{ field: 'month', message }])
    }
  }
}

// Returns the function that writes a column of amounts. A cell is empty if the proof has no such amount.
const amountColumn = (read: (proof: DailyProof) => Kobo | null) => (proof: DailyProof) => {
  const amountKobo = read(proof)
  return amountKobo === null ? '' : formatKobo(amountKobo)
}

// The timing difference of items that bank and ledger both have, on different days.
const crossDayOf = ({ timingKobo, waitingKobo }: DailyProof) =>
  timingKobo === null || waitingKobo === null ? null : kobo(timingKobo - waitingKobo)

const PROOF_COLUMNS: Columns<DailyProof> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ['day', ({ day }) => day],
  ['status', ({ status }) => status],
  ['statement', amountColumn(({ statementKobo }) => statementKobo)],
  ['ledger', amountColumn(({ ledgerKobo }) => ledgerKobo)],
  ['timing', amountColumn(({ timingKobo }) => timingKobo)],
  ['waiting', amountColumn(({ waitingKobo }) => waitingKobo)],
  ['crossDay', amountColumn(crossDayOf)],
  ['noted', amountColumn(({ notedKobo }) => notedKobo)],
  ['difference', amountColumn(({ differenceKobo }) => differenceKobo)],
  ['openDifferences', ({ openDifferences }) => openDifferences],
]

// Open and noted differences: the reasons why a bank's statement differs from its ledger balance.
const RECONCILING_COLUMNS: Columns<StandingItem> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ['day', ({ day }) => day],
  ['state', ({ state }) => state],
  ['kind', ({ kind }) => kind],
  ['amount', ({ amountKobo }) => formatKobo(amountKobo)],
  ['difference', ({ differenceId }) => differenceId.toString()],
  ['line', ({ lineId }) => lineId?.toString()],
  ['item', ({ item }) => item],
  ['reason', ({ reason }) => reason],
]

// An item in transit between the bank and the ledger. A cross-day item is in both, on different days. A
// waiting item has no last day: so far, only the bank or only the ledger has it.
type TimingItem = CrossDayItem | StandingItem

const isCrossDay = (item: TimingItem): item is CrossDayItem => 'untilDay' in item

const TIMING_COLUMNS: Columns<TimingItem> = [
  ['bankCode', ({ bankCode }) => bankCode],
  ['currency', ({ currency }) => currency],
  ['fromDay', (item) => (isCrossDay(item) ? item.fromDay : item.day)],
  ['untilDay', (item) => (isCrossDay(item) ? item.untilDay : '')],
  ['kind', (item) => (isCrossDay(item) ? 'crossDay' : 'waiting')],
  ['amount', ({ amountKobo }) => formatKobo(amountKobo)],
  ['line', ({ lineId }) => lineId?.toString()],
  ['item', ({ item }) => item],
  ['reason', (item) => (isCrossDay(item) ? item.rule : item.kind)],
]

// Reads the CSV files of a month's pack. Call in a repeatable-read transaction, after the last day of the
// month is closed. Refuses with month_not_ready while matching lags behind the ledger.
export async function readPackFiles(
  tx: Transaction,
  { banks, now }: Pick<Deps, 'banks'> & { now: Date },
  month: Month,
): Promise<PackFile[]> {
  const { from, to, first, last } = month
  const lastDay = (await findClosedDay(tx, last)) as ClosedDay
  const journal: Entry[] = []
  for (const day of daysOf(month)) {
    const closed = await findClosedDay(tx, day)
    if (!closed) continue // Only days before the first closed day are open. They have no stored journal.
    journal.push(...toEntries(await readClosedLines(tx, { first: day, last: day }), closed))
  }
  const range = { fromDay: first, toDay: last, windows: timingWindows(banks), now }
  const standingItems = await readStandingItems(tx, range)
  const waitingItems = standingItems.filter(({ state }) => state === 'waiting')
  const proofs = await readDailyProofs(tx, range)
  const bankBalances = await readBankBalances(tx, month)
  requireWholeLedger(proofs, bankBalances, journal)
  const timing = [...waitingItems, ...(await readCrossDayItems(tx, range))]
  return [
    csvFile(
      'opening-trial-balance',
      BALANCE_COLUMNS,
      toBalances(await readKindTotals(tx, from), lastDay),
    ),
    csvFile('trial-balance', BALANCE_COLUMNS, toBalances(await readKindTotals(tx, to), lastDay)),
    csvFile('journal', JOURNAL_COLUMNS, journal),
    csvFile('bank-balances', BANK_COLUMNS, bankBalances),
    csvFile('reconciliation', PROOF_COLUMNS, proofs),
    csvFile('timing-items', TIMING_COLUMNS, timing),
    csvFile(
      'reconciling-items',
      RECONCILING_COLUMNS,
      standingItems.filter(({ state }) => state !== 'waiting'),
    ),
    csvFile('suspense-ageing', AGEING_COLUMNS, await readSuspenseAgeing(tx, { at: to, now })),
    csvFile('vat', VAT_COLUMNS, toVatRows(await readVatReport(tx, month))),
    csvFile('vat-invoices', DOCUMENT_COLUMNS, await listDocumentsOfMonth(tx, month.month)),
    csvFile('withholding-tax', WITHHOLDING_COLUMNS, await readWithholding(tx, month)),
    csvFile('stamp-duty', DUTY_COLUMNS, await readStampDuty(tx, { from, to })),
  ]
}

function csvFile<Row>(name: string, columns: Columns<Row>, rows: readonly Row[]): PackFile {
  return { name: `${name}.csv`, content: csvText(columns, rows) }
}

// The pack of a closed month: its signed manifest, and a ZIP archive of all files.
//
// The manifest names each file with its SHA-256, and the totals that the verifier adds up again
// (verifier/verify_proof.py). One changed kobo changes a hash; a changed hash breaks the signature.

const PACK_FORMAT = 'manilla-month/2'

type Content = {
  month: string
  version: number
  closedAt: string
  closedBy: string
  mode: string
  reason: string | null
  checklist: readonly object[]
}

// Returns the signed manifest: the facts about the closing (`content`), and the hash of each file.
export function signPack(files: readonly PackFile[], content: Content, key: ProofKey): string {
  const hashedFiles = files.map(({ name, content: text }) => {
    return { name, sha256: createHash('sha256').update(text).digest('hex') }
  })
  const { publicKey } = key
  return signManifest({ format: PACK_FORMAT, ...content, files: hashedFiles, publicKey }, key)
}

// Signatures and fields of the ZIP format.
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const IS_UTF8 = 0x0800
const FIRST_DATE = 0x21 // 1 January 1980. A fixed date makes the bytes of a pack reproducible.

// Writes a ZIP archive without compression. The 26 bytes of `header` stand both before the file's content and
// in the central directory at the end of the archive, which also states where each file begins (`offset`).
export function zipOf(files: readonly PackFile[]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const { name, content } of files) {
    const [nameBytes, contentBytes] = [Buffer.from(name), Buffer.from(content)]
    const header = Buffer.alloc(26)
    header.writeUInt16LE(VERSION, 0)
    header.writeUInt16LE(IS_UTF8, 2)
    header.writeUInt16LE(FIRST_DATE, 8)
    header.writeUInt32LE(crc32(contentBytes), 10)
    header.writeUInt32LE(contentBytes.length, 14)
    header.writeUInt32LE(contentBytes.length, 18)
    header.writeUInt16LE(nameBytes.length, 22)
    parts.push(uint32(LOCAL), header, nameBytes, contentBytes)
    const directoryFields = Buffer.alloc(14)
    directoryFields.writeUInt32LE(offset, 10)
    directory.push(uint32(CENTRAL), uint16(VERSION), header, directoryFields, nameBytes)
    offset += 4 + header.length + nameBytes.length + contentBytes.length
  }
  const centralDirectory = Buffer.concat(directory)
  const endRecord = Buffer.alloc(18)
  endRecord.writeUInt16LE(files.length, 4)
  endRecord.writeUInt16LE(files.length, 6)
  endRecord.writeUInt32LE(centralDirectory.length, 8)
  endRecord.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, centralDirectory, uint32(END), endRecord])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
