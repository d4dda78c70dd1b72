// /api/v1/operator/clients: the register of clients, for whoever runs the service. What is changed
// here holds for the next request in this process, and within seconds in every other.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, pageOf, readCursor, writeCursor } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import {
  changeClient,
  getClient,
  listClients,
  registerClient,
  resumeClient,
  rotateClientSecret,
  suspendClient,
} from '#domain/client-register.ts'
import { makeSecret, OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from '#domain/client-secrets.ts'
import { readUse, USE_DAYS_MAX } from '#domain/client-use.ts'
import { Refusal } from '#errors.ts'
import {
  ClientBody,
  ClientDetailBody,
  ClientFields,
  ClientId,
  ClientWithSecretBody,
  presentClient,
  presentClientDetail,
  presentDay,
  UseBody,
} from '#http/client-bodies.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, limitOf, listed, NoQuery, PageQuery, query } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, text } from '#http/schemas.ts'

const CLIENTS = '/api/v1/operator/clients'
const Name = text(100, 'Of the merchant, as payers see it.')
const Params = Type.Object({ clientId: Type.String() })
const NoteBody = Type.Object(
  { note: Type.Optional(text(500, 'Why; kept in the record of actions.')) },
  { additionalProperties: false },
)
const about = { tags: ['Operator'], security: BEARER }
const aboutOne = { ...about, params: Params, querystring: NoQuery }
const oneClient = { 200: ApiEnvelope(ClientDetailBody), '4xx': ApiFailure }
const oneWithSecret = { 200: ApiEnvelope(ClientWithSecretBody), '4xx': ApiFailure }

export const operatorClientRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(createAndList, deps)
  await app.register(readAndChange, deps)
  await app.register(secretsAndState, deps)
}

const createAndList: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.post(
    CLIENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'createClient',
        summary: 'Make a client',
        description: 'Its secret is in the answer, and never again.',
        querystring: NoQuery,
        body: Type.Object(
          { name: Name, clientId: Type.Optional(ClientId), ...ClientFields },
          { additionalProperties: false },
        ),
        response: oneWithSecret,
      },
    },
    async ({ actor, body }) => {
      const secret = await makeSecret()
      const client = await withTransaction(db, (tx) =>
        registerClient(tx, { now: clock(), actor }, body, secret),
      )
      const data = { ...presentClientDetail(client), secret: secret.secret }
      return accepted('Client created successfully', data)
    },
  )

  app.get(
    CLIENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listClients',
        summary: 'Clients, in the order of their making',
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(ClientBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const list: List = { name: 'clients', clientId: client.id, filters: {} }
      const position = readCursor(sealer, list, asked.cursor)
      const afterId = position ? BigInt(position[0] as string) : null
      const limit = limitOf(asked)
      const rows = await listClients(db, { afterId, limit: limit + 1 })
      const page = pageOf(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
      return listed('Clients retrieved successfully', page, presentClient)
    },
  )
}

