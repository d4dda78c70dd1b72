// What is asked of a load generator, and what it answers. Any process that takes a `Job` and tells
// when it is warm, when it has measured and what came out can be one.

export type Job = {
  port: number
  connections: number
  warmUpMs: number
  warmUpItems: number // Before that it is not warm, unless it takes very long.
  measureMs: number
  perSecond?: number // Arrivals at this rate whatever the answers do; without: as fast as answers come.
  mayRefuse?: boolean // More than can be served: 503 is a right answer, and counts for nothing.
  work: WorkOrder
}

export type WorkOrder =
  // Credits, `perRequest` of them in each body; `requests` are made and signed beforehand.
  | { kind: 'credits'; feed: FeedOrder; bankCode: string; perRequest: number; requests: number }
  | { kind: 'accounts'; token: string }
  | { kind: 'initiations'; adviceIds: readonly string[] }
  | { kind: 'get-accounts'; token: string; numbers: readonly string[] }
  // Advice, number, credit, verification: one payment from beginning to end.
  | { kind: 'journeys'; token: string; tag: number }
  | { kind: 'empty' }

export type FeedOrder = {
  tag: number
  sessions: 'nip' | 'random'
  numbers: readonly string[]
}

export type Latency = { p50: number; p99: number; p999: number } // In milliseconds.

export type LoadResult = {
  // Of the whole run, warm-up and all: this many must be in the books.
  acknowledged: number
  failures: { count: number; first: string | undefined }
  // While it was measured.
  items: number
  seconds: number
  latency: Latency
}

export type Report =
  | { at: 'ready' }
  | { at: 'warm' }
  | { at: 'measured' }
  | ({ at: 'done' } & LoadResult)

export function latencyOf(samples: Float32Array): Latency {
  const sorted = samples.toSorted()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { p50: at(0.5) ?? 0, p99: at(0.99) ?? 0, p999: at(0.999) ?? 0 }
}
