// GET /api/v1/events/stream: live events (SSE), and the feeds that read them.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '#errors.ts'
import { bearerToken } from '#http/authentication.ts'
import { BEAT, openEventStream } from '#http/connections.ts'
import type { Deps } from '#http/deps.ts'
import { wholeQuery } from '#http/lists.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import { eventPresenter } from './event-views.ts'
import { readEventsAfter, sequenceEnds } from './events.ts'

// An event as the stream sends it. `text` is empty if the client may not see the event.
export type Frame = { sequence: bigint; text: string; isAlert?: boolean }
type ReadFrames = (clientId: ClientId, after: bigint, limit: number) => Promise<Frame[]>

type Listening = {
  clientId: ClientId
  holder: string // The token or user that opened the stream.
  after: bigint // The listener has every event up to this number.
  socket: ServerResponse
  isAllowed: () => Promise<boolean> // Whether the listener may still read the stream; called every second.
  withoutAlerts?: boolean
}

type Listener = Listening & { gone: AbortSignal }
// `position` is the number of the last event that the feed has read.
type Feed = { position: bigint; listeners: Set<Listener>; running: Promise<void> }

// The most listeners in one process: per client, and per token or user. The limits keep one client or user
// from taking the places of others.
export const LISTENERS_MAX = 50
export const HOLDER_LISTENERS_MAX = 10

const POLL_MS = 500
const HEARTBEAT_MS = 15_000
const CHECK_MS = 1_000
const FRAMES_MAX = 100
const BUFFER_BYTES_MAX = 1_048_576
// A listener that accepts nothing for this long while it catches up is closed.
const STALLED_MS = 60_000
// A stream that ends has this long to send its last bytes; then its connection is destroyed.
const FAREWELL_MS = 1_000

// Feeds of live events for open pages. Each client with listeners has one feed, which reads the client's new
// events from the database once for all listeners. A client without listeners costs nothing.
//
//   catching up ─▶ live ─▶ closed        (a closed listener may connect again after its last number)
//
// A listener that is behind reads from the database itself, no faster than its socket accepts, until it
// has every event that the feed has. A live listener whose socket stops accepting is closed, so that
// memory stays bounded.
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

  constructor(options: {
    read: ReadFrames
    log: Logger
    pollMs?: number
    heartbeatMs?: number
    checkMs?: number
  }) {
    const { read, log } = options
    const { pollMs = POLL_MS, heartbeatMs = HEARTBEAT_MS, checkMs = CHECK_MS } = options
    this.#read = read
    this.#log = log
    this.#pollMs = pollMs
    this.#heartbeatMs = heartbeatMs
    this.#checkMs = checkMs
  }

  // Whether the client and the holder may open another stream.
  hasRoom(clientId: ClientId, holder: string): boolean {
    const clientListeners = [...this.#listeners].filter(
      (listener) => listener.clientId === clientId,
    )
    const holderListeners = clientListeners.filter((listener) => listener.holder === holder)
    return clientListeners.length < LISTENERS_MAX && holderListeners.length < HOLDER_LISTENERS_MAX
  }

  // The number of clients with a feed.
  get size(): number {
    return this.#feeds.size
  }

  // Starts a stream on an open response: heartbeats, checks of access, and events.
  listen(listening: Listening): void {
    const { socket } = listening
    const leaving = new AbortController()
    const listener = { ...listening, gone: leaving.signal }
    this.#listeners.add(listener)
    const heartbeat = setInterval(() => sendHeartbeat(listener), this.#heartbeatMs)
    void this.#endWhenForbidden(listener)
    socket.once('close', () => {
      clearInterval(heartbeat)
      leaving.abort()
      this.#listeners.delete(listener)
      this.#feeds.get(listener.clientId)?.listeners.delete(listener)
    })
    const starting = this.#start(listener)
    this.#starting.add(starting)
    void starting.finally(() => this.#starting.delete(starting))
  }

  // Ends every stream. Resolves when no stream reads the database any more.
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { socket } of this.#listeners) endStream(socket)
    await Promise.all([...this.#starting, ...[...this.#feeds.values()].map((feed) => feed.running)])
  }

  // Catches up and then joins the feed. Closes the stream on an error; the listener can connect again.
  async #start(listener: Listener): Promise<void> {
    try {
      await this.#catchUp(listener)
    } catch (error) {
      if (listener.gone.aborted || this.#stopping.signal.aborted) return
      this.#log.warn({ err: error }, 'event stream closed')
      listener.socket.destroy()
    }
  }

  // Sends a listener the stored events that it does not have, and then adds it to the client's feed. There
  // must be no await between the last check of the feed's position and joining the feed; otherwise the
  // listener could miss an event.
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

  // Adds a listener that has every event to the client's feed, and starts the feed with the first listener.
  #join(listener: Listener, feed: Feed | undefined): void {
    if (feed) {
      feed.listeners.add(listener)
      return
    }
    const { clientId, after } = listener
    const newFeed: Feed = {
      position: after,
      listeners: new Set([listener]),
      running: Promise.resolve(),
    }
    this.#feeds.set(clientId, newFeed)
    newFeed.running = this.#run(clientId, newFeed)
  }

  // Reads new events for the listeners of a feed, until the last one leaves.
  async #run(clientId: ClientId, feed: Feed): Promise<void> {
    const { signal } = this.#stopping
    while (feed.listeners.size > 0 && !signal.aborted) {
      const isFull = await this.#round(clientId, feed)
      if (!isFull) await pause(this.#pollMs, undefined, { signal }).catch(() => {})
    }
    this.#feeds.delete(clientId)
  }

  // Reads new events once and sends them to all listeners. Returns whether more events may be waiting.
  async #round(clientId: ClientId, feed: Feed): Promise<boolean> {
    try {
      const frames = await this.#read(clientId, feed.position, FRAMES_MAX)
      for (const listener of feed.listeners) send(listener, frames)
      feed.position = frames.at(-1)?.sequence ?? feed.position
      return frames.length === FRAMES_MAX
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to read new events') // The next round reads them.
      return false
    }
  }

  // Checks every second whether the listener may still read the stream, and ends the stream if its token has
  // expired, or its client or user was disabled.
  async #endWhenForbidden({ socket, isAllowed, gone }: Listener): Promise<void> {
    while (!gone.aborted) {
      await pause(this.#checkMs, undefined, { signal: gone }).catch(() => {})
      if (!gone.aborted && !(await isAllowed())) return endStream(socket)
    }
  }
}

