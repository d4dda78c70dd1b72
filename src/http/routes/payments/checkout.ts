// /pay: the checkout page and its API. The advice reference (74 random bits) is the only
// credential.
//
// Opening the page changes nothing (link previews open it too); a number is issued only on the
// payer’s choice, which is safe to repeat.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import formbody from '@fastify/formbody'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findClockedAdvices } from '#domain/clocked-items.ts'
import { findCheckouts, viewCheckout } from '#domain/payments/checkout.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { Refusal } from '#errors.ts'
import { atTimeOfAdvice } from '#http/client-time.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { openEventStream } from '#http/event-streams.ts'
import { rateLimitKey } from '#http/rate-limit-keys.ts'
import { ApiEnvelope } from '#http/schemas.ts'
import { scoped } from '#http/scopes.ts'
import { findBuild, PAGE_HEADERS, serveAssets } from '#http/static-pages.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { brandStylesheet, DEFAULT_COLOUR } from './brand-colours.ts'
import { CheckoutFeeds } from './checkout-feeds.ts'
import { checkoutImageRoutes, viewLogo } from './checkout-images.ts'
import { CHECKOUT, type CheckoutPages, loadCheckoutPages } from './checkout-pages.ts'
import { CheckoutBody } from './checkout-presenters.ts'

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
  await app.register(pageRoutes, { ...deps, pages })
  await app.register(liveRoutes, deps)
  await app.register(checkoutImageRoutes, { ...deps, pages })

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
    const asked = request.query as Record<string, unknown>
    const param = (name: string) => (typeof asked[name] === 'string' ? asked[name] : undefined)
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

  // A form, to work without JavaScript; scripts request JSON.
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
  const { db, log, clock } = deps
  const read = checkoutReader(deps)
  const present = presenter(deps)
  const findClocked = (adviceIds: readonly AdviceId[]) =>
    findClockedAdvices(
      db,
      adviceIds.map((adviceId) => ({ adviceId })),
    )
  const feeds = new CheckoutFeeds({
    log,
    read: async (adviceIds) => {
      const at = clock()
      const rows = await findCheckouts(db, at, adviceIds)
      const now = at.toISOString()
      const shown = new Map(
        rows.map((row) => [row.adviceId, { now, text: JSON.stringify(present(row)) }]),
      )
      const owners = deps.testClocks.isEmpty ? [] : await findClocked(adviceIds)
      for (const adviceId of adviceIds.filter((_, at) => owners[at])) {
        shown.set(adviceId, seenOf((await read(adviceId)).checkout))
      }
      return shown
    },
  })
  // Before the server stops taking connections, which waits for those that are open.
  app.addHook('preClose', () => feeds.stop())

  app.get(
    `${CHECKOUT}/api/status`,
    {
      config: { allowsCrossOrigin: true },
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
      if (!socket) return // Gone while we looked.
      feeds.watch({ adviceId, address, socket, seen: seenOf(checkout) })
    },
  )
}

// Missing and misspelt are the same.
export function checkoutReader(deps: Deps) {
  const present = presenter(deps)
  return async (adviceReference: string | undefined) => {
    const adviceId = requireReference(adviceReference)
    return atTimeOfAdvice(deps, adviceId, async () => {
      const now = deps.clock()
      const [row] = await findCheckouts(deps.reads, now, [adviceId])
      if (!row) throw new Refusal('advice_not_found')
      const checkout = { now: now.toISOString(), ...present(row) }
      return { checkout, colour: row.brandColour ?? DEFAULT_COLOUR }
    })
  }
}

const seenOf = ({ now, ...shown }: { now: string }) => ({ now, text: JSON.stringify(shown) })

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
  return (row: Parameters<typeof viewCheckout>[0]) => viewCheckout(row, clock(), how)
}

// When the payer said that the money is sent: a page without a script is loaded from that address again and
// again. Not only of the past: another process may have written it, by its own clock.
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
