// Load shedding: refuses requests whose queue is too slow (src/db/queue-delay.ts) ahead of the
// framework, before reading the body or checking credentials. At four times capacity three requests
// in four end here, so a refusal must cost next to nothing.
//
// What slips through, such as a path with escapes, is refused by its queue (src/db/batcher.ts).

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyServerOptions, RouteOptions } from 'fastify'
import type { Clock } from '#clock.ts'
import type { Writers } from '#domain/batch-writers.ts'
import { REFUSALS, Refusal } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import type { Metrics } from '#metrics.ts'
import { CORS_HEADERS } from './cors.ts'
import { drainableResponse } from './draining.ts'
import { endpointFamily, failureBody } from './envelopes.ts'
import { RETRY_AFTER_SECONDS } from './error-handler.ts'
import { timedResponse } from './request-metrics.ts'
import { responseHeaders } from './response-headers.ts'
import { RestingConnections } from './resting-connections.ts'
import { Turns } from './turns.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    queue?: keyof Omit<Writers, 'drain'> // Where the work of this route waits to be written.
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
  body: readonly [string, string] // Before and after the request's id.
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

  // The framework's server, with a door.
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

  // For all routes that are registered from here on.
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

  // The rest of the request is read and thrown away, and the connection lives on, but rests first. Not that
  // of a proxy, which has others wait on it, and its own probe of /ready.
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
