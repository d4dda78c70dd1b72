// Searches lines and items of a day by text: part of an identifier or name, or a whole amount of either
// sign. The day bounds the search, so it needs no text index.

import { type Kobo, parseKobo } from '#money.ts'

export type Search = { text: string; amountKobo: Kobo | null }

export function readSearch(query: string): Search {
  const text = query.trim().toLowerCase()
  return { text, amountKobo: parseKobo(text.replaceAll(',', '').replace(/^[-+]/, '')) ?? null }
}

type Columns = { texts: readonly string[]; amount: string }

// Uses two parameters from `$at` on: searchValues.
export function searchSql(at: number, { texts, amount }: Columns): string {
  return `($${at}::text is null or abs(${amount}) = $${at + 1}::bigint
    or position($${at} in lower(concat_ws(chr(10), ${texts.join(', ')}))) > 0)`
}

export function searchValues(search: Search | undefined): [string | null, Kobo | null] {
  return [search?.text ?? null, search?.amountKobo ?? null]
}
