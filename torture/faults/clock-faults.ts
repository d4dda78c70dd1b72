// Wrong clocks: of a running process, of one that starts before its clock is corrected, or of all
// processes and the database at once, so that no clock reveals the others.

import { setTimeout as sleep } from 'node:timers/promises'
import { shiftDatabaseClock } from '../database-clock.ts'
import type { Random } from '../random.ts'
import type { Target } from '../target.ts'
import { TERMINATE } from './database-faults.ts'
import { aWhile, type Fault } from './fault.ts'

const MINUTE_MS = 60_000
const JUMPS_MS = [2, 10, 3 * 60, 24 * 60, 3 * 24 * 60].map((minutes) => minutes * MINUTE_MS)

// From two minutes to three days, ahead or back.
function jumpMs(random: Random): number {
  return random.pick(JUMPS_MS) * (random.happens(0.5) ? 1 : -1)
}

// The clock of one running process jumps, and is corrected later.
function shiftedClock(name: string, kind: 'apis' | 'workers'): Fault {
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

// A process starts with a wrong clock: it is killed, and its supervisor restarts it.
const wrongAtStart: Fault = {
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
const DENIAL_MAX_MS = 30_000 // How long to wait for a payout that the bank denies.
const DENIED_MS = 8_000 // Long enough for the service to query the denied payout.

// Shifts the clocks of all processes and of the database by the same amount.
async function shiftAll({ roles, database }: Pick<Target, 'roles' | 'database'>, byMs: number) {
  for (const { process } of roles.all) process.shiftClock(byMs)
  await shiftDatabaseClock(database, byMs)
}

// Moves all clocks ahead while the bank denies a payout that it received. By these clocks, the bank has had
// enough time to know the payout, so the service must not conclude that the payout failed.
const allClocks: Fault = {
  name: 'clocks-together',
  isAlone: true,
  async inject({ roles, database, bank }, random) {
    const giveUpAtMs = performance.now() + DENIAL_MAX_MS
    while (!bank.keepDenying(DENIED_MS) && performance.now() < giveUpAtMs) await sleep(50)
    const shiftMs = random.pick(STEPS_MS)
    await shiftAll({ roles, database }, shiftMs)
    return {
      detail: `${shiftMs / MINUTE_MS} min`,
      lastsMs: DENIED_MS,
      heal: () => shiftAll({ roles, database }, 0),
    }
  },
}

const SET_BACK_MS = 120 * MINUTE_MS // Longer than every wait but those of retried webhooks.
const AHEAD_MS = 6_000 // Long enough for calls, payouts and webhooks to fail, and to be put off.
const CUTS = 15
const CUT_EVERY_MS = 120

// Moves all clocks ahead while the bank refuses connections, so that the service writes times far in the
// future. Then the clocks are set right, and connections to the database break again and again while the
// service corrects these times. Afterwards no work may wait for them.
const clocksSetBack: Fault = {
  name: 'clocks-set-back',
  isAlone: true,
  async inject({ roles, database, bank }) {
    await shiftAll({ roles, database }, SET_BACK_MS)
    await bank.close()
    return {
      lastsMs: AHEAD_MS,
      async heal() {
        await bank.open()
        await shiftAll({ roles, database }, 0)
        for (let cut = 0; cut < CUTS; cut++) {
          await database.query(TERMINATE).catch(() => {})
          await sleep(CUT_EVERY_MS)
        }
      },
    }
  },
}

export const CLOCK_FAULTS: readonly Fault[] = [
  shiftedClock('clock-api', 'apis'),
  shiftedClock('clock-worker', 'workers'),
  wrongAtStart,
  allClocks,
  clocksSetBack,
]