// Sends a heartbeat, so that proxies and the listener know that the stream is alive.
function sendHeartbeat({ socket }: Listener): void {
  if (socket.writable) socket.write(BEAT)
}

// Sends a listener the events that it does not have. Destroys a stream whose listener reads too slowly.
function send(listener: Listener, frames: readonly Frame[]): void {
  const { socket, withoutAlerts } = listener
  const newFrames = frames.filter(({ sequence }) => sequence > listener.after)
  const last = newFrames.at(-1)
  if (!last || !socket.writable) return
  const visible = withoutAlerts ? newFrames.filter(({ isAlert }) => !isAlert) : newFrames
  socket.write(visible.map(({ text }) => text).join(''))
  listener.after = last.sequence
  if (socket.writableLength > BUFFER_BYTES_MAX) socket.destroy()
}

// Ends a connection, and destroys it if it does not even take the last bytes.
function endStream(socket: ServerResponse): void {
  socket.end()
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}

const LastEventId = wholeQuery(
  '^[0-9]{1,18}$',
  {},
  {
    description:
      'Resume after this sequence. The query parameter lastEventId does the same where a client ' +
      'cannot set headers; the header takes precedence.',
    'x-says': 'Must be a whole number.',
  },
)
const DESCRIPTION =
  'Server-sent events: `id` is the sequence, `event` the type, `data` the body as delivered to ' +
  'webhooks. Starts with new events, or after Last-Event-ID. Every 15 seconds an event `beat` without ' +
  'an `id` follows as a heartbeat; ignore it, and any event you do not know. A token or user may ' +
  'have 10 open (too_many_streams). Slow readers and expired tokens are disconnected; ' +
  'reconnect with Last-Event-ID to resume without loss.'

export const eventStreamRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, log, authentication } = deps
  const presentEvents = eventPresenter(deps)
  const feeds = new EventFeeds({ read: readFrames, log })
  // Stops the feeds first, because closing the server waits for open connections.
  app.addHook('preClose', () => feeds.stop())

  app.get(
    '/api/v1/events/stream',
    {
      exposeHeadRoute: false, // A HEAD request would never end.
      onRequest: authentication.requires('webhooks:read'),
      config: { isStream: true, errors: ['too_many_streams'] },
      schema: {
        operationId: 'streamEvents',
        tags: ['Events'],
        summary: 'Stream events',
        description: DESCRIPTION,
        security: BEARER,
        querystring: strictObject({ lastEventId: LastEventId }),
        headers: Type.Object({ 'last-event-id': LastEventId }),
        response: {
          200: { content: { 'text/event-stream': { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      const { client, withoutAlerts } = request
      const ends = await sequenceEnds(db, client.id)
      const holder = holderOf(request)
      if (!feeds.hasRoom(client.id, holder)) throw new Refusal('too_many_streams')
      const lastId = request.headers['last-event-id'] ?? request.query.lastEventId
      const after = lastId === undefined ? ends.last : clamped(BigInt(lastId), ends)
      // A failure other than a refusal, such as a lost database connection, does not end the stream.
      const isAllowed = () =>
        authentication.identifyAgain(request, 'webhooks:read').then(
          (identified) => identified.withoutAlerts === withoutAlerts,
          (error) => !(error instanceof Refusal),
        )

      const socket = openEventStream(reply, after)
      if (!socket) return // The listener disconnected during the look-up.
      feeds.listen({ clientId: client.id, holder, after, socket, isAllowed, withoutAlerts })
    },
  )

  // Reads a client's next events in the form in which the stream sends them.
  async function readFrames(clientId: ClientId, after: bigint, limit: number): Promise<Frame[]> {
    const events = await readEventsAfter(db, clientId, { sequence: after, limit })
    const bodies = await presentEvents(db, events)
    return events.map(({ sequence, type, isVisible }, index) => ({
      sequence,
      isAlert: type === 'alert.raised',
      text: isVisible
        ? `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(bodies[index])}\n\n`
        : '',
    }))
  }
}

// Returns the user who holds the stream, or the hash of a client's token. The number of open streams is
// limited for each holder.
function holderOf({ actor, isPerson, headers }: FastifyRequest): string {
  if (isPerson) return actor
  return createHash('sha256')
    .update(bearerToken(headers.authorization) ?? '')
    .digest('hex')
}

// Returns the sequence after which a new stream starts. A listener that asks for events that are no longer
// stored starts with the oldest stored one; a sequence beyond the last event is lowered to the last.
function clamped(sequence: bigint, { last, dropped }: { last: bigint; dropped: bigint }): bigint {
  if (sequence > last) return last
  return sequence < dropped ? dropped : sequence
}
