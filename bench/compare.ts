// Measures one row in rounds of short slices. Each round runs the reference and then the load, so that both
// see the same state of the machine. The first rounds warm up and are discarded.
// Afterwards the books must have grown by exactly the acknowledged credits, and the integrity
// checks must find nothing.

import type { BenchDatabase } from './database.ts'
import { LOADS, type Load } from './rows.ts'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const WARM_UP_ROUNDS = 2

// With --against, a round also runs the row's load on another checkout's service, under this name.
export const BEFORE = 'before'

// One of the loads that a round runs in turn: a reference or the row's own load. `runTarget` is the service
// that receives the load.
type Side = { name: string; load: Load; runTarget: Target | undefined; slices: Slice[] }

export type Row = {
  name: string
  reference: string | undefined
  slices: Record<string, Slice[]> // By load; equal positions belong to the same round.
  problems: string[]
}

// Measures the load `name` against `references`, the loads that run before it in every round. Stops at the
// first round with a problem. Afterwards the database must have as many new rows as were acknowledged.
export async function runRow(
  bed: Testbed,
  name: string,
  references: readonly string[],
): Promise<Row> {
  const sides = await sidesOf(bed, references, name)
  const countsBefore = new Map<BenchDatabase, number>()
  for (const { runTarget } of sides) {
    if (!runTarget || countsBefore.has(runTarget.database)) continue
    await runTarget.database.settle()
    countsBefore.set(runTarget.database, await countBooked(runTarget.database, sides))
  }
  const [warmUp, rounds] = LOADS[name]?.isOneLongSlice
    ? [0, 1]
    : [WARM_UP_ROUNDS, bed.options.slices]
  const problems: string[] = []
  for (let round = 0; round < warmUp + rounds && problems.length === 0; round++) {
    problems.push(...(await runRound(bed, sides)))
  }
  for (const [database, before] of countsBefore) {
    const booked = (await countBooked(database, sides)) - before
    const slices = sidesThatBookIn(database, sides).flatMap((side) => side.slices)
    const acknowledged = slices.reduce((sum, slice) => sum + slice.acknowledged, 0)
    if (booked !== acknowledged) problems.push(`${acknowledged} acknowledged, ${booked} booked`)
    problems.push(...(await database.integrityProblems()))
  }
  const slices = Object.fromEntries(sides.map((side) => [side.name, side.slices.slice(warmUp)]))
  return { name, reference: sides.at(-2)?.name, slices, problems }
}

// Starts the services that a row runs on. With --against, the other checkout's service replaces the
// row's references, except the cold load, from whose rate other loads derive theirs.
async function sidesOf(bed: Testbed, references: readonly string[], name: string): Promise<Side[]> {
  const sides: Side[] = []
  for (const loadName of [...references, name]) {
    const load = LOADS[loadName] as Load
    const runTarget = load.target && (await bed[load.target]())
    sides.push({ name: loadName, load, runTarget, slices: [] })
  }
  const { against } = bed.options
  const ownSide = sides.at(-1) as Side
  const { target } = ownSide.load
  if (!against || (target !== 'service' && target !== 'twoProcesses')) return sides
  const before = { ...ownSide, name: BEFORE, runTarget: await bed[target](against), slices: [] }
  return [...sides.filter((side) => side.name === 'cold' && name !== 'cold'), before, ownSide]
}

// Runs one slice of each side in turn. Returns the problems; a load that cannot run has no slice.
async function runRound(bed: Testbed, sides: readonly Side[]): Promise<string[]> {
  const problems: string[] = []
  const latest = new Map<string, Slice>()
  for (const { name, load, runTarget, slices } of sides) {
    const slice = await load.run(bed, runTarget as Target, latest)
    if (!slice) continue
    latest.set(name, slice)
    slices.push(slice)
    const { count, first } = slice.failures
    if (count !== 0) problems.push(`${load.title}: ${count} failed, the first: ${first}`)
    if (slice.items === 0) problems.push(`${load.title}: nothing was acknowledged`)
  }
  return problems
}

function sidesThatBookIn(database: BenchDatabase, sides: readonly Side[]): Side[] {
  return sides.filter(({ runTarget, load }) => runTarget?.database === database && load.table)
}

// Counts the rows that the loads of this row write. All sides that share a database write to the same table.
async function countBooked(database: BenchDatabase, sides: readonly Side[]): Promise<number> {
  const table = sidesThatBookIn(database, sides)[0]?.load.table
  return table ? database.count(table) : 0
}
