// Timelines of payments, credits and collection accounts.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { getCredit } from '#domain/credits/credit-list.ts'
import { getAdvice } from '#domain/payments/advices.ts'
import { resolveReference } from '#domain/payments/payment-references.ts'
import { getPayment } from '#domain/payments/payments.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { ENTRY_KINDS, type TimelineEntry } from '#domain/reports/timeline-entries.ts'
import {
  accountTimeline,
  adviceTimeline,
  CREDITS_MAX,
  creditTimeline,
  getTimelineAccount,
  paymentTimeline,
} from '#domain/reports/timelines.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { ListEnvelope, listResponse, PageQuery, parseLimit, query } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { parseCreditKey } from '#http/routes/credits/credit-presenters.ts'
import { BEARER } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { CreditId } from '#ids.ts'
import { publicName } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'

type Context = { scopes: ReadonlySet<Scope>; sealer: Sealer }

const EntryView = view('TimelineEntry', (f: Fields<TimelineEntry, Context>) => ({
  at: f.time('at'),
  kind: f.oneOf('kind', ENTRY_KINDS, 'Entries of the same time are in this order.'),
  description: f.text('description', 'Human-readable summary.'),
  amount: f.nairaOrNull('amountKobo'),
  currency: f.textOrNull('currency'),
  reference: f.textOrNull(
    ({ reference }, { sealer }) => reference && publicName(sealer, reference),
    'Related object: a session ID, account number, event ID and so on.',
  ),
  detail: f.as(
    Type.Unsafe({ type: 'object', additionalProperties: { type: ['string', 'number', 'null'] } }),
    'detail',
  ),
}))

type Timeline = { entries: TimelineEntry[]; isWhole: boolean }

const TimelineView = view('Timeline', (f: Fields<Timeline, Context>) => ({
  entries: f.list(
    EntryView,
    ({ entries }, { scopes }) => visibleEntries(entries, scopes),
    'Oldest first.',
  ),
  isWhole: f.flag('isWhole', `False if truncated to the latest ${CREDITS_MAX} credits.`),
}))

const SCOPED = 'Webhook attempts require the scope webhooks:read.'
const timelines = { tag: 'Timelines', noun: 'timeline', view: TimelineView }

const ofPayments = resource('/api/v1/payments', {
  ...timelines,
  scopes: { read: 'payments:read', write: 'payments:write' },
}).get('getPaymentTimeline', {
  path: '/:reference/timeline',
  summary: 'Retrieve the timeline of a payment',
  description: `By any reference, including advices without a number. ${SCOPED}`,
  errors: ['payment_not_found'],
  run: (db, { client, sealer, banks, params }) =>
    withSnapshot(db, async (tx) => {
      const how = { sealer, viewer: client, nameBank: bankNames(banks) }
      const { reference } = params as { reference: string }
      const [referred] = await resolveReference(tx, client.id, reference)
      if (!referred) throw new Refusal('payment_not_found')
      const { adviceId, paymentId } = referred
      if (paymentId === null) {
        return adviceTimeline(tx, how, await getAdvice(tx, client.id, adviceId))
      }
      const payment = await getPayment(tx, client.id, { by: 'payment', reference: paymentId })
      return paymentTimeline(tx, how, payment)
    }),
})

const ofCredits = resource('/api/v1/credits', {
  ...timelines,
  scopes: { read: 'credits:read', write: 'credits:read' },
  params: { id: (text: string, { sealer }: Deps) => parseCreditKey(sealer, text) },
}).get('getCreditTimeline', {
  path: '/:id/timeline',
  summary: 'Retrieve the timeline of a credit',
  description: `By ID or session ID. ${SCOPED}`,
  errors: ['credit_not_found'],
  run: (db, { client, sealer, banks, params }) =>
    withSnapshot(db, async (tx) => {
      const credit = await getCredit(tx, { sealer, viewer: client, by: params.id })
      return creditTimeline(tx, { sealer, viewer: client, nameBank: bankNames(banks) }, credit)
    }),
})

export const timelineRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  ofPayments.register(app, deps)
  ofCredits.register(app, deps)
  await app.register(ofAccounts, deps)
}

// A cursor of it has two parts: the credit and the time.
const ofAccounts: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/accounts/static/:accountNumber/timeline',
    {
      config: { errors: ['account_not_found'] },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getAccountTimeline',
        tags: ['Timelines'],
        summary: 'Retrieve the timeline of a collection account',
        description:
          'Pages go back in time; entries within a page are oldest first. limit applies to the ' +
          'credits of a page, shown with their full history, and to manual actions. ' +
          SCOPED,
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(EntryView.schema) },
      },
    },
    async ({ client, scopes, params, query: asked }) => {
      const filters = { accountNumber: params.accountNumber }
      const list: List = { name: 'account-timeline', clientId: client.id, filters }
      const [id, at] = readCursor(sealer, list, asked.cursor) ?? []
      const before =
        id === undefined
          ? undefined
          : { creditId: BigInt(id) as CreditId, at: new Date(Number(at)) }
      const { entries, next } = await withSnapshot(db, async (tx) => {
        const account = await getTimelineAccount(tx, client.id, params.accountNumber)
        const page = { before, limit: parseLimit(asked) }
        return accountTimeline(tx, { sealer, viewer: client, nameBank }, { account, ...page })
      })
      const position = next && [next.creditId.toString(), next.at.getTime().toString()]
      const nextCursor = position && writeCursor(sealer, list, position)
      const page = { rows: [...visibleEntries(entries, scopes)], nextCursor }
      return listResponse('Timeline retrieved successfully', page, (entry) =>
        EntryView.present(entry, { scopes, sealer }),
      )
    },
  )
}

function visibleEntries(entries: readonly TimelineEntry[], scopes: ReadonlySet<Scope>) {
  const isWebhook = ({ kind }: TimelineEntry) => kind === 'attempt' || kind === 'waiting'
  return scopes.has('webhooks:read') ? entries : entries.filter((entry) => !isWebhook(entry))
}
