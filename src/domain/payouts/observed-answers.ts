// Answers of a bank that count only together: several of them, over a time that our processes have
// measured by monotonic clocks, so that whoever sets the clock of a machine changes nothing of it. Between
// the answers of two processes, and across a restart, no time counts.

export const ANSWERS_NEEDED = 3
export const OBSERVED_MS_NEEDED = 900_000

// By the monotonic clock of the process `by`.
export type Observation = { by: string; queriedAtMs: number; answeredAtMs: number }

export type ObservedAnswers = {
  answers: number
  observedMs: number
  by: string | null // The process that had the last one, …
  atMs: number | null // … and when, by its clock.
}

export const NO_ANSWERS: ObservedAnswers = { answers: 0, observedMs: 0, by: null, atMs: null }

// As the database has them.
export type StoredAnswers = {
  answers: number
  observedMs: bigint
  by: string | null
  atMs: bigint | null
}

export function readAnswers({ answers, observedMs, by, atMs }: StoredAnswers): ObservedAnswers {
  return {
    answers,
    observedMs: Number(observedMs),
    by,
    atMs: atMs === null ? null : Number(atMs),
  }
}

// An answer adds the time since the same process had the one before it.
export function addAnswer(
  { answers, observedMs, by, atMs }: ObservedAnswers,
  observation: Observation,
): ObservedAnswers {
  const isSameProcess = by === observation.by && atMs !== null
  const elapsedMs = isSameProcess ? Math.max(0, observation.queriedAtMs - atMs) : 0
  return {
    answers: answers + 1,
    observedMs: observedMs + Math.floor(elapsedMs),
    by: observation.by,
    atMs: Math.ceil(observation.answeredAtMs),
  }
}

export function areEnough({
  answers,
  observedMs,
}: Pick<ObservedAnswers, 'answers' | 'observedMs'>): boolean {
  return answers >= ANSWERS_NEEDED && observedMs >= OBSERVED_MS_NEEDED
}
