// The verdict of a soak passes steady memory, however noisy, and fails a leak of a few megabytes an hour or
// any resource that is still in use at the end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProcessSample, Sample } from '../bench/soak-samples.ts'
import { mannKendall, soakVerdict, theilSen } from '../bench/soak-verdict.ts'
import { seededRandom } from './support/random.ts'

const MINUTES = 60
const SAMPLES_PER_MINUTE = 12
const NOISE_MB = 40

const quiet: ProcessSample = {
  ...{ rssMb: 200, heapMb: 60, files: 30, sockets: 6 },
  ...{ timers: 6, resources: 14 },
}

// Returns samples of a soak whose memory follows `rssAt`, with noise.
function samplesOfSoak(rssAt: (minute: number) => number): Sample[] {
  const random = seededRandom(7)
  return Array.from({ length: MINUTES * SAMPLES_PER_MINUTE }, (_, at) => {
    const minute = at / SAMPLES_PER_MINUTE
    const rssMb = rssAt(minute) + random.integer(-NOISE_MB, NOISE_MB)
    return { minute, api: { ...quiet, rssMb }, worker: quiet, connections: 30, backlog: 0 }
  })
}

// Returns a sample from before or after the soak, with these values of the API process.
const sampleWith = (api: Partial<ProcessSample> = {}, connections = 20): Sample => ({
  ...{ minute: 0, api: { ...quiet, ...api }, worker: quiet, connections, backlog: 0 },
})

test('memory that is only noisy is flat, also when it rose while it warmed up', () => {
  const samples = samplesOfSoak((minute) => Math.min(300, 200 + minute * 20))
  const { problems } = soakVerdict({ samples, before: sampleWith(), after: sampleWith() })

  assert.deepEqual(problems, [])
})

test('a leak of half a megabyte a minute is seen through the noise', () => {
  const samples = samplesOfSoak((minute) => 300 + minute * 0.5)
  const { problems } = soakVerdict({ samples, before: sampleWith(), after: sampleWith() })

  assert.equal(problems.length, 1)
  assert.match(problems[0] as string, /api: RSS.*it grows/)
})

test('sockets and connections that nobody gave back are named', () => {
  const samples = samplesOfSoak(() => 300)
  const after = sampleWith({ sockets: 500 }, 100)
  const { problems } = soakVerdict({ samples, before: sampleWith(), after })

  assert.deepEqual(problems, [
    'api: 500 sockets when all is quiet, 6 before',
    '100 connections to PostgreSQL, 20 before',
  ])
})

test('slope and trend are those of the textbook', () => {
  assert.equal(
    theilSen([
      [0, 1],
      [1, 3],
      [2, 5],
      [3, 100],
    ]),
    2,
  )
  assert.equal(mannKendall([1, 2, 3, 4]).toFixed(3), '1.698')
  assert.equal(mannKendall([2, 2, 2]), 0)
})
