// The model's identity: a bank may have several identifiers, each of a kind, for one credit, and each of
// them names the same credit.

import type { Books } from './model-books.ts'
import type { Credit, CreditCall, RailAnswer } from './model-places.ts'

type Called = {
  bank: string
  sessionId: string
  kind?: string // The kind of the session id.
  others?: readonly CreditCall[]
}
type Terms = { number: string; kobo: bigint; currency: string }

export function callsOf({ sessionId, kind = 'session_id', others = [] }: Called): CreditCall[] {
  return [{ kind, value: sessionId }, ...others]
}

// Undefined: the credit is new.
export function answerAgain(books: Books, report: Called & Terms): RailAnswer | undefined {
  const matches = callsOf(report).flatMap(({ kind, value }) => {
    const credit = books.called.get(`${value}@${report.bank}`)
    return credit?.calls.some((call) => call.kind === kind && call.value === value) ? [credit] : []
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

export function remember(books: Books, credit: Credit, report: Called): void {
  for (const call of callsOf(report)) {
    const name = `${call.value}@${report.bank}`
    if (books.called.has(name)) continue
    books.called.set(name, credit)
    credit.calls.push(call)
  }
}
