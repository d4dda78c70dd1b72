// Ten thousand random things happen to a real service, over HTTP, and to a model; every answer is
// compared, and every so often all the books. In between, time passes, payments expire, processes
// are restarted, and all of them die with requests in flight.
//
// Replay a failure with: SEED=<seed> node --test test/simulation/money-in.test.ts
// More of it: STEPS=100000.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { auditBooks } from '#domain/audit.ts'
import type { Answer, Model, Op } from '../support/model.ts'
import { seededRandom } from '../support/random.ts'
import { Choices } from './choices.ts'
import { compareBooks } from './comparison.ts'
import { send } from './requests.ts'
import { inOrder, Round } from './rounds.ts'
import { startWorld, type World } from './world.ts'

const SEED = Number(process.env.SEED ?? randomInt(2 ** 31))
const STEPS = Number(process.env.STEPS ?? 10_000)

const COMPARE_EVERY = 500
const RESTART_EVERY = 1_500
const CUT_EVERY = 2_500
const DAY_MS = 86_400_000

test(`${STEPS} random steps agree with the model (seed ${SEED})`, async () => {
  await using world = await startWorld()
  const model = world.newModel()
  const choices = new Choices(seededRandom(SEED), model.books)
  const due = (every: number) => Math.floor(steps / every) > Math.floor(before / every)
  let [before, steps] = [0, 0]
  let next = choices.next()

  while (steps < STEPS) {
    const round = new Round()
    while (round.add(next, model.books)) next = choices.next()
    before = steps
    steps += round.steps
    if (due(CUT_EVERY)) await timed('cut', () => runCut(world, model, round.ops))
    else await run(world, model, round.ops)

    if (choices.chance(35)) passTime(world, model, choices)
    if (choices.chance(20)) await run(world, model, [{ do: 'expire' }])
    if (due(RESTART_EVERY)) await timed('restart', () => world.restart())
    if (due(COMPARE_EVERY)) await compareAll(world, model)
  }
  await compareAll(world, model)
  console.log(JSON.stringify(Object.fromEntries([...SEEN].sort()), null, 1), T)
})

const T: Record<string, number> = {}
async function timed<X>(n: string, f: () => Promise<X>) {
  const t = performance.now()
  const r = await f()
  T[n] = (T[n] ?? 0) + performance.now() - t
  T[n + '#'] = (T[n + '#'] ?? 0) + 1
  return r
}
async function run(world: World, model: Model, ops: readonly Op[]): Promise<void> {
  const answers = await timed('send', () => Promise.all(ops.map((op) => send(world, op))))
  for (const [op, answer] of inOrder(ops, answers)) {
    note(op, answer)
    assert.deepEqual(answer, model.apply(op, answer), `${textOf(op)}\n${world.complaints()}`)
  }
}

// All processes die with these in flight. Banks then do what they always do: send it all again.
async function runCut(world: World, model: Model, ops: readonly Op[]): Promise<void> {
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
  for (const [at, op] of reports.entries()) {
    const second = listOf(await send(world, op))
    const taken = listOf(model.apply(op, {}))
    const again = listOf(model.apply(op, {}))
    for (const [place, answer] of second.entries()) {
      const heard = first[at]?.[place] as { responseCode?: string }
      const isUnsure = heard.responseCode === '03'
      if (!isUnsure) assert.deepEqual(heard, taken[place], textOf(op))
      // Unsure whether it was taken: now it is, for the first or the second time.
      const isFirst = isUnsure && (answer as { responseCode: string }).responseCode !== '01'
      assert.deepEqual(answer, isFirst ? taken[place] : again[place], textOf(op))
    }
  }
}

function passTime({ bench }: World, { books }: Model, choices: Choices): void {
  const until = choices.chance(4) ? books.now + DAY_MS : choices.nextMoment()
  bench.advance(until - books.now)
  books.now = until
}

async function compareAll(world: World, model: Model): Promise<void> {
  await timed('compare', () => compareBooks(world, model))
  assert.deepEqual(await timed('audit', () => auditBooks(world.db)), [])
}

function listOf(answer: Answer): readonly unknown[] {
  return Array.isArray(answer) ? answer : [answer]
}

function textOf(op: Op): string {
  return JSON.stringify(op, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

const SEEN = new Map<string, number>()
function note(op: Op, answer: Answer) {
  for (const a of listOf(answer) as any[]) {
    const k =
      op.do +
      ' ' +
      (op.do === 'credits' || op.do === 'reversal'
        ? `${a.responseCode} ${a.outcome} ${a.code ?? ''}`
        : (a.refused ?? a.state ?? a.status ?? 'ok'))
    SEEN.set(k, (SEEN.get(k) ?? 0) + 1)
  }
}
