// Names for statements whose text is put together from what is asked, such as lists with filters. To
// plan one takes several times as long as to run it; one with a name is planned once per connection, as
// soon as PostgreSQL finds that the same plan serves all values. So what bounds the plan (a limit) stands
// in the text, and what varies does not.
//
// A plan takes memory on every connection: NAMES_MAX texts get a name, when they are used again and again,
// and others are planned each time. A name is of its text, whoever gives it: behind a pooler the statements
// of many processes may meet on one connection.

import { createHash } from 'node:crypto'
import type { QueryConfig } from 'pg'

const NAMES_MAX = 50
const NAMED_AFTER_USES = 5
const COUNTED_MAX = 1_000
const DIGITS = 16

const names = new Map<string, string>()
const uses = new Map<string, number>()

export function namedByText(text: string, values: unknown[]): QueryConfig {
  const name = names.get(text) ?? findName(text)
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
  if (names.size >= NAMES_MAX) return undefined
  const count = (uses.get(text) ?? 0) + 1
  if (count < NAMED_AFTER_USES) {
    if (uses.size >= COUNTED_MAX) uses.clear()
    uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  const name = `composed-${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`
  names.set(text, name)
  return name
}
