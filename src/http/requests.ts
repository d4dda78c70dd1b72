// Observes requests: writes the request log, the metrics and the traces, and enforces the response deadline.
//
// The log has a share of the successful requests (MANILLA_LOG_REQUESTS), and every request that failed, was
// refused or was slow. A line states the route, client, status and duration, never the contents. A line for
// every request would cost a quarter of the throughput. A flood of wrong tokens must not flood the log, so
// the number of lines per second is limited, and the next line states how many were left out.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { SECOND_MS } from '#clock.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import { type Logger, traceFields } from '#log.ts'
import type { Metrics } from '#observability/metrics.ts'
import { type Span, type Tracer, within } from '#trace-context.ts'

const SLOW_MS = 1_000
const RATE_LIMITED = 429 // Metrics count these. A line of the log for each would add nothing.
const LINES_PER_SECOND_MAX = 100

type Options = { log: Logger; share: number; random?: () => number; nowMs?: () => number }

export class RequestLog {
  readonly #log: Logger
  readonly #share: number
  readonly #random: () => number
  readonly #nowMs: () => number
  #secondMs = 0
  #written = 0
  #leftOut = 0

  constructor({ log, share, random = Math.random, nowMs = () => performance.now() }: Options) {
    this.#log = log
    this.#share = share
    this.#random = random
    this.#nowMs = nowMs
  }

  // Logs a request that has ended after `ms`, if it failed or was slow, or by chance (`share`).
  ended(request: FastifyRequest, status: number, ms: number): void {
    const isFailure = status >= 500 ? !request.isAwaited : status >= 400 && status !== RATE_LIMITED
    const { isLong, isStream } = request.routeOptions.config
    if (isFailure || (ms >= SLOW_MS && !isLong && !isStream)) {
      this.#logUnlessFlooded(request, status, ms)
    } else if (this.#share > 0 && this.#random() < this.#share) {
      this.#log.info(describe(request, status, ms), 'request')
    }
  }

  // Logs a failed or slow request, unless the lines of this second are used up.
  #logUnlessFlooded(request: FastifyRequest, status: number, ms: number): void {
    const nowMs = this.#nowMs()
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs
      this.#written = 0
    }
    if (++this.#written > LINES_PER_SECOND_MAX) {
      this.#leftOut++
      return
    }
    const leftOut = this.#leftOut > 0 ? { leftOut: this.#leftOut } : {}
    this.#leftOut = 0
    this.#log.warn({ ...describe(request, status, ms), ...leftOut }, 'request')
  }
}

// Returns the fields of a request's log line. It has the route's pattern instead of the path, because paths
// contain account numbers.
function describe(request: FastifyRequest, status: number, ms: number) {
  const { id, method, routeOptions, client, refusalCode, span } = request
  return {
    reqId: id,
    method,
    url: routeOptions.url,
    status,
    code: refusalCode,
    ms: Math.round(ms * 10) / 10,
    client: client?.clientId,
    ...traceFields(span),
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    isAwaited?: boolean // The response is 503 so that the caller retries, although nothing failed.
    refusalCode?: RefusalCode
  }
  interface FastifyContextConfig {
    timing?: RouteTiming
  }
}

type ResponseClass = new (
  request: IncomingMessage,
  ...options: unknown[]
) => ServerResponse<IncomingMessage>
// `stopAwaiting` is called when the response ends (AwaitedResponses).
type Timed = {
  timing?: RouteTiming | undefined
  request?: FastifyRequest | undefined
  stopAwaiting?: (() => void) | undefined
}
type Route = { method: string; route: string }
type Sinks = Pick<Metrics, 'requests' | 'awaited'> & { log: RequestLog }

// Measures the responses of one route and passes them to the request log. The framework's hook after the
// response would cost some 15 µs for each credit.
class RouteTiming {
  readonly #sinks: Sinks
  readonly #route: Route
  readonly #byStatus = new Map<number, ReturnType<Metrics['requests']['labels']>>()

  constructor(sinks: Sinks, route: Route) {
    this.#sinks = sinks
    this.#route = route
  }

  // Counts a response that has ended after `ms`, and passes it to the request log.
  ended(request: FastifyRequest, status: number, ms: number): void {
    let histogram = this.#byStatus.get(status)
    if (!histogram) {
      const { method, route } = this.#route
      histogram = this.#sinks.requests.labels(method, route, String(status))
      this.#byStatus.set(status, histogram)
    }
    histogram.observe(ms / 1000)
    if (request.isAwaited) this.#sinks.awaited.inc()
    this.#sinks.log.ended(request, status, ms)
  }
}

// Returns a response class that measures the time from its creation to end(), and reports it to the timing of
// its route. `stopAwaiting` takes the response off the list of those that enforceResponseDeadline() watches.
export function timedResponse(Base: ResponseClass): ResponseClass {
  return class TimedResponse extends Base implements Timed {
    readonly startedMs = performance.now()
    timing: RouteTiming | undefined = undefined
    request: FastifyRequest | undefined = undefined
    stopAwaiting: (() => void) | undefined = undefined

    override end(...args: unknown[]): this {
      if (this.timing && this.request) {
        this.timing.ended(this.request, this.statusCode, performance.now() - this.startedMs)
      }
      this.timing = undefined
      this.request = undefined
      this.stopAwaiting?.()
      return Reflect.apply(super.end, this, args)
    }
  }
}

