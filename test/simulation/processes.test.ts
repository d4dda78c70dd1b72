// A shorter simulation of incoming money with the real program as two HTTP processes on one port: each
// process knows what the other did, and each race between them has an order that explains it. Replay a
// failure with:
//   SEED=<seed> node --test test/simulation/processes.test.ts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMsOf } from '../support/child-service.ts'
import { askAtRandom } from '../support/declared-errors.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { Choices } from './choices.ts'
import { runRaces } from './contests.ts'
import { startProcessWorld } from './process-world.ts'
import { Rounds, stepsOf } from './rounds.ts'
import { compareAll, run } from './steps.ts'

askAtRandom()

const SEED = readSeed()
const STEPS = Number(process.env.STEPS ?? 800)
const RACES = Number(process.env.RACES ?? 10)

const SERVING_CPU_MS = 50 // The least CPU time of a process that served its share of the requests.

test(`two HTTP processes agree with the model, and with each other (seed ${SEED})`, async () => {
  await using world = await startProcessWorld()
  const processes = world.service.httpProcesses()
  const atStart = processes.map(cpuMsOf)
  const model = world.newModel()
  const random = seededRandom(SEED)
  const rounds = new Rounds(new Choices(random, model.books, world.isTimeless))

  for (let steps = 0; steps < STEPS; ) {
    const ops = rounds.next()
    steps += stepsOf(ops)
    await run(world, model, ops)
  }
  await compareAll(world, model)
  await runRaces(world, model, random, RACES)

  assert.equal(processes.length, 2)
  const spent = processes.map((pid, at) => cpuMsOf(pid) - (atStart[at] as number))
  assert(
    spent.every((ms) => ms > SERVING_CPU_MS),
    `both answered: ${spent.join(' and ')} ms`,
  )
  await assertEventsWithoutGaps(world.db)
  assert.equal(await world.service.stop(), 0)
  assert.doesNotMatch(world.service.output.out, /"level":"(error|fatal)"/)
})

// Asserts that each client's events are numbered from 1 without gaps or duplicates.
async function assertEventsWithoutGaps(db: Awaited<ReturnType<typeof startProcessWorld>>['db']) {
  const { rows } = await db.query(
    `select c.client_id as client, k.sequence = count(e.sequence) as "isWhole",
            min(e.sequence)::int as first, max(e.sequence) = k.sequence as "isLast",
            count(distinct e.sequence) = count(*) as "isOnce"
       from clients c join event_counters k on k.client_id = c.id
       join events e on e.client_id = c.id group by c.id, k.sequence order by c.client_id`,
  )
  const whole = { isWhole: true, first: 1, isLast: true, isOnce: true }
  assert.deepEqual(rows, [
    { client: 'MAN0000001', ...whole },
    { client: 'MAN0000002', ...whole },
  ])
}
