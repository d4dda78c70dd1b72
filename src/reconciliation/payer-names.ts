// Compares the payer's name on a statement with the name in the books. People see the score; no match depends
// on it.

export type PayerComparison = {
  onStatement: string | null
  inBooks: string | null
  score: number | null
}

const MARKS = /\p{M}/gu
const TITLES = new Set([
  'mr',
  'mrs',
  'ms',
  'miss',
  'dr',
  'chief',
  'alhaji',
  'alhaja',
  'prof',
  'engr',
])

const wordsOf = (name: string) =>
  name
    .normalize('NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !TITLES.has(word))

// Scores 100 if both names have the same words in any order. Banks cut names and write initials, so a word
// that is the beginning of another counts half. A word that only the longer name has costs a quarter of a
// word that differs.
function compareNames(one: string, other: string): number {
  const [shorter, longer] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.length - b.length) as [
    string[],
    string[],
  ]
  if (shorter.length === 0) return 0
  const left = [...longer]
  let found = 0
  for (const [fits, worth] of [
    [(a: string, b: string) => a === b, 1],
    [(a: string, b: string) => a.startsWith(b) || b.startsWith(a), 0.5],
  ] as const) {
    for (let at = shorter.length - 1; at >= 0; at--) {
      const place = left.findIndex((word) => fits(word, shorter[at] as string))
      if (place < 0) continue
      left.splice(place, 1)
      shorter.splice(at, 1)
      found += worth
    }
  }
  const matched = longer.length - left.length
  const total = matched + shorter.length + Math.max(left.length - shorter.length, 0) / 4
  return Math.round((100 * found) / total)
}

// Returns null if neither side has a name. The score is null unless both sides have one.
export function comparePayers(
  onStatement: string | null | undefined,
  inBooks: string | null | undefined,
): PayerComparison | null {
  if (!onStatement && !inBooks) return null
  const score = onStatement && inBooks ? compareNames(onStatement, inBooks) : null
  return { onStatement: onStatement || null, inBooks: inBooks || null, score }
}
