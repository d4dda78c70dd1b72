// A thousand differences of all kinds are planted in the statements of thousands of items. Matching finds
// each of them with the right kind, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../support/random.ts'
import { type Books, type Line, readDifferences, setUpMatching } from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'
import { creditId, DAYS, type Random, type ReportedItem, randomBooks } from './random-books.ts'

const SEED = 20_261_116
const OF_EACH_KIND = 100
const SIZE = { credits: 5_000, payouts: 600, reversals: 150, returns: 150 }
const NOW = '2026-11-20T08:00'

type Expected = string // "kind subject amount"
type Planting = {
  random: Random
  reported: ReportedItem[]
  extra: Line[]
  credits: NonNullable<Books['credits']>[number][]
  expected: Expected[]
}

let serial = 0
const unknown = () => `U${String(++serial).padStart(14, '0')}`

// Takes a credit in which nothing is planted yet: one without charges whose line has its session id.
function takePlain({ reported }: Planting): ReportedItem {
  const index = reported.findIndex(
    ({ credit, lines }) => credit && !credit.feeKobo && lines[0]?.sessionId === credit.sessionId,
  )
  return reported.splice(index, 1)[0] as ReportedItem
}

const ownLine = ({ lines }: ReportedItem) => lines[0] as Line

// How each kind of difference is planted. Each function changes the books or the statement, and adds the
// difference that matching must report to `expected`.
const PLANTINGS: Readonly<Record<string, (planting: Planting) => void>> = {
  missing_in_books: ({ random, extra, expected }) => {
    const line = {
      day: random.pick(DAYS),
      sessionId: unknown(),
      amountKobo: random.integer(1, 1e6),
    }
    const narration = `N${serial}`
    extra.push({ ...line, narration, kind: 'credit' })
    expected.push(`missing_in_books ${narration} ${line.amountKobo}`)
  },
  missing_at_bank: (planting) => {
    const plain = takePlain(planting)
    planting.expected.push(`missing_at_bank ${plain.item} ${-(plain.credit?.amountKobo ?? 0)}`)
  },
  amount_differs: (planting) => {
    const line = ownLine(takePlain(planting))
    const byKobo = planting.random.pick([-500, -1, 1, 70_000])
    planting.extra.push({ ...line, amountKobo: line.amountKobo + byKobo })
    planting.expected.push(`amount_differs ${line.narration} ${byKobo}`)
  },
  fee_differs: ({ random, reported, extra, expected }) => {
    if (random.integer(0, 1) === 0) {
      const narration = `FEE ${unknown()}`
      extra.push({ day: random.pick(DAYS), kind: 'fee', amountKobo: -777_001, narration })
      expected.push(`fee_differs ${narration} -777001`)
      return
    }
    const at = reported.findIndex(
      ({ credit, lines }) => credit?.feeKobo && (lines[0]?.amountKobo ?? 0) < credit.amountKobo,
    )
    const line = ownLine(reported.splice(at, 1)[0] as ReportedItem)
    extra.push({ ...line, amountKobo: line.amountKobo - 33 })
    expected.push(`fee_differs ${line.narration} -33`)
  },
  duplicate_at_bank: (planting) => {
    const line = ownLine(takePlain(planting))
    const again = { ...line, narration: `${line.narration} AGAIN` }
    planting.extra.push(line, again)
    planting.expected.push(`duplicate_at_bank ${again.narration} ${line.amountKobo}`)
  },
  duplicate_in_books: (planting) => {
    const line = ownLine(takePlain(planting))
    const at = `${line.day}T10:00`
    const sessionId = unknown()
    const id = creditId(at, 5_000 + serial)
    const { amountKobo } = line
    planting.extra.push({ ...line, bankReference: sessionId })
    planting.credits.push({
      id,
      sessionId,
      identifiedBy: 'settlement_id',
      amountKobo,
      at,
    })
    planting.expected.push(`duplicate_in_books credit ${id} ${-amountKobo}`)
  },
  wrong_account: (planting) => plantElsewhere(planting, { bankCode: '044' }, 'wrong_account'),
  currency_differs: (planting) => plantElsewhere(planting, { currency: 'USD' }, 'currency_differs'),
  reversed_at_bank: (planting) => {
    const { credit, lines } = takePlain(planting)
    const [line] = lines as [Line]
    const narration = `${line.narration} BACK`
    planting.extra.push(line, { ...line, narration, amountKobo: -line.amountKobo })
    planting.expected.push(`reversed_at_bank ${narration} ${-(credit?.amountKobo ?? 0)}`)
  },
  unexplained_debit: ({ random, extra, expected }) => {
    const narration = `D ${unknown()}`
    const amountKobo = -random.integer(1, 1e6)
    extra.push({ day: random.pick(DAYS), amountKobo, narration })
    expected.push(`unexplained_debit ${narration} ${amountKobo}`)
  },
}

// Adds a credit to the books of another bank or currency than its line's.
function plantElsewhere(
  { random, extra, credits, expected }: Planting,
  where: { bankCode?: string; currency?: string },
  kind: string,
): void {
  const sessionId = unknown()
  const [day, amountKobo, narration] = [random.pick(DAYS), random.integer(1, 1e6), `E${serial}`]
  const at = `${day}T11:00`
  // From 5,000 on, so that the id differs from those of the random credits.
  credits.push({ id: creditId(at, 5_000 + serial), sessionId, amountKobo, at, ...where })
  extra.push({ day, sessionId, amountKobo, narration, kind: 'credit' })
  expected.push(`${kind} ${narration} ${amountKobo}`)
}

test(`1,000 planted differences are found and classified, and nothing else (seed ${SEED})`, async () => {
  await using bench = await setUpMatching()
  const random = seededRandom(SEED)
  const { books, reported } = randomBooks(random, SIZE)
  const expected: Expected[] = []
  const planting: Planting = { random, reported, extra: [], credits: [], expected }
  for (let at = 0; at < OF_EACH_KIND; at++) {
    for (const plant of Object.values(PLANTINGS)) plant(planting)
  }
  await bench.writeBooks({ ...books, credits: [...books.credits, ...planting.credits] })
  const lines = [...reported.flatMap((each) => each.lines), ...planting.extra]

  // The statements also open with money that the books lack, skip a number, and have a gap of one naira.
  let openingKobo = 5_000_000
  for (const [at, day] of DAYS.entries()) {
    if (at === 4) openingKobo -= 100
    const ownLine = lines.filter((line) => line.day === day)
    await bench.importStatement({
      fromDay: day,
      toDay: day,
      openingKobo,
      sequence: at < 3 ? at + 1 : at + 2,
      lines: ownLine,
    })
    openingKobo += ownLine.reduce((sum, line) => sum + line.amountKobo, 0)
    await bench.match(`${day}T23:59`)
  }
  expected.push('balance_gap statement 5000000', 'sequence_gap statement 0')
  expected.push('balance_gap statement -100')
  await bench.match(NOW)

  const found = await readDifferences(bench)
  assert.deepEqual(
    found.map(({ kind, about, amount }) => `${kind} ${about} ${amount}`).sort(),
    expected.sort(),
  )
  assert.equal(expected.length, 1_003)
  await assertIdentity(bench, NOW)
  await assertSettled(bench, NOW)
})
