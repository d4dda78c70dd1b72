// /pay: the checkout page and its API. A caller needs only the advice reference, which has 74 random bits.
//
// Opening the page changes nothing, because link previews of chat apps open it too. A number is issued only
// when the payer chooses a bank, and repeating that choice is safe.

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

// A checkout as JSON text, and the time just before it was read from the database. The page's countdown uses
// this time, and the page ignores a state that is older than the one it shows. If this were the time after
// the read, an older state could look newer, and would stay on the page.
type CheckoutState = { now: string; text: string }

// Reads the states of these advices. The result has no entry for an advice that does not exist.
type ReadCheckouts = (adviceIds: readonly AdviceId[]) => Promise<Map<string, CheckoutState>>

type Watcher = { adviceId: AdviceId; address: string; socket: ServerResponse; seen: CheckoutState }

// Limits of open streams per process. The limit per address is high, because many phones share one IP
// address.
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

// Sends the live status to open checkout pages (watchers). One loop per process reads all watched advices,
// and sends changes to their watchers: soon after a write of this process, and at intervals for the writes of
// other processes. After each read, the loop pauses for at least four times as long as the read took, so that
// a burst of writes does not become a burst of reads.
//
// The feed stores only the last state that it sent to each watcher. A page that reconnects gets the current
// state. The number of watchers is limited; a page that is refused polls instead.
export class CheckoutFeeds {
  readonly #options: Required<Options>
  readonly #watchers = new Set<Watcher>()
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

  // Whether another page may watch this advice from this address.
  hasRoom(adviceId: AdviceId, address: string): boolean {
    return (
      this.#watchers.size < WATCHERS_MAX &&
      (this.#byAdvice.get(adviceId) ?? 0) < WATCHERS_PER_ADVICE_MAX &&
      (this.#byAddress.get(address) ?? 0) < WATCHERS_PER_ADDRESS_MAX
    )
  }

  // Sends the current state to a page, and then every change until the page closes the connection.
  watch(watcher: Watcher): void {
    const { adviceId, address, socket } = watcher
    this.#watchers.add(watcher)
    addToCount(this.#byAdvice, adviceId, 1)
    addToCount(this.#byAddress, address, 1)
    const heartbeat = setInterval(() => this.#sendHeartbeat(socket), this.#options.heartbeatMs)
    socket.once('close', () => {
      clearInterval(heartbeat)
      this.#watchers.delete(watcher)
      addToCount(this.#byAdvice, adviceId, -1)
      addToCount(this.#byAddress, address, -1)
    })
    send(socket, frameOf(watcher.seen))
    this.#running ??= this.#run()
  }

  // Ends every stream. Resolves when the loop has stopped reading the database.
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { socket } of this.#watchers) endStream(socket)
    await this.#running
  }

  // The loop that reads and sends. Ends when no page watches any more.
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
      await this.#readWatched()
      readMs = performance.now() - startedMs
    }
    // There must be no `await` between the end of the loop and this line. Otherwise a new watcher could find
    // the field set although the loop has ended.
    this.#running = undefined
  }

  // Reads all watched advices once, and sends the changes.
  async #readWatched(): Promise<void> {
    const ids = [...this.#byAdvice.keys()]
    for (let start = 0; start < ids.length; start += READ_MAX) {
      try {
        this.#sendChanges(await this.#options.read(ids.slice(start, start + READ_MAX)))
      } catch (error) {
        this.#options.log.warn({ err: error }, 'failed to read open checkouts') // The next round is soon.
      }
    }
  }

  // Sends each state to its watchers, unless they have it already.
  #sendChanges(checkouts: Map<string, CheckoutState>): void {
    for (const watcher of this.#watchers) {
      const latest = checkouts.get(watcher.adviceId)
      if (!latest || latest.text === watcher.seen.text) continue
      if (latest.now < watcher.seen.now) continue // The page would ignore a state older than its own.
      watcher.seen = latest
      send(watcher.socket, frameOf(latest))
    }
  }

  #sendHeartbeat(socket: ServerResponse): void {
    send(socket, BEAT)
  }
}

// Formats a state as a server-sent event. The time becomes the first field of the checkout's JSON object.
function frameOf({ now, text }: CheckoutState): string {
  return `data: {"now":${JSON.stringify(now)},${text.slice(1)}\n\n`
}

// Adds 1 to the count of the pages that watch an advice, or watch from an IP address (the key), or takes 1
// off. A count of 0 is removed.
function addToCount<Key>(counts: Map<Key, number>, key: Key, change: 1 | -1): void {
  const total = (counts.get(key) ?? 0) + change
  if (total > 0) counts.set(key, total)
  else counts.delete(key)
}

// Sends text to a checkout page over its event stream. Closes the connection if too much of the text waits
// because the page does not read it.
function send(socket: ServerResponse, text: string): void {
  if (!socket.writable) return
  socket.write(text)
  if (socket.writableLength > BUFFER_BYTES_MAX) socket.destroy()
}

// Ends the event stream of a checkout page. Closes the connection after FAREWELL_MS if the page has not
// closed it.
function endStream(socket: ServerResponse): void {
  socket.end()
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}

const BODY_BYTES_MAX = 1_024
const YEAR_SECONDS = 31_536_000
// After this time the payer may say again that the money is sent. Same as in web/checkout/browser.tsx.
const SENT_MS = 60_000

const hidden = { hide: true }
const StreamQuery = Type.Object({ adviceReference: Type.Optional(Type.String()) })

const gzipText = promisify(gzip)

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

// The checkout page, and the form with which the payer chooses a bank.
const pageRoutes: FastifyPluginAsyncTypebox<Paged> = async (app, deps) => {
  const { log, writers, pages, realClock } = deps
  const read = checkoutReader(deps)

  app.get(CHECKOUT, { schema: hidden }, async (request, reply) => {
    if (!pages) throw new Refusal('pages_not_built')
    const query = request.query as Record<string, unknown>
    const param = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined)
    try {
      const { checkout, colour } = await read(param('adviceReference'))
      // Whether the payer has just stated, by the button of the page, that the money is sent.
      const isSent = isRecent(param('sent'), realClock())
      const page = { checkout, bankCode: param('bank'), problem: param('problem'), isSent }
      return await sendPage(request, reply, { status: 200, html: pages.checkout(page, colour) })
    } catch (error) {
      const isMissing = error instanceof Refusal && error.code === 'advice_not_found'
      if (isMissing) return sendPage(request, reply, { status: 404, html: pages.missing() })
      log.error({ reqId: request.id, err: error }, 'failed to render the checkout page')
      return sendPage(request, reply, { status: 503, html: pages.unavailable(request.url) })
    }
  })

  // Issues a number at the bank that the payer chose. The page posts a form if the browser runs no
  // JavaScript, and is redirected back to the page. The page's script asks for JSON instead.
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
      const pageQuery = new URLSearchParams({ adviceReference, bank: bankCode })
      try {
        const adviceId = requireReference(adviceReference)
        await writers.initiations.submit({ adviceId, bankCode, clientId: undefined })
      } catch (error) {
        if (wantsJson || !(error instanceof Refusal)) throw error
        pageQuery.set('problem', error.code)
        pageQuery.delete('bank')
      }
      if (!wantsJson) return reply.redirect(`${CHECKOUT}?${pageQuery}`, 303)
      const { checkout } = await read(adviceReference)
      return accepted('Number issued successfully', checkout)
    },
  )
}

