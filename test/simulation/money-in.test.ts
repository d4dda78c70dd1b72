// Thousands of random operations with incoming money run on a real service, over HTTP, and on the model.
// Every response is compared, and regularly all the books. Meanwhile time passes, payments expire, processes
// restart, and all processes die with requests in flight. STEPS=100000 runs longer. Replay a failure with:
//   SEED=<seed> node --test test/simulation/money-in.test.ts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAtRandom } from '../support/declared-errors.ts'
import type { Answer, Model, Op } from '../support/model.ts'
import { assertProven } from '../support/proving.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { Choices } from './choices.ts'
import { createSplits, send } from './requests.ts'
import { Rounds, stepsOf } from './rounds.ts'
import { Sights } from './sights.ts'
import { compareAll, run, textOf } from './steps.ts'
import { CLIENTS, type MovedWorld, startWorld } from './world.ts'

askAtRandom()

const SEED = readSeed()
const STEPS = Number(process.env.STEPS ?? 4_000)

const COMPARE_EVERY = 1_000
const WHOLE_RUN = 4_000
// After this share of the steps, the simulation steers towards outcomes that have not occurred yet.
const STEER_AFTER = 0.5
// While outcomes are missing, a run goes on for up to this many times its planned length.
const LONGEST_RUN = 7
const RESTART_EVERY = 1_000
const CUT_EVERY = 1_200

test(`${STEPS} random steps agree with the model (seed ${SEED})`, async () => {
  await using world = await startWorld()
  const model = world.newModel()
  const sights = new Sights()
  const choices = new Choices(seededRandom(SEED), model.books)
  const rounds = new Rounds(choices)
  for (const client of CLIENTS) await createSplits(world, client)
  choices.hasSplits = true
  const due = (every: number) => Math.floor(steps / every) > Math.floor(before / every)
  let [before, steps] = [0, 0]

  const isUnmet = () => STEPS >= WHOLE_RUN && sights.missing.length > 0
  while (steps < STEPS || (steps < LONGEST_RUN * STEPS && isUnmet())) {
    if (steps > STEER_AFTER * STEPS) choices.wanted = sights.missing
    const ops = rounds.next()
    before = steps
    steps += stepsOf(ops)
    if (due(CUT_EVERY)) await runCut(world, model, ops)
    else await run(world, model, ops, sights)

    if (choices.chance(60)) await run(world, model, [choices.wait()])
    if (choices.chance(20)) await run(world, model, [{ do: 'expire' }])
    if (choices.chance(10)) await run(world, model, [choices.rule()], sights)
    if (due(RESTART_EVERY)) await world.restart()
    if (due(COMPARE_EVERY)) await compareAll(world, model)
  }
  await compareAll(world, model)
  await assertProven(world.db)
  if (STEPS >= WHOLE_RUN) assert.deepEqual(sights.missing, [], 'every outcome was met')
})

// Lets all processes die with these operations in flight, and then repeats the reports, as banks do. A report
// whose first response was "retry" may have been booked or not.
async function runCut(world: MovedWorld, model: Model, ops: readonly Op[]): Promise<void> {
  const isSafe = (op: Op) => op.do === 'credits' || op.do === 'reversal'
  await run(
    world,
    model,
    ops.filter((op) => !isSafe(op)),
  )
  const reports = ops.filter(isSafe)
  const sending = Promise.all(reports.map((op) => send(world, op)))
  await world.cut()
  const first = (await sending).map(listOf)
  for (const [index, op] of reports.entries()) {
    const second = listOf(await send(world, op))
    const expected = listOf(model.apply(op, {}))
    const again = listOf(model.apply(op, {}))
    for (const [place, answer] of second.entries()) {
      const repeated = first[index]?.[place] as { responseCode?: string }
      const isUnsure = repeated.responseCode === '03'
      if (!isUnsure) assert.deepEqual(repeated, expected[place], textOf(op))
      // After "retry", the report may be accepted now for the first time or be a duplicate.
      const isFirst = isUnsure && (answer as { responseCode: string }).responseCode !== '01'
      assert.deepEqual(answer, isFirst ? expected[place] : again[place], textOf(op))
    }
  }
}

function listOf(answer: Answer): readonly unknown[] {
  return Array.isArray(answer) ? answer : [answer]
}
