// Races: concurrent requests for the same money. Some order must explain every answer and every
// state: the model tries all of them.

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Answer, Model } from '../support/model.ts'
import type { Random } from './choices.ts'
import { differences, expectedBooks, type Reading, readBooks } from './comparison.ts'
import { send } from './requests.ts'
import { type Done, stage } from './scenes.ts'
import { compareAll } from './steps.ts'
import type { World } from './world.ts'

// Balances include all races, and are compared in the end.
const COMPARED = ['payment', 'credit', 'suspense', 'events', 'alert']

// `all` is the model of everything that happened in this world before.
export async function runRaces(world: World, all: Model, random: Random, races: number) {
  for (let race = 0; race < races; race++) {
    const start = world.now()
    const { before, contest } = await stage(random, (op) => send(world, op), world.isTimeless)
    const answers = await Promise.all(contest.map((op) => send(world, op)))
    const raced = contest.map((op, at): Done => [op, answers[at] as Answer])
    // The worker skips locked rows, and comes again.
    const after = contest.filter((op) => op.do === 'expire').map((op): Done => [op, {}])
    for (const [op] of after) await send(world, op)
    const reading = await readBooks(world)

    const order = permutations(raced).find((each) => {
      const model = world.newModel(start)
      return explains(world, model, [...before, ...each, ...after], reading)
    })
    const story = textOf([...before, ...raced])
    assert(order, `no order explains race ${race}:\n${story}\n${world.complaints()}`)
    for (const [op, answer] of [...before, ...order, ...after]) all.apply(op, answer)
  }
  await compareAll(world, all)
}

function explains(world: World, model: Model, order: readonly Done[], reading: Reading): boolean {
  try {
    const isTold = order.every(([op, answer]) => isDeepStrictEqual(model.apply(op, answer), answer))
    const expected = expectedBooks(world, model.books)
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