// The status of a checkout for scripts, once or as a stream.
const liveRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, log, clock, changes } = deps
  const read = checkoutReader(deps)
  const present = checkoutPresenter(deps)
  const readUse = bankUseOf(deps.reads, deps.realClock)
  const feeds = new CheckoutFeeds({
    log,
    changes,
    read: async (adviceIds) => {
      const readAt = clock()
      const rows = await findCheckouts(db, readAt, adviceIds)
      const bankUse = await readUse()
      const now = readAt.toISOString()
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
      if (!socket) return // The page was closed in the meantime.
      feeds.watch({ adviceId, address, socket, seen: stateOf(checkout) })
    },
  )
}

// Returns a function that reads a checkout by its reference. Refuses a missing, a malformed and an unknown
// reference in the same way.
export function checkoutReader(deps: Deps) {
  const present = checkoutPresenter(deps)
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

// Splits a checkout into the time of its reading and the JSON text by which the feed detects a change.
const stateOf = ({ now, ...page }: { now: string }) => ({ now, text: JSON.stringify(page) })

// Returns a function that converts a checkout to what the payer sees, with the settings of the service.
function checkoutPresenter({ mode, banks, bankConnections, policy, clock }: Deps) {
  const rendering = {
    mode,
    banks,
    nameBank: bankNames(banks),
    nameStyle: policy.accountName,
    canRequery: (bankCode: string) =>
      bankConnections.get(bankCode)?.calls.listTransfers !== undefined,
    viewLogo,
  }
  return (row: Parameters<typeof viewCheckout>[0], bankUse: ReadonlyMap<string, number>) =>
    viewCheckout(row, clock(), { ...rendering, bankUse })
}

// Whether the payer stated within the last minute that the money is sent. A page without JavaScript has the
// time of that statement in its address, and reloads the same address again and again. The time may be
// slightly in the future, because another process wrote it by its own clock.
function isRecent(sent: string | undefined, now: Date): boolean {
  return Math.abs(now.getTime() - Number(sent)) < SENT_MS
}

// Parses an advice reference, and refuses text that cannot be one.
export function requireReference(text: string | undefined): AdviceId {
  const adviceId = parseReference<AdviceId>(text ?? '')
  if (!adviceId) throw new Refusal('advice_not_found')
  return adviceId
}

// Sends an HTML page, compressed if the browser accepts it.
async function sendPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { status, html }: { status: number; html: string },
) {
  reply.code(status).headers(PAGE_HEADERS).header('vary', 'accept-encoding')
  if (!/\bgzip\b/.test(headers['accept-encoding']?.toString() ?? '')) return reply.send(html)
  return reply.header('content-encoding', 'gzip').send(await gzipText(html ?? ''))
}
