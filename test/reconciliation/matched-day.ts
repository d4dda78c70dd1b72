// For tests of the matching rules: matches the books of one day with the day's statement.

import { type Books, type Line, readDifferences, readMatches, setUpMatching } from './books.ts'

export const DAY = '2026-11-10'
export const AT = `${DAY}T09:00`
export const NEXT_MORNING = '2026-11-11T08:00'

// Writes the books and the statement, matches them, and returns the matches and differences as short texts.
// They name a line by its narration.
export async function reconcile(books: Books, lines: readonly Omit<Line, 'day'>[]) {
  await using bench = await setUpMatching()
  await bench.writeBooks(books)
  const datedLines = lines.map((line) => ({ day: DAY, ...line }))
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines: datedLines })
  await bench.match(NEXT_MORNING)
  const differences = await readDifferences(bench)
  return {
    matches: await readMatches(bench),
    differences: differences.map(({ kind, about, amount }) => `${about} ${kind} ${amount}`),
  }
}

export const credit = (id: number, amountKobo = 100_000) => ({
  id,
  sessionId: `S${id}`,
  amountKobo,
  at: AT,
})
export const payout = (id: number, amountKobo = 50_000) => ({
  id,
  reference: `PYT${String(id).padStart(15, '0')}`,
  bankReference: `B${id}`,
  amountKobo,
  at: AT,
})
