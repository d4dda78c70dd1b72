// A slice: one short measurement of one load.

import type { CpuTime } from './process-stats.ts'

export type Slice = {
  acknowledged: number // From start to end, warm-up included: as many must be in the books.
  failures: { count: number; first?: string }
  items: number // While it was measured, as is the rest.
  seconds: number
  refused?: number // As busy.
  gaveUp?: number // Waiting for a connection.
  latency?: { p50: number; p99: number } // In milliseconds.
  cpu?: CpuTime | undefined
  memoryMb?: number // Of the service, at most.
  written?: { logBytes: number; storedBytes: number } // By PostgreSQL.
  settled?: { lines: number; seconds: number } // By the settlement that was closed meanwhile.
}

export type Phase = { at: 'warm' } | { at: 'measured' } | { at: 'done'; slice: Slice }

export const rateOf = ({ items, seconds }: Slice) => items / seconds

export function latencyOf(samplesMs: readonly number[]): { p50: number; p99: number } {
  return { p50: quantile(samplesMs, 0.5), p99: quantile(samplesMs, 0.99) }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
}
