// /pay: the checkout page and its API. The advice reference (74 random bits) is the only credential.
//
// Opening the page changes nothing, because link previews open it too. A number is issued only when the payer
// chooses a bank, and repeating that choice is safe.

import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import formbody from '@fastify/formbody'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bankNames } from '#banks/directory.ts'
import { Refusal } from '#errors.ts'
import { BEAT, openEventStream } from '#http/connections.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { findBuild, PAGE_HEADERS, serveAssets } from '#http/pages.ts'
import { rateLimitKey } from '#http/rate-limits.ts'
import { ApiEnvelope } from '#http/schemas.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import type { Logger } from '#log.ts'
import type { Notifier } from '#notifier.ts'
import { bankUseOf, findCheckouts, viewCheckout } from './checkout.ts'
import {
  brandStylesheet,
  CHECKOUT,
  CheckoutBody,
  type CheckoutPages,
  checkoutImageRoutes,
  DEFAULT_COLOUR,
  loadCheckoutPages,
  viewLogo,
} from './checkout-views.ts'

// A checkout as JSON text, and the time just before it was read. The page's countdown uses this time, and the
// page ignores a state that is older than the one it shows. With the time after the read, a state that was
// read earlier could pass for a newer one and stay on the page permanently.
type Seen = { now: string; text: string }

// Omits advices that do not exist.
type ReadCheckouts = (adviceIds: readonly AdviceId[]) => Promise<Map<string, Seen>>

type Watching = { adviceId: AdviceId; address: string; socket: ServerResponse; seen: Seen }

// Limits per process. Many phones share one IP address with their neighbours.
const WATCHERS_MAX = 5_000
export const WATCHERS_PER_ADDRESS_MAX = 200
export const WATCHERS_PER_ADVICE_MAX = 10

const POLL_MS = 200
const GAP_MS = 50 // The least time between two reads.
const GAP_PER_READ = 4 // The gap after a read, as a multiple of the time that the read took.
const HEARTBEAT_MS = 15_000
const READ_MAX = 500 // Advices in one statement.
const BUFFER_BYTES_MAX = 65_536
const FAREWELL_MS = 1_000

type Options = {
  read: ReadCheckouts
  log: Logger
  changes: Notifier // Called after every write that may change a checkout.
  pollMs?: number
  heartbeatMs?: number
}

// Live status for open checkout pages. One reader per process reads all watched advices and sends changes to
// their watchers: soon after a write of this process, and at intervals for the writes of other processes.
// Reading takes at most a fifth of the time, so that a burst of writes does not become a burst of reads.
//
// The feed keeps only the last state that it sent, so a page that reconnects gets the present state and no
// history. The number of watchers is limited; a page without a slot polls instead.
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

  // Ends every stream. Returns when the poller has stopped reading the database.
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { socket } of this.#watchers) end(socket)
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { changes, pollMs } = this.#options
    let readMs = 0
    while (this.#watchers.size > 0 && !signal.aborted) {
      const gapMs = Math.min(Math.max(GAP_MS, GAP_PER_READ * readMs), pollMs)
      await pause(gapMs, undefined, { signal }).catch(() => {})
      await changes.wait(pollMs - gapMs, signal)
      if (signal.aborted) break
      const startedMs = performance.now()
      await this.#round()
      readMs = performance.now() - startedMs
    }
    // Clears the field without an `await` before it, so that a new watcher does not rely on a poller that has
    // stopped.
    this.#running = undefined
  }

  async #round(): Promise<void> {
    const ids = [...this.#byAdvice.keys()]
    for (let at = 0; at < ids.length; at += READ_MAX) {
      try {
        this.#tell(await this.#options.read(ids.slice(at, at + READ_MAX)))
      } catch (error) {
        this.#options.log.warn({ err: error }, 'failed to read open checkouts') // The next round is soon.
      }
    }
  }

  #tell(checkouts: Map<string, Seen>): void {
    for (const watching of this.#watchers) {
      const seen = checkouts.get(watching.adviceId)
      if (!seen || seen.text === watching.seen.text) continue
      if (seen.now < watching.seen.now) continue // The page would ignore it too.
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

const BODY_BYTES_MAX = 1_024
const YEAR_SECONDS = 31_536_000
const SENT_MS = 60_000 // As in web/checkout/browser.tsx.

const hidden = { hide: true }
const StreamQuery = Type.Object({ adviceReference: Type.Optional(Type.String()) })

const squeeze = promisify(gzip)

export const checkoutRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const build = findBuild()
  if (build) await serveAssets(app, `${build}/checkout`, CHECKOUT)
  await app.register(formbody, { bodyLimit: BODY_BYTES_MAX })
  const pages = build ? await loadCheckoutPages(build) : undefined
  await pageRoutes(app, { ...deps, pages })
  await liveRoutes(app, deps)
  await checkoutImageRoutes(app, { ...deps, pages })

  app.get(
    `${CHECKOUT}/colours/:hex(^[0-9a-fA-F]{6}).css`,
    { schema: { ...hidden, params: Type.Object({ hex: Type.String() }) } },
    async ({ params }, reply) =>
      reply
        .header('content-type', 'text/css; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
        .send(brandStylesheet(params.hex)),
  )
})

type Paged = Deps & { pages: CheckoutPages | undefined }

