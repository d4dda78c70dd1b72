// The one table, and what it was to show. Every ratio is between two rows of the same run.

import type { Result } from './rows.ts'

export type Titled = Result & { title: string }

export type Outcome = {
  results: ReadonlyMap<string, Titled> // In the order of the table.
  pgbench: readonly Result[]
  problems: readonly string[]
  memory: { start: number; peak: number; after: number }
}

const HEAD = [
  'row',
  'per s',
  '× c',
  '× a',
  '× b',
  '× d',
  'p50 ms',
  'p99',
  'p99.9',
  'CPU µs each',
  'others',
]
const RIVALS = ['pgbench', 'naive', 'limit', 'empty']
const MB = 1024 * 1024

export function drawTable(outcome: Outcome): string {
  const rows = [HEAD, ...tableRows(outcome)]
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => (row[at] as string).length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => pad(cell, widths[at] as number, at)).join(' | ')} |`
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  const [head, ...body] = rows as [string[], ...string[][]]
  return [line(head), line(rule), ...body.map(line)].join('\n')
}

function tableRows({ results }: Outcome): string[][] {
  return [...results.values()].map(({ title, perSecond, latency, cpu }) => {
    const ratios = RIVALS.map((rival) => {
      const other = results.get(rival)
      return other ? (perSecond / other.perSecond).toFixed(2) : '–'
    })
    const each = (cores: number) => Math.round((cores * 1e6) / perSecond)
    const split = cpu
      ? `ours ${each(cpu.server)}, pg ${each(cpu.postgres)}, load ${each(cpu.generator)}`
      : '–'
    const others = cpu ? cpu.others.toFixed(2) : '–'
    const times = [latency.p50, latency.p99, latency.p999].map((ms) => ms.toFixed(2))
    const rate = Math.round(perSecond).toLocaleString('en')
    return [title, rate, ...ratios, ...times, split, others]
  })
}

function pad(cell: string, width: number, at: number): string {
  return at === 0 ? cell.padEnd(width) : cell.padStart(width)
}

// Each as a line that says whether it was reached; nothing about what was not run.
export function goals({ results, pgbench, memory }: Outcome): string[] {
  const rate = (name: string) => results.get(name)?.perSecond
  const lines: string[] = []
  const goal = (words: string, value: number | undefined, least: number) => {
    if (value === undefined || Number.isNaN(value)) return
    lines.push(`${value >= least ? '✓' : '✗'} ${words}: ${value.toFixed(2)}, goal ≥ ${least}`)
  }
  const ratio = (one: string, other: string) =>
    (rate(one) ?? Number.NaN) / (rate(other) ?? Number.NaN)
  goal('cold credits to pgbench', ratio('cold', 'pgbench'), 3)
  goal('hot credits to pgbench', ratio('hot', 'pgbench'), 4)
  goal('arrays of 100 to pgbench', ratio('arrays', 'pgbench'), 5)
  goal('cold credits to the naive way', ratio('cold', 'naive'), 5)
  goal('arrays of 100 to the database limit', ratio('arrays', 'limit'), 0.7)
  goal('hot credits to cold', ratio('hot', 'cold'), 0.9)
  goal('get account to the empty route', ratio('get', 'empty'), 0.5)
  for (const [name, empty] of [
    ['scale-cold', 'cold'],
    ['scale-arrays', 'arrays'],
    ['scale-random', 'cold'],
  ] as const) {
    goal(`${results.get(name)?.title} to the same when empty`, ratio(name, empty), 0.8)
  }
  const [quiet, alone] = [results.get('quiet'), results.get('alone')]
  if (quiet?.items && alone?.items) {
    const times = quiet.latency.p99 / alone.latency.p99
    const words = 'p99 at 30% to the p99 of one unbatched commit (both over HTTP)'
    lines.push(`${times <= 3 ? '✓' : '✗'} ${words}: ${times.toFixed(2)}, goal ≤ 3`)
  }
  lines.push(...webhookLines(results))
  lines.push(...memoryLines(memory), ...storageLines(results.get('cold')), ...noiseLines(pgbench))
  return lines
}

function webhookLines(results: Outcome['results']): string[] {
  const [webhooks, dead] = [results.get('webhooks'), results.get('dead')]
  const lines: string[] = []
  if (webhooks) {
    const rate = Math.round(webhooks.perSecond)
    const sign = rate >= 3_000 ? '✓' : '✗'
    lines.push(`${sign} webhooks delivered: ${rate.toLocaleString('en')} a second, goal ≥ 3,000`)
  }
  if (webhooks?.memory) {
    const { first, peak } = webhooks.memory
    const count = webhooks.acknowledged.toLocaleString('en')
    lines.push(
      `memory of the worker (RSS) over ${count} deliveries: ${megabytes(first)} after a quarter ` +
        `of the time, ${megabytes(peak)} at most from then on`,
    )
  }
  if (dead) {
    const ms = dead.latency.p50
    const words = 'median delay of a healthy endpoint beside 1,000 that hang'
    lines.push(`${ms < 1_000 ? '✓' : '✗'} ${words}: ${ms.toFixed(0)} ms, goal < 1,000`)
  }
  return lines
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`
}

function memoryLines({ start, peak, after }: Outcome['memory']): string[] {
  if (peak === 0) return []
  const sign = peak < 300 * MB ? '✓' : '✗'
  return [
    `${sign} memory of the service (RSS): ${megabytes(start)} at start, ${megabytes(peak)} at ` +
      `most under load, ${megabytes(after)} after; goal under load < 300 MB`,
  ]
}

function storageLines(cold: Result | undefined): string[] {
  if (!cold?.bytesPerItem || !cold.walBytesPerItem) return []
  return [
    `a cold credit takes ${Math.round(cold.bytesPerItem)} bytes in all tables and indexes, and ` +
      `${Math.round(cold.walBytesPerItem)} bytes of log`,
  ]
}

function noiseLines(pgbench: readonly Result[]): string[] {
  if (pgbench.length < 2) return []
  const rates = pgbench.map((result) => Math.round(result.perSecond).toLocaleString('en'))
  return [`pgbench over the run: ${rates.join(', ')}; the median is the measure`]
}
