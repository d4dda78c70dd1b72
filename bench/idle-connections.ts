// `npm run bench -- --only idle`: 10,000 connections that got one response and then stay open and idle.
// 200 of them are event streams, as checkout pages hold them. Measures their memory, their effect on other
// requests, and whether the service frees everything afterwards.

import { setTimeout as sleep } from 'node:timers/promises'
import { request, startChild } from './child-process.ts'
import type { Holding } from './idle-holder.ts'
import { machine } from './report.ts'
import { credits } from './rows.ts'
import { rateOf, type Slice } from './slice.ts'
import { type ProcessSample, parseSample } from './soak-samples.ts'
import type { Target, Testbed } from './testbed.ts'

const CONNECTIONS = 10_000
const STREAMS = 200 // The limit for one address.
const STREAMS_PER_ADVICE = 10
const QUIET = { share: 0.3, connections: 64, warmUpMs: 500, sliceMs: 4_000 }
const SETTLE_MS = 3_000
const P99_FACTOR_MAX = 1.5
const LEFT_MAX = 20 // Sockets that may still be open after the idle connections have closed.

type Held = { held: number; lost: number }
type Point = ProcessSample & { title: string; p50: number; p99: number }

// Measures before, during and after the idle connections, and returns the report.
export async function runIdleConnections(bed: Testbed): Promise<string> {
  const runTarget = await bed.service()
  const port = runTarget.ports[0] as number
  // One slice at full speed, from which the later slices derive their rate of 30%. It needs no title, because
  // no table shows it, and no slices before it. A load of credits always returns a slice.
  const fullSpeed = (await credits('', 'service').run(bed, runTarget, new Map())) as Slice
  const points = [await measure(bed, runTarget, { fullSpeed, title: 'before' })]
  await using holder = startChild('idle-holder.ts')
  const adviceIds = await runTarget.database.createAdvices(STREAMS / STREAMS_PER_ADVICE)
  const streams = adviceIds.map((id) => `/pay/api/stream?adviceReference=${id}`)
  // Has the child process open more connections that stay open. Its other replies have no `held`.
  const hold = (connections: number, paths: readonly string[]) => {
    const holding: Holding = { port, connections, paths }
    return request(holder, holding, (reply: Held) => (reply.held === undefined ? undefined : reply))
  }
  await hold(CONNECTIONS - STREAMS, ['/health'])
  const { held, lost } = await hold(STREAMS, streams)
  points.push(await measure(bed, runTarget, { fullSpeed, title: `with ${held - lost} idle` }))
  // Has the child process close all its connections.
  await request(holder, 'release', (reply: { released?: true }) => reply.released)
  points.push(await measure(bed, runTarget, { fullSpeed, title: 'after' }))
  return [
    `${machine()}; credits at 30% of ${rateOf(fullSpeed).toFixed(0)} a second`,
    pointTable(points),
    verdict(points, lost),
  ].join('\n\n')
}

// Measures credits at 30% of the full speed, then reads the service's memory and sockets.
async function measure(
  bed: Testbed,
  runTarget: Target,
  { fullSpeed, title }: { fullSpeed: Slice; title: string },
): Promise<Point> {
  // A load with a `share` looks up the slice called `cold` and takes its share of that rate.
  const slices = new Map([['cold', fullSpeed]])
  const run = () => credits('', 'service', QUIET).run(bed, runTarget, slices)
  const { latency, failures } = (await run()) as Slice
  if (failures.count > 0) throw new Error(`${title}: ${failures.first}`)
  await sleep(SETTLE_MS) // The load closes its own connections.
  const text = await fetch(`http://127.0.0.1:${runTarget.ports[0]}/metrics`).then((each) =>
    each.text(),
  )
  const { p50 = Number.NaN, p99 = Number.NaN } = latency ?? {}
  return { ...parseSample(text), title, p50, p99 }
}

// Renders the three measurements as a table.
function pointTable(points: readonly Point[]): string {
  const head = ['', 'RSS MB', 'heap MB', 'sockets', 'p50 ms', 'p99 ms']
  const rows = points.map(({ title, rssMb, heapMb, sockets, p50, p99 }) => [
    title,
    rssMb.toFixed(0),
    heapMb.toFixed(0),
    sockets,
    p50.toFixed(1),
    p99.toFixed(1),
  ])
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

// Compares the three points with the goals, one line each, and sets the exit code if a goal is missed.
function verdict([before, during, after]: readonly Point[], lost: number): string {
  if (!before || !during || !after) throw new Error('not measured')
  const kbPerConnection = ((during.rssMb - before.rssMb) * 1024) / (during.sockets - before.sockets)
  const lines: [boolean, string][] = [
    [lost === 0, `${lost} connections refused`],
    [
      during.p99 <= before.p99 * P99_FACTOR_MAX,
      `p99 ${(during.p99 / before.p99).toFixed(2)} × that before; at most ${P99_FACTOR_MAX}`,
    ],
    [
      after.sockets <= before.sockets + LEFT_MAX,
      `${after.sockets} sockets when all have left, ${before.sockets} before`,
    ],
  ]
  const isGood = lines.every(([isReached]) => isReached)
  if (!isGood) process.exitCode = 1
  return [
    `- ${kbPerConnection.toFixed(1)} kB of memory (RSS) for each`,
    ...lines.map(([isReached, text]) => `- ${isReached ? '✓' : '✗'} ${text}`),
  ].join('\n')
}
