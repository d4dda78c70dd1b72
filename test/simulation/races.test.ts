// Requests that want the same money at the same moment, sent to two services at once. Whatever the
// order in which they got through, there must be one that explains every answer and every state:
// the model is tried with all of them.
//
// Replay a failure with: SEED=<seed> node --test test/simulation/races.test.ts (several times: who
// wins a race is not in the seed). More of it: RACES=1000.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { auditBooks } from '#domain/audit.ts'
import type { Answer, Model } from '../support/model.ts'
import { seededRandom } from '../support/random.ts'
import { compareBooks, differences, expectedBooks, type Reading, readBooks } from './comparison.ts'
import { send } from './requests.ts'
import { type Done, stage } from './scenes.ts'
import { startWorld } from './world.ts'

const SEED = Number(process.env.SEED ?? randomInt(2 ** 31))
const RACES = Number(process.env.RACES ?? 30)

// Balances are of all races together, and are compared in the end.
const COMPARED = ['payment', 'credit', 'suspense', 'events', 'alert']

test(`${RACES} races for the same money have an order that explains them (seed ${SEED})`, async () => {
  await using world = await startWorld()
  const random = seededRandom(SEED)
  const all = world.newModel()

  for (let race = 0; race < RACES; race++) {
    const start = world.bench.clock().getTime()
    const { before, contest } = await stage(random, (op) => send(world, op))
    const answers = await Promise.all(contest.map((op) => send(world, op)))
    const raced = contest.map((op, at): Done => [op, answers[at] as Answer])
    // The worker leaves alone what is locked, and comes again.
    const after = contest.filter((op) => op.do === 'expire').map((op): Done => [op, {}])
    for (const [op] of after) await send(world, op)
    const reading = await readBooks(world.db)

    const order = permutations(raced).find((each) => {
      const model = world.newModel(start)
      return explains(model, [...before, ...each, ...after], reading)
    })
    const story = textOf([...before, ...raced])
    assert(order, `no order explains race ${race}:\n${story}\n${world.complaints()}`)
    for (const [op, answer] of [...before, ...order, ...after]) all.apply(op, answer)
  }
  await compareBooks(world, all)
  assert.deepEqual(await auditBooks(world.db), [])
})

function explains(model: Model, order: readonly Done[], reading: Reading): boolean {
  try {
    const isTold = order.every(([op, answer]) => isDeepStrictEqual(model.apply(op, answer), answer))
    const expected = expectedBooks(model.books)
    return isTold && differences(reading, expected, COMPARED, false).length === 0
  } catch (error) {
    if (error instanceof assert.AssertionError) return false
    throw error
  }
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]]
  return list.flatMap((one, at) =>
    permutations(list.toSpliced(at, 1)).map((others) => [one, ...others]),
  )
}

function textOf(story: readonly Done[]): string {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return story.map((each) => JSON.stringify(each, plain)).join('\n')
}
