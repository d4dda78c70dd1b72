// Live events for open pages. Each client with listeners has one feed, which reads its new events
// from the database for all of them; a client without listeners costs nothing.
//
//   catching up ─▶ live ─▶ closed        (whoever is closed resumes by the last number it has)
//
// A listener that is behind reads for itself, no faster than it takes, until it has what the feed
// has. A live one that does not take what it is sent is closed: memory stays bounded.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { BEAT } from '#http/event-streams.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'

export type Frame = { sequence: bigint; text: string; isAlert?: boolean }
type ReadFrames = (clientId: ClientId, after: bigint, limit: number) => Promise<Frame[]>

type Listening = {
  clientId: ClientId
  holder: string // The token or user that opened it.
  after: bigint // Has everything up to this number.
  socket: ServerResponse
  isAllowed: () => Promise<boolean> // Asked every second.
  withoutAlerts?: boolean
}

type Listener = Listening & { gone: AbortSignal }
type Feed = { position: bigint; listeners: Set<Listener>; running: Promise<void> }

// In one process: of one client, and of one token or user, so that none takes the others' places.
export const LISTENERS_MAX = 50
export const HOLDER_LISTENERS_MAX = 10

const POLL_MS = 500
const HEARTBEAT_MS = 15_000
const CHECK_MS = 1_000
const FRAMES_MAX = 100
const BUFFER_BYTES_MAX = 1_048_576
// A reader that takes nothing for this long while it catches up.
const STALLED_MS = 60_000
// For the last bytes, when we stop.
const FAREWELL_MS = 1_000

type Options = {
  read: ReadFrames
  log: Logger
  pollMs?: number
  heartbeatMs?: number
  checkMs?: number
}

export class EventFeeds {
  readonly #read: ReadFrames
  readonly #log: Logger
  readonly #pollMs: number
  readonly #heartbeatMs: number
  readonly #checkMs: number
  readonly #feeds = new Map<ClientId, Feed>()
  readonly #listeners = new Set<Listener>()
  readonly #starting = new Set<Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(options: Options) {
    const { read, log } = options
    const { pollMs = POLL_MS, heartbeatMs = HEARTBEAT_MS, checkMs = CHECK_MS } = options
    this.#read = read
    this.#log = log
    this.#pollMs = pollMs
    this.#heartbeatMs = heartbeatMs
    this.#checkMs = checkMs
  }

  hasRoom(clientId: ClientId, holder: string): boolean {
    const ofClient = [...this.#listeners].filter((each) => each.clientId === clientId)
    const own = ofClient.filter((each) => each.holder === holder)
    return ofClient.length < LISTENERS_MAX && own.length < HOLDER_LISTENERS_MAX
  }

  // How many clients are being read for.
  get size(): number {
    return this.#feeds.size
  }

  listen(listening: Listening): void {
    const { socket } = listening
    const leaving = new AbortController()
    const listener = { ...listening, gone: leaving.signal }
    this.#listeners.add(listener)
    const heart = setInterval(() => beat(listener), this.#heartbeatMs)
    void this.#watch(listener)
    socket.once('close', () => {
      clearInterval(heart)
      leaving.abort()
      this.#listeners.delete(listener)
      this.#feeds.get(listener.clientId)?.listeners.delete(listener)
    })
    const starting = this.#start(listener)
    this.#starting.add(starting)
    void starting.finally(() => this.#starting.delete(starting))
  }

  // Ends every stream; returns when nothing reads the database any more.
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { socket } of this.#listeners) end(socket)
    await Promise.all([...this.#starting, ...[...this.#feeds.values()].map((feed) => feed.running)])
  }

  async #start(listener: Listener): Promise<void> {
    try {
      await this.#catchUp(listener)
    } catch (error) {
      if (listener.gone.aborted || this.#stopping.signal.aborted) return
      this.#log.warn({ err: error }, 'event stream closed')
      listener.socket.destroy()
    }
  }

  // From the last look at the feed to joining it nothing may be awaited: no event falls between.
  async #catchUp(listener: Listener): Promise<void> {
    for (;;) {
      const frames = await this.#read(listener.clientId, listener.after, FRAMES_MAX)
      if (listener.gone.aborted || this.#stopping.signal.aborted) return
      send(listener, frames)
      const feed = this.#feeds.get(listener.clientId)
      const hasAll = frames.length < FRAMES_MAX && (!feed || listener.after >= feed.position)
      if (hasAll) return this.#join(listener, feed)
      if (listener.socket.writableNeedDrain) {
        const signal = AbortSignal.any([listener.gone, AbortSignal.timeout(STALLED_MS)])
        await once(listener.socket, 'drain', { signal })
      }
    }
  }

  #join(listener: Listener, feed: Feed | undefined): void {
    if (feed) {
      feed.listeners.add(listener)
      return
    }
    const { clientId, after } = listener
    const made: Feed = {
      position: after,
      listeners: new Set([listener]),
      running: Promise.resolve(),
    }
    this.#feeds.set(clientId, made)
    made.running = this.#run(clientId, made)
  }

  async #run(clientId: ClientId, feed: Feed): Promise<void> {
    const { signal } = this.#stopping
    while (feed.listeners.size > 0 && !signal.aborted) {
      const isFull = await this.#round(clientId, feed)
      if (!isFull) await pause(this.#pollMs, undefined, { signal }).catch(() => {})
    }
    this.#feeds.delete(clientId)
  }

  async #round(clientId: ClientId, feed: Feed): Promise<boolean> {
    try {
      const frames = await this.#read(clientId, feed.position, FRAMES_MAX)
      for (const listener of feed.listeners) send(listener, frames)
      feed.position = frames.at(-1)?.sequence ?? feed.position
      return frames.length === FRAMES_MAX
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to read new events') // And are, by the next round.
      return false
    }
  }

  // Expired tokens, suspended clients and disabled users get no more events.
  async #watch({ socket, isAllowed, gone }: Listener): Promise<void> {
    while (!gone.aborted) {
      await pause(this.#checkMs, undefined, { signal: gone }).catch(() => {})
      if (!gone.aborted && !(await isAllowed())) return end(socket)
    }
  }
}

function beat({ socket }: Listener): void {
  if (socket.writable) socket.write(BEAT)
}

function send(listener: Listener, frames: readonly Frame[]): void {
  const { socket, withoutAlerts } = listener
  const fresh = frames.filter(({ sequence }) => sequence > listener.after)
  const last = fresh.at(-1)
  if (!last || !socket.writable) return
  const shown = withoutAlerts ? fresh.filter(({ isAlert }) => !isAlert) : fresh
  socket.write(shown.map(({ text }) => text).join(''))
  listener.after = last.sequence
  if (socket.writableLength > BUFFER_BYTES_MAX) socket.destroy()
}

// One that does not take even the last bytes is not waited for.
function end(socket: ServerResponse): void {
  socket.end()
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
