// Closed days of an archived month keep their journals and balances: those are told as before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monthAt } from '#domain/archive/months.ts'
import { watDay } from '#wat-time.ts'
import { closeDay, DAY_MS, OPERATOR, pass, tryClose } from '../support/accounting.ts'
import { archiveLived, liveAMonth, liveOn } from '../support/archived-month.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

// Closed from the last day of the month before it on, so that all of its own are.
const MONTH = monthAt(new Date('2026-12-15T12:00:00Z'))
const bench = closeAfterTests(await startTestService())
bench.advance(16 * DAY_MS)
const numbers = await liveAMonth(bench)
const days: string[] = []
for (let ms = MONTH.from.getTime() - DAY_MS; ms < MONTH.to.getTime(); ms += DAY_MS) {
  days.push(watDay(new Date(ms)))
}
pass(bench, days.at(-1) as string)
for (const day of days) await closeDay(bench, day)
await liveOn(bench, numbers)

const KEPT = [
  ...days.flatMap((day) => [
    `journal?day=${day}`,
    `journal.csv?day=${day}`,
    `trial-balance?at=${new Date(Date.parse(`${day}T23:00:00Z`)).toISOString()}`,
  ]),
  'vat?month=2026-12',
  'vat.csv?month=2026-12',
  'days?from=2026-11-30&to=2026-12-31',
]

async function readAll(): Promise<string[]> {
  const bodies: string[] = []
  for (const path of KEPT) {
    const answer = await bench.call({ url: `${OPERATOR}/${path}` })
    assert.equal(answer.statusCode, 200, `${path}: ${answer.body}`)
    bodies.push(answer.body)
  }
  return bodies
}

const before = await readAll()
assert.equal(await archiveLived(bench, MONTH), 8n)

test('journals, balances and VAT of closed days are told as before', async () => {
  const after = await readAll()

  for (const [at, body] of after.entries()) assert.equal(body, before[at], KEPT[at])
})

test('what would have to be added up again is refused as archived', async () => {
  for (const path of [
    'journal.csv?day=2026-12-03&detail=transfer',
    'journal?day=2026-11-29', // Never closed.
    'trial-balance?at=2026-12-03T12:00:00Z',
    'vat?month=2026-11', // Closed in part.
  ]) {
    const answer = await bench.call({ url: `${OPERATOR}/${path}` })
    assertRefused(answer, 'account', { status: 409, code: 'period_archived' })
  }
})

test('closing goes on after the month, from the balances that were kept', async () => {
  const url = `${OPERATOR}/trial-balance?at=2027-01-01T23:00:00Z`
  const open = (await bench.call({ url })).json().data

  await closeDay(bench, '2027-01-01')

  assert.deepEqual((await bench.call({ url })).json().data, open)
  assertRefused(await tryClose(bench, '2026-11-29'), 'account', {
    status: 409,
    code: 'period_archived',
  })
})
