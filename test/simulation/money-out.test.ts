// Random payouts, settlements, refunds, returns, reversals, adjustments and holds run on a real service, over
// HTTP and in its workers' rounds, and on a model. Meanwhile banks confirm, reject, delay, stay silent and
// lose responses, and processes die between sending and receiving. Every response is compared, and regularly
// all the books, including the banks' own. STEPS=100000 runs longer. Other random steps:
//   SEED=<seed> node --test test/simulation/money-out.test.ts

import { test } from 'node:test'
import { askAtRandom } from '../support/declared-errors.ts'
import { assertProven } from '../support/proving.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { endHold, fillHolds, placeHold, raceHold } from './hold-steps.ts'
import { assertDrained, compareAll } from './out-comparison.ts'
import { credits, nobodys, openAccount, payment, reversal } from './out-steps.ts'
import { type Sim, startSim } from './out-world.ts'
import { adjust, cancelBlocked, decide, giveBack, payout, refund, resolve } from './payout-steps.ts'
import { close, decideSettlement, schedule, settings } from './settlement-steps.ts'

askAtRandom()

const SEED = readSeed()
const STEPS = Number(process.env.STEPS ?? 1_500)
const COMPARE_EVERY = 500
const RESTART_EVERY = 1_000
const DRAIN_ROUNDS_MAX = 200
const HOUR_MS = 3_600_000

type Step = (sim: Sim) => Promise<void>

// The random steps, each with its weight: how often it runs in about 130 steps.
const WEIGHTS: [Step, number][] = [
  [openAccount, 2],
  [credits, 18],
  [payment, 5],
  [nobodys, 4],
  [reversal, 9],
  [payout, 14],
  [decide, 9],
  [refund, 10],
  [giveBack, 4],
  [resolve, 4],
  [adjust, 3],
  [placeHold, 4],
  [raceHold, 3],
  [endHold, 18],
  [fillHolds, 4],
  [close, 3],
  [decideSettlement, 5],
  [schedule, 1],
  [settings, 1],
  [(sim) => sim.send(), 8],
  [(sim) => sim.query(), 6],
  [async (sim) => sim.wait(sim.random.integer(1, 120_000)), 8],
]
const MENU = WEIGHTS.flatMap(([step, times]) => Array.from({ length: times }, () => step))

test(`${STEPS} random steps of money out agree with the model (seed ${SEED})`, async () => {
  const random = seededRandom(SEED)
  await using sim = await startSim(random)
  for (let step = 1; step <= STEPS; step++) {
    sim.wait(random.integer(0, 900))
    await sim.learnAccounts()
    await random.pick(MENU)(sim)
    if (step % COMPARE_EVERY === 0) await compareAll(sim)
    if (step % RESTART_EVERY === 0) await sim.restart()
  }
  await assertProven(sim.db)
  await drain(sim)
  await assertDrained(sim)
  await assertProven(sim.db)
})

// Ends the simulation: banks answer correctly from now on, and users decide everything that waits, until no
// payout is under way.
async function drain(sim: Sim): Promise<void> {
  sim.banks.isCalm = true
  const isOpen = () =>
    [...sim.books.payouts.values()].some(
      ({ status, isWaiting }) =>
        ['sending', 'unknown'].includes(status) || (status === 'queued' && !isWaiting),
    )
  for (let rounds = 0; rounds < DRAIN_ROUNDS_MAX; rounds++) {
    await decide(sim)
    await cancelBlocked(sim)
    await resolve(sim)
    await sim.send()
    sim.wait(HOUR_MS)
    await sim.query()
    const isWaiting = [...sim.books.payouts.values()].some(
      (waiting) => waiting.isWaiting && waiting.status === 'queued',
    )
    if (!isOpen() && !isWaiting) return
  }
}
