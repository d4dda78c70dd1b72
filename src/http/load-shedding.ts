// Load shedding: while the queue of a route's batches is too slow (src/hot-path/batcher.ts), refuses requests
// to the route before the framework handles them, without reading the body or checking credentials. At four
// times the capacity, three of four requests are refused, so a refusal must cost next to nothing.
//
// Requests that the LoadShedder does not recognise, such as a path with escapes, are refused by the queue.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyServerOptions, RouteOptions } from 'fastify'
import type { Clock } from '#clock.ts'
import type { Writers } from '#credits/writers.ts'
import { REFUSALS, Refusal } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import type { Metrics } from '#observability/metrics.ts'
import { drainableResponse } from './connections.ts'
import { endpointFamily, failureBody, RETRY_AFTER_SECONDS } from './envelopes.ts'
import { CORS_HEADERS, responseHeaders } from './headers.ts'
import { timedResponse } from './requests.ts'

const WRITES_PER_TURN = 8
const SHARE = 16 // Each turn begins at least 1/16 of the waiting writes, so that a long queue shrinks.

type Begin = () => void

// Begins the write requests (POST) of one burst a few at a time, and lets the event loop handle other input
// in between. When a batch is answered, all its callers send their next requests at once. Reading a hundred
// of them in a row would delay the database's answer to another batch by milliseconds, while PostgreSQL is
// idle.
//
// While no batch is being written, all writes begin at once, and a whole burst shares the next batch. Reads
// never wait: the reads of one burst go to the database together.
export class Turns {
  readonly #isWriting: () => boolean
  readonly #waiting: Begin[] = []
  #begun = 0 // The writes begun in this turn of the event loop.

  constructor(isWriting: () => boolean) {
    this.#isWriting = isWriting
  }

