// Measures one row in rounds of short slices. Each round runs the reference and then the load, so that both
// see the same state of the machine. The first rounds warm up and are discarded.
// Afterwards the books must have grown by exactly the acknowledged credits, and the integrity
// checks must find nothing.

import type { BenchDatabase } from './database.ts'
import { LOADS, type Load } from './rows.ts'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const WARM_UP_ROUNDS = 2

// The same load on another checkout's service (--against).
export const BEFORE = 'before'

type Side = { name: string; load: Load; on: Target | undefined; slices: Slice[] }

export type Row = {
  name: string
  reference: string | undefined
  slices: Record<string, Slice[]> // By load; equal positions belong to the same round.
  problems: string[]
}

export async function runRow(bed: Testbed, name: string, others: readonly string[]): Promise<Row> {
  const sides = await sidesOf(bed, others, name)
  const books = new Map<BenchDatabase, number>()
  for (const { on } of sides) {
    if (!on || books.has(on.database)) continue
    await on.database.settle()
    books.set(on.database, await countBooked(on.database, sides))
  }
  const [warmUp, rounds] = LOADS[name]?.isOneLongSlice
    ? [0, 1]
    : [WARM_UP_ROUNDS, bed.options.slices]
  const problems: string[] = []
  for (let round = 0; round < warmUp + rounds && problems.length === 0; round++) {
    problems.push(...(await runRound(bed, sides)))
  }
  for (const [database, before] of books) {
    const booked = (await countBooked(database, sides)) - before
    const slices = booking(database, sides).flatMap((side) => side.slices)
    const acknowledged = slices.reduce((sum, slice) => sum + slice.acknowledged, 0)
    if (booked !== acknowledged) problems.push(`${acknowledged} acknowledged, ${booked} booked`)
    problems.push(...(await database.integrityProblems()))
  }
  const slices = Object.fromEntries(sides.map((side) => [side.name, side.slices.slice(warmUp)]))
  return { name, reference: sides.at(-2)?.name, slices, problems }
}

async function sidesOf(bed: Testbed, others: readonly string[], name: string): Promise<Side[]> {
  const sides: Side[] = []
  for (const each of [...others, name]) {
    const load = LOADS[each] as Load
    const on = load.target && (await bed[load.target]())
    sides.push({ name: each, load, on, slices: [] })
  }
  const { against } = bed.options
  const last = sides.at(-1) as Side
  const { target } = last.load
  if (!against || (target !== 'service' && target !== 'twoProcesses')) return sides
  const first = { ...last, name: BEFORE, on: await bed[target](against), slices: [] }
  return [...sides.filter((side) => side.name === 'cold' && name !== 'cold'), first, last]
}

async function runRound(bed: Testbed, sides: readonly Side[]): Promise<string[]> {
  const problems: string[] = []
  const latest = new Map<string, Slice>()
  for (const { name, load, on, slices } of sides) {
    const slice = await load.run(bed, on as Target, latest)
    if (!slice) continue
    latest.set(name, slice)
    slices.push(slice)
    const { count, first } = slice.failures
    if (count !== 0) problems.push(`${load.title}: ${count} failed, the first: ${first}`)
    if (slice.items === 0) problems.push(`${load.title}: nothing was acknowledged`)
  }
  return problems
}

function booking(database: BenchDatabase, sides: readonly Side[]): Side[] {
  return sides.filter(({ on, load }) => on?.database === database && load.table)
}

// All sides of a row that share a database write to the same table.
async function countBooked(database: BenchDatabase, sides: readonly Side[]): Promise<number> {
  const table = booking(database, sides)[0]?.load.table
  return table ? database.count(table) : 0
}
