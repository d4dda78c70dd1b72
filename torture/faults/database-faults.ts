// Faults of the database: its postmaster or a backend killed or frozen, a backend ended by an
// administrator, and its disk full.

import { setTimeout as sleep } from 'node:timers/promises'
import { kill } from '../supervised-process.ts'
import type { Target } from '../target.ts'
import { aWhile, type Fault, nothing } from './fault.ts'

const SWITCH_EVERY_MS = 20

// SQL: ends every connection of the service.
export const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
   where datname = 'manilla' and pid <> pg_backend_pid() and backend_type = 'client backend'`

const killPostmaster: Fault = {
  name: 'kill-postmaster',
  async inject({ database }) {
    await database.server.end('SIGKILL')
    return { lastsMs: 0, heal: nothing }
  },
}

const freezePostmaster: Fault = {
  name: 'freeze-postmaster',
  async inject({ database: { server } }, random) {
    server.signal('SIGSTOP')
    return { lastsMs: aWhile(random), heal: async () => server.signal('SIGCONT') }
  },
}

const killBackend: Fault = {
  name: 'kill-backend',
  async inject({ database }, random) {
    const backends = database.backends()
    if (backends.length > 0) kill(random.pick(backends), 'SIGKILL')
    return { lastsMs: 0, heal: nothing }
  },
}

const freezeBackends: Fault = {
  name: 'freeze-backends',
  async inject({ database }, random) {
    const chosen = database.backends().filter(() => random.happens(0.4))
    for (const pid of chosen) kill(pid, 'SIGSTOP')
    return {
      detail: `${chosen.length}`,
      lastsMs: aWhile(random),
      async heal() {
        for (const pid of chosen) kill(pid, 'SIGCONT')
      },
    }
  },
}

const terminateBackends: Fault = {
  name: 'terminate-backends',
  async inject({ database }, random) {
    const isAll = random.happens(0.5)
    await database
      .query(isAll ? TERMINATE : `${TERMINATE} order by random() limit 1`)
      .catch(() => {})
    return { detail: isAll ? 'all' : 'one', lastsMs: 0, heal: nothing }
  },
}

// Filling a disk needs a volume of its own, which not every machine allows.
function whyNotFull({ volumes }: Target): string | undefined {
  return volumes.whyNotFull
}

const fullDisk: Fault = {
  name: 'disk-full-data',
  whyNot: whyNotFull,
  async inject({ volumes: { data } }, random) {
    data.fill()
    return { lastsMs: aWhile(random), heal: async () => data.free() }
  },
}

const fullWal: Fault = {
  name: 'disk-full-wal',
  whyNot: whyNotFull,
  async inject({ volumes: { wal }, database }, random) {
    wal.fill()
    let isOver = false
    // Starts a new log segment all the time, because the load alone would take seconds to fill one.
    const segmentSwitching = (async () => {
      while (!isOver) {
        await database.query('select txid_current(), pg_switch_wal()').catch(() => {})
        await sleep(SWITCH_EVERY_MS)
      }
    })()
    return {
      lastsMs: aWhile(random),
      async heal() {
        isOver = true
        wal.free()
        await segmentSwitching
      },
    }
  },
}

export const DATABASE_FAULTS: readonly Fault[] = [
  killPostmaster,
  freezePostmaster,
  killBackend,
  freezeBackends,
  terminateBackends,
  fullDisk,
  fullWal,
]
