// Closes months (I120–I122). A month closes once its last day is closed, so its journal is final already.
// Closing it stores a checklist and a signed pack.
//
//   open ──▶ closed ──▶ reopened ──▶ closed …
//
// Two people reopen a month (approvals/workflow.ts). Its days stay closed: reopening is for the parts of the
// pack that are not in the ledger, such as a bank statement that came late. The next closing gets the next
// version number, and every earlier closing keeps its pack.

import { type Request, type Requester, type Verb, Workflow } from '#approvals/workflow.ts'
import { watDay } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { readDailyProofs, type TimingWindows } from '#reconciliation/daily-proof.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { findClosedDay } from './journal.ts'
import { readTaxDetails } from './tax-rates.ts'
import { countUnbookedWithholding, listDocumentsOfMonth, listMissing } from './vat-documents.ts'

// `link` names the dashboard view where the user completes the check.
type CheckResult = { name: string; isDone: boolean; open: number; link: string }
export type Month = { month: string; from: Date; to: Date; first: string; last: string }
type CheckContext = {
  db: Queryable
  month: Month
  windows: TimingWindows
  now: Date
  sellerId: ClientId // The operator's client that would issue VAT invoices.
}
type Check = { name: string; link: string; countOpen: (context: CheckContext) => Promise<number> }

const SUSPENSE_DAYS_MAX = 30

// The checks before a month closes, in addition to days_closed. To require another one, add a line.
const CHECKS: readonly Check[] = [
  { name: 'banks_reconciled', link: 'reconciliation', countOpen: countUnbalanced },
  { name: 'suspense_reviewed', link: 'suspense', countOpen: countOldSuspense },
  { name: 'approvals_decided', link: 'today', countOpen: countUndecided },
  { name: 'vat_ready', link: 'accounting', countOpen: countMissingVat },
  { name: 'seller_tin_set', link: 'clients', countOpen: countWithoutTin },
  { name: 'wht_ready', link: 'accounting', countOpen: countWithholding },
]

// Runs the checklist of a month, for its page and for its closing. The first check, days_closed, is done once
// the last day of the month is completely closed; `link` names the dashboard view for it.
export async function runChecks(context: CheckContext): Promise<CheckResult[]> {
  const { db, month } = context
  const lastDay = await findClosedDay(db, month.last)
  const isClosed = lastDay?.transfers != null
  const days = { name: 'days_closed', link: 'accounting', isDone: isClosed, open: isClosed ? 0 : 1 }
  const results: CheckResult[] = [days]
  for (const { name, link, countOpen } of CHECKS) {
    const open = await countOpen(context)
    results.push({ name, link, isDone: open === 0, open })
  }
  return results
}

// Counts the proofs of the month, one per bank and day, that are not balanced. A day without a statement is
// counted only if one is expected.
async function countUnbalanced({ db, month, windows, now }: CheckContext): Promise<number> {
  const range = { fromDay: month.first, toDay: month.last }
  const proofs = await readDailyProofs(db, { ...range, windows, now })
  return proofs.filter(
    ({ status, isExpected }) =>
      status !== 'balanced' && (status !== 'missing_statement' || isExpected),
  ).length
}

// Counts the suspense items that are still open and were older than 30 days at the end of the month.
async function countOldSuspense({ db, month }: CheckContext): Promise<number> {
  const openedBefore = new Date(month.to.getTime() - SUSPENSE_DAYS_MAX * 86_400_000)
  return countRows(db, `suspense_items where state = 'open' and opened_at < $1`, openedBefore)
}

// The requests that move money and wait for a decision. Each is SQL for countRows(): a table, its condition,
// and the column with the time of the request, to which countUndecided() appends a comparison.
const UNDECIDED = [
  `adjustments where state = 'open' and requested_at`,
  `adjusting_entries where state = 'open' and requested_at`,
  `differences where state = 'asked' and asked_at`,
  `hold_requests where state = 'open' and requested_at`,
  `payouts where status = 'queued' and approval = 'needed' and requested_at`,
  `payout_failures where state = 'open' and requested_at`,
  `screening_requests where state = 'open' and decision_id is not null and requested_at`,
  `settlements where status = 'closed' and closed_at`,
  `suspense_requests where state = 'open' and requested_at`,
]

// Counts the requests of the month or before it that nobody has decided.
async function countUndecided({ db, month }: CheckContext): Promise<number> {
  let count = 0
  for (const requests of UNDECIDED) count += await countRows(db, `${requests} < $1`, month.to)
  return count
}

