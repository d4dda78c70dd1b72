// /api/v1/advices: list, retrieve, cancel and extend advices.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { cancelAdvice } from '#domain/credits/close-payments.ts'
import { findRule } from '#domain/fees/fee-rules.ts'
import { EXPIRY_SECONDS_MAX, type Extension, extendAdvice } from '#domain/payments/extend-advice.ts'
import {
  ADVICE_STATUSES,
  type ListedAdvice,
  listAdvices,
  readAdvices,
} from '#domain/payments/payment-list.ts'
import { getAdviceId } from '#domain/payments/payment-lookups.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, parseLimit, scannedPage } from '#http/lists.ts'
import { publicAddress } from '#http/public-url.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, NoBody, named } from '#http/schemas.ts'
import type { AdviceId } from '#ids.ts'
import { parseBankTime } from '#wat-time.ts'
import {
  AdviceRecord,
  BY_ANY_REFERENCE,
  LISTED,
  listQuery,
  parsePaymentFilters,
  presentAdviceRecord,
} from './payment-presenters.ts'

const ADVICES = '/api/v1/advices'

const ExtendRequest = named(
  'ExtendAdviceRequest',
  {
    expiresAt: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'New expiry (ISO 8601), to the second. Only once a number is issued.',
        'x-says': 'Must be an ISO 8601 date or time.',
      }),
    ),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: EXPIRY_SECONDS_MAX,
        description: 'Seconds to add to the expiry.',
        'x-says': `Must be a whole number from 1 to ${EXPIRY_SECONDS_MAX}.`,
      }),
    ),
  },
  { additionalProperties: false, 'x-says': 'Must be an object with expiresAt or seconds.' },
)

const about = { tags: ['Payments'], security: BEARER }
const one = {
  ...about,
  params: Type.Object({ reference: Type.String({ description: BY_ANY_REFERENCE }) }),
  querystring: NoQuery,
  response: { 200: ApiEnvelope(AdviceRecord) },
}

export const manageAdviceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, publicUrl } = deps
  await app.register(changes, deps)

  app.get(
    ADVICES,
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...about,
        operationId: 'listAdvices',
        summary: 'List payment advices, newest first',
        description: LISTED,
        querystring: listQuery(ADVICE_STATUSES),
        response: { 200: ListEnvelope(AdviceRecord) },
      },
    },
    async ({ client, query: asked }) => {
      const { limit: _, cursor, order, ...filters } = asked
      const list = { name: 'advices', clientId: client.id, order, filters } as List
      const after = readCursor(sealer, list, cursor)?.[0]
      const [limit, now] = [parseLimit(asked), clock()]
      const page = { order, after, limit: limit + 1, now }
      const scan = await withSnapshot(db, (tx) =>
        listAdvices(tx, client.id, { filters: parsePaymentFilters(asked), ...page }),
      )
      const shown = scannedPage(scan, {
        limit,
        idOf: ({ advice }) => advice.id,
        cursorAfter: (id) => writeCursor(sealer, list, [id]),
      })
      const address = publicAddress(publicUrl, app.server)
      const feeRule = await findRule(db, client.id, now)
      return listResponse('Payment advices retrieved successfully', shown, (row) =>
        presentAdviceRecord(row, { now, address, feeRule }),
      )
    },
  )

  app.get(
    `${ADVICES}/:reference`,
    {
      onRequest: authentication.requires('payments:read'),
      schema: {
        ...one,
        operationId: 'findAdvice',
        summary: 'Retrieve an advice by any reference',
        description: 'By advice reference, payment reference or your merchantRef.',
      },
    },
    async ({ client, params }) => {
      const row = await withSnapshot(db, async (tx) =>
        readAdvice(tx, await getAdviceId(tx, client.id, params.reference)),
      )
      const now = clock()
      const feeRule = await findRule(db, client.id, now)
      const how = { now, address: publicAddress(publicUrl, app.server), feeRule }
      return accepted('Payment advice retrieved successfully', presentAdviceRecord(row, how))
    },
  )
}

const changes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, sharedAccounts, authentication, clock, publicUrl } = deps
  const present = async (tx: Queryable, id: AdviceId) => {
    const [row, now] = [await readAdvice(tx, id), clock()]
    const feeRule = await findRule(tx, row.advice.clientId, now)
    const address = publicAddress(publicUrl, app.server)
    return presentAdviceRecord(row, { now, address, feeRule })
  }
  const onRequest = authentication.requires('payments:write')

  app.post(
    `${ADVICES}/:reference/cancel`,
    {
      onRequest,
      schema: {
        ...one,
        operationId: 'cancelAdviceByAnyReference',
        summary: 'Cancel an unpaid advice',
        description: 'Part payments move to suspense. Idempotent.',
        headers: IdempotencyHeaders,
        body: NoBody,
      },
    },
    async (request, reply) => {
      const { client, actor, params } = request
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        const id = await getAdviceId(tx, client.id, params.reference)
        await cancelAdvice(
          tx,
          { sharedAccounts, now: clock(), actor },
          { clientId: client.id, adviceId: id },
        )
        const data = await present(tx, id)
        return accepted('Payment advice cancelled successfully', data)
      })
    },
  )

  app.post(
    `${ADVICES}/:reference/extend`,
    {
      onRequest,
      schema: {
        ...one,
        operationId: 'extendAdvice',
        summary: 'Extend an advice',
        description:
          'Send either expiresAt or seconds. Only while Pending, and to at most 48 hours after ' +
          'the first number was issued, plus grace. The account number stays the same.',
        headers: IdempotencyHeaders,
        body: ExtendRequest,
      },
    },
    async (request, reply) => {
      const { client, actor, params, body } = request
      const extension = parseExtension(body)
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        const id = await getAdviceId(tx, client.id, params.reference)
        await extendAdvice(
          tx,
          { now: clock(), actor },
          { clientId: client.id, adviceId: id, extension },
        )
        const data = await present(tx, id)
        return accepted('Payment advice extended successfully', data)
      })
    },
  )
}

async function readAdvice(db: Queryable, id: AdviceId): Promise<ListedAdvice> {
  const [row] = await readAdvices(db, [id])
  if (!row) throw new Refusal('advice_not_found')
  return row
}

function parseExtension({ expiresAt, seconds }: Static<typeof ExtendRequest>): Extension {
  if ((expiresAt === undefined) === (seconds === undefined)) {
    throw refused('Send either expiresAt or seconds.')
  }
  if (seconds !== undefined) return { seconds }
  const time = parseBankTime(expiresAt as string)
  if (!time) throw refused('Must be an ISO 8601 date or time.')
  return { expiresAt: time }
}

function refused(message: string): Refusal {
  return new Refusal('invalid_request', [{ field: 'expiresAt', message }])
}
