// A process whose clock differs from the database's by more than five minutes does not start, is not
// ready, and decides nothing by its clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ageCheckOf,
  createClockCheck,
  createStepCheck,
  isSkewed,
  readSkewMs,
  SKEW_MAX_MS,
  STEP_MAX_MS,
} from '#db/health.ts'
import type { Logger } from '#log.ts'
import { createService, prepareDatabase, StartProblem } from '#wiring.ts'
import { closeAfterTests } from '../support/closing.ts'
import { BUSY_FACTOR } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { config, database, db, service } = bench
const log = service.app.log as Logger
const MINUTE_MS = 60_000

const clockOffBy = (ms: number) => () => new Date(Date.now() + ms)

test('the skew is by how much our clock is ahead of the database’s, or behind', async () => {
  assert(Math.abs(await readSkewMs(db, clockOffBy(0))) < MINUTE_MS)
  assert(Math.abs((await readSkewMs(db, clockOffBy(60 * MINUTE_MS))) - 60 * MINUTE_MS) < MINUTE_MS)
  assert(Math.abs((await readSkewMs(db, clockOffBy(-60 * MINUTE_MS))) + 60 * MINUTE_MS) < MINUTE_MS)
  assert.deepEqual([SKEW_MAX_MS, SKEW_MAX_MS + 1, -SKEW_MAX_MS - 1].map(isSkewed), [
    false,
    true,
    true,
  ])
})

test('the clock check logs once when the clock goes wrong, and once when it is right again', async () => {
  let shiftMs = 0
  const isRight = createClockCheck(db, () => clockOffBy(shiftMs)(), log)
  const seen: boolean[] = []
  for (shiftMs of [0, 10 * MINUTE_MS, -10 * MINUTE_MS, 0, MINUTE_MS]) seen.push(await isRight())

  assert.deepEqual(seen, [true, false, false, true, true])
  assert.equal(bench.logText().split('the clock differs').length - 1, 1)
  assert.equal(bench.logText().split('the clock is right again').length - 1, 1)
})

test('with a wrong clock a process does not start, and drops nothing', async () => {
  const { connectionString } = database
  const countPartitions = async () =>
    (await db.query(`select count(*)::int as n from pg_inherits`)).rows[0].n as number
  const before = await countPartitions()
  const start = (ms: number) =>
    prepareDatabase({ config, connectionString, clock: clockOffBy(ms), checksClock: true, log })

  await assert.rejects(start(400 * 86_400_000), (error) => {
    assert(error instanceof StartProblem)
    assert.match(error.message, /clock of this machine is 57600\d minutes ahead of/)
    return true
  })
  await assert.rejects(start(-60 * MINUTE_MS), /60 minutes behind the database server's/)
  assert.equal(await countPartitions(), before)
})

test('with a wrong clock a process is not ready until the clock is right again', async () => {
  let shiftMs = 0
  const clock = () => clockOffBy(shiftMs)()
  const { connectionString } = database
  const starting = { config, connectionString, clock, log, patience: BUSY_FACTOR }
  const other = await createService({ ...starting, checksClock: true })
  const ready = async () => (await other.app.inject({ url: '/ready' })).statusCode
  try {
    const seen: number[] = []
    for (shiftMs of [0, 10 * MINUTE_MS, 0]) seen.push(await ready())
    assert.deepEqual(seen, [200, 503, 200])
  } finally {
    await other.close()
  }
})

// Returns a clock that a test can advance, and also step away from the monotonic clock, as a wrong
// correction does.
function createSteppableClock() {
  let [elapsedMs, stepMs] = [0, 0]
  return {
    clock: () => new Date(elapsedMs + stepMs),
    monotonic: () => elapsedMs,
    log,
    wait: (ms: number) => {
      elapsedMs += ms
    },
    step: (ms: number) => {
      stepMs += ms
    },
  }
}

test('after a step of the clock nothing is decided by age, until as much time has passed', () => {
  for (const stepMs of [60 * MINUTE_MS, -60 * MINUTE_MS]) {
    const time = createSteppableClock()
    const isSteady = createStepCheck(time)
    time.wait(24 * 60 * MINUTE_MS)
    time.step(STEP_MAX_MS / 2)
    assert.equal(isSteady(), true)

    time.step(stepMs)
    assert.equal(isSteady(), false)
    time.wait(Math.abs(stepMs) - 1)
    assert.equal(isSteady(), false)
    time.wait(1)
    assert.equal(isSteady(), true)
    assert.equal(isSteady(), true)
  }
})

test('a clock that is stepped back to where it was is believed at once', () => {
  const time = createSteppableClock()
  const isSteady = createStepCheck(time)
  const seen: boolean[] = []
  for (const stepMs of [3 * 86_400_000, MINUTE_MS, -3 * 86_400_000 - MINUTE_MS]) {
    time.step(stepMs)
    time.wait(MINUTE_MS)
    seen.push(isSteady())
  }
  assert.deepEqual(seen, [false, false, true])
})

test('a step that the database’s clock shares is seen, and so is one that it does not', async () => {
  const time = createSteppableClock()
  let isRight = true
  const areKnown = ageCheckOf({ ...time, checksClock: true }, async () => isRight)
  assert.equal(await areKnown(), true)
  isRight = false
  assert.equal(await areKnown(), false)
  isRight = true
  time.step(60 * MINUTE_MS)
  assert.equal(await areKnown(), false)
})
