// One row: rounds of short slices, each round the reference and then the load itself, so that both
// meet the same moods of the machine. The first round warms up and is not counted. Afterwards the
// books must have grown by exactly what was acknowledged, and the integrity checks find nothing.

import type { BenchDatabase } from './database.ts'
import { LOADS, type Load } from './rows.ts'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const SINGLE = ['webhooks', 'dead'] // A backlog is delivered once.

type Side = { name: string; load: Load; target: Target; slices: Slice[]; acknowledged: number }

export type Row = {
  name: string
  reference: string | undefined
  slices: Record<string, Slice[]> // By load; the same places are of the same round.
  problems: string[]
}

export async function runRow(bed: Testbed, name: string, others: readonly string[]): Promise<Row> {
  const sides: Side[] = []
  for (const each of [...others, name]) {
    const load = LOADS[each] as Load
    const target = await load.target(bed)
    sides.push({ name: each, load, target, slices: [], acknowledged: 0 })
  }
  const databases = new Set(sides.flatMap(({ target }) => target.database ?? []))
  const before = new Map<BenchDatabase, number>()
  for (const database of databases) {
    await database.settle()
    before.set(database, await countBooked(database, sides))
  }
  const problems: string[] = []
  const latest = new Map<string, Slice>()
  const rounds = SINGLE.includes(name) ? 1 : bed.options.slices + 1
  for (let round = 0; round < rounds && problems.length === 0; round++) {
    for (const side of sides) {
      const slice = await side.load.run(bed, side.target, latest)
      if (!slice) continue
      latest.set(side.name, slice)
      side.acknowledged += slice.acknowledged
      if (round > 0 || rounds === 1) side.slices.push(slice)
      const { count, first } = slice.failures
      if (count > 0) problems.push(`${side.load.title}: ${count} failed, the first: ${first}`)
      if (slice.items === 0) problems.push(`${side.load.title}: nothing was acknowledged`)
    }
  }
  for (const [database, count] of before) {
    const grown = (await countBooked(database, sides)) - count
    const acknowledged = on(database, sides).reduce((sum, side) => sum + side.acknowledged, 0)
    if (hasTable(database, sides) && grown !== acknowledged) {
      problems.push(`${name}: ${acknowledged} were acknowledged, but ${grown} are in the books`)
    }
    problems.push(...(await database.integrityProblems()))
  }
  const slices = Object.fromEntries(sides.map((side) => [side.name, side.slices]))
  return { name, reference: others.at(-1), slices, problems }
}

const on = (database: BenchDatabase, sides: readonly Side[]) =>
  sides.filter(({ target, load }) => target.database === database && load.table)

const hasTable = (database: BenchDatabase, sides: readonly Side[]) => on(database, sides).length > 0

// All sides of a row that share a database write to the same table.
async function countBooked(database: BenchDatabase, sides: readonly Side[]): Promise<number> {
  const table = on(database, sides)[0]?.load.table
  return table ? database.count(table) : 0
}
