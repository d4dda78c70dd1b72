// Processes that are killed (-9) and restarted by their supervisor, that freeze and continue, and a
// rolling restart as in an upgrade.

import type { Role } from '../roles.ts'
import { kill } from '../supervised-process.ts'
import { aWhile, type Fault, type Injected, nothing } from './fault.ts'

type Kind = 'apis' | 'workers'

// Kills a random process of this kind, which its supervisor restarts.
function killProcess(name: string, kind: Kind): Fault {
  return {
    name,
    starts: 'one', // The restart of the killed process.
    async inject({ roles }, random) {
      const role = random.pick(roles[kind])
      await role.process.end('SIGKILL')
      return { detail: role.process.name, lastsMs: 0, heal: nothing }
    },
  }
}

// Makes a fault that freezes the processes of one random group. `groupsOf` returns the groups to choose from:
// each process alone, or all together.
function freezeRandomGroup(
  name: string,
  groupsOf: (roles: { apis: Role[]; workers: Role[] }) => Role[][],
): Fault {
  return {
    name,
    async inject({ roles }, random) {
      const chosen = random.pick(groupsOf(roles))
      return freezeProcesses(chosen, aWhile(random))
    },
  }
}

// Stops the processes with SIGSTOP; healing continues them.
function freezeProcesses(roles: readonly Role[], lastsMs: number): Injected {
  for (const { process } of roles) process.signal('SIGSTOP')
  return {
    detail: roles.map(({ process }) => process.name).join(', '),
    lastsMs,
    async heal() {
      for (const { process } of roles) process.signal('SIGCONT')
    },
  }
}

const killEverything: Fault = {
  name: 'kill-everything',
  starts: 'many',
  async inject({ roles, database }) {
    const ended = [
      ...roles.all.map(({ process }) => process.end('SIGKILL')),
      database.server.end('SIGKILL'),
    ]
    for (const pid of database.processes()) kill(pid, 'SIGKILL')
    await Promise.all(ended)
    return { lastsMs: 0, heal: nothing }
  },
}

// Restarts one process after another, as in an upgrade: the next one only when the last is ready.
const rollingRestart: Fault = {
  name: 'rolling-restart',
  starts: 'many',
  async inject({ roles }) {
    return {
      lastsMs: 0,
      async heal() {
        for (const role of roles.all) {
          await role.process.end('SIGTERM')
          await roles.ready([role])
        }
      },
    }
  },
}

export const PROCESS_FAULTS: readonly Fault[] = [
  killProcess('kill-api', 'apis'),
  killProcess('kill-worker', 'workers'),
  {
    name: 'kill-apis',
    starts: 'many',
    async inject({ roles: { apis } }) {
      await Promise.all(apis.map(({ process }) => process.end('SIGKILL')))
      return { detail: 'both', lastsMs: 0, heal: nothing }
    },
  },
  killEverything,
  freezeRandomGroup('freeze-api', ({ apis }) => apis.map((api) => [api])),
  freezeRandomGroup('freeze-worker', ({ workers }) => workers.map((worker) => [worker])),
  freezeRandomGroup('freeze-everything', ({ apis, workers }) => [[...apis, ...workers]]),
  rollingRestart,
]
