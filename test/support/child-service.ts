// Runs the service as a process with its own data folder. Tests send it HTTP requests and kill it. It
// inherits only PATH and the compile cache from the test's environment.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, until } from './embedded-bench.ts'

const ROOT = join(import.meta.dirname, '../..')
// The program of the service. A run of long tests names the bundle, which takes a third of the CPU time up to
// the check of its settings.
export const MAIN = process.env.TEST_SERVICE ?? join(ROOT, 'src/main.ts')
const TICKS_PER_SECOND = 100 // In /proc, on every Linux.
const { PATH = '', NODE_COMPILE_CACHE } = process.env
// V8's compile cache halves the time of a command.
export const PASSED_ON = { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) }
const WELCOME_END = 'Stop with Ctrl-C.'

export type Options = {
  folder: string // Its working folder, which also has its data.
  role?: string
  command?: readonly [string, ...string[]] // An operator types it; it runs in the repository's folder.
  env?: Record<string, string>
}

export type ChildService = Awaited<ReturnType<typeof startChild>>

// Starts the process without waiting until it is up: a test may expect that it never comes up.
export function spawnChild({ folder, role, command, env = {} }: Options) {
  const [program, ...args] = command ?? [process.execPath, MAIN, ...(role ? [role] : [])]
  const child = spawn(program, args, {
    cwd: command ? ROOT : folder,
    env: {
      ...PASSED_ON,
      MANILLA_DATA_DIR: dataDirOf(folder),
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const closed = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    output,
    closed,
    // Rejects if the process ends before it prints the words.
    async says(words: string): Promise<void> {
      const hasEnded = () => child.exitCode !== null || child.signalCode !== null
      await until(`it says ${words}`, () => output.out.includes(words) || hasEnded())
      if (!output.out.includes(words)) throw new Error(`it ended: ${output.out}${output.err}`)
    },
    async [Symbol.asyncDispose]() {
      for (const pid of processesOf(child)) kill(pid)
      await closed
    },
  }
}

// Starts the process and waits until it serves.
export async function startChild(options: Options) {
  const spawned = spawnChild(options)
  const { child, output, closed, says } = spawned
  try {
    await says(WELCOME_END)
  } catch (error) {
    await spawned[Symbol.asyncDispose]()
    throw error
  }
  const [, url = ''] = /API +(http:\S+)/.exec(output.out) ?? []
  const processes = processesOf(child)
  return {
    ...spawned,
    url,
    processes,
    // CPU time of all its processes so far, including ended ones.
    cpuMs: () => processesOf(child).reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    // The processes that serve HTTP, if there are several.
    httpProcesses: () => childrenOf(child).filter((pid) => commandOf(pid).includes(MAIN)),
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      child.kill(signal)
      return closed
    },
    // Kills with -9: the whole process tree, which includes database backends started since; or only the
    // database's first process; or only the service's. Resolves when no process of the tree runs.
    async kill(whom: 'everything' | 'database' | 'process'): Promise<void> {
      const tree = processesOf(child)
      const postmaster = postmasterOf(options.folder)
      if (whom === 'everything') for (const pid of tree) kill(pid)
      if (whom === 'database') kill(postmaster)
      if (whom === 'process') kill(child.pid)
      await closed
      await until('all of its processes are gone', () => !tree.some(isRunning))
    },
  }
}

// Logs in as the sandbox's client; returns its token.
export async function logIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/Account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

export function dataDirOf(folder: string): string {
  return join(folder, 'data')
}

// The connection string of the service's embedded database, for other programs while the service runs.
export function databaseOf(folder: string): string {
  const socket = join(dataDirOf(folder), 'postgres', postmasterLines(folder)[4] ?? '')
  return `postgres://manilla@/manilla?host=${encodeURIComponent(socket)}&port=5432&sslmode=disable`
}

// The process id of the embedded PostgreSQL server.
function postmasterOf(folder: string): number {
  return Number(postmasterLines(folder)[0])
}

function postmasterLines(folder: string): string[] {
  return readFileSync(join(dataDirOf(folder), 'postgres', 'postmaster.pid'), 'utf8').split('\n')
}

// The ids of a child, of its descendants, and of all processes in their process groups. The groups matter
// because the process that guards the database is not a descendant.
function processesOf({ pid }: ChildProcess): number[] {
  const { stdout } = spawnSync('ps', ['-ax', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' })
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number])
  const family = new Set<number>()
  const add = (member: number) => {
    if (family.has(member)) return
    family.add(member)
    for (const [child, parent] of rows) if (parent === member) add(child)
  }
  if (pid !== undefined) add(pid)
  for (const [member, , group] of rows) if (group !== pid && family.has(group)) add(member)
  return [...family]
}

// The ids of the processes that a process has started itself.
function childrenOf({ pid }: ChildProcess): number[] {
  const { stdout } = spawnSync('ps', ['-ax', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return rows.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))
}

function commandOf(pid: number): string {
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout
}

// CPU time of a process and of its ended children. Where there is no /proc, it is in whole seconds and
// leaves the ended children out.
export function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name, in parentheses, comes first and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // utime, stime, cutime and cstime.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return (ticks * 1000) / TICKS_PER_SECOND
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'time=', '-p', `${pid}`], { encoding: 'utf8' })
    return stdout.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0) * 1000
  }
}

// Kills a process with -9, if it still runs.
export function kill(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGKILL')
  } catch {
    // The process is already gone.
  }
}
