// A process and its supervisor, as systemd or a container engine is one: whatever ends it, it is
// started again soon after, until it is no longer wanted. What it says goes to a log.

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
  hasChannel?: boolean // For messages to it.
}

const running = new Set<SupervisedProcess>()

// Should we end without having stopped them, they end with us.
process.on('exit', () => {
  for (const each of running) each.signal('SIGKILL')
})

export class SupervisedProcess implements AsyncDisposable {
  readonly name: string
  readonly #options: Options
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #isWanted = false
  #isStopped = false
  shiftMs = 0 // Of its clock, when it is started again too.
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
    this.#isWanted = true
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

  // Resolves when it has ended; it is started again, if it is wanted.
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || hasEnded(child)) return
    const ended = once(child, 'exit')
    this.signal(signal)
    await ended
  }

  // Down for as long as nobody starts it.
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#timer)
    if (this.#isStopped) this.signal('SIGCONT')
    await this.end(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL')
    running.delete(this)
  }

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
    child.on('error', () => {}) // Of a message to a process that has just ended.
    child.once('exit', () => {
      if (!this.#isWanted) return
      this.#timer = setTimeout(() => this.start(), RESTART_MS)
    })
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

// Of a process that is not a child of ours.
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
