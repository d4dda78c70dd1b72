// Reads the CPU time and memory of processes from Linux's /proc. On other systems these columns of the
// table stay empty.

import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux that Node runs on.

export type Pids = {
  service: readonly number[]
  postgres: number
  // The process that makes the load, or 'ended children' for programs that have ended, such as pgbench.
  load: number | 'ended children'
}
// CPU time in seconds. `others` is the rest of the machine.
export type CpuTime = { service: number; postgres: number; load: number; others: number }

// Reads the CPU time that each process has used since it started. Field numbers are those of proc(5):
// 14 and 15 are a process's own time, 16 and 17 that of its ended children. Returns undefined if there
// is no /proc.
export function readCpu(pids: Pids): CpuTime | undefined {
  if (statOf('self').length === 0) return undefined
  const used = (pid: number | string) => ticks(statOf(pid), 14, 15)
  const service = sum(pids.service.map(used))
  const isEnded = pids.load === 'ended children'
  const load = isEnded ? ticks(statOf('self'), 16, 17) : used(pids.load)
  // Backends are PostgreSQL's children: field 4 is the parent's id, and statOf() begins at field 3. The
  // parent's own count includes backends that have ended.
  const backends = readdirSync('/proc').filter((pid) => statOf(pid)[4 - 3] === `${pids.postgres}`)
  const postgres = ticks(statOf(pids.postgres), 14, 15, 16, 17) + sum(backends.map(used))
  return { service, postgres, load, others: busySeconds() - service - postgres - load }
}

// Returns the CPU time that was used between two readings of readCpu(). Never negative, because a
// process that ended in between is missing from the second reading.
export function cpuBetween(from?: CpuTime, to?: CpuTime): CpuTime | undefined {
  if (!from || !to) return undefined
  const part = (name: keyof CpuTime) => Math.max(0, to[name] - from[name])
  const [service, postgres] = [part('service'), part('postgres')]
  return { service, postgres, load: part('load'), others: part('others') }
}

// Returns the largest resident memory (VmHWM) that the process ever had, or 0 if it has ended.
export function peakMemoryMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

// Returns the parent's process id, which is field 4; statOf() starts at field 3.
export function parentOf(pid: number): number {
  return Number(statOf(pid)[4 - 3])
}

// Returns the fields of /proc/…/stat from the third on, because the second, a name, may contain spaces and
// brackets.
function statOf(pid: number | string): string[] {
  const text = /^(self|[0-9]+)$/.test(`${pid}`) ? read(`/proc/${pid}/stat`) : ''
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

// Sums the numbered fields of a stat line, in seconds. statOf() starts at field 3.
function ticks(stat: readonly string[], ...fields: readonly number[]): number {
  return sum(fields.map((field) => Number(stat[field - 3] ?? 0))) / TICKS_PER_SECOND
}

// Returns all CPU time except idle time and waiting for the disk, including the time that the hypervisor
// took.
function busySeconds(): number {
  const [, line = ''] = /^cpu +(.*)$/m.exec(read('/proc/stat')) ?? []
  const [user, nice, system, _idle, _wait, irq, softIrq, steal] = line.split(' ').map(Number)
  const ticksBusy = [user, nice, system, irq, softIrq, steal].map((count) => count ?? 0)
  return sum(ticksBusy) / TICKS_PER_SECOND
}

// Returns the text of a file of /proc, or an empty text.
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // The process has ended, or this is not Linux.
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
