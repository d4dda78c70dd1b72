// Names for statements whose text is put together from what is asked, such as lists with filters. To
// plan one takes several times as long as to run it; one with a name is planned once per connection, as
// soon as PostgreSQL finds that the same plan serves all values. So what bounds the plan (a limit) stands
// in the text, and what varies does not.
//
// A plan takes memory on every connection: NAMES_MAX texts have a name, those that were used again and again
// and most recently, and others are planned each time. Limits and filters make more texts than that, and a
// client may ask for any: it takes no name from a list that is in use. What lost its name is prepared still,
// until a connection forgets everything (forgetEvicted in pool.ts). A name is of its text, whoever gives it
// and when: the statements of many processes may meet on one connection.

import { createHash } from 'node:crypto'
import type { QueryConfig } from 'pg'

const NAMES_MAX = 50
const NAMED_AFTER_USES = 5
const COUNTED_MAX = 1_000
const DIGITS = 16

const names = new Map<string, string>() // By text; the one that was used last comes last.
const uses = new Map<string, number>()
let evictions = 0

// A parameter whose value the planner does not see. Where it does see one, such as how long an array is or
// how much a range holds, a plan for these very values looks cheaper than one for all, and PostgreSQL makes
// one each time; that takes ten times as long as to run it. Only where one plan is right for all values.
export function unseen(parameter: string): string {
  return `(select ${parameter})`
}

export function namedByText(text: string, values: unknown[]): QueryConfig {
  const name = names.get(text) ?? findName(text)
  if (name) {
    names.delete(text)
    names.set(text, name)
  }
  return name ? { name, text, values } : { text, values }
}

// Of a list that may be of a window of time: then it is planned each time, for how much of the table the
// window holds decides the plan.
export function namedUnlessWindow(
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
  text: string,
  values: unknown[],
): QueryConfig {
  return from || to ? { text, values } : namedByText(text, values)
}

function findName(text: string): string | undefined {
  const count = (uses.get(text) ?? 0) + 1
  if (count < NAMED_AFTER_USES) {
    if (uses.size >= COUNTED_MAX) uses.clear()
    uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  if (names.size >= NAMES_MAX) {
    names.delete(names.keys().next().value as string)
    evictions++
  }
  return `composed-${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`
}

// How many times over all names have changed their text.
export function nameGeneration(): number {
  return Math.floor(evictions / NAMES_MAX)
}
