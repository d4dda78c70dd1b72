// Judges a bank's report of payouts in files, and stores the results that are to be settled.
//
// A line about a payout takes precedence over a line about its file. Only a final status settles a payout. An
// unclear report decides nothing: an unknown status, another amount, another file, both outcomes at once, or
// a duplicate. The first report decides. The same outcome again changes nothing. The opposite outcome, or the
// same one under another bank reference (a possible double payment), raises an alert.

import type { ReportedStatus, ReportLine } from '#banks/payment-files.ts'
import { numberArray, plainArray, textArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { formatKobo, kobo, parseKobo } from '#money.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'
import type { FileActor } from './files.ts'
import type { Payout } from './payout.ts'

export type KnownPayout = Pick<
  Payout,
  'id' | 'reference' | 'status' | 'amountKobo' | 'currency' | 'fileReference' | 'bankReference'
> & {
  reported: 'confirmed' | 'failed' | null // Reported before; may not be settled yet.
}

export const PROBLEMS = {
  reference_missing: 'The line names no payout.',
  unknown_reference: 'No payout has this reference.',
  unknown_file: 'No file has this reference.',
  not_in_file: 'This payout is in no file.',
  other_file: 'This payout is in another file than the report says.',
  unknown_status: 'This status means nothing to us.',
  duplicate: 'The bank has it already, and refused it as a duplicate. Nothing was changed.',
  amount_differs: 'The amount is not the payout’s.',
  contradictory: 'The report says both that it was paid and that it was not.',
  already_settled: 'The bank said the opposite before. Nothing was changed.',
  other_reference: 'It was confirmed before under another reference. Nothing was changed.',
} as const

export type Problem = {
  line: number
  reference: string | null
  fileReference: string | null // Set for a line about a whole file.
  status: string
  problem: keyof typeof PROBLEMS
}

export type FileResult = {
  payout: KnownPayout
  status: 'confirmed' | 'failed'
  bankReference: string | null
  reason: string | null
}

export type Judgement = {
  results: FileResult[] // The results that the caller settles.
  pending: number
  unchanged: number
  problems: Problem[]
}

type KnownReferences = {
  payouts: ReadonlyMap<string, KnownPayout> // By reference: those that the report or its files name.
  files: ReadonlySet<string>
}

// A line with a status that we know.
type Statement = ReportLine & { status: ReportedStatus }
// Everything that one report says about a payout.
type Evidence = {
  payout: KnownPayout
  ofPayout: Statement[] // The lines about the payout itself.
  ofFile: Statement[] // The lines about its file.
  isUnclear: boolean // True: some line about it has a problem, so the report decides nothing.
}

// Decides for each payout that the report concerns: a result to settle, nothing, or a problem. First collects
// the lines about each payout, then judges payout by payout.
function judgeFileResults(lines: readonly ReportLine[], references: KnownReferences): Judgement {
  const judgement: Judgement = { results: [], pending: 0, unchanged: 0, problems: [] }
  const evidence = new Map<string, Evidence>()
  // Returns what the report has said about the payout so far.
  const evidenceOf = (payout: KnownPayout): Evidence => {
    const { reference } = payout
    const collected = evidence.get(reference) ?? {
      payout,
      ofPayout: [],
      ofFile: [],
      isUnclear: false,
    }
    evidence.set(reference, collected)
    return collected
  }
  const payoutsByFile = Map.groupBy(
    references.payouts.values(),
    ({ fileReference }) => fileReference,
  )
  for (const line of lines) {
    const payout = references.payouts.get(line.reference ?? '')
    const isAboutFile = line.level === 'file'
    const filePayouts = isAboutFile ? (payoutsByFile.get(line.fileReference ?? '') ?? []) : []
    const problem = isAboutFile
      ? findFileProblem(line, references)
      : findPayoutProblem(line, payout)
    if (problem) {
      judgement.problems.push(toProblem(line, problem, line.reference))
      if (payout && !isAboutFile) evidenceOf(payout).isUnclear = true
      // A bank that rejects a file as a duplicate may also reject each of its payouts, for another reason. So
      // no line of this report settles them.
      if (problem === 'duplicate')
        for (const other of filePayouts) evidenceOf(other).isUnclear = true
    } else if (isAboutFile) {
      for (const filePayout of filePayouts) evidenceOf(filePayout).ofFile.push(line as Statement)
    } else evidenceOf(payout as KnownPayout).ofPayout.push(line as Statement)
  }
  for (const collected of evidence.values()) judgePayout(collected, judgement)
  judgement.problems.sort((one, other) => one.line - other.line)
  return judgement
}

// Returns why a line about a whole file decides nothing, or undefined.
function findFileProblem(
  line: ReportLine,
  { files }: KnownReferences,
): Problem['problem'] | undefined {
  if (line.fileReference === undefined) return 'reference_missing'
  if (!files.has(line.fileReference)) return 'unknown_file'
  return line.status === undefined ? statusProblem(line) : undefined
}

// Returns why a line decides nothing if its status is none that we know.
function statusProblem({ isDuplicate }: ReportLine): Problem['problem'] {
  return isDuplicate ? 'duplicate' : 'unknown_status'
}

// Returns why a line about one payout decides nothing, or undefined.
function findPayoutProblem(
  line: ReportLine,
  payout: KnownPayout | undefined,
): Problem['problem'] | undefined {
  if (line.reference === undefined) return 'reference_missing'
  if (!payout) return 'unknown_reference'
  const { fileReference, amountKobo, currency } = payout
  if (fileReference === null) return 'not_in_file'
  if (line.fileReference !== undefined && line.fileReference !== fileReference) return 'other_file'
  if (line.status === undefined) return statusProblem(line)
  const { amount } = line
  const isSame =
    !amount || (parseKobo(amount.amount) === amountKobo && amount.currency === currency)
  return isSame ? undefined : 'amount_differs'
}

// Adds the payout to the results or to the problems, or counts it as pending or unchanged.
function judgePayout(
  { payout, ofPayout, ofFile, isUnclear }: Evidence,
  judgement: Judgement,
): void {
  if (isUnclear) return
  const finalLines = [...ofFile, ...ofPayout].filter(({ status }) => status !== 'pending')
  if (new Set(finalLines.map(({ status }) => status)).size > 1) {
    const lastLine = finalLines.at(-1) as Statement
    judgement.problems.push(toProblem(lastLine, 'contradictory', payout.reference))
    return
  }
  // A line about the payout itself takes precedence. Of several lines about its file, the last one decides:
  // it concerns the payment information (PmtInf), the narrowest part.
  const decisive =
    ofPayout.length > 0 ? ofPayout.find(isFinal) : [ofFile.at(-1) as Statement].find(isFinal)
  const earlierStatus = payout.reported ?? settledAs(payout)
  if (!decisive) judgement[earlierStatus ? 'unchanged' : 'pending']++
  else if (earlierStatus === decisive.status) {
    if (!isOtherPayment(payout, decisive)) judgement.unchanged++
    else judgement.problems.push(toProblem(decisive, 'other_reference', payout.reference))
  } else if (earlierStatus) {
    judgement.problems.push(toProblem(decisive, 'already_settled', payout.reference))
  } else judgement.results.push(resultOf(payout, decisive))
}

type Final = Statement & { status: 'confirmed' | 'failed' }

function isFinal(line: Statement): line is Final {
  return line.status !== 'pending'
}

// Returns null for an open payout, and for a cancelled one, which was never in a file.
function settledAs({ status }: KnownPayout): 'confirmed' | 'failed' | null {
  return status === 'confirmed' || status === 'failed' ? status : null
}

// Returns whether a repeated confirmation names another bank reference than the first one: the bank may have
// paid twice. A confirmation without a bank reference contradicts nothing, and neither does one after a
// report that gave no bank reference (we stored our own reference then). A payout that was confirmed by hand
// without a bank reference may be another payment.
function isOtherPayment(payout: KnownPayout, { status, bankReference }: Final): boolean {
  if (status !== 'confirmed' || bankReference === undefined) return false
  const { reported, reference, bankReference: earlierReference } = payout
  const hadNoBankReference = reported !== null && earlierReference === reference
  return !hadNoBankReference && earlierReference !== bankReference
}

// Builds the result to settle. Uses our reference if the bank gives none.
function resultOf(payout: KnownPayout, { status, bankReference, reason, statusText }: Final) {
  return status === 'confirmed'
    ? { payout, status, bankReference: bankReference ?? payout.reference, reason: null }
    : { payout, status, bankReference: null, reason: reason ?? statusText }
}

// Builds the problem to report about a line that decides nothing, or contradicts the books.
function toProblem(
  { line, level, fileReference, statusText }: ReportLine,
  problem: Problem['problem'],
  reference: string | undefined,
): Problem {
  return {
    line,
    reference: reference ?? null,
    fileReference: level === 'file' ? (fileReference ?? null) : null,
    status: statusText,
    problem,
  }
}

type ReportUpload = { now: Date; by: FileActor }

// Judges an uploaded report, and stores the results and the alerts. The caller commits it before any payout
// is settled (settle.ts), so that a crash during a long report loses nothing. `sha256` is the hash of the
// report, for the audit log.
//
// Locks: the payouts, in id order.
export async function takeFileResults(
  tx: Transaction,
  { now, by }: ReportUpload,
  { lines, sha256 }: { lines: readonly ReportLine[]; sha256: string },
): Promise<Judgement> {
  const references = await lockReported(tx, lines)
  const judgement = judgeFileResults(lines, references)
  await insertResults(tx, { now, by }, judgement.results)
  await logReport(tx, { now, by }, { judgement, sha256 })
  const alerts = judgement.problems.flatMap(toAlert)
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  return judgement
}

const RAISES_ALERT: ReadonlySet<Problem['problem']> = new Set([
  'already_settled',
  'amount_differs',
  'duplicate',
  'other_reference',
])

// Returns an alert for problems that may mean a double or wrong payment, and nothing for others.
function toAlert({ reference, fileReference, status, problem }: Problem): NewAlert[] {
  if (!RAISES_ALERT.has(problem)) return []
  const subject = reference === null ? `payout_file/${fileReference}` : `payout/${reference}`
  return [{ kind: 'payout_contradicted', subject, detail: { status, problem } }]
}

// Locks the payouts that the report names, and all payouts of a file that it reports as a whole.
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
                  p.amount_kobo, p.currency, f.reference as file_reference,
                  coalesce(r.bank_reference, p.bank_reference) as bank_reference
             from payouts p
             left join payout_files f on f.id = p.batch_id
             left join payout_results r on r.payout_id = p.id
            where p.reference = any($1::text[])
               or p.batch_id in (select id from payout_files where reference = any($2::text[]))
            order by p.id for no key update of p`,
    values: [textArray(references), textArray([...files])],
  })
  const knownFiles = await tx.query<{ reference: string }>({
    name: 'find-reported-files',
    text: 'select reference from payout_files where reference = any($1::text[])',
    values: [textArray([...files])],
  })
  return {
    payouts: new Map(rows.map((row) => [row.reference, row])),
    files: new Set(knownFiles.rows.map(({ reference }) => reference)),
  }
}

// Stores the outcomes that a bank reported. A worker then settles the payouts (settleReportedPayoutsRound).
export async function insertResults(
  tx: Transaction,
  { now, by }: ReportUpload,
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

// Writes the upload of the report to the audit log, with its sums.
async function logReport(
  tx: Transaction,
  { now, by }: ReportUpload,
  { judgement, sha256 }: { judgement: Judgement; sha256: string },
): Promise<void> {
  const { results, pending, unchanged, problems } = judgement
  const sumResults = (status: FileResult['status']) => {
    const matching = results.filter((result) => result.status === status)
    const sum = matching.reduce((kobos, { payout }) => kobos + payout.amountKobo, 0n)
    return { payouts: matching.length, amount: formatKobo(kobo(sum)) }
  }
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.results',
    subject: `payout_results/${sha256}`,
    detail: {
      confirmed: sumResults('confirmed'),
      failed: sumResults('failed'),
      pending,
      unchanged,
      problems: problems.length,
    },
  })
}
