// Helpers for tests of the embedded database server: child processes that start a server, process lists, and
// `until`, which waits for a condition.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { patience } from './patience.ts'

const CHILD = fileURLToPath(new URL('./embedded-child.ts', import.meta.url))
const UNTIL_MAX_MS = patience(30_000)

type Message = {
  ready?: true
  pid?: number
  connectionString?: string
  firstStart?: boolean
  problem?: string
  name?: string
  answer?: string
}

// Starts a Node process in its own process group. It loads its modules and then waits for `go`, which starts
// the embedded server. `next` is the next message that the process prints.
export async function spawnHolder(dataDir: string) {
  const child = spawn(process.execPath, [CHILD, dataDir], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const closed = once(child, 'close')
  const next = async (): Promise<Message> => JSON.parse((await lines.next()).value ?? '{}')
  // Waits for the first message, which says that the modules are loaded.
  await next()
  const pid = child.pid as number
  return {
    pid,
    closed,
    next,
    go: () => void child.stdin.write('go\n'),
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

// Runs one query on a connection of its own; returns the rows as arrays.
export async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

// The ids of processes whose command line contains the text, for example a data directory: the server, its
// guard, an initdb.
export function processesWith(text: string): number[] {
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10))
}

// Whether the process exists and is not a zombie (state Z).
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' })
  return /^[^Z]/.test(stdout.trim())
}

// Waits until `isSo` is true; fails after `maxMs` with the description of what never became true.
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  maxMs = UNTIL_MAX_MS,
): Promise<void> {
  const giveUpAtMs = performance.now() + maxMs
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`never so: ${what}`)
    await sleep(5)
  }
}
