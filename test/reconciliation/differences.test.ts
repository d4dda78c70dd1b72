// Kinds of differences that show only with several lines or days, differences of timing, and how differences
// clear.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDailyProofs } from '#reconciliation/daily-proof.ts'
import { BANK, type MatchingBench, readDifferences, readMatches, setUpMatching } from './books.ts'
import { assertIdentity, assertSettled } from './identity.ts'

const DAY = '2026-11-10'
const credit = (id: number, at: string) => ({ id, sessionId: `S${id}`, amountKobo: 100_000, at })
const line = (id: number, day: string) => ({
  day,
  sessionId: `S${id}`,
  amountKobo: 100_000,
  narration: `L${id}`,
})

// The status of a day's proof, and its amounts.
async function proofOf(bench: MatchingBench, day: string, now: string, windowDays = 2) {
  const [proof] = await readDailyProofs(bench.pool, {
    fromDay: day,
    toDay: day,
    bankCode: BANK,
    currency: 'NGN',
    // `windows`: for each bank, the days for which a movement that only one side has counts as in transit
    // (timing).
    windows: new Map([[BANK, windowDays]]),
    now: new Date(`${now}:00+01:00`),
  })
  assert.ok(proof)
  const { status, ledgerKobo, statementKobo, timingKobo, differenceKobo } = proof
  return [status, ledgerKobo, statementKobo, timingKobo, differenceKobo]
}

test('one-sided items are timing within the bank’s window, and then red', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [credit(1, `${DAY}T23:50`)] })
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines: [] })
  await bench.match('2026-11-11T08:00')

  assert.deepEqual(await proofOf(bench, DAY, '2026-11-12T08:00'), [
    'balanced',
    100_000n,
    0n,
    -100_000n,
    0n,
  ])
  assert.deepEqual(await proofOf(bench, DAY, '2026-11-13T08:00'), [
    'differences',
    100_000n,
    0n,
    0n,
    -100_000n,
  ])
  assert.equal((await proofOf(bench, DAY, '2026-11-13T08:00', 5))[0], 'balanced')
})

test('a line that comes on the next day clears the difference, and stays timing of its day', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [credit(1, `${DAY}T23:50`)] })
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines: [] })
  await bench.match('2026-11-11T08:00')
  await bench.importStatement({
    fromDay: '2026-11-11',
    toDay: '2026-11-11',
    openingKobo: 0,
    lines: [line(1, '2026-11-11')],
  })
  await bench.match('2026-11-12T08:00')

  assert.deepEqual(await readDifferences(bench), [])
  assert.deepEqual(await proofOf(bench, DAY, '2026-11-20T08:00'), [
    'balanced',
    100_000n,
    0n,
    -100_000n,
    0n,
  ])
  const changes = await bench.read(`select change, actor from difference_changes order by id`)
  assert.deepEqual(changes, [
    { change: 'opened', actor: null },
    { change: 'cleared', actor: null },
  ])
  await assertIdentity(bench, '2026-11-20T08:00')
})

test('a credit that the books take later clears a line that was missing in them', async () => {
  await using bench = await setUpMatching()
  await bench.importStatement({
    fromDay: DAY,
    toDay: DAY,
    openingKobo: 0,
    lines: [line(1, DAY)],
  })
  await bench.match('2026-11-11T08:00')
  assert.deepEqual(
    (await readDifferences(bench)).map(({ kind }) => kind),
    ['missing_in_books'],
  )

  await bench.writeBooks({ credits: [credit(1, '2026-11-11T09:00')] })
  assert.deepEqual(await bench.match('2026-11-11T09:01'), { matched: 1, differences: 0 })

  assert.deepEqual(await readDifferences(bench), [])
  await assertIdentity(bench, '2026-11-20T08:00')
})

test('a noted difference stays as it is, and still clears when its line comes', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [credit(1, `${DAY}T09:00`)] })
  await bench.importStatement({ fromDay: DAY, toDay: DAY, openingKobo: 0, lines: [] })
  await bench.match('2026-11-11T08:00')
  await bench.pool.query(
    `update differences set state = 'resolved', action = 'note', reason = 'asked the bank',
                            decided_by = 'ada', decided_at = now()`,
  )
  await assertSettled(bench, '2026-11-11T08:01')
  await assertIdentity(bench, '2026-11-20T08:00')

  await bench.importStatement({
    fromDay: '2026-11-11',
    toDay: '2026-11-14',
    openingKobo: 0,
    lines: [line(1, '2026-11-14')],
  })
  await bench.match('2026-11-15T08:00')

  assert.deepEqual(await readDifferences(bench), [])
})

