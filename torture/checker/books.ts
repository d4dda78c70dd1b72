// The input of every check: the witness's testimony, and the tables of the service, which the checker reads
// with its own SQL in one repeatable-read transaction. The checker uses none of the service's code, because
// a mistake in shared code would go unnoticed.

import type { Intent, Testimony } from './testimony.ts'

export type Books = {
  testimony: Testimony
  // Every value is text, so that amounts never become floating-point numbers.
  rows: (sql: string) => Promise<Record<string, string>[]>
  isFinal: boolean // Automatic work has had enough time to finish.
  isLossy?: boolean // Acknowledged work may be lost: an asynchronous standby was promoted.
}

export type Check = (books: Books) => Promise<string[]>

type Rule<T> = { intents: readonly Intent[]; rows: readonly T[]; keyOf: (row: T) => string }

// Compares intents with the rows that they should have created. After an acknowledged call the object
// exists exactly once; if every call was refused, it does not exist; if the result is in doubt (`open` counts
// the calls without an answer), it exists once or not at all. No object exists without an intent.
export function existsOnce<T>(what: string, { intents, rows, keyOf }: Rule<T>): string[] {
  const rowsByKey = Map.groupBy(rows, keyOf)
  const intendedKeys = new Set(intents.map(({ key }) => key))
  const unexpectedKeys = [...rowsByKey.keys()].filter((key) => !intendedKeys.has(key))
  return [
    ...unexpectedKeys.map((key) => `${what} ${key} exists and nobody wanted it`),
    ...intents.flatMap(({ key, acknowledged, refused, open }) => {
      const count = rowsByKey.get(key)?.length ?? 0
      if (count > 1) return [`${what} ${key} exists ${count} times`]
      if (acknowledged.length > 0 && count === 0) {
        return [`${what} ${key} was acknowledged and does not exist`]
      }
      const isRefused = refused.length > 0 && acknowledged.length === 0 && open === 0
      return isRefused && count > 0 ? [`${what} ${key} was refused and exists`] : []
    }),
  ]
}

// All acknowledged answers to one intent must have the same value in this field, even if they came from
// repeated calls.
export function sameAnswers(what: string, intents: readonly Intent[], field: string): string[] {
  return intents.flatMap(({ key, acknowledged }) => {
    const answers = new Set(acknowledged.map((result) => result[field]))
    return answers.size > 1
      ? [`${what} ${key} was answered with ${[...answers].join(' and ')}`]
      : []
  })
}

// Returns a finding if the value in the books is not the expected one, and otherwise nothing.
export function differs(what: string, actual: string | undefined, expected: string | undefined) {
  return actual === expected ? [] : [`${what} is ${actual}, and should be ${expected}`]
}
