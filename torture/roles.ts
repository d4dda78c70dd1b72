// The service as an operator runs it: two API processes and two workers on one database, each its
// own process with a supervisor, and a clock that can be set wrong.

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAIN } from '../test/support/child-service.ts'
import { freePort } from '../test/support/free-port.ts'
import { SupervisedProcess } from './supervised-process.ts'

const ROOT = join(import.meta.dirname, '..')
export const CLI = join(ROOT, 'cli/main.ts')
const CLOCK_SHIFT = join(import.meta.dirname, 'clock-shift.ts')
const READY_MAX_MS = 600_000
const PROBE_MAX_MS = 5_000

export type Role = { process: SupervisedProcess; url: string }
export type Roles = Awaited<ReturnType<typeof startRoles>>

type Options = {
  databaseUrl: string
  dataDir: string
  banks: { entries: readonly object[]; env: Record<string, string> }
  folder: string
  logs: string
}

// Starts two API processes and two workers with the same settings.
export async function startRoles({ databaseUrl, dataDir, banks, folder, logs }: Options) {
  const banksFile = join(folder, 'banks.json')
  writeFileSync(banksFile, JSON.stringify(banks.entries))
  const shared = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
    MANILLA_MODE: 'sandbox',
    MANILLA_DATA_DIR: dataDir,
    MANILLA_BANKS_FILE: banksFile,
    MANILLA_RATE_LIMITS: 'login=0,client=0,address=0,initiate=0,rail=0', // 0 means no limit.
    MANILLA_TOKEN_SECRETS: secret(),
    MANILLA_DATA_KEYS: `1:${secret()}`,
    MANILLA_HASH_KEY: secret(),
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    ...banks.env,
  }
  // Starts a process of the service under a supervisor. The clock faults shift its clock through the channel.
  const start = async (name: string, role: 'api' | 'worker'): Promise<Role> => {
    const port = await freePort()
    const env = { ...shared, [role === 'api' ? 'PORT' : 'MANILLA_WORKER_PORT']: `${port}` }
    const supervised = new SupervisedProcess({
      name,
      program: process.execPath,
      args: ['--import', CLOCK_SHIFT, MAIN, role],
      log: join(logs, `${name}.log`),
      spawnOptions: { cwd: folder },
      env,
      hasChannel: true,
    })
    supervised.start()
    return { process: supervised, url: `http://127.0.0.1:${port}` }
  }
  // The first process migrates the database. The others start when it is ready.
  const first = await start('api-1', 'api')
  await untilReady(first)
  const apis = [first, await start('api-2', 'api')]
  const workers = [await start('worker-1', 'worker'), await start('worker-2', 'worker')]
  const all = [...apis, ...workers]
  const ready = async (roles: readonly Role[] = all) => {
    await Promise.all(roles.map(untilReady))
  }
  await ready()
  return {
    apis,
    workers,
    all,
    ready,
    env: shared,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((role) => role.process[Symbol.asyncDispose]()))
    },
  }
}

function secret(): string {
  return randomBytes(32).toString('base64')
}

// Waits until a process of the service can use its database, by its path /ready.
async function untilReady({ process: { name }, url }: Role): Promise<void> {
  const giveUpAtMs = performance.now() + READY_MAX_MS
  while (!(await isReady(url))) {
    if (performance.now() > giveUpAtMs) {
      throw new Error(`${name} was not ready within ${READY_MAX_MS / 1000} s`)
    }
    await sleep(50)
  }
}

// Whether the process answers /ready with success, and within PROBE_MAX_MS.
async function isReady(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(PROBE_MAX_MS) })
    return ok
  } catch {
    return false
  }
}
