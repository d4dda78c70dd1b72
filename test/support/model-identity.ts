// How the model (model.ts) recognizes a credit. A bank may use several identifiers of different kinds for one
// credit, and each of them identifies it.

import type { Books } from './model-books.ts'
import type { Credit, CreditIdentifier, RailAnswer } from './model-places.ts'

// A bank's report with its identifiers: the first is `sessionId`.
type IdentifiedReport = {
  bank: string
  sessionId: string
  kind?: string // The kind of the session id.
  others?: readonly CreditIdentifier[]
}
type Terms = { number: string; kobo: bigint; currency: string }

// All identifiers of a report.
export function identifiersOf({
  sessionId,
  kind = 'session_id',
  others = [],
}: IdentifiedReport): CreditIdentifier[] {
  return [{ kind, value: sessionId }, ...others]
}

// The response to a report whose identifiers belong to an earlier credit: `duplicate` if it agrees with the
// credit, else a refusal. Undefined if the credit is new.
export function answerAgain(
  books: Books,
  report: IdentifiedReport & Terms,
): RailAnswer | undefined {
  const matches = identifiersOf(report).flatMap(({ kind, value }) => {
    const credit = books.creditsByIdentifier.get(`${value}@${report.bank}`)
    return credit?.identifiers.some((known) => known.kind === kind && known.value === value)
      ? [credit]
      : []
  })
  const [credit] = matches
  if (!credit) return undefined
  const isSame =
    new Set(matches).size === 1 &&
    credit.number === report.number &&
    credit.kobo === report.kobo &&
    credit.currency === report.currency
  if (isSame) {
    remember(books, credit, report)
    return { ...credit.answer, responseCode: '01', outcome: 'duplicate' }
  }
  books.alerts.add(`session_reused ${report.sessionId}@${report.bank}`)
  return { responseCode: '02', outcome: 'rejected', code: 'session_reused' }
}

// Adds the report's identifiers to the credit, except those that another credit already has.
export function remember(books: Books, credit: Credit, report: IdentifiedReport): void {
  for (const identifier of identifiersOf(report)) {
    const name = `${identifier.value}@${report.bank}`
    if (books.creditsByIdentifier.has(name)) continue
    books.creditsByIdentifier.set(name, credit)
    credit.identifiers.push(identifier)
  }
}
