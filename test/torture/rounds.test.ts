// The rounds of `npm run torture`: what is reported has been checked, also of the last round.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runRounds } from '../../torture/rounds.ts'

// Runs `faults` faults in rounds of two. `checks` are the findings of each check, in turn. Returns what was
// done, in order.
async function follow(faults: number, checks: readonly string[][], isOver = () => false) {
  const done: string[] = []
  const findings: string[] = []
  const run = {
    findings,
    prepare: async () => ({}) as never,
    round: async (_: unknown, names: readonly number[]) => {
      done.push(`round of ${names.length}`)
    },
    async check(isFinal: boolean, waitMs: number) {
      const found = checks[done.filter((step) => step.includes('check')).length] ?? []
      findings.push(...found)
      done.push(isFinal ? `final check within ${waitMs}` : 'check')
      return found
    },
  }
  const plan = Array.from({ length: faults }, (_, at) => at)
  const report = (count: number, found: readonly string[]) =>
    done.push(`report of ${count}: ${found.length} new of ${findings.length}`)
  await runRounds({ run, plan, size: 2, isOver, finalWaitMs: 9, report })
  return done
}

test('each round is reported after its check, and the last one after the final check', async () => {
  assert.deepEqual(await follow(3, [[], ['late']]), [
    ...['round of 2', 'check', 'report of 2: 0 new of 0'],
    ...['round of 1', 'final check within 9', 'report of 3: 1 new of 1'],
  ])
})

test('a run that ends early, or has no faults, is checked to the end', async () => {
  assert.deepEqual(await follow(6, [['one']], () => true), [
    ...['round of 2', 'final check within 9', 'report of 2: 1 new of 1'],
  ])
  assert.deepEqual(await follow(0, []), [
    ...['round of 0', 'final check within 9', 'report of 0: 0 new of 0'],
  ])
})

test('too many findings end the run', async () => {
  const many = Array.from({ length: 101 }, (_, at) => `${at}`)

  assert.deepEqual(await follow(9, [many]), [
    ...['round of 2', 'check', 'report of 2: 101 new of 101'],
  ])
})
