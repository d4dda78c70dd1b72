// What processes cost, as Linux counts it in /proc: CPU time and memory. Elsewhere there is no such
// place, and the bench does without these columns.

import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux that Node runs on.

export type Cast = { server?: number | undefined; postgres: number; generator?: number | undefined }
// In cores: 1 is one core busy all the time. `others` is the rest of the machine.
export type CpuSplit = { server: number; postgres: number; generator: number; others: number }
export type CpuReading = { atMs: number; ticks: CpuSplit }

type Stat = { pid: number; parent: number; own: number; withEnded: number }

export function readCpu(cast: Cast): CpuReading | undefined {
  const stats = readStats()
  if (!stats) return undefined
  // A backend that ended in the meantime is counted in its parent's ended children.
  const postgres = sum(endpointFamily(stats, cast.postgres), (stat) =>
    stat.pid === cast.postgres ? stat.withEnded : stat.own,
  )
  const inPostgres = new Set(endpointFamily(stats, cast.postgres).map((stat) => stat.pid))
  const cpuOf = (pid: number | undefined) =>
    pid === undefined
      ? 0
      : sum(
          endpointFamily(stats, pid).filter((stat) => !inPostgres.has(stat.pid)),
          (stat) => stat.own,
        )
  const server = cpuOf(cast.server)
  const generator = cpuOf(cast.generator)
  const others = busyTicks() - server - generator - postgres
  return { atMs: performance.now(), ticks: { server, postgres, generator, others } }
}

export function cpuBetween(from?: CpuReading, to?: CpuReading): CpuSplit | undefined {
  if (!from || !to) return undefined
  const ticks = ((to.atMs - from.atMs) / 1000) * TICKS_PER_SECOND
  const share = (name: keyof CpuSplit) =>
    Math.max(0, Math.min(availableParallelism(), (to.ticks[name] - from.ticks[name]) / ticks))
  return {
    server: share('server'),
    postgres: share('postgres'),
    generator: share('generator'),
    others: share('others'),
  }
}

// Of a process and its descendants, without the database among them.
export function residentBytes(cast: Cast): number | undefined {
  const stats = readStats()
  if (!stats || cast.server === undefined) return undefined
  const inPostgres = new Set(endpointFamily(stats, cast.postgres).map((stat) => stat.pid))
  const family = endpointFamily(stats, cast.server).filter((stat) => !inPostgres.has(stat.pid))
  return sum(family, ({ pid }) => {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
    return Number(kilobytes ?? 0) * 1024
  })
}

function endpointFamily(stats: readonly Stat[], pid: number): Stat[] {
  const family = stats.filter((stat) => stat.pid === pid)
  const children = stats.filter((stat) => stat.parent === pid)
  return [...family, ...children.flatMap((child) => endpointFamily(stats, child.pid))]
}

function readStats(): Stat[] | undefined {
  const text = read('/proc/self/stat')
  if (text === undefined) return undefined
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => parseStat(read(`/proc/${name}/stat`)))
}

// The name in the second field may hold anything, spaces and brackets too: fields count from its end.
function parseStat(text: string | undefined): Stat[] {
  if (text === undefined) return []
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const number = (place: number) => Number(fields[place - 3])
  const own = number(14) + number(15)
  const withEnded = own + number(16) + number(17)
  return [{ pid: Number.parseInt(text, 10), parent: number(4), own, withEnded }]
}

// All but idle and waiting for the disk; with what the host took from this machine.
function busyTicks(): number {
  const line = /^cpu +(.*)$/m.exec(read('/proc/stat') ?? '')?.[1] ?? ''
  const [user, nice, system, _idle, _waiting, irq, softIrq, steal] = line.split(' ').map(Number)
  return sum([user, nice, system, irq, softIrq, steal], (ticks) => ticks ?? 0)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // It ended a moment ago, or this is not Linux.
  }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}
