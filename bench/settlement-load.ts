// Credits while a settlement is closed: measures how long a million lines take, and the rate of credits of
// the same client in that time. The service itself closes the settlement. Rates are taken only from slices
// that ended before it was closed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const WARM_UP_SLICES = 2
const GIVE_UP_MS = 300_000
const POLL_MS = 20
const PATH = '/api/v1/settlements'

type Closed = { lines: number; seconds: number }

// Runs the same load before the settlement, in as many slices as a row has rounds, after the warm-up.
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

export async function whileSettling(
  bed: Testbed,
  on: Target,
  run: () => Promise<Slice | undefined>,
): Promise<Slice> {
  let closed: Closed | undefined
  const closing = close(bed, on).then((answer) => {
    closed = answer
    return answer
  })
  const inside: Slice[] = []
  const all: Slice[] = []
  do {
    const slice = (await run()) as Slice
    all.push(slice)
    if (!closed) inside.push(slice)
  } while (!closed)
  return { ...merge(inside.length > 0 ? inside : all, all), settled: await closing }
}

async function close(bed: Testbed, { ports, database }: Target): Promise<Closed> {
  const url = `http://127.0.0.1:${ports[0]}${PATH}`
  const headers = {
    authorization: `Bearer ${await bed.token(ports[0] as number)}`,
    'content-type': 'application/json',
  }
  const fromMs = performance.now()
  // A slow close is answered with try_again and continues all the same.
  void fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => {})
  while (performance.now() - fromMs < GIVE_UP_MS) {
    const { rows } = await database.db.query<{ lines: bigint }>('select lines from settlements')
    const last = rows.at(-1)
    if (last) return { lines: Number(last.lines), seconds: (performance.now() - fromMs) / 1000 }
    await sleep(POLL_MS)
  }
  throw new Error('the settlement was never closed')
}

// Merges slices. Rates are taken from the slices within the settlement; the credits of all slices must be in
// the books.
function merge(inside: readonly Slice[], all: readonly Slice[]): Slice {
  const sum = (slices: readonly Slice[], of: (slice: Slice) => number) =>
    slices.reduce((total, slice) => total + of(slice), 0)
  const first = all.find(({ failures }) => failures.count > 0)?.failures.first
  const latencies = inside.flatMap(({ latency }) => latency ?? [])
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
    items: sum(inside, (slice) => slice.items),
    seconds: sum(inside, (slice) => slice.seconds),
    latency: worst,
  }
}
