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
import {
  ENTRY_KINDS,
  type EntryKind,
  type TimelineEntry,
} from '#domain/reports/timeline-entries.ts'
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
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { parseCreditKey } from '#http/routes/credits/credit-presenters.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import type { CreditId } from '#ids.ts'
import { toNaira } from '#money.ts'
import { publicName } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

const EntryBody = named('TimelineEntry', {
  at: Type.String(),
  kind: Type.Unsafe<EntryKind>({
    type: 'string',
    enum: [...ENTRY_KINDS],
    description: 'Entries of the same time are in this order.',
  }),
  description: Type.String({ description: 'Human-readable summary.' }),
  amount: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  currency: nullable('string'),
  reference: nullable('string', {
    description: 'Related object: a session ID, account number, event ID and so on.',
  }),
  detail: Type.Unsafe<Record<string, string | number | null>>({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'null'] },
  }),
})

const TimelineBody = named('Timeline', {
  entries: Type.Array(EntryBody, { description: 'Oldest first.' }),
  isWhole: Type.Boolean({
    description: `False if truncated to the latest ${CREDITS_MAX} credits.`,
  }),
})

const SCOPED = 'Webhook attempts require the scope webhooks:read.'
const tags = ['Timelines']

export const timelineRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(ofPayments, deps)
  await app.register(ofCredits, deps)
  await app.register(ofAccounts, deps)
}

const ofPayments: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/payments/:reference/timeline',
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        operationId: 'getPaymentTimeline',
        tags,
        summary: 'Retrieve the timeline of a payment',
        description: `By any reference, including advices without a number. ${SCOPED}`,
        security: BEARER,
        params: Type.Object({ reference: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(TimelineBody) },
      },
    },
    async ({ client, scopes, params }) => {
      const { entries, isWhole } = await withSnapshot(db, async (tx) => {
        const how = { sealer, viewer: client, nameBank }
        const [referred] = await resolveReference(tx, client.id, params.reference)
        if (!referred) throw new Refusal('payment_not_found')
        if (referred.paymentId === null) {
          return adviceTimeline(tx, how, await getAdvice(tx, client.id, referred.adviceId))
        }
        return paymentTimeline(
          tx,
          how,
          await getPayment(tx, client.id, { by: 'payment', reference: referred.paymentId }),
        )
      })
      const data = { entries: presentEntries(entries, { scopes, sealer }), isWhole }
      return accepted('Timeline retrieved successfully', data)
    },
  )
}

const ofCredits: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/credits/:id/timeline',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'getCreditTimeline',
        tags,
        summary: 'Retrieve the timeline of a credit',
        description: `By ID or session ID. ${SCOPED}`,
        security: BEARER,
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(TimelineBody) },
      },
    },
    async ({ client, scopes, params: { id } }) => {
      const by = parseCreditKey(sealer, id)
      const { entries, isWhole } = await withSnapshot(db, async (tx) => {
        const credit = await getCredit(tx, { sealer, viewer: client, by })
        return creditTimeline(tx, { sealer, viewer: client, nameBank }, credit)
      })
      const data = { entries: presentEntries(entries, { scopes, sealer }), isWhole }
      return accepted('Timeline retrieved successfully', data)
    },
  )
}

const ofAccounts: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/accounts/static/:accountNumber/timeline',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getAccountTimeline',
        tags,
        summary: 'Retrieve the timeline of a collection account',
        description:
          'Pages go back in time; entries within a page are oldest first. limit applies to the ' +
          'credits of a page, shown with their full history, and to manual actions. ' +
          SCOPED,
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(EntryBody) },
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
      const page = { rows: presentEntries(entries, { scopes, sealer }), nextCursor }
      return listResponse('Timeline retrieved successfully', page, (entry) => entry)
    },
  )
}

type Showing = { scopes: ReadonlySet<Scope>; sealer: Sealer }

function presentEntries(entries: readonly TimelineEntry[], { scopes, sealer }: Showing) {
  const isShown = ({ kind }: TimelineEntry) =>
    scopes.has('webhooks:read') || (kind !== 'attempt' && kind !== 'waiting')
  return entries.filter(isShown).map(({ at, amountKobo, reference, ...entry }) => ({
    ...entry,
    reference: reference && publicName(sealer, reference),
    at: timestamp(at),
    amount: amountKobo === null ? null : toNaira(amountKobo),
  }))
}
