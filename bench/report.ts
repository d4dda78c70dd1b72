// Prints the results of the bench as a table with goals, and writes them into docs/. The table begins with
// the CPU time per item, because it hardly depends on other work of the machine. Rates are compared only
// between slices of the same round.

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { BEFORE, type Row } from './compare.ts'
import { LOADS } from './rows.ts'
import { quantile, rateOf, type Slice } from './slice.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const PATHS = {
  bench: 'performance.md',
  scale: 'performance.md',
  soak: 'performance.md',
  load: 'performance.md',
  idle: 'performance.md',
  price: 'performance.md',
  latency: 'performance.md',
  size: 'scaling.md',
  capacity: 'scaling.md',
}
const HEAD =
  'row,service µs,PostgreSQL µs,load µs,reference,× (low),×,per s,p50 ms,p99 ms,others'.split(',')

type Value = (slice: Slice) => number

// Seconds per million lines.
const settledSeconds: Value = ({ settled }) =>
  settled ? (settled.seconds * 1e6) / settled.lines : Number.NaN
const reconciledSeconds: Value = ({ seconds, items }) => (seconds * 1e6) / items
const memory: Value = ({ memoryMb }) => memoryMb ?? Number.NaN
const p50: Value = ({ latency }) => latency?.p50 ?? Number.NaN
const p99: Value = ({ latency }) => latency?.p99 ?? Number.NaN
const serviceUs: Value = ({ cpu, items }) => ((cpu?.service ?? Number.NaN) * 1e6) / items
export const postgresUs: Value = ({ cpu, items }) => ((cpu?.postgres ?? Number.NaN) * 1e6) / items
// CPU time per item, in microseconds.
const loadUs: Value = ({ cpu, items }) => ((cpu?.load ?? Number.NaN) * 1e6) / items
const totalUs: Value = (slice) => serviceUs(slice) + postgresUs(slice)
const otherCores: Value = ({ cpu, seconds }) => (cpu?.others ?? Number.NaN) / seconds

type Goal = readonly ['≥' | '≤', number]

// A line below the table for each entry: the row, the value, whether it is a ratio to the row's reference
// (`× `) or the row's own value, a title, and the goal if there is one.
const MEASURES: readonly (readonly [row: string, Value, '× ' | '', string, Goal?])[] = [
  ['quiet', p99, '× ', 'p99 of one unbatched commit, p99 at 30%'],
  ['webhooks', rateOf, '', 'webhooks a second', ['≥', 3_000]],
  ['dead', p50, '', 'ms median delay beside 1,000 dead endpoints', ['≤', 1_000]],
  ['settlement', settledSeconds, '', 'seconds to close a settlement of a million lines', ['≤', 60]],
  ['settlement', rateOf, '× ', 'the normal rate of credits, while it is closed', ['≥', 0.8]],
  ['screened', totalUs, '× ', 'the CPU per credit without rules of screening', ['≤', 1.05]],
  ['reconcile', reconciledSeconds, '', 'seconds to reconcile a million lines', ['≤', 60]],
  ['reconcile', memory, '', 'MB of memory (RSS) at most, meanwhile', ['≤', 400]],
  ['scale-cold', rateOf, '× ', 'the small database, cold credits', ['≥', 0.8]],
  ['scale-arrays', rateOf, '× ', 'the small database, arrays of 100', ['≥', 0.8]],
]

