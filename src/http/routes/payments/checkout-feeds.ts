// Live status for open checkout pages. One reader polls all watched advices and sends changes to
// their watchers.
//
// Only the last state sent is kept, so a reconnecting page gets the present, not a history.
// Watchers are bounded; pages without a slot poll instead.

import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { BEAT } from '#http/event-streams.ts'
import type { AdviceId } from '#ids.ts'
import type { Logger } from '#log.ts'

// A checkout as text, a JSON object, and what the time was just before it was read: the page's countdown
// goes by it, and it takes nothing that is older than what it has. By the time after the reading, a state
// that was read before another could pass for newer, for good.
type Seen = { now: string; text: string }

// Those that do not exist are left out.
type ReadCheckouts = (adviceIds: readonly AdviceId[]) => Promise<Map<string, Seen>>

type Watching = { adviceId: AdviceId; address: string; socket: ServerResponse; seen: Seen }

// In one process. Many phones share one address with their neighbours.
const WATCHERS_MAX = 5_000
export const WATCHERS_PER_ADDRESS_MAX = 200
export const WATCHERS_PER_ADVICE_MAX = 10

const POLL_MS = 400
const HEARTBEAT_MS = 15_000
const READ_MAX = 500 // In one statement.
const BUFFER_BYTES_MAX = 65_536
const FAREWELL_MS = 1_000

type Options = {
  read: ReadCheckouts
  log: Logger
  pollMs?: number
  heartbeatMs?: number
}

export class CheckoutFeeds {
  readonly #options: Required<Options>
  readonly #watchers = new Set<Watching>()
  readonly #byAdvice = new Map<AdviceId, number>()
  readonly #byAddress = new Map<string, number>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = { pollMs: POLL_MS, heartbeatMs: HEARTBEAT_MS, ...options }
  }

  get size(): number {
    return this.#watchers.size
  }

  hasRoom(adviceId: AdviceId, address: string): boolean {
    return (
      this.#watchers.size < WATCHERS_MAX &&
      (this.#byAdvice.get(adviceId) ?? 0) < WATCHERS_PER_ADVICE_MAX &&
      (this.#byAddress.get(address) ?? 0) < WATCHERS_PER_ADDRESS_MAX
    )
  }

  watch(watching: Watching): void {
    const { adviceId, address, socket } = watching
    this.#watchers.add(watching)
    count(this.#byAdvice, adviceId, 1)
    count(this.#byAddress, address, 1)
    const heart = setInterval(() => this.#beat(socket), this.#options.heartbeatMs)
    socket.once('close', () => {
      clearInterval(heart)
      this.#watchers.delete(watching)
      count(this.#byAdvice, adviceId, -1)
      count(this.#byAddress, address, -1)
    })
    send(socket, frameOf(watching.seen))
    this.#running ??= this.#run()
  }

  // Ends every stream; returns when nothing reads the database any more.
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { socket } of this.#watchers) end(socket)
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (this.#watchers.size > 0 && !signal.aborted) {
      await pause(this.#options.pollMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await this.#round()
    }
    // Immediately, so that a new watcher does not rely on a reader that has stopped.
    this.#running = undefined
  }

  async #round(): Promise<void> {
    const ids = [...this.#byAdvice.keys()]
    for (let at = 0; at < ids.length; at += READ_MAX) {
      try {
        this.#tell(await this.#options.read(ids.slice(at, at + READ_MAX)))
      } catch (error) {
        this.#options.log.warn({ err: error }, 'failed to read open checkouts') // Next round is soon.
      }
    }
  }

  #tell(checkouts: Map<string, Seen>): void {
    for (const watching of this.#watchers) {
      const seen = checkouts.get(watching.adviceId)
      if (!seen || seen.text === watching.seen.text) continue
      if (seen.now < watching.seen.now) continue // Nor would the page take it. The next is newer.
      watching.seen = seen
      send(watching.socket, frameOf(seen))
    }
  }

  #beat(socket: ServerResponse): void {
    send(socket, BEAT)
  }
}

function frameOf({ now, text }: Seen): string {
  return `data: {"now":${JSON.stringify(now)},${text.slice(1)}\n\n`
}

function count<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const left = (counts.get(key) ?? 0) + by
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

function send(socket: ServerResponse, text: string): void {
  if (!socket.writable) return
  socket.write(text)
  if (socket.writableLength > BUFFER_BYTES_MAX) socket.destroy()
}

function end(socket: ServerResponse): void {
  socket.end()
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
