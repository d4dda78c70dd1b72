// A line in the log for some of the requests that went well (MANILLA_LOG_REQUESTS), and for every one that
// failed, was refused or was slow: which, whose, how it ended and how long it took. Never what was asked or
// answered.
//
// A line for each request would cost a quarter of the throughput, and whoever floods us with wrong tokens
// would flood the log: what is always logged is bounded, and the next line says how many it stands for.

import type { FastifyRequest } from 'fastify'
import { type Logger, traceFields } from '#log.ts'

const SLOW_MS = 1_000
const OFTEN = 429 // Whoever asks too often is told so, and counted: a line each would say nothing more.
const ALWAYS_PER_SECOND_MAX = 100
const SECOND_MS = 1_000

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

  ended(request: FastifyRequest, status: number, ms: number): void {
    const isFailure = status >= 500 ? !request.isAwaited : status >= 400 && status !== OFTEN
    const { isLong, isStream } = request.routeOptions.config
    if (isFailure || (ms >= SLOW_MS && !isLong && !isStream)) {
      this.#always(request, status, ms)
    } else if (this.#share > 0 && this.#random() < this.#share) {
      this.#log.info(describe(request, status, ms), 'request')
    }
  }

  #always(request: FastifyRequest, status: number, ms: number): void {
    const nowMs = this.#nowMs()
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs
      this.#written = 0
    }
    if (++this.#written > ALWAYS_PER_SECOND_MAX) {
      this.#leftOut++
      return
    }
    const leftOut = this.#leftOut > 0 ? { leftOut: this.#leftOut } : {}
    this.#leftOut = 0
    this.#log.warn({ ...describe(request, status, ms), ...leftOut }, 'request')
  }
}

// By the route's pattern: paths name accounts.
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