  // Begins a request now or in one of the next turns, in the order of arrival. Drops a request whose caller
  // has disconnected before its turn.
  take(request: IncomingMessage, begin: Begin): void {
    if (request.method !== 'POST') {
      begin()
      return
    }
    if (this.#begun === 0) setImmediate(this.#turn)
    this.#begun++
    const isFree = this.#begun <= WRITES_PER_TURN || !this.#isWriting()
    if (isFree && this.#waiting.length === 0) begin()
    else this.#waiting.push(() => request.destroyed || request.socket.destroyed || begin())
  }

  // Begins the next waiting writes. Runs once in each turn of the event loop, until none are left.
  readonly #turn = (): void => {
    const { length } = this.#waiting
    const count = this.#isWriting() ? Math.max(WRITES_PER_TURN, Math.ceil(length / SHARE)) : length
    const beginnings = this.#waiting.splice(0, count)
    this.#begun = beginnings.length
    if (beginnings.length > 0) setImmediate(this.#turn)
    for (const begin of beginnings) begin()
  }
}

const LOOK_EVERY_MS = 10
// How many connections each run of the timer resumes: while the service is overloaded, and otherwise.
const RESUMED_IF_OVERLOADED = 5
const RESUMED_OTHERWISE = 50
const REST_MAX_MS = 5_000
const RESTING_MAX = 4_000 // A third of CONNECTIONS_MAX (connections.ts).

type RestingDeps = {
  isOverloaded: () => boolean
  isDraining: () => boolean
  onCount: (resting: number) => void
}

// A connection whose request was refused under overload rests: the service does not read it for a while, and
// TCP makes the sender wait. Reading and refusing its next requests would take time from accepted requests.
// The service does not notice when a resting connection is closed, so at most RESTING_MAX rest at once.
//
// The service resumes connections in the order in which they began to rest: few at a time under overload,
// many otherwise, and all of them when it stops. No connection rests longer than about REST_MAX_MS.
export class RestingConnections {
  readonly #deps: RestingDeps
  #refused: Socket[] = []
  #resting: { socket: Socket; sinceMs: number }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(deps: RestingDeps) {
    this.#deps = deps
  }

  // Makes a connection rest once its response is sent. Until then, Node's server would resume it.
  add(socket: Socket): void {
    if (this.#resting.length + this.#refused.length >= RESTING_MAX) return
    if (this.#refused.push(socket) === 1) setImmediate(() => this.#pause())
  }

  // Pauses the connections whose refusals were sent, and starts the timer that resumes them.
  #pause(): void {
    const sinceMs = performance.now()
    for (const socket of this.#refused) {
      if (!socket.destroyed) this.#resting.push({ socket: socket.pause(), sinceMs })
    }
    this.#refused = []
    this.#deps.onCount(this.#resting.length)
    if (this.#timer || this.#resting.length === 0) return
    this.#timer = setInterval(() => this.#resumeSome(), LOOK_EVERY_MS).unref()
  }

  // Runs every LOOK_EVERY_MS while connections rest.
  #resumeSome(): void {
    const nowMs = performance.now()
    for (const { socket } of this.#resting.splice(0, this.#countToResume(nowMs))) socket.resume()
    this.#deps.onCount(this.#resting.length)
    if (this.#resting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  // How many connections to resume now. Under overload: those that have rested for REST_MAX_MS, and at least
  // as many as spread all of them evenly over REST_MAX_MS, so that they do not resume in one burst.
  #countToResume(nowMs: number): number {
    const { length } = this.#resting
    if (this.#deps.isDraining()) return length
    if (!this.#deps.isOverloaded()) return RESUMED_OTHERWISE
    // The longest-resting connections come first, so all before this index are overdue.
    const firstNotDue = this.#resting.findIndex(({ sinceMs }) => nowMs - sinceMs < REST_MAX_MS)
    const overdue = firstNotDue < 0 ? length : firstNotDue
    const evenShare = Math.ceil((length * LOOK_EVERY_MS) / REST_MAX_MS)
    return Math.max(RESUMED_IF_OVERLOADED, evenShare, overdue)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    queue?: keyof Omit<Writers, 'drain'> // The writer that this route's work waits for.
  }
}

type Deps = {
  mode: 'sandbox' | 'live'
  clock: Clock
  writers: Writers
  metrics: Metrics
  trustedProxies: readonly string[]
}
type Handler = (request: IncomingMessage, response: ServerResponse) => void

type QueueRoute = {
  path: RegExp
  writer: { readonly isOverloaded: boolean; readonly isWriting: boolean }
  headers: readonly string[] // Name, value, name, value, …
  body: readonly [string, string] // The parts before and after the request's id.
}

const PLACEHOLDER_ID = timeOrderedId(new Date(0)) // Replaced by each request's id in the prepared response.

export class LoadShedder {
  readonly #deps: Deps
  readonly #routes: QueueRoute[] = []
  readonly #resting = new RestingConnections({
    isOverloaded: () => this.#routes.some(({ writer }) => writer.isOverloaded),
    isDraining: () => this.#isDraining(),
    onCount: (count) => this.#deps.metrics.resting.set(count),
  })
  #isDraining: () => boolean = () => false

  readonly #isProxy: (address: string) => boolean

  constructor(deps: Deps) {
    this.#deps = deps
    this.#isProxy = addressMatcher(deps.trustedProxies)
  }

  // Creates the framework's server. A request that is not shed on arrival is checked again when its turn
  // comes, because the queue may have become too slow in between.
  readonly createServer = (handle: Handler, options: FastifyServerOptions): Server => {
    const { http, keepAliveTimeout, requestTimeout, connectionTimeout } = options as never
    const ServerResponse = timedResponse(drainableResponse(() => this.#isDraining()) as never)
    const turns = new Turns(() => this.#routes.some(({ writer }) => writer.isWriting))
    const server = createServer(
      { ...(http as object), ServerResponse: ServerResponse as never },
      (request, response) => {
        if (this.#sheds(request, response)) return
        turns.take(request, () => this.#sheds(request, response) || handle(request, response))
      },
    )
    Object.assign(server, { keepAliveTimeout, requestTimeout })
    return server.setTimeout(connectionTimeout)
  }

  // Makes the shedder refuse requests to the routes registered from now on, if their `config` names a queue.
  register(app: FastifyInstance): void {
    this.#isDraining = () => app.isDraining
    app.addHook('onRoute', (route) => this.#add(route))
  }

  // Prepares the refusal of a route whose work is queued, so that refusing costs little.
  #add({ url, config }: RouteOptions): void {
    if (!config?.queue) return
    const path = url.replaceAll(/:\w+/g, '[^/?]+')
    const body = JSON.stringify(
      failureBody(endpointFamily(url), new Refusal('busy'), PLACEHOLDER_ID),
    )
    const [before = '', after = ''] = body.split(PLACEHOLDER_ID)
    this.#routes.push({
      path: new RegExp(`^${path}/?(?:\\?|$)`, 'i'),
      writer: this.#deps.writers[config.queue],
      headers: [
        ...Object.entries({
          ...responseHeaders(this.#deps.mode),
          ...(config.allowsCrossOrigin ? CORS_HEADERS : {}),
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(Buffer.byteLength(body)),
          'retry-after': String(RETRY_AFTER_SECONDS),
        }).flat(),
      ],
      body: [before, after],
    })
  }

  // Refuses the request and returns true if its route is overloaded.
  #sheds(request: IncomingMessage, response: ServerResponse): boolean {
    const route = this.#findOverloaded(request)
    if (route) this.#refuse(route, response)
    return route !== undefined
  }

  // Finds the route of a POST request, if its queue is too slow now.
  #findOverloaded({ method, url = '' }: IncomingMessage): QueueRoute | undefined {
    if (method !== 'POST') return undefined
    for (const route of this.#routes) {
      if (route.writer.isOverloaded && route.path.test(url)) return route
    }
    return undefined
  }

  // Sends the prepared refusal. The connection stays open and rests, unless it is a proxy's: other callers,
  // and the proxy's probe of /ready, share that connection.
  #refuse({ headers, body: [before, after] }: QueueRoute, response: ServerResponse): void {
    this.#deps.metrics.shed.inc()
    const id = timeOrderedId(this.#deps.clock())
    response.writeHead(REFUSALS.busy.status, ['x-request-id', id, ...headers])
    response.end(before + id + after)
    const { socket, shouldKeepAlive } = response
    if (!socket || !shouldKeepAlive || this.#isProxy(socket.remoteAddress ?? '')) return
    this.#resting.add(socket)
  }
}