// Counts the VAT invoices and credit notes of the month that are not issued yet.
async function countMissingVat({ db, month }: Pick<CheckContext, 'db' | 'month'>): Promise<number> {
  return (await listMissing(db, { month: month.month, period: month })).length
}

// Counts the VAT documents of the month that do not state the seller's TIN, issued or still to be issued.
async function countWithoutTin({ db, month, sellerId }: CheckContext): Promise<number> {
  const issued = await listDocumentsOfMonth(db, month.month)
  const issuedWithoutTin = issued.filter(({ parties }) => parties.seller.tin === null).length
  const { tin } = await readTaxDetails(db, sellerId)
  return tin === null ? issuedWithoutTin + (await countMissingVat({ db, month })) : issuedWithoutTin
}

// Counts the documents whose withholding tax is neither booked nor decided not to be withheld.
function countWithholding({ db, month }: CheckContext): Promise<number> {
  return countUnbookedWithholding(db, month.month)
}

// `tableAndCondition` is SQL from the name of the table on. $1 is the moment.
async function countRows(db: Queryable, tableAndCondition: string, moment: Date): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(
    `select count(*) as count from ${tableAndCondition}`,
    [moment],
  )
  return Number(rows[0]?.count)
}

export type Closing = {
  id: bigint
  month: string
  version: number
  checklist: CheckResult[]
  reason: string | null
  closedBy: string
  closedAt: Date
  reopenedAt: Date | null
}

const CLOSING_COLUMNS = `
  id, to_char(month, 'YYYY-MM') as month, version, checklist, reason, closed_by, closed_at,
  reopened_at`

// Newest closing first.
export async function listClosings(db: Queryable, month: string): Promise<Closing[]> {
  const { rows } = await db.query<Closing>({
    name: 'list-month-closings',
    text: `select ${CLOSING_COLUMNS} from closed_months where month = $1 order by version desc`,
    values: [`${month}-01`],
  })
  return rows
}

// Returns the closing that is in force. Refuses if the month is open or reopened.
export async function getStanding(db: Queryable, month: string): Promise<Closing> {
  const standing = (await listClosings(db, month)).find(({ reopenedAt }) => reopenedAt === null)
  if (!standing) throw new Refusal('month_not_closed')
  return standing
}

export type PackFile = { name: string; content: string }

// `build` writes the files of the pack and its signed manifest.
type CloseOptions = {
  month: Month
  reason: string | null
  windows: TimingWindows
  by: { clientId: ClientId; actor: string }
  build: (closing: {
    version: number
    checklist: CheckResult[]
  }) => Promise<{ files: PackFile[]; manifest: string }>
}

