// Measures how long the service takes to close a settlement of a million lines, and the rate of credits of
// the same client meanwhile. The rate comes only from slices that ended before the settlement was closed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const WARM_UP_SLICES = 2
const GIVE_UP_MS = 300_000
const POLL_MS = 20
const PATH = '/api/v1/settlements'

type Closed = { lines: number; seconds: number }

// Runs the load without a settlement, as the reference for whileSettling(). After the warm-up, it runs as
// many slices as a row has rounds.
export async function beforeSettling(
  { options }: Testbed,
  run: () => Promise<Slice | undefined>,
): Promise<Slice> {
  const slices: Slice[] = []
  for (let round = 0; round < WARM_UP_SLICES + options.slices; round++) {
    slices.push((await run()) as Slice)
  }
  return merge(slices.slice(WARM_UP_SLICES), slices)
}

// Runs slice after slice of the load while the service closes a settlement, and merges them. `settled` has
// the number of lines of the settlement, and how many seconds closing it took.
export async function whileSettling(
  bed: Testbed,
  runTarget: Target,
  run: () => Promise<Slice | undefined>,
): Promise<Slice> {
  let closed: Closed | undefined
  // Runs beside the load. Setting `closed` ends the loop below.
  const closing = closeSettlement(bed, runTarget).then((answer) => {
    closed = answer
    return answer
  })
  const endedBeforeClose: Slice[] = []
  const slices: Slice[] = []
  do {
    const slice = (await run()) as Slice
    slices.push(slice)
    if (!closed) endedBeforeClose.push(slice)
  } while (!closed)
  // The last slice ran partly after the close, so it counts only if there is no other.
  const measured = endedBeforeClose.length > 0 ? endedBeforeClose : slices
  return { ...merge(measured, slices), settled: await closing }
}

// Requests a settlement and waits until it is in the database.
async function closeSettlement(bed: Testbed, { ports, database }: Target): Promise<Closed> {
  const url = `http://127.0.0.1:${ports[0]}${PATH}`
  const headers = {
    authorization: `Bearer ${await bed.token(ports[0] as number)}`,
    'content-type': 'application/json',
  }
  const fromMs = performance.now()
  // If closing takes long, the service answers try_again and continues to close the settlement.
  void fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => {})
  while (performance.now() - fromMs < GIVE_UP_MS) {
    const { rows } = await database.db.query<{ lines: bigint }>('select lines from settlements')
    const last = rows.at(-1)
    if (last) return { lines: Number(last.lines), seconds: (performance.now() - fromMs) / 1000 }
    await sleep(POLL_MS)
  }
  throw new Error('the settlement was never closed')
}

// Merges slices into one. Rates and latencies come from the `measured` slices only, but the credits of all
// slices must be in the books. The latency is that of the slowest slice.
function merge(measured: readonly Slice[], all: readonly Slice[]): Slice {
  const sum = (slices: readonly Slice[], of: (slice: Slice) => number) =>
    slices.reduce((total, slice) => total + of(slice), 0)
  const first = all.find(({ failures }) => failures.count > 0)?.failures.first
  const latencies = measured.flatMap(({ latency }) => latency ?? [])
  const worst = { p50: 0, p99: 0 }
  for (const { p50, p99 } of latencies) {
    worst.p50 = Math.max(worst.p50, p50)
    worst.p99 = Math.max(worst.p99, p99)
  }
  return {
    acknowledged: sum(all, (slice) => slice.acknowledged),
    failures: {
      count: sum(all, (slice) => slice.failures.count),
      ...(first === undefined ? {} : { first }),
    },
    items: sum(measured, (slice) => slice.items),
    seconds: sum(measured, (slice) => slice.seconds),
    latency: worst,
  }
}
