// The input of every check: the testimony, and the tables, read in a repeatable-read transaction with the
// checker's own SQL. The checker uses none of the service's code, because a mistake in shared code would go
// unnoticed.

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

// Checks the rule for every intent. If a call was acknowledged, its object exists exactly once. If every call
// was refused, it does not exist. If the result is in doubt, it exists once or not at all. No object exists
// without an intent.
export function existsOnce<T>(what: string, { intents, rows, keyOf }: Rule<T>): string[] {
  const found = Map.groupBy(rows, keyOf)
  const known = new Set(intents.map(({ key }) => key))
  const foreign = [...found.keys()].filter((key) => !known.has(key))
  return [
    ...foreign.map((key) => `${what} ${key} exists and nobody wanted it`),
    ...intents.flatMap(({ key, acknowledged, refused, open }) => {
      const count = found.get(key)?.length ?? 0
      if (count > 1) return [`${what} ${key} exists ${count} times`]
      if (acknowledged.length > 0 && count === 0) {
        return [`${what} ${key} was acknowledged and does not exist`]
      }
      const isRefused = refused.length > 0 && acknowledged.length === 0 && open === 0
      return isRefused && count > 0 ? [`${what} ${key} was refused and exists`] : []
    }),
  ]
}

// Checks that all answers to one intent agree.
export function sameAnswers(what: string, intents: readonly Intent[], field: string): string[] {
  return intents.flatMap(({ key, acknowledged }) => {
    const answers = new Set(acknowledged.map((result) => result[field]))
    return answers.size > 1
      ? [`${what} ${key} was answered with ${[...answers].join(' and ')}`]
      : []
  })
}

export function differs(what: string, found: string | undefined, expected: string | undefined) {
  return found === expected ? [] : [`${what} is ${found}, and should be ${expected}`]
}