// Renders a line for each row and each reference that ran, with medians over the slices, in the columns of
// HEAD. Two columns have the lower quartile and the median of the ratio to the reference.
export function table(rows: readonly Row[]): string {
  const references = rows.flatMap(({ slices }) => Object.keys(slices))
  // A load that ran only as a reference has no ratio of its own, and `–` in these columns.
  const cells = [...new Set([...rows.map(({ name }) => name), ...references])].flatMap((name) => {
    const slices = rows.flatMap((row) => row.slices[name] ?? [])
    const row = rows.find((each) => each.name === name)
    const value = (read: Value, digits = 0) => format(quantile(slices.map(read), 0.5), digits)
    const ratio = (share: number) => format(quantile(row ? ratios(row, rateOf) : [], share), 2)
    const cells = [
      ...[LOADS[name]?.title ?? name, value(serviceUs), value(postgresUs), value(loadUs)],
      ...[row?.reference ?? '–', ratio(0.25), ratio(0.5), value(rateOf)],
      ...[value(p50, 2), value(p99, 2), value(otherCores, 2)],
    ]
    return slices.length > 0 ? [cells] : []
  })
  const lines = [HEAD, HEAD.map((_, at) => (at === 0 ? '-' : '-:')), ...cells]
  // The cells of each column, padded to its widest cell.
  const padded = HEAD.map((_, at) => {
    const width = Math.max(...lines.map((line) => line[at]?.length ?? 0))
    return lines.map(({ [at]: cell = '' }) => (at ? cell.padStart(width) : cell.padEnd(width)))
  })
  return lines.map((_, at) => `| ${padded.map((column) => column[at]).join(' | ')} |`).join('\n')
}

// Renders a line for each measure, with a mark whether its goal was reached. A measure with a `ratioSign` is
// the ratio of the row's value to its reference's; `value` reads it from a slice. Rows that did not run have
// no line.
export function measures(rows: readonly Row[], memoryMb: number): string[] {
  // A row that did not run has no values, and the median of no values is NaN.
  const lines = MEASURES.flatMap(([name, value, ratioSign, title, goal]) => {
    const row = rows.find((each) => each.name === name && !(ratioSign && each.reference === BEFORE))
    const values = ratioSign ? row && ratios(row, value) : row?.slices[name]?.map(value)
    const median = quantile(values ?? [], 0.5)
    if (Number.isNaN(median)) return []
    const digits = median < 20 ? 2 : 0
    const spread = [0.25, 0.75].map((share) => format(quantile(values ?? [], share), digits))
    const result = `${format(median, digits)} (${spread.join('–')}) ${ratioSign}${title}`
    if (!goal) return [`- ${result}`]
    const [sign, limit] = goal
    const isReached = sign === '≥' ? median >= limit : median <= limit
    return [`- ${isReached ? '✓' : '✗'} ${result}; goal ${sign} ${limit}`]
  })
  return memoryMb > 0 ? [...lines, `- ${Math.round(memoryMb)} MB of memory (RSS) at most`] : lines
}

// Compares with another checkout: CPU per item there and here (lower quartiles), and the median
// over the rounds of their ratio, with its quartiles.
export function changes(rows: readonly Row[]): string {
  // Two lines for each row that ran against another checkout: for the service and for PostgreSQL.
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

// Describes the machine, which every report names.
export function machine(): string {
  const [cores, model] = [availableParallelism(), cpus()[0]?.model.trim()]
  return `${cores} cores (${model}), Node ${process.version}; everything shares these cores`
}

// Replaces the text between the section's two marks in its document under docs/.
export function writeSection(section: keyof typeof PATHS, body: string): void {
  const path = join(DOCS, PATHS[section])
  const text = readFileSync(path, 'utf8')
  const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  const day = new Date().toISOString().slice(0, 10)
  const dated = `${begin}\nMeasured on ${day}: ${body}\n`
  writeFileSync(path, text.slice(0, from) + dated + text.slice(to))
}

// Returns the ratio of the row's load to its reference for each round.
function ratios({ name, reference, slices }: Row, value: Value): number[] {
  const referenceValues = slices[reference ?? '']?.map(value) ?? []
  const values = slices[name]?.map(value) ?? []
  return referenceValues.map((reference, round) => (values[round] ?? Number.NaN) / reference)
}

// Formats a number with this many digits after the point. A missing value (NaN) becomes a dash.
function format(value: number, digits: number): string {
  const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return Number.isNaN(value) ? '–' : value.toLocaleString('en', shape)
}
