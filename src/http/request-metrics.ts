// Times every response by its route, from the request to the end of what is written. Outside the
// framework's hooks: one after the response would cost a credit some 15 µs (response-deadline.ts).

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '#metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    timing?: RouteTiming
  }
}

type Requests = Metrics['requests']
type ResponseClass = new (
  request: IncomingMessage,
  ...options: unknown[]
) => ServerResponse<IncomingMessage>
export type Timed = { timing?: RouteTiming | undefined }

export class RouteTiming {
  readonly #requests: Requests
  readonly #method: string
  readonly #route: string
  readonly #byStatus = new Map<number, ReturnType<Requests['labels']>>()

  constructor(requests: Requests, { method, route }: { method: string; route: string }) {
    this.#requests = requests
    this.#method = method
    this.#route = route
  }

  observe(status: number, ms: number): void {
    let found = this.#byStatus.get(status)
    if (!found) {
      found = this.#requests.labels(this.#method, this.#route, String(status))
      this.#byStatus.set(status, found)
    }
    found.observe(ms / 1000)
  }
}

export function timedResponse(Base: ResponseClass): ResponseClass {
  return class TimedResponse extends Base implements Timed {
    readonly startedMs = performance.now()
    timing: RouteTiming | undefined = undefined

    override end(...args: unknown[]): this {
      this.timing?.observe(this.statusCode, performance.now() - this.startedMs)
      this.timing = undefined
      return Reflect.apply(super.end, this, args)
    }
  }
}

// Answers what to call for each request, once its route is known.
export function timeRoutes(app: FastifyInstance, { requests }: Metrics) {
  const unknown = new RouteTiming(requests, { method: 'any', route: 'unknown' })
  app.addHook('onRoute', (route) => {
    const [method = 'any'] = [route.method].flat()
    const timing = new RouteTiming(requests, { method, route: route.url })
    route.config = { ...route.config, timing }
  })
  return ({ routeOptions }: FastifyRequest, { raw }: FastifyReply) => {
    const timed = raw as Timed
    timed.timing = routeOptions.config.timing ?? unknown
  }
}
