// A thousand differences of every kind, planted in the statements of thousands of items: matching finds
// all of them, with the right kind, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../support/random.ts'
import { type Books, type Line, readDifferences, setUpMatching } from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'
import { creditId, DAYS, type Random, randomBooks, type Told } from './random-books.ts'

const SEED = 20_261_116
const OF_EACH_KIND = 100
const SIZE = { credits: 5_000, payouts: 600, reversals: 150, returns: 150 }
const NOW = '2026-11-20T08:00'

type Expected = string // Kind, subject, amount.
type Planting = {
  random: Random
  told: Told[]
  extra: Line[]
  credits: NonNullable<Books['credits']>[number][]
  expected: Expected[]
}

let serial = 0
const unknown = () => `U${String(++serial).padStart(14, '0')}`

// A credit without charges and with a session id on its line; each only once.
function takePlain({ told: report }: Planting): Told {
  const at = report.findIndex(
    ({ credit, lines }) => credit && !credit.feeKobo && lines[0]?.sessionId === credit.sessionId,
  )
  return report.splice(at, 1)[0] as Told
}

const own = ({ lines }: Told) => lines[0] as Line

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
    const line = own(takePlain(planting))
    const byKobo = planting.random.pick([-500, -1, 1, 70_000])
    planting.extra.push({ ...line, amountKobo: line.amountKobo + byKobo })
    planting.expected.push(`amount_differs ${line.narration} ${byKobo}`)
  },
  fee_differs: ({ random, told: report, extra, expected }) => {
    if (random.integer(0, 1) === 0) {
      const narration = `FEE ${unknown()}`
      extra.push({ day: random.pick(DAYS), kind: 'fee', amountKobo: -777_001, narration })
      expected.push(`fee_differs ${narration} -777001`)
      return
    }
    const at = report.findIndex(
      ({ credit, lines }) => credit?.feeKobo && (lines[0]?.amountKobo ?? 0) < credit.amountKobo,
    )
    const line = own(report.splice(at, 1)[0] as Told)
    extra.push({ ...line, amountKobo: line.amountKobo - 33 })
    expected.push(`fee_differs ${line.narration} -33`)
  },
  duplicate_at_bank: (planting) => {
    const line = own(takePlain(planting))
    const again = { ...line, narration: `${line.narration} AGAIN` }
    planting.extra.push(line, again)
    planting.expected.push(`duplicate_at_bank ${again.narration} ${line.amountKobo}`)
  },
  duplicate_in_books: (planting) => {
    const line = own(takePlain(planting))
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

function plantElsewhere(
  { random, extra, credits, expected }: Planting,
  where: { bankCode?: string; currency?: string },
  kind: string,
): void {
  const sessionId = unknown()
  const [day, amountKobo, narration] = [random.pick(DAYS), random.integer(1, 1e6), `E${serial}`]
  const at = `${day}T11:00`
  credits.push({ id: creditId(at, 5_000 + serial), sessionId, amountKobo, at, ...where })
  extra.push({ day, sessionId, amountKobo, narration, kind: 'credit' })
  expected.push(`${kind} ${narration} ${amountKobo}`)
}

test(`1,000 planted differences are found and classified, and nothing else (seed ${SEED})`, async () => {
  await using bench = await setUpMatching()
  const random = seededRandom(SEED)
  const { books, told: report } = randomBooks(random, SIZE)
  const expected: Expected[] = []
  const planting: Planting = { random, told: report, extra: [], credits: [], expected }
  for (let at = 0; at < OF_EACH_KIND; at++) {
    for (const plant of Object.values(PLANTINGS)) plant(planting)
  }
  await bench.writeBooks({ ...books, credits: [...books.credits, ...planting.credits] })
  const lines = [...report.flatMap((each) => each.lines), ...planting.extra]

  // Opens with money that the books do not have, skips a number, and loses a naira on the way.
  let openingKobo = 5_000_000
  for (const [at, day] of DAYS.entries()) {
    if (at === 4) openingKobo -= 100
    const own = lines.filter((line) => line.day === day)
    await bench.importStatement({
      fromDay: day,
      toDay: day,
      openingKobo,
      sequence: at < 3 ? at + 1 : at + 2,
      lines: own,
    })
    openingKobo += own.reduce((sum, line) => sum + line.amountKobo, 0)
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
