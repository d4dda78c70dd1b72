// Wrong clocks: of a running process, of one that starts before its clock is corrected, or of all
// processes and the database at once, so that no clock reveals the others.

import { setTimeout as sleep } from 'node:timers/promises'
import { shiftDatabaseClock } from '../database-clock.ts'
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

const STEPS_MS = [20, 120].map((minutes) => minutes * MINUTE_MS)
const DENIAL_MAX_MS = 30_000
const ASKED_WITHIN_MS = 8_000

// Moves all clocks ahead while the bank denies a payout that it received. By these clocks, the bank has had
// enough time to know the payout, so the service must not conclude that the payout failed.
const together: Fault = {
  name: 'clocks-together',
  isAlone: true,
  async inject({ roles, database, bank }, random) {
    const giveUpAtMs = performance.now() + DENIAL_MAX_MS
    while (!bank.keepDenying(ASKED_WITHIN_MS) && performance.now() < giveUpAtMs) await sleep(50)
    const shiftMs = random.pick(STEPS_MS)
    const shiftAll = async (byMs: number) => {
      for (const { process } of roles.all) process.shiftClock(byMs)
      await shiftDatabaseClock(database, byMs)
    }
    await shiftAll(shiftMs)
    return {
      detail: `${shiftMs / MINUTE_MS} min`,
      lastsMs: ASKED_WITHIN_MS,
      heal: () => shiftAll(0),
    }
  },
}

export const CLOCK_FAULTS: readonly Fault[] = [
  jump('clock-api', 'apis'),
  jump('clock-worker', 'workers'),
  atStart,
  together,
]
