// CPU time and memory of processes, from Linux's /proc. On other systems these columns stay empty.

import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux that Node runs on.

export type Pids = {
  service: readonly number[]
  postgres: number
  load: number | 'ended children' // The bench's own load, which ends by itself.
}
// CPU time in seconds. `others` is the rest of the machine.
export type CpuTime = { service: number; postgres: number; load: number; others: number }

export function readCpu(pids: Pids): CpuTime | undefined {
  if (statOf('self').length === 0) return undefined
  const used = (pid: number | string) => ticks(statOf(pid), 14, 15)
  const service = sum(pids.service.map(used))
  const isEnded = pids.load === 'ended children'
  const load = isEnded ? ticks(statOf('self'), 16, 17) : used(pids.load)
  // The parent's count includes backends that have ended.
  const backends = readdirSync('/proc').filter((pid) => statOf(pid)[4 - 3] === `${pids.postgres}`)
  const postgres = ticks(statOf(pids.postgres), 14, 15, 16, 17) + sum(backends.map(used))
  return { service, postgres, load, others: busySeconds() - service - postgres - load }
}

export function cpuBetween(from?: CpuTime, to?: CpuTime): CpuTime | undefined {
  if (!from || !to) return undefined
  const part = (name: keyof CpuTime) => Math.max(0, to[name] - from[name])
  const [service, postgres] = [part('service'), part('postgres')]
  return { service, postgres, load: part('load'), others: part('others') }
}

export function peakMemoryMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[4 - 3])
}

// Returns the fields of /proc/…/stat from the third on, because the second, a name, may contain spaces and
// brackets.
function statOf(pid: number | string): string[] {
  const text = /^(self|[0-9]+)$/.test(`${pid}`) ? read(`/proc/${pid}/stat`) : ''
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function ticks(stat: readonly string[], ...fields: readonly number[]): number {
  return sum(fields.map((field) => Number(stat[field - 3] ?? 0))) / TICKS_PER_SECOND
}

// Returns all CPU time except idle time and waiting for the disk, including the time that the hypervisor
// took.
function busySeconds(): number {
  const [, line = ''] = /^cpu +(.*)$/m.exec(read('/proc/stat')) ?? []
  const [user, nice, system, _idle, _wait, irq, softIrq, steal] = line.split(' ').map(Number)
  return sum([user, nice, system, irq, softIrq, steal].map((each) => each ?? 0)) / TICKS_PER_SECOND
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // The process has ended, or this is not Linux.
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