// Closes a month: runs the checklist, and stores it with the pack that `build` writes. Refuses with the first
// that applies: month_not_over, earlier_month_open, month_not_ready. Does nothing if the month is closed.
// Call in a repeatable-read transaction that first locks closed_months (withTransaction), so that the
// checklist and all files show the same moment.
export async function closeMonth(tx: Transaction, now: Date, options: CloseOptions): Promise<void> {
  const { month, reason, windows, by, build } = options
  const closings = await listClosings(tx, month.month)
  if (closings.some(({ reopenedAt }) => reopenedAt === null)) return
  const checklist = await runChecks({ db: tx, month, windows, now, sellerId: by.clientId })
  const [days, ...otherChecks] = checklist
  if (!days?.isDone) throw new Refusal('month_not_over')
  const openMonths = await findOpenMonths(tx, month)
  if (openMonths.length > 0) throw earlierOpen(openMonths)
  const unmetChecks = otherChecks.filter(({ isDone }) => !isDone)
  if (unmetChecks.length > 0 && reason === null) throw notReady(unmetChecks)
  const version = (closings[0]?.version ?? 0) + 1
  const { files, manifest } = await build({ version, checklist })
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'close-month',
    text: `insert into closed_months
             (month, version, ends_at, checklist, reason, manifest, closed_by, closed_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    values: [
      month.first,
      version,
      month.to,
      JSON.stringify(checklist),
      unmetChecks.length > 0 ? reason : null,
      manifest,
      by.actor,
      now,
    ],
  })
  await tx.query({
    name: 'store-month-files',
    text: `insert into closed_month_files (closing_id, name, content)
           select $1, * from unnest($2::text[], $3::text[])`,
    values: [rows[0]?.id, files.map(({ name }) => name), files.map(({ content }) => content)],
  })
  const detail = { version, reason, missing: unmetChecks.map(({ name }) => name) }
  const subject = `month/${month.month}`
  await writeAuditLog(tx, now, { ...by, action: 'month.close', subject, detail })
}

// Returns the earlier months that have transfers and are not closed, or are reopened. Reading closed_days
// suffices, because all days with transfers before a closed day are closed.
async function findOpenMonths(db: Queryable, { first }: Month): Promise<string[]> {
  const { rows } = await db.query<{ month: string }>({
    name: 'open-months',
    text: `select to_char(e.month, 'YYYY-MM') as month
             from (select date_trunc('month', day)::date as month from closed_days
                    where day < $1 and transfers > 0
                    union
                   select month from closed_months where month < $1) as e
            where not exists (select from closed_months c
                               where c.month = e.month and c.reopened_at is null)
            order by e.month`,
    values: [first],
  })
  return rows.map(({ month }) => month)
}

// Names the open months, and the one to close first.
function earlierOpen(months: readonly string[]): Refusal {
  const verb = months.length === 1 ? 'is' : 'are'
  const message = `${months.join(', ')} ${verb} open. Close ${months[0]} first.`
  return new Refusal('earlier_month_open', [{ field: 'month', message }])
}

// Names each check that is not done. The errors are about the request's field `reason`: a request that gives
// a reason may close the month although these checks are not done.
function notReady(missing: readonly CheckResult[]): Refusal {
  const fields = missing.map(({ name, open }) => {
    return { field: 'reason', message: `${name}: ${open} open.` }
  })
  return new Refusal('month_not_ready', fields)
}

// Reads the files of a closing's pack. The manifest comes last.
export async function readPack(db: Queryable, closing: Closing): Promise<PackFile[]> {
  const { rows } = await db.query<PackFile>({
    name: 'read-month-pack',
    text: `select name, content
             from (select name, content, 1 as place from closed_month_files where closing_id = $1
                   union all
                   select 'manifest.json', manifest, 2 from closed_months where id = $1) as f
            order by place, name`,
    values: [closing.id],
  })
  return rows
}

export type Reopening = Request & { month: string; version: number; reason: string }

export const reopenings = new Workflow<Reopening>({
  table: 'month_reopenings',
  key: 'id',
  columns: `to_char(c.month, 'YYYY-MM') as month, c.version, r.reason`,
  joins: 'join closed_months c on c.id = r.closing_id',
  notFound: 'reopening_not_found',
  // The lock that closing a day takes (close-day.ts), so that the two never run at the same time.
  lock: (tx) => tx.query(`select pg_advisory_xact_lock(hashtext('close_day'))`),
  perform: async (tx, { now }, { id }) => {
    await tx.query({
      name: 'reopen-month',
      text: `update closed_months set reopened_at = $2
              where id = (select closing_id from month_reopenings where id = $1)`,
      values: [id, now],
    })
  },
  audit: ({ month, version, reason }, verb: Verb) => ({
    action: `month.reopen.${verb}`,
    subject: `month/${month}`,
    detail: { version, reason },
  }),
})

// A second user must approve the request before the month is open again.
export async function requestReopening(
  tx: Transaction,
  by: Requester,
  { month, reason }: { month: string; reason: string },
): Promise<Reopening> {
  const { id } = await getStanding(tx, month)
  const values = { closing_id: id, reason }
  return reopenings.request(tx, by, { values, conflict: 'reopening_requested' })
}

export async function listReopenings(
  db: Queryable,
  viewer: Parameters<typeof reopenings.list>[1],
  month: string,
): Promise<Reopening[]> {
  const where = [['c.month = $', `${month}-01`]] as const
  return reopenings.list(db, viewer, { where, beforeId: null, limit: 100 })
}

// `first` and `last` are days in West Africa; `to` is the end of `last`.
export function toMonth(text: string, { from, to }: { from: Date; to: Date }): Month {
  return { month: text, from, to, first: `${text}-01`, last: watDay(new Date(to.getTime() - 1)) }
}

export function daysOf({ first, last }: Month): string[] {
  const count = Number(last.slice(8)) // The number of the last day, such as 31.
  return Array.from({ length: count }, (_, index) => {
    return `${first.slice(0, 8)}${String(index + 1).padStart(2, '0')}`
  })
}
