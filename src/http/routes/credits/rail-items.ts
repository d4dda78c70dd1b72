// /api/v1/operator/rail-items: what banks signed and we could not book, for whoever runs the service.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { type List, pageOf, readCursor, writeCursor } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import {
  listRailItems,
  openRailItem,
  RAIL_OUTCOMES,
  type RailItem,
  type RailOutcome,
} from '#domain/credits/rail-items.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, limitOf, listResponse, NoQuery, PageQuery, query } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, bankCode, nullable } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'

const RAIL_ITEMS = '/api/v1/operator/rail-items'
const ITEM_ID = /^[1-9][0-9]{0,17}$/
const about = { tags: ['Operator'], security: BEARER }

const RailItemBody = Type.Object({
  id: Type.String(),
  bankCode: Type.String({ description: 'The bank that signed message.' }),
  call: Type.String({ description: 'Retrieve the bank called: credits or reversals.' }),
  outcome: Type.Unsafe<RailOutcome>({
    type: 'string',
    enum: [...RAIL_OUTCOMES],
    description: 'rejected: names an amount. unreadable: a whole body that nothing was read of.',
  }),
  reason: Type.String({
    description: 'Why message could not be booked, e.g. invalid_account_number.',
  }),
  responseCode: Type.String({ description: 'As the bank was answered: 00 kept, 02 rejected.' }),
  sessionId: nullable('string', {
    description: 'As the bank sent message, at most 64 characters.',
  }),
  amount: nullable('string', {
    description: 'As the bank wrote message: message need not be a number.',
  }),
  receivedAt: Type.String(),
})

const OpenedBody = Type.Object({
  ...RailItemBody.properties,
  body: Type.String({ description: 'Retrieve was read of the item, or the body as message came.' }),
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
        summary: 'Retrieve banks signed and could not be booked, newest first',
        description:
          'Settle each with its bank. A credit that the bank sends again, put right, is booked as' +
          ' any other.',
        querystring: query({
          outcome: Type.Optional(
            Type.Unsafe<RailOutcome>({
              type: 'string',
              enum: [...RAIL_OUTCOMES],
              'x-says': `Must be one of ${RAIL_OUTCOMES.join(', ')}.`,
            }),
          ),
          bankCode: Type.Optional(
            bankCode('^[0-9]{3}(?:[0-9]{2})?$', 'Only of this bank.', 'Must be a bank code.'),
          ),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(RailItemBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const { limit: _, cursor, ...filters } = asked
      const list: List = { name: 'rail-items', clientId: client.id, filters }
      const position = readCursor(sealer, list, cursor)?.[0]
      const limit = limitOf(asked)
      const rows = await listRailItems(db, {
        outcome: asked.outcome ?? null,
        bankCode: asked.bankCode ?? null,
        beforeId: position === undefined ? null : BigInt(position),
        limit: limit + 1,
      })
      const page = pageOf(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
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
        summary: 'Retrieve the bank sent',
        description: 'It may name a payer: opening message goes on the record of actions.',
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(OpenedBody), '4xx': ApiFailure },
      },
    },
    async ({ client, actor, params: { id } }) => {
      if (!ITEM_ID.test(id)) throw new Refusal('rail_item_not_found')
      const by = { sealer, now: clock(), clientId: client.id, actor }
      const { body, ...item } = await withTransaction(db, (tx) => openRailItem(tx, by, BigInt(id)))
      return accepted('Rail item retrieved successfully', { ...presentItem(item), body })
    },
  )
}

function presentItem(item: RailItem): Static<typeof RailItemBody> {
  const { id, receivedAt, ...rest } = item
  return { ...rest, id: id.toString(), receivedAt: timestamp(receivedAt) }
}
