// Names for statements whose text is put together from what is asked, such as lists with filters. To
// plan one takes several times as long as to run it; one with a name is planned once per connection, as
// soon as PostgreSQL finds that the same plan serves all values. So what bounds the plan (a limit) stands
// in the text, and what varies does not.
//
// A plan takes memory on every connection. The first NAMES_MAX texts get a name, and others are planned
// each time.

import type { QueryConfig } from 'pg'

const NAMES_MAX = 50

const names = new Map<string, string>()

export function namedByText(text: string, values: unknown[]): QueryConfig {
  const known = names.get(text)
  if (known) return { name: known, text, values }
  if (names.size >= NAMES_MAX) return { text, values }
  const name = `composed-${names.size}`
  names.set(text, name)
  return { name, text, values }
}