test('a line for another of our numbers than its credit is for the wrong account', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({
    credits: [{ ...credit(1, `${DAY}T09:00`), accountNumber: '0100000001' }],
    numbers: ['0100000002'],
  })
  await bench.importStatement({
    fromDay: DAY,
    toDay: DAY,
    openingKobo: 0,
    lines: [{ ...line(1, DAY), accountNumber: '0100000002' }],
  })
  await bench.match('2026-11-11T08:00')

  const found = await readDifferences(bench)
  assert.deepEqual(
    found.map(({ kind, about }) => `${kind} ${about}`),
    ['wrong_account L1', 'missing_at_bank credit 1'],
  )
  await assertIdentity(bench, '2026-11-20T08:00')
})

test('a line of the first day for an item of the day before is no gap', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({
    credits: [credit(1, '2026-11-09T12:00'), credit(2, '2026-11-09T23:55')],
  })
  await bench.importStatement({
    fromDay: DAY,
    toDay: DAY,
    openingKobo: 100_000,
    lines: [line(2, DAY)],
  })
  await bench.match('2026-11-11T08:00')

  assert.deepEqual(await readDifferences(bench), [])
  assert.deepEqual(await proofOf(bench, DAY, '2026-11-20T08:00'), [
    'balanced',
    200_000n,
    200_000n,
    0n,
    0n,
  ])
})

test('a statement that was left out is a gap until it comes', async () => {
  await using bench = await setUpMatching()
  const days = ['2026-11-10', '2026-11-11', '2026-11-12']
  await bench.writeBooks({ credits: days.map((day, at) => credit(at + 1, `${day}T09:00`)) })
  // The statement of the day with this index: one line, for the credit of that day.
  const statement = (at: number) => {
    const day = days[at] as string
    const lines = [line(at + 1, day)]
    return { fromDay: day, toDay: day, openingKobo: at * 100_000, sequence: at + 1, lines }
  }
  await bench.importStatement(statement(0))
  await bench.importStatement(statement(2))
  await bench.match('2026-11-20T08:00')

  const found = await readDifferences(bench)
  assert.deepEqual(found.map(({ kind, amount }) => `${kind} ${amount}`).sort(), [
    'balance_gap 100000',
    'missing_at_bank -100000',
    'sequence_gap 0',
  ])
  assert.equal((await proofOf(bench, '2026-11-11', '2026-11-20T08:00'))[0], 'missing_statement')

  await bench.importStatement(statement(1))
  await bench.match('2026-11-20T09:00')

  assert.deepEqual(await readDifferences(bench), [])
  await assertIdentity(bench, '2026-11-20T09:00')
})

test('a day between two statements that follow one another needs none of its own', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({ credits: [credit(1, '2026-11-13T09:00')] })
  const opening = { openingKobo: 0, lines: [line(1, '2026-11-13')] }
  await bench.importStatement({ fromDay: '2026-11-13', toDay: '2026-11-13', ...opening })
  await bench.importStatement({
    fromDay: '2026-11-16',
    toDay: '2026-11-16',
    openingKobo: 100_000,
    lines: [],
  })
  await bench.match('2026-11-17T08:00')

  assert.equal((await proofOf(bench, '2026-11-14', '2026-11-17T08:00'))[0], 'balanced')
  assert.equal((await proofOf(bench, '2026-11-17', '2026-11-17T08:00'))[0], 'missing_statement')
})

test('name and amount within two days are a suggestion, never a match', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({
    credits: [{ ...credit(1, '2026-11-09T10:00'), name: 'Adebayo, John Obi' }],
  })
  await bench.importStatement({
    fromDay: '2026-11-09',
    toDay: DAY,
    openingKobo: 0,
    lines: [{ amountKobo: 100_000, day: DAY, name: 'JOHN ADEBAYO', narration: 'A' }],
  })

  await bench.match('2026-11-11T08:00')

  assert.deepEqual(await readMatches(bench), [])
  const suggested = await bench.read(
    `select kind, suggested_kind, suggested_id from differences where line_id is not null`,
  )
  assert.deepEqual(suggested, [
    { kind: 'missing_in_books', suggestedKind: 'credit', suggestedId: 1n },
  ])
})
