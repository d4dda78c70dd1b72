// Which clock of a case runs: the times of the Central Bank's exposure draft of 26 November 2025, each with
// its source and the day it is in force from (I253).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escalateCasesRound } from '#cases/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { pay } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

const CASES = '/api/v1/operator/cases'
const HOUR_MS = 3_600_000
const bench = closeAfterTests(await startTestService())
let operator = await newBrowser(bench, 'operator')

const post = async (url: string, body: object = {}) => operator.call({ url, body })
const read = async (reference: string) =>
  (await operator.call({ url: `${CASES}/${reference}` })).json().data
const open = async (more: object = {}) =>
  dataOf(
    await post(CASES, {
      kind: 'payer_report',
      summary: 'Deceived',
      clientId: 'MAN0000001',
      ...more,
    }),
  )

type Clock = {
  name: string
  clock: string
  state: string
  startedAt: string | null
  dueAt: string | null
}
const clockOf = ({ deadlines }: { deadlines: Clock[] }, name: string) =>
  deadlines.find((each) => each.name === name) as Clock
const hours = ({ startedAt, dueAt }: Clock) =>
  (Date.parse(dueAt as string) - Date.parse(startedAt as string)) / HOUR_MS

// Moves the clock, and signs in again, since sessions end meanwhile.
async function wait(ms: number) {
  bench.advance(ms)
  operator = await newBrowser(bench, 'operator')
}

test('the customer is answered in 24 hours, and the other bank notified in 30 minutes', async () => {
  const opened = await open()
  assert.deepEqual(
    opened.deadlines.map(({ name, clock, state }: Clock) => [name, clock, state]),
    [
      ['report', 'payment', 'waiting'],
      ['notify', 'report', 'running'],
      ['respond', 'report', 'running'],
      ['resolve', 'report', 'running'],
      ['reimburse', 'investigation_end', 'waiting'],
    ],
  )
  assert.equal(hours(clockOf(opened, 'notify')), 0.5)
  assert.equal(hours(clockOf(opened, 'respond')), 24)
  assert.equal(clockOf(opened, 'reimburse').dueAt, null)
  assert(opened.deadlines.every((each: { sourceDate: string }) => each.sourceDate === '2025-11-26'))
  assert.deepEqual([opened.nextDeadline, opened.isJoint], ['notify', false])
})

test('a joint case has 16 working days, others 14, over weekends', async () => {
  const reportedAt = bench.clock().toISOString()
  const [alone, joint] = [await open({ reportedAt }), await open({ reportedAt, isJoint: true })]
  assert.equal(clockOf(alone, 'resolve_joint'), undefined)
  assert.equal(clockOf(joint, 'resolve'), undefined)
  const days = (each: Clock) => hours(each) / 24
  assert(days(clockOf(alone, 'resolve')) >= 18)
  assert(days(clockOf(joint, 'resolve_joint')) > days(clockOf(alone, 'resolve')))
})

test('reimbursement is due 48 hours after the end of the investigation, not the report', async () => {
  const { reference } = await open()
  await wait(5 * 24 * HOUR_MS)
  dataOf(await post(`${CASES}/${reference}/deadlines/resolve/meet`))
  const clock = clockOf(await read(reference), 'reimburse')
  assert.equal(clock.state, 'running')
  assert.equal(Date.parse(clock.startedAt as string), bench.clock().getTime())
  assert.equal(hours(clock), 48)
})

test('a case closed as confirmed is still to be reimbursed: its clock runs on until it is met', async () => {
  const { reference } = await open()
  const closing = { outcome: 'confirmed', reason: 'Proven' }
  const closed = dataOf(await post(`${CASES}/${reference}/close`, closing))
  assert.equal(clockOf(closed, 'reimburse').state, 'running')
  assert.equal(clockOf(closed, 'respond').state, 'ended')
  assert.equal(closed.nextDeadline, 'reimburse')
  await wait(49 * HOUR_MS)
  const round = escalateCasesRound(bench)
  const alerts = async () => {
    await round(AbortSignal.timeout(60_000))
    const { rows } = await bench.db.query<{ kind: string }>(
      'select kind from alerts where subject = $1 and cleared_at is null',
      [`${reference} reimburse`],
    )
    return rows.map(({ kind }) => kind)
  }
  assert.deepEqual(await alerts(), ['case_deadline_missed'])
  const late = await post(`${CASES}/${reference}/deadlines/respond/meet`)
  assert.equal(late.json().code, 'case_closed')
  dataOf(await post(`${CASES}/${reference}/deadlines/reimburse/meet`))
  assert.deepEqual(await alerts(), [])
})

test('a case closed as unfounded is not reimbursed; a reopened one starts that clock anew', async () => {
  const { reference } = await open()
  const unfounded = { outcome: 'unfounded', reason: 'Checked' }
  const closed = dataOf(await post(`${CASES}/${reference}/close`, unfounded))
  assert.equal(clockOf(closed, 'reimburse').state, 'ended')
  const { reference: other } = await open()
  dataOf(await post(`${CASES}/${other}/close`, { outcome: 'confirmed', reason: 'Proven' }))
  const reopened = dataOf(await post(`${CASES}/${other}/reopen`, { reason: 'New facts' }))
  assert.equal(clockOf(reopened, 'reimburse').state, 'waiting')
})

test('a case shows whether the customer reported within 72 hours of the payment', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '50')
  const early = await open({ sessionIds: [sessionId] })
  assert.equal(hours(clockOf(early, 'report')), 72)
  assert.equal(clockOf(early, 'report').state, 'met')
  await wait(80 * HOUR_MS)
  const late = await open({ sessionIds: [sessionId] })
  assert.equal(clockOf(late, 'report').state, 'missed')
})

test('times are dated: a case has those in force on the day of its report', async () => {
  const url = '/api/v1/operator/case-deadlines/respond'
  const body = {
    unit: 'minutes',
    length: 60,
    warnMinutes: 5,
    source: 'Guidelines',
    sourceDate: '2026-01-05',
  }
  const set = async (more: object) =>
    operator.call({ url, method: 'PUT', body: { ...body, ...more } })
  const tomorrow = new Date(bench.clock().getTime() + 24 * HOUR_MS).toISOString().slice(0, 10)
  dataOf(await set({ validFrom: tomorrow }))
  assert.equal(hours(clockOf(await open(), 'respond')), 24)
  const reportedAt = bench.clock().toISOString()
  await wait(48 * HOUR_MS)
  const after = await open()
  assert.equal(hours(clockOf(after, 'respond')), 1)
  assert.equal(after.deadlines[2].sourceDate, '2026-01-05')
  assert.equal(hours(clockOf(await open({ reportedAt }), 'respond')), 24)
  for (const day of ['2026-02-30', 'soon', ''])
    assert.equal((await set({ validFrom: day })).statusCode, 400, day)
})
