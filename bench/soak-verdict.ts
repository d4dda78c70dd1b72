// Judges the samples of a soak. The first quarter of the time is warm-up. After it, the memory of each
// minute (its median) must not grow by more than GROWTH_MAX in an hour, unless the Mann–Kendall test sees
// no upward trend at the 1% level. The growth is the Theil–Sen slope: the median of all pairs' slopes,
// which a few outliers do not move. When the load has stopped, files, sockets, timers and connections must
// return to their first values, except for connections that pools keep.

import { quantile } from './slice.ts'
import type { ProcessSample, Sample } from './soak-samples.ts'

const GROWTH_MAX = 0.05 // The largest growth in an hour, as a share of the median.
const SIGNIFICANT_Z = 2.326 // One-sided, 1%.
const WARM_UP_SHARE = 0.25
// Database connections that pools open under load and keep for a while, each with a timer.
const POOLED_MAX = 40
const HEAD = [
  'minute',
  'process',
  'RSS MB',
  'heap MB',
  'files',
  'sockets',
  'timers',
  'handles',
  'pg',
  'backlog',
]

type Soak = { samples: readonly Sample[]; before: Sample; after: Sample }
type Point = readonly [x: number, y: number]
type Role = 'api' | 'worker'

// Returns a line for each trend of memory, and a problem for each resource that grew or was not freed.
export function soakVerdict({ samples, before, after }: Soak): {
  lines: string[]
  problems: string[]
} {
  const [lines, problems]: [string[], string[]] = [[], []]
  const last = samples.at(-1)?.minute ?? 0
  const steady = samples.filter(({ minute }) => minute >= last * WARM_UP_SHARE)
  for (const role of ['api', 'worker'] as const) {
    for (const [name, read] of [
      ['RSS', ({ rssMb }: ProcessSample) => rssMb],
      ['heap', ({ heapMb }: ProcessSample) => heapMb],
    ] as const) {
      const points = mediansPerMinute(steady, (sample) => read(sample[role]))
      const { line, isFlat } = trend(`${role}: ${name}`, points)
      lines.push(line)
      if (!isFlat) problems.push(`${line}: it grows`)
    }
    problems.push(...resourcesNotFreed(role, before[role], after[role]))
  }
  if (after.connections > before.connections + POOLED_MAX) {
    problems.push(`${after.connections} connections to PostgreSQL, ${before.connections} before`)
  }
  return { lines, problems }
}

// Judges whether one series is flat. The x of a point is a minute, so the slope is multiplied by 60.
function trend(title: string, points: readonly Point[]): { line: string; isFlat: boolean } {
  const slope = theilSen(points) * 60
  const z = mannKendall(points.map(([, y]) => y))
  const median = quantile(
    points.map(([, y]) => y),
    0.5,
  )
  const isFlat = !(slope > median * GROWTH_MAX && z > SIGNIFICANT_Z)
  const growth = `${slope >= 0 ? '+' : '−'}${Math.abs(slope).toFixed(1)} MB in an hour (z ${z.toFixed(1)})`
  return {
    line: `- ${isFlat ? '✓' : '✗'} ${title}: median ${median.toFixed(0)} MB, ${growth}`,
    isFlat,
  }
}

// Returns a problem for each resource of a process that is still in use after the load has stopped.
function resourcesNotFreed(role: Role, before: ProcessSample, after: ProcessSample): string[] {
  return (['files', 'sockets', 'timers', 'resources'] as const).flatMap((name) =>
    after[name] > before[name] + POOLED_MAX
      ? [`${role}: ${after[name]} ${name} when all is quiet, ${before[name]} before`]
      : [],
  )
}

// Returns the median slope of all pairs of points.
export function theilSen(points: readonly Point[]): number {
  const slopes = points.flatMap(([x, y], at) =>
    points.slice(at + 1).map(([otherX, otherY]) => (otherY - y) / (otherX - x)),
  )
  return slopes.length === 0 ? 0 : quantile(slopes, 0.5)
}

// Returns by how many standard deviations rising pairs outnumber falling ones.
export function mannKendall(values: readonly number[]): number {
  const count = values.length
  let rising = 0
  for (const [at, value] of values.entries()) {
    for (const later of values.slice(at + 1)) rising += Math.sign(later - value)
  }
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  return rising === 0 ? 0 : (rising - Math.sign(rising)) / deviation // Less 1: the continuity correction.
}

// Returns the median of each minute as a point.
function mediansPerMinute(samples: readonly Sample[], of: (sample: Sample) => number): Point[] {
  const groups = Map.groupBy(samples, ({ minute }) => Math.floor(minute))
  return [...groups].map(([minute, group]) => [minute, quantile(group.map(of), 0.5)] as const)
}

// Renders `count` samples as a table: the first, the last, and the others evenly between them.
export function soakTable(samples: readonly Sample[], count: number): string {
  const step = Math.max(1, (samples.length - 1) / Math.max(1, count - 1))
  const places = new Set(Array.from({ length: count }, (_, at) => Math.round(at * step)))
  const selection = samples.filter((_, at) => places.has(at) || at === samples.length - 1)
  const rows = selection.flatMap(({ minute, connections, backlog, ...roles }) =>
    (['api', 'worker'] as const).map((role) => {
      const { rssMb, heapMb, files, sockets, timers, resources } = roles[role]
      // Both processes share these numbers, so only the first row of a sample has them.
      const shared = role === 'api' ? [connections, backlog] : ['', '']
      return [
        minute.toFixed(0),
        role,
        rssMb.toFixed(0),
        heapMb.toFixed(0),
        files,
        sockets,
        timers,
        resources,
        ...shared,
      ]
    }),
  )
  const rule = HEAD.map((_, at) => (at === 1 ? '---' : '---:'))
  return [HEAD, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
