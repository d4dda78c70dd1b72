// The table, the goals, and docs/performance.md. CPU per item comes first because it hardly depends
// on what else the machine does; rates are compared between slices of the same round.

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { BEFORE, type Row } from './compare.ts'
import { LOADS } from './rows.ts'
import { quantile, rateOf, type Slice } from './slice.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const PATHS = {
  ...{ bench: 'performance.md', scale: 'performance.md', soak: 'performance.md' },
  ...{ load: 'performance.md', idle: 'performance.md', size: 'scaling.md', capacity: 'scaling.md' },
}
const MEMORY_MAX_MB = 300
const HEAD =
  'row,service µs,PostgreSQL µs,load µs,reference,× (low),×,per s,p50 ms,p99 ms,others'.split(',')

type Value = (slice: Slice) => number

// Of a million lines.
const settledSeconds: Value = ({ settled }) =>
  settled ? (settled.seconds * 1e6) / settled.lines : Number.NaN
const reconciledSeconds: Value = ({ seconds, items }) => (seconds * 1e6) / items
const memory: Value = ({ memoryMb }) => memoryMb ?? Number.NaN
const p50: Value = ({ latency }) => latency?.p50 ?? Number.NaN
const p99: Value = ({ latency }) => latency?.p99 ?? Number.NaN
const serviceUs: Value = ({ cpu, items }) => ((cpu?.service ?? Number.NaN) * 1e6) / items
export const postgresUs: Value = ({ cpu, items }) => ((cpu?.postgres ?? Number.NaN) * 1e6) / items
const loadUs: Value = ({ cpu, items }) => ((cpu?.load ?? Number.NaN) * 1e6) / items
const otherCores: Value = ({ cpu, seconds }) => (cpu?.others ?? Number.NaN) / seconds

// What a row must reach, at most or at least: a ratio to its reference, or a value of its own.
const GOALS: readonly (readonly [row: string, Value, '× ' | '', '≥' | '≤', number, string])[] = [
  ['cold', serviceUs, '', '≤', 75, 'µs of the service for a cold credit'],
  ['cold', postgresUs, '', '≤', 60, 'µs of PostgreSQL for a cold credit'],
  ['cold', rateOf, '× ', '≥', 2, 'pgbench, cold credits'],
  ['hot', rateOf, '× ', '≥', 2.5, 'pgbench, hot credits'],
  ['arrays', rateOf, '× ', '≥', 6, 'pgbench, arrays of 100'],
  ['two', rateOf, '× ', '≥', 1.3, 'one process, cold credits on two'],
  ['two-hot', rateOf, '× ', '≥', 1.3, 'one process, 50 hot accounts on two'],
  ['get', rateOf, '× ', '≥', 0.4, 'the empty route, get account'],
  ['quiet', p99, '× ', '≤', 3, 'p99 of one unbatched commit, p99 at 30%'],
  ['webhooks', rateOf, '', '≥', 3_000, 'webhooks a second'],
  ['dead', p50, '', '≤', 1_000, 'ms median delay beside 1,000 dead endpoints'],
  ['settlement', settledSeconds, '', '≤', 60, 'seconds to close a settlement of a million lines'],
  ['settlement', rateOf, '× ', '≥', 0.8, 'the normal rate of credits, while it is closed'],
  ['reconcile', reconciledSeconds, '', '≤', 60, 'seconds to reconcile a million lines'],
  ['reconcile', memory, '', '≤', 400, 'MB of memory (RSS) at most, meanwhile'],
  ['scale-cold', rateOf, '× ', '≥', 0.8, 'the small database, cold credits'],
  ['scale-arrays', rateOf, '× ', '≥', 0.8, 'the small database, arrays of 100'],
]

