// The result of a slice, the short measurement of one load that all tables of the bench consist of.

import type { CpuTime } from './process-stats.ts'

export type Slice = {
  acknowledged: number // Items from start to end, including the warm-up. The books must have as many.
  failures: { count: number; first?: string }
  items: number // Without the warm-up, like the fields below.
  seconds: number
  refused?: number // Requests that were refused with the code `busy`.
  gaveUp?: number // Requests that were not sent, because no connection was idle in time.
  latency?: { p50: number; p99: number } // In milliseconds.
  cpu?: CpuTime | undefined
  memoryMb?: number // The service's maximum.
  written?: { logBytes: number; storedBytes: number } // Written by PostgreSQL.
  settled?: { lines: number; seconds: number } // The settlement that was closed at the same time.
}

export type Phase = { at: 'warm' } | { at: 'measured' } | { at: 'done'; slice: Slice }

export const rateOf = ({ items, seconds }: Slice) => items / seconds

export function latencyOf(samplesMs: readonly number[]): { p50: number; p99: number } {
  return { p50: quantile(samplesMs, 0.5), p99: quantile(samplesMs, 0.99) }
}

// Returns the value below which this share of the values lies, such as 0.5 for the median.
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
}
