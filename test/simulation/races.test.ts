// Requests for the same money, sent to two services at the same time. RACES=1000 runs longer. Replay a
// failure several times, because the seed does not decide which request wins a race:
//   SEED=<seed> node --test test/simulation/races.test.ts

import { test } from 'node:test'
import { askAtRandom } from '../support/declared-errors.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { runRaces } from './contests.ts'
import { startWorld } from './world.ts'

askAtRandom()

const SEED = readSeed()
const RACES = Number(process.env.RACES ?? 30)

test(`${RACES} races for the same money have an order that explains them (seed ${SEED})`, async () => {
  await using world = await startWorld()
  await runRaces(world, world.newModel(), seededRandom(SEED), RACES)
})
