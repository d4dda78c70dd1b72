// Races: requests for the same money at the same time. There must be an order of these requests in which the
// model gives the service's responses and reaches its state; the test tries all orders.

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Answer, Model } from '../support/model.ts'
import type { Random } from './choices.ts'
import { differences, expectedBooks, type Reading, readBooks } from './comparison.ts'
import { send } from './requests.ts'
import { type Done, stage } from './scenes.ts'
import { compareAll } from './steps.ts'
import type { World } from './world.ts'

// The objects that are compared after each race. Balances include all races, so they are compared once at the
// end.
const COMPARED = ['payment', 'credit', 'suspense', 'events', 'alert']

// Runs races. `worldModel` is the model of everything that has happened in this world. The order that
// explains a race is applied to it.
export async function runRaces(world: World, worldModel: Model, random: Random, races: number) {
  for (let race = 0; race < races; race++) {
    const start = world.now()
    const { before, contest } = await stage(random, (op) => send(world, op), world.isTimeless)
    const answers = await Promise.all(contest.map((op) => send(world, op)))
    const raced = contest.map((op, index): Done => [op, answers[index] as Answer])
    // The expiry worker skips rows that are locked, so it runs again after the race.
    const after = contest.filter((op) => op.do === 'expire').map((op): Done => [op, {}])
    for (const [op] of after) await send(world, op)
    const reading = await readBooks(world)

    const order = permutations(raced).find((candidate) => {
      const model = world.newModel(start)
      return explains(world, model, [...before, ...candidate, ...after], reading)
    })
    const story = textOf([...before, ...raced])
    assert(order, `no order explains race ${race}:\n${story}\n${world.complaints()}`)
    for (const [op, answer] of [...before, ...order, ...after]) worldModel.apply(op, answer)
  }
  await compareAll(world, worldModel)
}

// Whether a new model that runs the operations of one race in this order predicts the responses and the state
// of the race's objects.
function explains(world: World, model: Model, order: readonly Done[], reading: Reading): boolean {
  try {
    const areAnswersRight = order.every(([op, answer]) =>
      isDeepStrictEqual(model.apply(op, answer), answer),
    )
    const expected = expectedBooks(world, model.books)
    const found = differences(reading, expected, COMPARED, { ignoreUnexpected: true })
    return areAnswersRight && found.length === 0
  } catch (error) {
    if (error instanceof assert.AssertionError) return false
    throw error
  }
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]]
  return list.flatMap((first, index) =>
    permutations(list.toSpliced(index, 1)).map((others) => [first, ...others]),
  )
}

// The operations and their responses as lines of JSON, for the message of a failed race.
function textOf(story: readonly Done[]): string {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return story.map((each) => JSON.stringify(each, plain)).join('\n')
}
