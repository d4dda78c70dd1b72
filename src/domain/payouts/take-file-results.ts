// Takes a bank's report of payouts in files: what it decides is committed first, all of it, and
// settled afterwards (settle-file-results.ts), so nothing of a report is lost, however long it is.
//
// Locks: the payouts, in id order.

import type { ReportLine } from '#banks/payment-files.ts'
import { numberArray, plainArray, textArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { type NewAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { formatKobo, kobo } from '#money.ts'
import {
  type FileResult,
  type Judgement,
  judgeFileResults,
  type KnownPayout,
  type Problem,
} from './judge-file-results.ts'
import type { FileActor } from './payout-files.ts'

type Taking = { now: Date; by: FileActor }

// `sha256`: of the report, for the audit log.
export async function takeFileResults(
  tx: Transaction,
  { now, by }: Taking,
  { lines, sha256 }: { lines: readonly ReportLine[]; sha256: string },
): Promise<Judgement> {
  const known = await lockReported(tx, lines)
  const judgement = judgeFileResults(lines, known)
  await insertResults(tx, { now, by }, judgement.results)
  await logReport(tx, { now, by }, { judgement, sha256 })
  const alerts = judgement.problems.flatMap(contradiction)
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  return judgement
}

const IS_WRONG: ReadonlySet<Problem['problem']> = new Set([
  'already_settled',
  'amount_differs',
  'duplicate',
  'other_reference',
])

function contradiction({ reference, fileReference, status, problem }: Problem): NewAlert[] {
  if (!IS_WRONG.has(problem)) return []
  const subject = reference === null ? `payout_file/${fileReference}` : `payout/${reference}`
  return [{ kind: 'payout_contradicted', subject, detail: { status, problem } }]
}

// Those that are named, and all of a file that is reported as a whole.
async function lockReported(tx: Transaction, lines: readonly ReportLine[]) {
  const references = lines.flatMap(({ reference }) => reference ?? [])
  const files = new Set(
    lines.flatMap(({ level, fileReference }) =>
      level === 'file' && fileReference !== undefined ? [fileReference] : [],
    ),
  )
  const { rows } = await tx.query<KnownPayout>({
    name: 'lock-reported-payouts',
    text: `select p.id, p.reference, p.status, r.status as reported,
                  p.amount_kobo as "amountKobo", p.currency, f.reference as "fileReference",
                  coalesce(r.bank_reference, p.bank_reference) as "bankReference"
             from payouts p
             left join payout_files f on f.id = p.batch_id
             left join payout_results r on r.payout_id = p.id
            where p.reference = any($1::text[])
               or p.batch_id in (select id from payout_files where reference = any($2::text[]))
            order by p.id for no key update of p`,
    values: [textArray(references), textArray([...files])],
  })
  const found = await tx.query<{ reference: string }>({
    name: 'find-reported-files',
    text: 'select reference from payout_files where reference = any($1::text[])',
    values: [textArray([...files])],
  })
  return {
    payouts: new Map(rows.map((row) => [row.reference, row])),
    files: new Set(found.rows.map(({ reference }) => reference)),
  }
}

export async function insertResults(
  tx: Transaction,
  { now, by }: Taking,
  results: readonly FileResult[],
): Promise<void> {
  if (results.length === 0) return
  await tx.query({
    name: 'insert-payout-results',
    text: `insert into payout_results
             (payout_id, status, bank_reference, reason, reported_by, reported_at)
           select r.*, $5, $6
             from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as r`,
    values: [
      numberArray(results.map(({ payout }) => payout.id)),
      plainArray(results.map(({ status }) => status)),
      textArray(results.map(({ bankReference }) => bankReference)),
      textArray(results.map(({ reason }) => reason)),
      by.actor,
      now,
    ],
  })
}

async function logReport(
  tx: Transaction,
  { now, by }: Taking,
  { judgement, sha256 }: { judgement: Judgement; sha256: string },
): Promise<void> {
  const { results, pending, unchanged, problems } = judgement
  const total = (status: FileResult['status']) => {
    const of = results.filter((result) => result.status === status)
    const sum = of.reduce((kobos, { payout }) => kobos + payout.amountKobo, 0n)
    return { payouts: of.length, amount: formatKobo(kobo(sum)) }
  }
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.results',
    subject: `payout_results/${sha256}`,
    detail: {
      confirmed: total('confirmed'),
      failed: total('failed'),
      pending,
      unchanged,
      problems: problems.length,
    },
  })
}
