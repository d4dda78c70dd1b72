// All faults of the single database, their weights, and the faults of the short form.

import type { Random } from '../random.ts'
import { CLOCK_FAULTS } from './clock-faults.ts'
import { DATABASE_FAULTS } from './database-faults.ts'
import type { Fault } from './fault.ts'
import { OPERATOR_FAULTS } from './operator-faults.ts'
import { PROCESS_FAULTS } from './process-faults.ts'
import { PROXY_FAULTS } from './proxy-faults.ts'

export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...DATABASE_FAULTS,
  ...PROXY_FAULTS,
  ...CLOCK_FAULTS,
  ...OPERATOR_FAULTS,
]

const WEIGHTS = { none: 4, one: 2, many: 1 }

// Draws faults by weight; those that start many processes are slow, and come rarely.
export function drawFaults<T>(faults: readonly Fault<T>[], count: number, random: Random) {
  const weighted = faults.map((fault) => [fault, WEIGHTS[fault.starts ?? 'none']] as const)
  return Array.from({ length: count }, () => random.weighted(weighted))
}

// The faults of --short, in this order: the leases of a dead worker end only after a minute, so workers
// come first.
const SHORT = [
  ...['kill-worker', 'freeze-worker', 'clock-worker', 'kill-api', 'freeze-api', 'clock-api'],
  ...['migrate', 'disk-full-data', 'disk-full-wal', 'kill-backend', 'freeze-backends'],
  ...['proxy-half-open', 'proxy-stall', 'second-service', 'kill-everything', 'proxy-reset'],
  ...['kill-postmaster', 'terminate-backends'],
]

export function shortPlan<T>(faults: readonly Fault<T>[]): Fault<T>[] {
  return SHORT.flatMap((name) => faults.filter((fault) => fault.name === name))
}

// Selects faults by the beginnings of their names.
export function selectFaults<T extends { name: string }>(
  faults: readonly T[],
  only: readonly string[] | undefined,
): readonly T[] {
  if (!only) return faults
  const unknown = only.find((start) => !faults.some(({ name }) => name.startsWith(start)))
  if (unknown !== undefined) {
    const names = faults.map(({ name }) => name).join(', ')
    throw new Error(`no fault begins with "${unknown}"; there are: ${names}`)
  }
  return faults.filter(({ name }) => only.some((start) => name.startsWith(start)))
}