export function table(rows: readonly Row[]): string {
  const others = rows.flatMap(({ slices }) => Object.keys(slices))
  const cells = [...new Set([...rows.map(({ name }) => name), ...others])].flatMap((name) => {
    const slices = rows.flatMap((row) => row.slices[name] ?? [])
    const row = rows.find((each) => each.name === name)
    const value = (of: Value, digits = 0) => format(quantile(slices.map(of), 0.5), digits)
    const ratio = (share: number) => format(quantile(row ? ratios(row, rateOf) : [], share), 2)
    const cells = [
      ...[LOADS[name]?.title ?? name, value(serviceUs), value(postgresUs), value(loadUs)],
      ...[row?.reference ?? '–', ratio(0.25), ratio(0.5), value(rateOf)],
      ...[value(p50, 2), value(p99, 2), value(otherCores, 2)],
    ]
    return slices.length > 0 ? [cells] : []
  })
  const lines = [HEAD, HEAD.map((_, at) => (at === 0 ? '-' : '-:')), ...cells]
  const padded = HEAD.map((_, at) => {
    const width = Math.max(...lines.map((line) => line[at]?.length ?? 0))
    return lines.map(({ [at]: cell = '' }) => (at ? cell.padStart(width) : cell.padEnd(width)))
  })
  return lines.map((_, at) => `| ${padded.map((column) => column[at]).join(' | ')} |`).join('\n')
}

// Each as a line that says whether it was reached; nothing about what was not run.
export function goals(rows: readonly Row[], memoryMb: number): string[] {
  const lines = GOALS.flatMap(([name, value, times, sign, goal, title]) => {
    const row = rows.find((each) => each.name === name && !(times && each.reference === BEFORE))
    const values = times ? row && ratios(row, value) : row?.slices[name]?.map(value)
    const middle = quantile(values ?? [], 0.5)
    if (Number.isNaN(middle)) return []
    const isReached = sign === '≥' ? middle >= goal : middle <= goal
    const digits = middle < 20 ? 2 : 0
    const spread = [0.25, 0.75].map((share) => format(quantile(values ?? [], share), digits))
    const found = `${format(middle, digits)} (${spread.join('–')})`
    return [`- ${isReached ? '✓' : '✗'} ${found} ${times}${title}; goal ${sign} ${goal}`]
  })
  const sign = memoryMb < MEMORY_MAX_MB ? '✓' : '✗'
  const memory = `- ${sign} ${Math.round(memoryMb)} MB of memory (RSS) at most; goal < ${MEMORY_MAX_MB}`
  return memoryMb > 0 ? [...lines, memory] : lines
}

// What changed against another checkout: CPU of an item there and here (lower quartiles), and the
// median over the rounds of the one to the other, with its quartiles.
export function changes(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) => {
    if (row.reference !== BEFORE) return []
    const { [BEFORE]: before = [], [row.name]: now = [] } = row.slices
    return (
      [
        ['service µs', serviceUs],
        ['PostgreSQL µs', postgresUs],
      ] as const
    ).map(([title, of]) => {
      const low = (slices: readonly Slice[]) => format(quantile(slices.map(of), 0.25), 1)
      const [middle, ...spread] = [0.5, 0.25, 0.75].map((share) =>
        format(quantile(ratios(row, of), share), 3),
      )
      return `- ${row.name}, ${title}: ${low(before)} → ${low(now)}, × ${middle} (${spread.join('–')})`
    })
  })
  return lines.join('\n')
}

export function machine(): string {
  const [cores, model] = [availableParallelism(), cpus()[0]?.model.trim()]
  return `${cores} cores (${model}), Node ${process.version}; everything shares these cores`
}

// Replaces what stands between the section's two marks.
export function writeSection(section: keyof typeof PATHS, body: string): void {
  const path = join(DOCS, PATHS[section])
  const text = readFileSync(path, 'utf8')
  const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  const day = new Date().toISOString().slice(0, 10)
  const dated = `${begin}\nMeasured on ${day}: ${body}\n`
  writeFileSync(path, text.slice(0, from) + dated + text.slice(to))
}

// Of the row's load to its reference, round by round.
function ratios({ name, reference, slices }: Row, value: Value): number[] {
  const others = slices[reference ?? '']?.map(value) ?? []
  const own = slices[name]?.map(value) ?? []
  return others.map((other, at) => (own[at] ?? Number.NaN) / other)
}

function format(value: number, digits: number): string {
  const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return Number.isNaN(value) ? '–' : value.toLocaleString('en', shape)
}
