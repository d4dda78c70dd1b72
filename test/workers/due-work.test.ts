// A worker with a condition runs only when the condition is true, and soon after a write of any process made
// it true.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '#log.ts'
import { DueWork, type Worker } from '#workers/loop.ts'
import { runWorkers } from '#workers/run-workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, simulate, startPayment } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'

const NEVER_MS = 2 ** 31 - 1
const DAY_MS = 86_400_000
// Far less than the minute after which every worker runs anyway.
const SOON_MS = 20_000

const bench = await startTestService()
closeAfterTests(bench)

test('a worker runs when its condition holds, at most once per pause', async () => {
  const rounds = { due: 0, idle: 0, paused: 0 }
  const counted = (name: keyof typeof rounds, due: string, pauseMs = 1): Worker => ({
    ...{ name, due, pauseMs, isDone: true },
    round: async () => {
      rounds[name]++
      return { more: false }
    },
  })
  const { workers, dueWork } = watch([
    counted('due', 'clock.now < clock.real_now'),
    counted('idle', 'clock.now > clock.real_now'),
    counted('paused', 'true', NEVER_MS),
  ])
  assert.deepEqual(await dueWork.findDue(), new Set(['clock.now < clock.real_now', 'true']))
  await eventually(async () => rounds.due >= 3)
  await workers.stop()
  assert.deepEqual([rounds.idle, rounds.paused], [0, 0])
})

test('a condition that no round ends is looked for once a second, not four times', async () => {
  let rounds = 0
  const round = async () => {
    rounds++
    return { more: false }
  }
  const worker = { name: 'fruitless', due: 'true', pauseMs: 1, isDone: true, round }
  const { workers } = watch([worker])
  const startedMs = performance.now()
  await eventually(async () => performance.now() - startedMs > 3_500)
  await workers.stop()
  // The worker runs at once, again after a quarter of a second because its condition is new, and then once a
  // second.
  assert(rounds >= 2, `${rounds} rounds`)
  assert(rounds <= 3 + (performance.now() - startedMs) / 1_000, `${rounds} rounds`)
})

test('a round that finds work makes the service look for more at once', async () => {
  let [rounds, found] = [0, 0]
  const round = async () => {
    rounds++
    return { more: false }
  }
  const watched = { name: 'other', due: 'true', pauseMs: 1, isDone: true, round }
  const finding = async () => ({ more: ++found % 2 === 1 })
  const busy = { name: 'busy', pauseMs: 100, isDone: true, round: finding }
  const { workers } = watch([watched, busy])
  const startedMs = performance.now()
  await eventually(async () => rounds >= 8)
  await workers.stop()
  assert(performance.now() - startedMs < patience(5_000), 'as slow as once a second')
})

test('everything is due after the clock was set back', async () => {
  let nowMs = 10 * DAY_MS
  const clock = () => new Date(nowMs)
  const dueWork = new DueWork({ db: bench.db, clock, realClock: clock })
  const round = async () => ({ more: false })
  dueWork.prepareWorkers([{ name: 'never', due: 'false', pauseMs: 1, round }])
  assert.equal((await dueWork.findDue()).size, 0)
  nowMs -= DAY_MS
  assert.equal((await dueWork.findDue()).size, 1)
  assert.equal((await dueWork.findDue()).size, 0)
})

test('workers find what another process wrote', async () => {
  const other = await startTestService({ database: bench.database })
  bench.service.startWorkers()
  const account = await createAccount(other)
  await simulate(other, account.accountNumber, '100.00')
  await startPayment(other)
  await other.service.close()
  await bench.db.query(
    `insert into alerts (kind, subject, detail, raised_at) values ('archive_failing', 'test', '{}', now())`,
  )
  // Whether this SQL condition is true now.
  const holds = async (condition: string) => {
    const { rows } = await bench.db.query<{ holds: boolean }>(`select ${condition} as holds`)
    return rows[0]?.holds === true
  }
  await eventually(() => holds('not exists (select from alerts where logged_at is null)'))
  await eventually(() =>
    holds(
      `(select sum(sequence) from dispatch_cursors) = (select sum(sequence) from event_counters)`,
    ),
  )
  await eventually(() =>
    holds(
      `(select sum(sequence) from totals_cursors) = (select sum(sequence) from event_counters)`,
    ),
  )
  bench.advance(2 * DAY_MS)
  await eventually(() => holds(`exists (select from payments where status = 'Expired')`))
})

// Runs these workers when their conditions hold, by a clock that stands still.
function watch(list: Worker[]) {
  const clock = () => new Date(0)
  const dueWork = new DueWork({ db: bench.db, clock, realClock: () => new Date() })
  const log = createLogger({ level: 'silent' })
  return { dueWork, workers: runWorkers({ log }, dueWork.prepareWorkers(list)) }
}

// Waits until the condition is true; the test fails if that takes too long.
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + SOON_MS
  while (!(await condition())) {
    assert(performance.now() < endMs, `not true: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
