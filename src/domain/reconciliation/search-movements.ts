// Looks for lines and items of a day by a text: part of what they are called, or all of an amount,
// whichever way it went. The day bounds what is read, so no index of texts is needed.

import { type Kobo, parseKobo } from '#money.ts'

export type Search = { text: string; amountKobo: Kobo | null }

export function readSearch(given: string): Search {
  const text = given.trim().toLowerCase()
  return { text, amountKobo: parseKobo(text.replaceAll(',', '').replace(/^[-+]/, '')) ?? null }
}

type Columns = { texts: readonly string[]; amount: string }

// Two parameters from `$at` on: searchValues.
export function searchSql(at: number, { texts, amount }: Columns): string {
  return `($${at}::text is null or abs(${amount}) = $${at + 1}::bigint
    or position($${at} in lower(concat_ws(chr(10), ${texts.join(', ')}))) > 0)`
}

export function searchValues(search: Search | undefined): [string | null, Kobo | null] {
  return [search?.text ?? null, search?.amountKobo ?? null]
}
