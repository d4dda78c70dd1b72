// Inspects another process (its parent, its arguments and its working folder), and starts a child that does
// not outlive us. Inspection uses /proc on Linux and ps elsewhere.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { type ServerUser, spawnOptions } from './data-directory.ts'

type Process = {
  parentPid: number
  // Exact arguments from /proc. ps joins them with spaces, so they are split at spaces.
  args: string[]
  // Device and inode of its working folder, if the system provides them.
  folder: string | undefined
}

// Finds a running process by its PID. Returns undefined if no such process runs. A zombie counts as not
// running.
export function findProcess(pid: number): Process | undefined {
  return existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid)
}

// Reads a process from /proc. An empty command line means a zombie.
function fromProc(pid: number): Process | undefined {
  try {
    const cmdline = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (!cmdline) return undefined
    // The name, in parentheses, may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { parentPid: Number(parent), args: cmdline.split('\0'), folder: workingFolder(pid) }
  } catch {
    return undefined
  }
}

// Returns the working folder of a process; undefined if we may not read it.
function workingFolder(pid: number): string | undefined {
  try {
    return folderId(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

// Reads a process with ps, on systems without /proc. A state that begins with Z means a zombie.
function fromPs(pid: number): Process | undefined {
  const ps = spawnSync('ps', [
    '-ww',
    '-o',
    'ppid=',
    '-o',
    'stat=',
    '-o',
    'command=',
    '-p',
    `${pid}`,
  ])
  const [parent, state, ...args] = ps.stdout?.toString().trim().split(/\s+/) ?? []
  if (!parent || state?.startsWith('Z')) return undefined
  return { parentPid: Number(parent), args, folder: undefined }
}

// Identifies a folder even if it is moved or mounted elsewhere.
export function folderId(path: string): string {
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}

// A guarded process does not outlive us. A guard shell holds a pipe from us and sends the process SIGINT when
// the pipe closes, however we exit. Both run in a separate session: Ctrl-C reaches only us, and we drain
// before the server stops.

export type GuardedProcess = {
  pid: number
  exited: Promise<{ code: number | null }>
  lastLines(): string[]
  signal(signal: NodeJS.Signals): void
}

type Options = {
  program: string
  folder: string
  // Receives the path under which the program can open its folder.
  args: (folder: string) => string[]
  account: ServerUser
  byDescriptor: boolean
  env?: Record<string, string>
  onLog?: (line: string) => void
}

const LINES_KEPT = 20

// The shell starts the guard in the background and then replaces itself by the program ($0), so the program
// is guarded from its first instruction. The guard is forked twice, so that the program is our own child and
// the guard is not the program's child: PostgreSQL treats the death of an unknown child as a crash.
const SCRIPT = `
( ( read -r word <&3; [ "$word" = ended ] || kill -INT $$ ) >/dev/null 2>&1 4<&- & )
exec "$0" "$@" 3<&-
`

// Starts a guarded process. With byDescriptor, a user that cannot traverse to the directory (below /root, for
// example) inherits the directory as an open descriptor and reopens it through /proc. The data stays in
// place, and the mode of no parent directory changes. Entry 3 of `stdio` is the pipe to the guard, and entry
// 4 the directory.
export async function spawnGuarded(options: Options): Promise<GuardedProcess> {
  const { program, folder, args, account, byDescriptor, env, onLog = () => {} } = options
  const descriptor = byDescriptor && openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const path = byDescriptor ? '/proc/self/fd/4' : folder // Entry 4 of `stdio` below is this descriptor.
  try {
    const child = spawn('/bin/sh', ['-c', SCRIPT, program, ...args(path)], {
      ...spawnOptions(account, env),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', descriptor === false ? 'ignore' : descriptor],
    })
    const exited = watchExit(child)
    const lastLines = keepLastLines(child, onLog)
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return {
      pid: child.pid as number,
      exited,
      lastLines: () => [...lastLines],
      signal: (signal) => void child.kill(signal),
    }
  } finally {
    if (descriptor !== false) closeSync(descriptor)
  }
}

// Resolves when the process has ended and all its output is read. Tells the guard first, through the pipe
// (entry 3 of stdio): the guard must not signal after the exit, because the PID may be reused.
function watchExit(child: ChildProcess): Promise<{ code: number | null }> {
  const pipe = child.stdio[3] as Duplex
  pipe.on('error', () => {}) // The guard itself may have been killed.
  pipe.resume()
  child.once('exit', () => pipe.end('ended\n'))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code })))
}

// Collects the last lines of output, for error messages. Always reads the output: a full pipe would stop the
// server.
function keepLastLines(child: ChildProcess, onLog: (line: string) => void): string[] {
  const lines: string[] = []
  for (const input of [child.stdout, child.stderr]) {
    if (!input) continue
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      if (lines.length > LINES_KEPT) lines.shift()
      onLog(line)
    })
  }
  return lines
}
