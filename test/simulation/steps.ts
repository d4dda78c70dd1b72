// Runs rounds of operations on a service and on the model, and compares the responses and all the books.

import assert from 'node:assert/strict'
import { checkIntegrity } from '#integrity/checks.ts'
import type { Model, Op } from '../support/model.ts'
import { compareBooks } from './comparison.ts'
import { send } from './requests.ts'
import { inOrder } from './rounds.ts'
import type { Sights } from './sights.ts'
import { compareSums } from './sums.ts'
import type { World } from './world.ts'

// Sends the operations at the same time, and asserts that the model predicts each response. Adds the outcomes
// to `sights`, which records the outcomes that have occurred.
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

// Asserts that all books agree with the model and that the audit finds no fault.
export async function compareAll(world: World, model: Model): Promise<void> {
  await compareBooks(world, model)
  await compareSums(world)
  assert.deepEqual(await checkIntegrity(world.db), [])
}

export function textOf(op: Op): string {
  return JSON.stringify(op, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
