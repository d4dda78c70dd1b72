// Times every response by its route, from the request to the end of what is written, and tells the log of
// requests. Outside the framework's hooks: one after the response would cost a credit some 15 µs
// (response-deadline.ts).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RefusalCode } from '#errors.ts'
import type { Metrics } from '#metrics.ts'
import type { RequestLog } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    isAwaited?: boolean // Answered 503, so that it comes again: nothing failed.
    refusalCode?: RefusalCode
  }
  interface FastifyContextConfig {
    timing?: RouteTiming
  }
}

type Requests = Metrics['requests']
type ResponseClass = new (
  request: IncomingMessage,
  ...options: unknown[]
) => ServerResponse<IncomingMessage>
// `leave`: called when the response ends (response-deadline.ts).
export type Timed = {
  timing?: RouteTiming | undefined
  request?: FastifyRequest | undefined
  leave?: (() => void) | undefined
}
type Route = { method: string; route: string }
type Told = Pick<Metrics, 'requests' | 'awaited'> & { log: RequestLog }

export class RouteTiming {
  readonly #told: Told
  readonly #route: Route
  readonly #byStatus = new Map<number, ReturnType<Requests['labels']>>()

  constructor(told: Told, route: Route) {
    this.#told = told
    this.#route = route
  }

  ended(request: FastifyRequest, status: number, ms: number): void {
    let found = this.#byStatus.get(status)
    if (!found) {
      const { method, route } = this.#route
      found = this.#told.requests.labels(method, route, String(status))
      this.#byStatus.set(status, found)
    }
    found.observe(ms / 1000)
    if (request.isAwaited) this.#told.awaited.inc()
    this.#told.log.ended(request, status, ms)
  }
}

export function timedResponse(Base: ResponseClass): ResponseClass {
  return class TimedResponse extends Base implements Timed {
    readonly startedMs = performance.now()
    timing: RouteTiming | undefined = undefined
    request: FastifyRequest | undefined = undefined
    leave: (() => void) | undefined = undefined

    override end(...args: unknown[]): this {
      if (this.timing && this.request) {
        this.timing.ended(this.request, this.statusCode, performance.now() - this.startedMs)
      }
      this.timing = undefined
      this.request = undefined
      this.leave?.()
      return Reflect.apply(super.end, this, args)
    }
  }
}

// Answers what to call for each request, once its route is known.
export function timeRoutes(app: FastifyInstance, metrics: Metrics, log: RequestLog) {
  const { requests, awaited } = metrics
  const told = { requests, awaited, log }
  const unknown = new RouteTiming(told, { method: 'any', route: 'unknown' })
  app.addHook('onRoute', (route) => {
    const [method = 'any'] = [route.method].flat()
    const timing = new RouteTiming(told, { method, route: route.url })
    route.config = { ...route.config, timing }
  })
  return (request: FastifyRequest, { raw }: FastifyReply) => {
    const timed = raw as Timed
    timed.timing = request.routeOptions.config.timing ?? unknown
    timed.request = request
  }
}
