// `npm run bench -- --only load`: sends credits at 50, 100, 200 and 400% of the capacity that was
// measured just before, at a fixed rate however slow the answers are. Latency counts from the
// moment a request was due. Then measures how soon the service recovers. Every acknowledged credit
// must be in the books.

import { machine } from './report.ts'
import { credits } from './rows.ts'
import { quantile, rateOf, type Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const SHARES = [0.5, 1, 2, 4] as const
// Enough connections that the generator holds nothing back. Opening them takes a while.
const OVERLOAD = { connections: 4_000, mayRefuse: true, warmUpMs: 1_500, sliceMs: 4_000 }
const QUIET = { share: 0.3, mayRefuse: true, connections: 64, warmUpMs: 0, sliceMs: 250 }
const CALM_FACTOR = 3 // Recovered: no refusals, and at most this many times the earlier median latency.
const RECOVERY_MAX_MS = 15_000
const GOODPUT_MIN = 0.9
const RECOVERY_GOAL_MS = 5_000

type Step = { share: number; capacity: number; slice: Slice; recoveredMs: number }

// Sends each share of the capacity in SHARES, in several rounds, checks the books, and returns the report.
export async function runLoadSteps(bed: Testbed): Promise<string> {
  const runTarget = await bed.service()
  const before = await runTarget.database.count('credits')
  const run = runner(bed, runTarget)
  for (let warming = 0; warming < 2; warming++) await run({})
  const steps: Step[] = []
  for (let round = 0; round < bed.options.slices; round++) {
    for (const share of SHARES) {
      await runTarget.database.settle()
      steps.push(await runStep(run, share))
    }
  }
  const booked = (await runTarget.database.count('credits')) - before
  const problems = await runTarget.database.integrityProblems()
  if (booked !== run.acknowledged())
    problems.push(`${run.acknowledged()} acknowledged, ${booked} booked`)
  if (problems.length > 0) process.exitCode = 1
  return [machine(), stepTable(steps), ...problems.map((each) => `✗ ${each}`)].join('\n\n')
}

type Shape = Parameters<typeof credits>[2]

// Returns a function that runs one slice of credits, and counts the acknowledged credits of all slices. A
// `shape` with a share takes its rate from the slice `cold`.
function runner(bed: Testbed, runTarget: Target) {
  let acknowledged = 0
  // credits() looks up a slice called `cold`, so the map names the slice that sets the rate.
  const run = async (shape: Shape, cold?: Slice) => {
    const latest = new Map(cold ? [['cold', cold]] : [])
    const slice = (await credits('', 'service', shape).run(bed, runTarget, latest)) as Slice
    acknowledged += slice.acknowledged
    if (slice.failures.count > 0) throw new Error(`failed: ${slice.failures.first}`)
    return slice
  }
  return Object.assign(run, { acknowledged: () => acknowledged })
}

// Measures the capacity, sends `share` times as much, then probes with a light load until the service
// answers as fast as before the overload.
async function runStep(run: ReturnType<typeof runner>, share: number): Promise<Step> {
  const cold = await run({})
  const calmMs = (await run({ ...QUIET, sliceMs: 1_000 }, cold)).latency?.p50 ?? 0
  const slice = await run({ ...OVERLOAD, share }, cold)
  const fromMs = performance.now()
  let recoveredMs = 0
  for (;;) {
    recoveredMs = performance.now() - fromMs
    const { latency, refused = 0 } = await run(QUIET, cold)
    const isCalm = refused === 0 && (latency?.p50 ?? 0) <= calmMs * CALM_FACTOR
    if (isCalm || recoveredMs > RECOVERY_MAX_MS) break
  }
  return { share, capacity: rateOf(cold), slice, recoveredMs }
}

// Renders a row for each share, with medians over the rounds. Goodput is the rate of acknowledged credits, as
// a share of the rate sent or of the capacity, whichever is lower. The goals apply from full capacity on.
function stepTable(steps: readonly Step[]): string {
  const head = [
    'load',
    'capacity/s',
    'goodput',
    'p50 ms',
    'p99 ms',
    'refused/s',
    'gave up/s',
    'normal again, ms',
    'others',
  ]
  // Each cell is the median over the rounds with this share.
  const rows = SHARES.map((share) => {
    const stepsOfShare = steps.filter((step) => step.share === share)
    const median = (of: (step: Step) => number) => quantile(stepsOfShare.map(of), 0.5)
    const goodput = median(({ slice, capacity }) => rateOf(slice) / capacity / Math.min(1, share))
    const recovered = median(({ recoveredMs }) => recoveredMs)
    const mark = (isReached: boolean) => (share < 1 ? '' : isReached ? ' ✓' : ' ✗')
    return [
      `${share * 100}%`,
      median(({ capacity }) => capacity).toFixed(0),
      `${(goodput * 100).toFixed(0)}%${mark(goodput >= GOODPUT_MIN)}`,
      median(({ slice }) => slice.latency?.p50 ?? Number.NaN).toFixed(0),
      median(({ slice }) => slice.latency?.p99 ?? Number.NaN).toFixed(0),
      median(({ slice }) => (slice.refused ?? 0) / slice.seconds).toFixed(0),
      median(({ slice }) => (slice.gaveUp ?? 0) / slice.seconds).toFixed(0),
      `${recovered.toFixed(0)}${mark(recovered <= RECOVERY_GOAL_MS)}`,
      median(({ slice }) => (slice.cpu?.others ?? Number.NaN) / slice.seconds).toFixed(2),
    ]
  })
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
