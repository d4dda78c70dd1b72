// Load shedding: refuses requests whose queue is too slow (src/hot-path/batcher.ts) ahead of the framework,
// before reading the body or checking credentials. At four times the capacity, three of four requests are
// refused, so a refusal must cost next to nothing.
//
// The queue itself refuses requests that the LoadShedder does not recognise, such as a path with escapes.

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

const AT_A_TIME = 8
const SHARE = 16 // Each turn begins at least 1/16 of the queue, so that a long queue shrinks.

type Begin = () => void

// Begins the writes of one burst a few at a time, and lets the event loop handle other input in between. The
// response to a batch brings the next requests of all its callers at once. Reading a hundred of them in a row
// would delay the database's answer to the other batch by milliseconds, while PostgreSQL is idle.
//
// With no batch in flight, no write waits, and a whole burst shares the next batch. Reads never wait: the
// reads of one burst go to the database together.
export class Turns {
  readonly #isWriting: () => boolean
  readonly #waiting: Begin[] = []
  #begun = 0 // The writes begun in this turn of the event loop.

  constructor(isWriting: () => boolean) {
    this.#isWriting = isWriting
  }

  // Begins writes in the order of arrival. Drops requests whose caller hung up before their turn.
  take(request: IncomingMessage, begin: Begin): void {
    if (request.method !== 'POST') {
      begin()
      return
    }
    if (this.#begun === 0) setImmediate(this.#turn)
    this.#begun++
    const isFree = this.#begun <= AT_A_TIME || !this.#isWriting()
    if (isFree && this.#waiting.length === 0) begin()
    else this.#waiting.push(() => request.destroyed || request.socket.destroyed || begin())
  }

  readonly #turn = (): void => {
    const { length } = this.#waiting
    const count = this.#isWriting() ? Math.max(AT_A_TIME, Math.ceil(length / SHARE)) : length
    const some = this.#waiting.splice(0, count)
    this.#begun = some.length
    if (some.length > 0) setImmediate(this.#turn)
    for (const begin of some) begin()
  }
}

const LOOK_EVERY_MS = 10
const FEW = 5
const MANY = 50
const REST_MAX_MS = 5_000
const RESTING_MAX = 4_000 // A third of CONNECTIONS_MAX (connections.ts).

type RestingDeps = {
  isOverloaded: () => boolean
  isDraining: () => boolean
  onCount: (resting: number) => void
}

// A connection that was refused under overload rests: the service does not read it for a while, and TCP holds
// its sender back. Reading and refusing its next requests would take time from accepted ones. The service
// does not notice a hang-up on a resting connection, so at most RESTING_MAX rest at once.
//
// The service resumes connections in order: few at a time under overload, many otherwise, all when it stops.
// No connection rests longer than REST_MAX_MS.
export class RestingConnections {
  readonly #deps: RestingDeps
  #refused: Socket[] = []
  #resting: { socket: Socket; sinceMs: number }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(deps: RestingDeps) {
    this.#deps = deps
  }

  // Pauses after the response is sent, because the server itself resumes a connection until then.
  add(socket: Socket): void {
    if (this.#resting.length + this.#refused.length >= RESTING_MAX) return
    if (this.#refused.push(socket) === 1) setImmediate(() => this.#pause())
  }

  #pause(): void {
    const sinceMs = performance.now()
    for (const socket of this.#refused) {
      if (!socket.destroyed) this.#resting.push({ socket: socket.pause(), sinceMs })
    }
    this.#refused = []
    this.#deps.onCount(this.#resting.length)
    if (this.#timer || this.#resting.length === 0) return
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  #look(): void {
    const nowMs = performance.now()
    for (const { socket } of this.#resting.splice(0, this.#turns(nowMs))) socket.resume()
    this.#deps.onCount(this.#resting.length)
    if (this.#resting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  // How many connections to resume in this turn. A busy process has fewer turns. Spreads many connections
  // over REST_MAX_MS, so that they do not all resume at its end.
  #turns(nowMs: number): number {
    const { length } = this.#resting
    if (this.#deps.isDraining()) return length
    if (!this.#deps.isOverloaded()) return MANY
    const young = this.#resting.findIndex(({ sinceMs }) => nowMs - sinceMs < REST_MAX_MS)
    const spread = Math.ceil((length * LOOK_EVERY_MS) / REST_MAX_MS)
    return Math.max(FEW, spread, young < 0 ? length : young)
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

const ID = timeOrderedId(new Date(0))

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

  // Creates the framework's server, which sheds load before the framework runs.
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

  // Applies to routes registered from now on.
  register(app: FastifyInstance): void {
    this.#isDraining = () => app.isDraining
    app.addHook('onRoute', (route) => this.#add(route))
  }

  #add({ url, config }: RouteOptions): void {
    if (!config?.queue) return
    const path = url.replaceAll(/:\w+/g, '[^/?]+')
    const body = JSON.stringify(failureBody(endpointFamily(url), new Refusal('busy'), ID))
    const [before = '', after = ''] = body.split(ID)
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

  #sheds(request: IncomingMessage, response: ServerResponse): boolean {
    const route = this.#findOverloaded(request)
    if (route) this.#refuse(route, response)
    return route !== undefined
  }

  #findOverloaded({ method, url = '' }: IncomingMessage): QueueRoute | undefined {
    if (method !== 'POST') return undefined
    for (const route of this.#routes) {
      if (route.writer.isOverloaded && route.path.test(url)) return route
    }
    return undefined
  }

  // Discards the rest of the request and keeps the connection, which rests first. A proxy's connection
  // does not rest: other callers and the proxy's probe of /ready share it.
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
