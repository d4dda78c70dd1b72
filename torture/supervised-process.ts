// A process and its supervisor, like systemd or a container engine: if the process ends, the
// supervisor soon restarts it, until it is stopped. Its output goes to a log.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'

const RESTART_MS = 300

type Options = {
  name: string
  program: string
  args: readonly string[]
  log: string
  spawnOptions?: SpawnOptions
  env?: Readonly<Record<string, string>> | undefined
  hasChannel?: boolean // Whether to open an IPC channel to the process.
}

const running = new Set<SupervisedProcess>()

// Supervised processes end with this process, even if it ends without stopping them.
process.on('exit', () => {
  for (const supervised of running) supervised.signal('SIGKILL')
})

export class SupervisedProcess implements AsyncDisposable {
  readonly name: string
  readonly #options: Options
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #shouldRun = false
  #isStopped = false
  shiftMs = 0 // The shift of the process's clock, which a restart keeps.
  starts = 0

  constructor(options: Options) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined
  }

  get isRunning(): boolean {
    return this.#child !== undefined && !hasEnded(this.#child)
  }

  start(): void {
    this.#shouldRun = true
    running.add(this)
    if (!this.isRunning) this.#spawn()
  }

  signal(signal: NodeJS.Signals): void {
    if (signal === 'SIGSTOP') this.#isStopped = true
    if (signal === 'SIGCONT') this.#isStopped = false
    if (this.isRunning) this.#child?.kill(signal)
  }

  shiftClock(shiftMs: number): void {
    this.shiftMs = shiftMs
    if (this.isRunning && this.#child?.connected) this.#child.send({ shiftMs }, () => {})
  }

  // Sends the signal, and resolves when the process has ended. The supervisor then restarts the process,
  // unless stop() was called.
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || hasEnded(child)) return
    const ended = once(child, 'exit')
    this.signal(signal)
    await ended
  }

  // Ends the process without a restart.
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#shouldRun = false
    clearTimeout(this.#timer)
    if (this.#isStopped) this.signal('SIGCONT')
    await this.end(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL')
    running.delete(this)
  }

  // Starts the process, which is restarted when it ends for as long as it should run.
  #spawn(): void {
    const { program, args, log, spawnOptions = {}, env, hasChannel } = this.#options
    const output = openSync(log, 'a')
    const child = spawn(program, args, {
      ...spawnOptions,
      ...(env ? { env: { ...env, TORTURE_CLOCK_SHIFT_MS: `${this.shiftMs}` } } : {}),
      stdio: ['ignore', output, output, ...(hasChannel ? (['ipc'] as const) : [])],
    })
    closeSync(output)
    this.#child = child
    this.#isStopped = false
    this.starts++
    child.on('error', () => {}) // A message to a process that has just ended fails.
    child.once('exit', () => {
      if (!this.#shouldRun) return
      this.#timer = setTimeout(() => this.start(), RESTART_MS)
    })
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

// Signals any process by its id, also one that is not our child, like a backend of PostgreSQL.
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended in the meantime.
  }
}
