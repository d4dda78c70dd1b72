// /api/v1/operator/rail-items: signed bank messages that could not be booked.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import {
  listRailItems,
  RAIL_OUTCOMES,
  type RailItem,
  type RailOutcome,
  readRailItem,
} from '#domain/credits/rail-items.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, bankCode, named, nullable } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'

const RAIL_ITEMS = '/api/v1/operator/rail-items'
const ITEM_ID = /^[1-9][0-9]{0,17}$/
const about = { tags: ['Operator'], security: BEARER }

const RailItemBody = named('RailItem', {
  id: Type.String(),
  bankCode: Type.String({ description: 'Bank that signed the message.' }),
  call: Type.String({ description: 'Endpoint called: credits or reversals.' }),
  outcome: Type.Unsafe<RailOutcome>({
    type: 'string',
    enum: [...RAIL_OUTCOMES],
    description:
      'awaited: a reversal whose credit is not known; the bank was told to send it again. taken: it ' +
      'was sent again and taken, or booked from a statement. rejected: a credit or reversal with an ' +
      'amount. unreadable: a body that could not be parsed.',
  }),
  reason: Type.String({ description: 'Rejection code, e.g. invalid_account_number.' }),
  responseCode: Type.String({
    description: 'Last response to the bank that left it here: 00 kept, 02 rejected, 03 retry.',
  }),
  sessionId: nullable('string', { description: 'As received, at most 64 characters.' }),
  amount: nullable('string', { description: 'As received; not necessarily a number.' }),
  receivedAt: Type.String({ description: 'When it came first.' }),
  takenAt: nullable('string', { description: 'When the reversal was taken.' }),
})

const OpenedBody = named('RailItemDetail', {
  ...RailItemBody.properties,
  body: Type.String({ description: 'The parsed item, or the raw body.' }),
})

export const railItemRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, authentication } = deps
  const onRequest = authentication.requires('operator')

  app.get(
    RAIL_ITEMS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listRailItems',
        summary: 'List rail items, newest first',
        description:
          'Signed bank messages that could not be booked. Resolve each with its bank; a corrected ' +
          'credit that the bank resends is booked normally.',
        querystring: query({
          outcome: Type.Optional(
            Type.Unsafe<RailOutcome>({
              type: 'string',
              enum: [...RAIL_OUTCOMES],
              'x-says': `Must be one of ${RAIL_OUTCOMES.join(', ')}.`,
            }),
          ),
          bankCode: Type.Optional(bankCode('Filter by bank.')),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(RailItemBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { limit: _, cursor: __, ...filters } = asked
      const list: List = { name: 'rail-items', clientId: client.id, filters }
      const wanted = { outcome: asked.outcome ?? null, bankCode: asked.bankCode ?? null }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listRailItems(db, { ...wanted, beforeId: after, limit }),
      )
      return listResponse('Rail items retrieved successfully', page, presentItem)
    },
  )

  app.get(
    `${RAIL_ITEMS}/:id`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'openRailItem',
        summary: 'Retrieve a rail item',
        description: 'May contain payer data: every retrieval is recorded in the audit log.',
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(OpenedBody) },
      },
    },
    async ({ client, actor, params: { id } }) => {
      if (!ITEM_ID.test(id)) throw new Refusal('rail_item_not_found')
      const by = { sealer, now: clock(), clientId: client.id, actor }
      const { body, ...item } = await withTransaction(db, (tx) => readRailItem(tx, by, BigInt(id)))
      return accepted('Rail item retrieved successfully', { ...presentItem(item), body })
    },
  )
}

function presentItem(item: RailItem): Static<typeof RailItemBody> {
  const { id, receivedAt, takenAt, ...rest } = item
  const times = { receivedAt: timestamp(receivedAt), takenAt: takenAt && timestamp(takenAt) }
  return { ...rest, id: id.toString(), ...times }
}
