// Clocks that are wrong: of a process that runs, or of one that starts before its clock is set right.

import type { Random } from '../random.ts'
import { aWhile, type Fault } from './fault.ts'

const MINUTE_MS = 60_000
const JUMPS_MS = [2, 10, 3 * 60, 24 * 60, 3 * 24 * 60].map((minutes) => minutes * MINUTE_MS)

function jumpMs(random: Random): number {
  return random.pick(JUMPS_MS) * (random.happens(0.5) ? 1 : -1)
}

function jump(name: string, kind: 'apis' | 'workers'): Fault {
  return {
    name,
    async inject({ roles }, random) {
      const { process } = random.pick(roles[kind])
      const shiftMs = jumpMs(random)
      process.shiftClock(shiftMs)
      return {
        detail: `${process.name} ${shiftMs / MINUTE_MS} min`,
        lastsMs: aWhile(random),
        heal: async () => process.shiftClock(0),
      }
    },
  }
}

const atStart: Fault = {
  name: 'clock-at-start',
  starts: 'one',
  async inject({ roles }, random) {
    const role = random.pick(roles.all)
    const shiftMs = jumpMs(random)
    role.process.shiftMs = shiftMs
    await role.process.end('SIGKILL')
    return {
      detail: `${role.process.name} ${shiftMs / MINUTE_MS} min`,
      lastsMs: 2 * aWhile(random),
      heal: async () => role.process.shiftClock(0),
    }
  },
}

export const CLOCK_FAULTS: readonly Fault[] = [
  jump('clock-api', 'apis'),
  jump('clock-worker', 'workers'),
  atStart,
]