const pageRoutes: FastifyPluginAsyncTypebox<Paged> = async (app, deps) => {
  const { log, writers, pages, realClock } = deps
  const read = checkoutReader(deps)

  app.get(CHECKOUT, { schema: hidden }, async (request, reply) => {
    if (!pages) throw new Refusal('pages_not_built')
    const query = request.query as Record<string, unknown>
    const param = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined)
    try {
      const { checkout, colour } = await read(param('adviceReference'))
      const isSent = isRecent(param('sent'), realClock())
      const page = { checkout, bankCode: param('bank'), problem: param('problem'), isSent }
      return await show(request, reply, { status: 200, html: pages.checkout(page, colour) })
    } catch (error) {
      const isMissing = error instanceof Refusal && error.code === 'advice_not_found'
      if (isMissing) return show(request, reply, { status: 404, html: pages.missing() })
      log.error({ reqId: request.id, err: error }, 'failed to render the checkout page')
      return show(request, reply, { status: 503, html: pages.unavailable(request.url) })
    }
  })

  // Accepts a form, so that the page works without JavaScript. Scripts request JSON.
  app.post(
    CHECKOUT,
    {
      config: { rate: 'initiate' },
      schema: {
        ...hidden,
        body: Type.Object({ adviceReference: Type.String(), bankCode: Type.String() }),
        response: { 200: ApiEnvelope(CheckoutBody) },
      },
    },
    async (request, reply) => {
      const { adviceReference, bankCode } = request.body
      const wantsJson = request.headers.accept?.includes('application/json') ?? false
      const back = new URLSearchParams({ adviceReference, bank: bankCode })
      try {
        const adviceId = requireReference(adviceReference)
        await writers.initiations.submit({ adviceId, bankCode, clientId: undefined })
      } catch (error) {
        if (wantsJson || !(error instanceof Refusal)) throw error
        back.set('problem', error.code)
        back.delete('bank')
      }
      if (!wantsJson) return reply.redirect(`${CHECKOUT}?${back}`, 303)
      const { checkout } = await read(adviceReference)
      return accepted('Number issued successfully', checkout)
    },
  )
}

const liveRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, log, clock, changes } = deps
  const read = checkoutReader(deps)
  const present = presenter(deps)
  const readUse = bankUseOf(deps.reads, deps.realClock)
  const feeds = new CheckoutFeeds({
    log,
    changes,
    read: async (adviceIds) => {
      const at = clock()
      const rows = await findCheckouts(db, at, adviceIds)
      const bankUse = await readUse()
      const now = at.toISOString()
      return new Map(
        rows.map((row) => [row.adviceId, { now, text: JSON.stringify(present(row, bankUse)) }]),
      )
    },
  })
  // Ends the streams before the server closes, because the server waits for open connections.
  app.addHook('preClose', () => feeds.stop())

  app.get(
    `${CHECKOUT}/api/status`,
    {
      config: { allowsCrossOrigin: true, errors: ['advice_not_found'] },
      schema: {
        operationId: 'getCheckoutStatus',
        tags: ['Payments'],
        summary: 'Retrieve the checkout status of an advice',
        description: 'No token needed. For your own checkout pages.',
        querystring: Type.Object({ adviceReference: Type.String() }),
        response: { 200: ApiEnvelope(CheckoutBody) },
      },
    },
    async ({ query }) => {
      const { checkout } = await read(query.adviceReference)
      return accepted('Status retrieved successfully', checkout)
    },
  )

  app.get(
    `${CHECKOUT}/api/stream`,
    {
      exposeHeadRoute: false,
      config: { isStream: true },
      schema: { ...hidden, querystring: StreamQuery },
    },
    async (request, reply) => {
      const { checkout } = await read(request.query.adviceReference)
      const adviceId = checkout.adviceReference
      const address = rateLimitKey(request.ip)
      if (!feeds.hasRoom(adviceId, address)) throw new Refusal('too_many_streams')
      const socket = openEventStream(reply)
      if (!socket) return // The page closed while we looked.
      feeds.watch({ adviceId, address, socket, seen: seenOf(checkout) })
    },
  )
}

// A missing reference and a misspelt one get the same answer.
export function checkoutReader(deps: Deps) {
  const present = presenter(deps)
  const readUse = bankUseOf(deps.reads, deps.realClock)
  return async (adviceReference: string | undefined) => {
    const adviceId = requireReference(adviceReference)
    const now = deps.clock()
    const [row] = await findCheckouts(deps.reads, now, [adviceId])
    if (!row) throw new Refusal('advice_not_found')
    const checkout = { now: now.toISOString(), ...present(row, await readUse()) }
    return { checkout, colour: row.brandColour ?? DEFAULT_COLOUR }
  }
}

const seenOf = ({ now, ...page }: { now: string }) => ({ now, text: JSON.stringify(page) })

function presenter({ mode, banks, bankConnections, policy, clock }: Deps) {
  const how = {
    mode,
    banks,
    nameBank: bankNames(banks),
    nameStyle: policy.accountName,
    canRequery: (bankCode: string) =>
      bankConnections.get(bankCode)?.calls.listTransfers !== undefined,
    viewLogo,
  }
  return (row: Parameters<typeof viewCheckout>[0], bankUse: ReadonlyMap<string, number>) =>
    viewCheckout(row, clock(), { ...how, bankUse })
}

// Whether the payer said only recently that the money is sent: a page without a script reloads the same
// address again and again. The time may also be slightly in the future, because another process wrote it by
// its own clock.
function isRecent(sent: string | undefined, now: Date): boolean {
  return Math.abs(now.getTime() - Number(sent)) < SENT_MS
}

export function requireReference(text: string | undefined): AdviceId {
  const adviceId = parseReference<AdviceId>(text ?? '')
  if (!adviceId) throw new Refusal('advice_not_found')
  return adviceId
}

async function show(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { status, html }: { status: number; html: string },
) {
  reply.code(status).headers(PAGE_HEADERS).header('vary', 'accept-encoding')
  if (!/\bgzip\b/.test(headers['accept-encoding']?.toString() ?? '')) return reply.send(html)
  return reply.header('content-encoding', 'gzip').send(await squeeze(html ?? ''))
}
