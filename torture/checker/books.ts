// What every check is given: the testimony, and the tables, read with SQL of the checker's own in one
// snapshot. Nothing of the service's code is used here: what both got wrong would agree.

import type { Testimony, Wanted } from './testimony.ts'

export type Books = {
  testimony: Testimony
  // Every value as text: amounts are never a float.
  rows: (sql: string) => Promise<Record<string, string>[]>
  isFinal: boolean // Everything that is to happen by itself has had its time.
  isLossy?: boolean // What was acknowledged may be lost: an asynchronous standby was promoted.
}

export type Check = (books: Books) => Promise<string[]>

type Found<T> = { wanted: readonly Wanted[]; rows: readonly T[]; keyOf: (row: T) => string }

// The rule for everything that is wanted once: acknowledged, it is there exactly once; refused, and by
// every call answered, it is not there; in doubt, it is there once or not at all; and nothing is there
// that nobody wanted.
export function existsOnce<T>(what: string, { wanted, rows, keyOf }: Found<T>): string[] {
  const found = Map.groupBy(rows, keyOf)
  const known = new Set(wanted.map(({ key }) => key))
  const foreign = [...found.keys()].filter((key) => !known.has(key))
  return [
    ...foreign.map((key) => `${what} ${key} exists and nobody wanted it`),
    ...wanted.flatMap(({ key, acknowledged, refused, open }) => {
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

// Two answers about one thing say the same.
export function sameAnswers(what: string, wanted: readonly Wanted[], field: string): string[] {
  return wanted.flatMap(({ key, acknowledged }) => {
    const answers = new Set(acknowledged.map((result) => result[field]))
    return answers.size > 1
      ? [`${what} ${key} was answered with ${[...answers].join(' and ')}`]
      : []
  })
}

export function differs(what: string, found: string | undefined, expected: string | undefined) {
  return found === expected ? [] : [`${what} is ${found}, and should be ${expected}`]
}