const readAndChange: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.get(
    `${CLIENTS}/:clientId`,
    {
      onRequest,
      schema: {
        ...aboutOne,
        operationId: 'getClient',
        summary: 'What a client may do, from where, and the secrets it has',
        response: oneClient,
      },
    },
    async ({ params: { clientId } }) => {
      const client = await getClient(db, clock(), wellFormed(clientId))
      return accepted('Client retrieved successfully', presentClientDetail(client))
    },
  )

  app.get(
    `${CLIENTS}/:clientId/use`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getClientUse',
        summary: 'How much a client uses the service, day by day',
        params: Params,
        querystring: query({
          days: Type.Optional(
            Type.Unsafe<string>({
              type: ['string', 'integer'],
              pattern: '^(?:[1-9]|[12][0-9]|3[01])$',
              description: `How many days, 1 to ${USE_DAYS_MAX}, with today. Default 7.`,
              'x-says': `Must be a whole number from 1 to ${USE_DAYS_MAX}.`,
            }),
          ),
        }),
        response: { 200: ApiEnvelope(UseBody), '4xx': ApiFailure },
      },
    },
    async ({ params, query: { days = '7' } }) => {
      const { id, clientId } = await getClient(db, clock(), wellFormed(params.clientId))
      const use = await readUse(db, clock(), id, Number(days))
      return accepted('Use retrieved successfully', { clientId, days: use.map(presentDay) })
    },
  )

  app.patch(
    `${CLIENTS}/:clientId`,
    {
      onRequest,
      schema: {
        ...aboutOne,
        operationId: 'updateClient',
        summary: 'Change what a client may do',
        description: 'What is left out stays. Holds for tokens in use, too.',
        body: Type.Object(
          { name: Type.Optional(Name), ...ClientFields },
          {
            additionalProperties: false,
            minProperties: 1,
            'x-says': 'Must be an object with at least one field to change.',
          },
        ),
        response: oneClient,
      },
    },
    async ({ client: own, actor, params, body }) => {
      const clientId = wellFormed(params.clientId)
      const isLess = body.isOperator === false || body.scopes?.includes('operator') === false
      if (clientId === own.clientId && isLess) throw new Refusal('own_client')
      const client = await withTransaction(db, (tx) =>
        changeClient(tx, { now: clock(), actor }, clientId, body),
      )
      authentication.forget(clientId)
      return accepted('Client updated successfully', presentClientDetail(client))
    },
  )
}

const secretsAndState: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.post(
    `${CLIENTS}/:clientId/rotate-secret`,
    {
      onRequest,
      schema: {
        ...aboutOne,
        operationId: 'rotateClientSecret',
        summary: 'Give a client a new secret',
        description:
          'The old one logs in until the overlap is over. With an overlap of 0 it does not any ' +
          'more, and all tokens of the client are dead.',
        body: Type.Object(
          {
            overlapSeconds: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: OVERLAP_SECONDS_MAX,
                default: OVERLAP_SECONDS_DEFAULT,
                'x-says': `Must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}.`,
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: oneWithSecret,
      },
    },
    async ({ actor, params, body: { overlapSeconds = OVERLAP_SECONDS_DEFAULT } }) => {
      const clientId = wellFormed(params.clientId)
      const secret = await makeSecret()
      const client = await withTransaction(db, (tx) =>
        rotateClientSecret(tx, { now: clock(), actor }, clientId, { secret, overlapSeconds }),
      )
      authentication.forget(clientId)
      const data = { ...presentClientDetail(client), secret: secret.secret }
      return accepted('Secret rotated successfully', data)
    },
  )

  for (const [verb, change, summary, message] of [
    ['suspend', suspendClient, 'Shut a client out', 'Client suspended successfully'],
    ['resume', resumeClient, 'Let a suspended client in again', 'Client resumed successfully'],
  ] as const) {
    app.post(
      `${CLIENTS}/:clientId/${verb}`,
      {
        onRequest,
        schema: {
          ...aboutOne,
          operationId: `${verb}Client`,
          summary,
          description:
            'A suspended client cannot log in, and its tokens are dead for good. Its numbers take ' +
            'money, payers’ pages work and webhooks go out as before.',
          body: NoteBody,
          response: oneClient,
        },
      },
      async ({ client: own, actor, params, body }) => {
        const clientId = wellFormed(params.clientId)
        if (clientId === own.clientId) throw new Refusal('own_client')
        const client = await withTransaction(db, (tx) =>
          change(tx, { now: clock(), actor }, clientId, body.note ?? null),
        )
        authentication.forget(clientId)
        return accepted(message, presentClientDetail(client))
      },
    )
  }
}

// What PostgreSQL would choke on is nobody's id.
function wellFormed(clientId: string): string {
  if (clientId.includes('\0') || !clientId.isWellFormed()) throw new Refusal('client_not_found')
  return clientId
}