// Gives each route registered from now on a RouteTiming. Returns the function to call for each request, which
// connects its response with the timing of its route.
export function timeRoutes(app: FastifyInstance, metrics: Metrics, log: RequestLog) {
  const { requests, awaited } = metrics
  const sinks = { requests, awaited, log }
  const unknown = new RouteTiming(sinks, { method: 'any', route: 'unknown' })
  app.addHook('onRoute', (route) => {
    const [method = 'any'] = [route.method].flat()
    const timing = new RouteTiming(sinks, { method, route: route.url })
    route.config = { ...route.config, timing }
  })
  return (request: FastifyRequest, { raw }: FastifyReply) => {
    const timed = raw as Timed
    timed.timing = request.routeOptions.config.timing ?? unknown
    timed.request = request
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span // Set for sampled requests.
  }
}

const PROBES = ['/health', '/ready', '/metrics']

// Creates a span for every sampled request, from its headers to the end of its response. The span joins the
// caller's trace (traceparent). Probes have no span. Must be called before the routes are registered.
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const span = PROBES.includes(route) ? undefined : startSpan(tracer, request, route)
    if (span) {
      request.span = span
      raw.once('close', () => endSpan(span, request, raw))
    }
    done()
  })
  // Makes the span current only while the handler runs: the context set in onRequest would be lost when the
  // body is read.
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      return within(request.span, () => handler.call(this, request, reply))
    }
  })
}

// Starts the span of a request, as a child of the caller's span if the request names one.
function startSpan(tracer: Tracer, request: FastifyRequest, route: string): Span | undefined {
  const { traceparent } = request.headers
  return tracer.start(`${request.method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'manilla.request_id': request.id,
    },
  })
}

// Ends the span of a request: as failed if the status is 500 or more, or if the response was not sent
// completely, which counts as a lost connection.
function endSpan(
  span: Span,
  { client }: FastifyRequest,
  { statusCode, writableFinished }: { statusCode: number; writableFinished: boolean },
): void {
  if (client) span.set({ 'manilla.client_id': client.clientId })
  if (writableFinished) span.set({ 'http.response.status_code': statusCode })
  const failure = writableFinished ? statusCode >= 500 && statusCode : 'connection_lost'
  span.end(failure ? { code: failure } : undefined)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isLong?: boolean // Callers may wait for minutes.
  }
}

// The response deadline. Longer than a batch waits for the database (src/db/deadlines.ts).
export const RESPONSE_MAX_MS = 12_000
const LOOK_EVERY_MS = 500

// Every half second, answers 503 try_again to each complete request that has waited longer than the deadline.
// Its work may still be done later, and a retry is safe. `patience` multiplies the deadline. Responses in
// progress (files, streams) have no deadline.
export function enforceResponseDeadline(app: FastifyInstance, patience = 1): void {
  const responses = new AwaitedResponses()
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    responses.add(reply)
    done()
  }
  // Routes that queue their work need no deadline: the batcher, and the deadline of the database connection
  // (src/db/deadlines.ts), answer them in time.
  app.addHook('onRoute', (route) => {
    if (route.config?.queue || route.config?.isLong) return
    route.onRequest = [onRequest, ...[route.onRequest ?? []].flat()]
  })

  // Answers the requests that have waited longer than the deadline. stopAwaiting() takes a response off the
  // list, so that no later round looks at it again.
  const timer = setInterval(() => {
    const startedByMs = performance.now() - patience * RESPONSE_MAX_MS
    for (const reply of responses.startedBy(startedByMs)) {
      const { raw: request } = reply.request
      // Skips a request that is still arriving. connections.ts limits how long that takes.
      if (request.complete === false && !request.destroyed) continue
      const response = reply.raw as typeof reply.raw & Timed
      response.stopAwaiting?.()
      if (response.destroyed) continue
      if (!reply.sent && !response.headersSent) reply.send(new Refusal('try_again'))
    }
  }, LOOK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

// The responses that callers wait for. Each has a place in an array, which it frees when it ends
// (`stopAwaiting`). A hook of the framework could do that, but it would cost every request some 15 µs. A
// response that never ends, because its caller has disconnected, is removed at its deadline.
//
// The places are not in a Map, because V8 copies a Map that is constantly filled and emptied. Each old copy
// keeps the next one in memory, so every response would live until the next full garbage collection.
class AwaitedResponses {
  readonly #places: ({ reply: FastifyReply; sinceMs: number } | undefined)[] = []
  readonly #free: number[] = []

  // Adds a response, and frees its place when it ends.
  add(reply: FastifyReply): void {
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = { reply, sinceMs: performance.now() }
    const response = reply.raw as Timed
    response.stopAwaiting = () => {
      response.stopAwaiting = undefined
      this.#places[place] = undefined
      this.#free.push(place)
    }
  }

  // Returns the responses whose requests arrived at this time or before.
  startedBy(ms: number): FastifyReply[] {
    return this.#places.flatMap((place) => (place && place.sinceMs <= ms ? [place.reply] : []))
  }
}
