// What a bank's report decides. Pure.
//
// What a bank says of a payout counts before what it says of the file; only a status that is final
// settles anything. Nothing is decided where the bank is not clear: an unknown status, another
// amount, another file, both outcomes at once, or a duplicate. What it said first counts: the same
// again changes nothing; the opposite, or the same under another reference of the bank's (it was paid
// twice, perhaps), is reported and raises an alert.

import type { ReportedStatus, ReportLine } from '#banks/payment-files.ts'
import type { PayoutId } from '#ids.ts'
import { type Kobo, parseKobo } from '#money.ts'
import type { PayoutStatus } from './payouts.ts'

export type KnownPayout = {
  id: PayoutId
  reference: string
  status: PayoutStatus
  reported: 'confirmed' | 'failed' | null // What was reported before, and may not be settled yet.
  amountKobo: Kobo
  currency: string
  fileReference: string | null
  bankReference: string | null // Under which it was confirmed.
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
  fileReference: string | null // Of what is said of a whole file.
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
  results: FileResult[] // To be settled so.
  pending: number
  unchanged: number
  problems: Problem[]
}

type Known = {
  payouts: ReadonlyMap<string, KnownPayout> // By reference: those named, and those of the files.
  files: ReadonlySet<string>
}

type Statement = ReportLine & { status: ReportedStatus }
type Said = { payout: KnownPayout; own: Statement[]; ofFile: Statement[]; isUnclear: boolean }

export function judgeFileResults(lines: readonly ReportLine[], known: Known): Judgement {
  const judgement: Judgement = { results: [], pending: 0, unchanged: 0, problems: [] }
  const said = new Map<string, Said>()
  const about = (payout: KnownPayout): Said => {
    const found = said.get(payout.reference) ?? { payout, own: [], ofFile: [], isUnclear: false }
    said.set(payout.reference, found)
    return found
  }
  const payoutsOf = Map.groupBy(known.payouts.values(), ({ fileReference }) => fileReference)
  for (const line of lines) {
    const payout = known.payouts.get(line.reference ?? '')
    const isOfFile = line.level === 'file'
    const inFile = isOfFile ? (payoutsOf.get(line.fileReference ?? '') ?? []) : []
    const problem = isOfFile ? fileProblem(line, known) : orderProblem(line, payout)
    if (problem) {
      judgement.problems.push(problemOf(line, problem, line.reference))
      if (payout && !isOfFile) about(payout).isUnclear = true
      // Of a file that it is paying, a bank may refuse each payout for another reason.
      if (problem === 'duplicate') for (const each of inFile) about(each).isUnclear = true
    } else if (isOfFile) for (const each of inFile) about(each).ofFile.push(line as Statement)
    else about(payout as KnownPayout).own.push(line as Statement)
  }
  for (const each of said.values()) judgePayout(each, judgement)
  judgement.problems.sort((one, other) => one.line - other.line)
  return judgement
}

function fileProblem(line: ReportLine, { files }: Known): Problem['problem'] | undefined {
  if (line.fileReference === undefined) return 'reference_missing'
  if (!files.has(line.fileReference)) return 'unknown_file'
  return line.status === undefined ? statusProblem(line) : undefined
}

function statusProblem({ isDuplicate }: ReportLine): Problem['problem'] {
  return isDuplicate ? 'duplicate' : 'unknown_status'
}

function orderProblem(
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

function judgePayout({ payout, own, ofFile, isUnclear }: Said, judgement: Judgement): void {
  if (isUnclear) return
  const finals = [...ofFile, ...own].filter(({ status }) => status !== 'pending')
  const last = finals.at(-1)
  if (new Set(finals.map(({ status }) => status)).size > 1) {
    judgement.problems.push(problemOf(last as Statement, 'contradictory', payout.reference))
    return
  }
  // Of the file's, the last is the narrowest: that of the payment information.
  const decisive = own.length > 0 ? own.find(isFinal) : [ofFile.at(-1) as Statement].find(isFinal)
  const before = payout.reported ?? settledAs(payout)
  if (!decisive) judgement[before ? 'unchanged' : 'pending']++
  else if (before === decisive.status) {
    if (!isOtherPayment(payout, decisive)) judgement.unchanged++
    else judgement.problems.push(problemOf(decisive, 'other_reference', payout.reference))
  } else if (before) {
    judgement.problems.push(problemOf(decisive, 'already_settled', payout.reference))
  } else judgement.results.push(resultOf(payout, decisive))
}

type Final = Statement & { status: 'confirmed' | 'failed' }

function isFinal(line: Statement): line is Final {
  return line.status !== 'pending'
}

// Cancelled ones were never in a file.
function settledAs({ status }: KnownPayout): 'confirmed' | 'failed' | null {
  return status === 'confirmed' || status === 'failed' ? status : null
}

// A report without a reference of the bank's says nothing of it, and an earlier one said nothing else.
// Whoever confirmed it by hand without one had another payment in mind, perhaps.
function isOtherPayment(payout: KnownPayout, { status, bankReference }: Final): boolean {
  if (status !== 'confirmed' || bankReference === undefined) return false
  const { reported, reference, bankReference: before } = payout
  const isSilent = reported !== null && before === reference
  return !isSilent && before !== bankReference
}

// A bank without a reference of its own has ours.
function resultOf(payout: KnownPayout, { status, bankReference, reason, statusText }: Final) {
  return status === 'confirmed'
    ? { payout, status, bankReference: bankReference ?? payout.reference, reason: null }
    : { payout, status, bankReference: null, reason: reason ?? statusText }
}

function problemOf(
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
