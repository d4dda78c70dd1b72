// Workers run in rounds: the next round begins at once while there is more work, otherwise after a pause. A
// stop waits for the round in progress.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '#log.ts'
import type { Round } from '#workers/loop.ts'
import { runWorkers, type WorkerDeps } from '#workers/run-workers.ts'
import { startTestService } from '../support/running-service.ts'

const NEVER_MS = 2 ** 31 - 1

test('a round that leaves more to do is followed by the next at once', async () => {
  const lastRound = Promise.withResolvers<void>()
  let rounds = 0
  const workers = start(async () => {
    rounds++
    if (rounds === 5) lastRound.resolve()
    return { more: rounds < 5 }
  })

  await lastRound.promise
  await workers.stop()

  assert.equal(rounds, 5)
})

test('work done before the run comes again after a pause', async () => {
  const log = createLogger({ level: 'silent' })
  let rounds = 0
  const round = async () => {
    rounds++
    return { more: false }
  }
  const workers = runWorkers({ log }, [{ name: 'test', pauseMs: NEVER_MS, isDone: true, round }])
  await workers.stop()
  assert.equal(rounds, 0)

  const again = Promise.withResolvers<void>()
  // A round that tells the test that it ran.
  const noteRound = async () => {
    again.resolve()
    return { more: false }
  }
  const paused = runWorkers({ log }, [{ name: 'test', pauseMs: 1, isDone: true, round: noteRound }])
  await again.promise
  await paused.stop()
})

test('stopping ends a pause at once', async () => {
  const done = Promise.withResolvers<void>()
  const workers = start(async () => {
    done.resolve()
    return { more: false }
  })

  await done.promise
  await workers.stop()
})

test('stopping waits for the round in progress, which gets the stop signal', async () => {
  const begun = Promise.withResolvers<AbortSignal>()
  const mayEnd = Promise.withResolvers<void>()
  const order: string[] = []
  const workers = start(async (signal) => {
    begun.resolve(signal)
    await mayEnd.promise
    order.push('round ended')
    return { more: true }
  })

  const signal = await begun.promise
  const stopped = workers.stop().then(() => order.push('stopped'))
  assert.equal(signal.aborted, true)
  mayEnd.resolve()
  await stopped

  assert.deepEqual(order, ['round ended', 'stopped'])
})

test('a round that fails is logged, and the worker goes on', async () => {
  const recovered = Promise.withResolvers<void>()
  const lines: string[] = []
  let rounds = 0
  const workers = start(
    async () => {
      rounds++
      if (rounds === 1) throw new Error('the disk is full')
      recovered.resolve()
      return { more: false }
    },
    { pauseMs: 1, lines },
  )

  await recovered.promise
  await workers.stop()

  assert.match(lines.join(), /the disk is full.*"worker":"example".*"worker round failed"/)
})

test('all workers of the service run on a real database, and stop with it', async () => {
  await using bench = await startTestService()

  bench.service.startWorkers()

  for (;;) {
    const { rows } = await bench.db.query('select from integrity_checks where ok')
    if (rows.length > 0) break
  }
  assert.doesNotMatch(bench.logText(), /"level":"error"/)
})

// Runs one worker, and adds its log to `lines`.
function start(round: Round, { pauseMs = NEVER_MS, lines = [] as string[] } = {}) {
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger({ level: 'info', destination })
  return runWorkers({ log } as WorkerDeps, [{ name: 'example', pauseMs, round }])
}
