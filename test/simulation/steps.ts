// Steps of a simulation: a round of concurrent operations, each answer compared with the model's;
// and a comparison of all the books.

import assert from 'node:assert/strict'
import { checkIntegrity } from '#integrity/checks.ts'
import type { Model, Op } from '../support/model.ts'
import { compareBooks } from './comparison.ts'
import { send } from './requests.ts'
import { inOrder } from './rounds.ts'
import type { Sights } from './sights.ts'
import { compareSums } from './sums.ts'
import type { World } from './world.ts'

export async function run(
  world: World,
  model: Model,
  ops: readonly Op[],
  sights?: Sights,
): Promise<void> {
  const answers = await Promise.all(ops.map((op) => send(world, op)))
  for (const [op, answer] of inOrder(ops, answers)) {
    sights?.add(op, answer)
    assert.deepEqual(answer, model.apply(op, answer), `${textOf(op)}\n${world.complaints()}`)
  }
}

export async function compareAll(world: World, model: Model): Promise<void> {
  await compareBooks(world, model)
  await compareSums(world)
  assert.deepEqual(await checkIntegrity(world.db), [])
}

export function textOf(op: Op): string {
  return JSON.stringify(op, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
