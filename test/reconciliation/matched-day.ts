// Matches one day's books with its statement.

import { type Books, type Line, readDifferences, readMatches, setUpMatching } from './books.ts'

export const DAY = '2026-11-10'
export const AT = `${DAY}T09:00`
export const NEXT_MORNING = '2026-11-11T08:00'

// Matches and differences of one day's statement, as short text. Lines are named by their narration.
export async function reconcile(books: Books, lines: readonly Omit<Line, 'day'>[]) {
  await using bench = await setUpMatching()
  await bench.writeBooks(books)
  const dated = lines.map((line) => ({ day: DAY, ...line }))
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines: dated })
  await bench.match(NEXT_MORNING)
  const found = await readDifferences(bench)
  return {
    matches: await readMatches(bench),
    differences: found.map(({ kind, about, amount }) => `${about} ${kind} ${amount}`),
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
