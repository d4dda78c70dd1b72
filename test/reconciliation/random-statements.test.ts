// Random books and random, partly wrong statements: the proof of each day adds up exactly, each kobo of a
// line is matched or in a difference (I65), and matching again changes nothing.

import { test } from 'node:test'
import { seededRandom } from '../support/random.ts'
import { type Line, setUpMatching } from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'
import { DAYS, type Random, randomBooks } from './random-books.ts'

const SEEDS = [1, 2, 3, 4]
const SIZE = { credits: 60, payouts: 20, reversals: 6, returns: 6 }
const KINDS = ['credit', 'fee', 'vat', 'stamp_duty', 'sweep', 'payout', 'return', 'other']

// In one case of three, replaces a line by a wrong one, by two lines, or by none.
function mutate(random: Random, line: Line, others: readonly Line[]): Line[] {
  const other = random.pick(others)
  const { sessionId: _, bankReference: __, endToEndId: ___, ...unnamed } = line
  // `|| 1` because no line has the amount zero.
  const ways: (() => Line[])[] = [
    () => [],
    () => [line, line],
    () => [{ ...line, amountKobo: line.amountKobo + random.pick([-1, 1, 4_000]) || 1 }],
    () => [{ ...line, amountKobo: -line.amountKobo }],
    () => [{ ...line, day: random.pick(DAYS) }],
    () => [{ ...line, kind: random.pick(KINDS) }],
    () => [unnamed],
    () => [{ ...line, sessionId: other.sessionId ?? 'NOBODY' }],
    () => [
      { ...line, bankReference: other.sessionId ?? 'NOBODY', narration: `${other.narration}` },
    ],
    () => [{ ...line, endToEndId: other.endToEndId ?? 'NOBODY' }],
    () => [{ ...unnamed, kind: 'sweep', amountKobo: line.amountKobo + other.amountKobo || 1 }],
  ]
  return random.integer(1, 3) === 1 ? random.pick(ways)() : [line]
}

for (const seed of SEEDS) {
  test(`random statements of random books always add up (seed ${seed})`, async () => {
    await using bench = await setUpMatching()
    const random = seededRandom(seed)
    const { books, reported } = randomBooks(random, SIZE)
    const honest = reported.flatMap(({ lines }) => lines)
    const lines = honest.flatMap((line) => mutate(random, line, honest))

    // Most items are in the books before the statements are imported; the others come later.
    const isEarly = () => random.integer(1, 5) > 1
    const early = books.credits.filter(isEarly)
    await bench.writeBooks({ credits: early, payouts: books.payouts })
    let openingKobo = random.integer(-5, 5) * 1_000
    for (const day of DAYS) {
      const own = lines.filter((line) => line.day === day)
      await bench.importStatement({ fromDay: day, toDay: day, openingKobo, lines: own })
      openingKobo += own.reduce((sum, line) => sum + line.amountKobo, 0)
      if (random.integer(0, 1) === 0) await bench.match(`${day}T23:59`)
    }
    await bench.match('2026-11-08T08:00')
    await assertIdentity(bench, '2026-11-08T08:00')
    await assertSettled(bench, '2026-11-08T08:05')

    const { reversals, returns } = books
    const late = books.credits.filter((credit) => !early.includes(credit))
    const moved = late.map((credit, at) => ({ ...credit, id: 4e12 + at, at: '2026-11-09T10:00' }))
    const at = '2026-11-09T11:00'
    const isOfEarly = ({ creditId }: { creditId: number }) =>
      early.some(({ id }) => id === creditId)
    await bench.writeBooks({
      credits: moved,
      reversals: reversals.filter(isOfEarly).map((each) => ({ ...each, at })),
      returns: returns.filter(isOfEarly).map((each) => ({ ...each, at })),
    })
    await bench.match('2026-11-09T12:00')
    await bench.importStatement({
      fromDay: '2026-11-08',
      toDay: '2026-11-08',
      openingKobo,
      lines: [],
    })
    await bench.importStatement({
      fromDay: '2026-11-09',
      toDay: '2026-11-09',
      openingKobo,
      lines: [],
    })
    await bench.match('2026-11-15T12:00')
    await assertIdentity(bench, '2026-11-15T12:00')
    await assertSettled(bench, '2026-11-15T12:01')
  })
}
