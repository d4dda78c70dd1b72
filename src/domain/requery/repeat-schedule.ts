// When a question is asked again: a pure decision.
//
//   no answer                         again, however long it takes
//   not found, in progress            again until `repeatUntil`, then it is final
//   found, or the list was read       done
//
// The waits double, from 30 seconds to 15 minutes. The circuit breaker spares a bank that is down.

const REPEAT_MIN_MS = 30_000
const REPEAT_MAX_MS = 900_000

export type AnswerKind = 'found' | 'listed' | 'in_progress' | 'not_found' | 'no_answer'

const RESUMED_MAX = 3 // Then a list is read from its beginning: its cursor may have run out.

type Asked = {
  isWindow: boolean // All transfers of a bank: nothing in particular is looked for.
  cursor: string | null
  newCredits: number // Of earlier pages.
  repeats: number
  repeatUntil: Date | null
}

type Outcome = { answer: AnswerKind; newCredits: number; nextCursor: string | null }

export type NextStep =
  | { state: 'open'; dueAt: Date; repeats: number; cursor: string | null }
  | { state: 'found' | 'not_found' }

export function nextStep(asked: Asked, outcome: Outcome, now: Date): NextStep {
  const { answer, nextCursor } = outcome
  const isNew = asked.newCredits + outcome.newCredits > 0
  if (nextCursor !== null) return { state: 'open', dueAt: now, repeats: 0, cursor: nextCursor }
  if (answer === 'found') return { state: 'found' }
  if (answer === 'listed' && (isNew || asked.isWindow)) {
    return { state: isNew ? 'found' : 'not_found' }
  }
  const dueAt = new Date(now.getTime() + repeatAfterMs(asked.repeats))
  const isFinal = answer !== 'no_answer' && (!asked.repeatUntil || dueAt > asked.repeatUntil)
  if (isFinal) return { state: 'not_found' }
  const isResumed = answer === 'no_answer' && asked.repeats < RESUMED_MAX
  const cursor = isResumed ? asked.cursor : null
  return { state: 'open', dueAt, repeats: asked.repeats + 1, cursor }
}

export function repeatAfterMs(repeats: number): number {
  return Math.min(REPEAT_MIN_MS * 2 ** Math.min(repeats, 10), REPEAT_MAX_MS)
}
