// /api/v1/operator/clients/{clientId}: changes to a client. Effective immediately in this process,
// within seconds in others.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { makeSecret, OVERLAP_SECONDS_DEFAULT } from '#domain/access/client-secrets.ts'
import {
  changeClient,
  getClient,
  resumeClient,
  rotateClientSecret,
  suspendClient,
} from '#domain/access/manage-clients.ts'
import { decideAccountName } from '#domain/payments/account-name-reviews.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, text } from '#http/schemas.ts'
import {
  CLIENTS,
  ClientDetailBody,
  ClientFields,
  ClientName,
  ClientParams,
  ClientWithSecretBody,
  presentClientDetail,
  RotationBody,
  requireClientId,
} from './client-presenters.ts'

const REASON_MAX = 500
const ReasonBody = Type.Object(
  {
    reason: Type.Optional(
      text(
        REASON_MAX,
        'Why. Kept in the audit log; operators see it while the client is suspended.',
      ),
    ),
    note: Type.Optional(text(REASON_MAX, 'The former name of reason, used where that is omitted.')),
  },
  { additionalProperties: false },
)
const AccountNameDecisionBody = named(
  'AccountNameDecisionRequest',
  {
    accountName: text(100, 'The name that you decide on: pendingAccountName as you saw it.'),
    reason: Type.Optional(text(REASON_MAX, 'Why. The client can read it in its audit log.')),
  },
  { additionalProperties: false },
)
const aboutOne = {
  tags: ['Operator'],
  security: BEARER,
  params: ClientParams,
  querystring: NoQuery,
}
const oneClient = { 200: ApiEnvelope(ClientDetailBody) }
const oneWithSecret = { 200: ApiEnvelope(ClientWithSecretBody) }

export const operatorClientChangeRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const onRequest = authentication.requires('operator')
  await app.register(secrets, deps)
  await app.register(states, deps)
  await app.register(accountNames, deps)

  app.patch(
    `${CLIENTS}/:clientId`,
    {
      onRequest,
      schema: {
        ...aboutOne,
        operationId: 'updateClient',
        summary: 'Update a client',
        description: 'Omitted fields keep their value. Applies to tokens already issued.',
        body: Type.Object(
          { name: Type.Optional(ClientName), ...ClientFields },
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
      const clientId = requireClientId(params.clientId)
      const isLess = body.isOperator === false || body.scopes?.includes('operator') === false
      if (clientId === own.clientId && isLess) throw new Refusal('own_client')
      const client = await withTransaction(db, (tx) =>
        changeClient(tx, { now: clock(), actor }, { clientId, changes: body }),
      )
      authentication.forget(clientId)
      return accepted('Client updated successfully', presentClientDetail(client))
    },
  )
}

const secrets: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.post(
    `${CLIENTS}/:clientId/rotate-secret`,
    {
      onRequest,
      schema: {
        ...aboutOne,
        operationId: 'rotateClientSecret',
        summary: 'Rotate a client secret',
        description:
          'The old secret stays valid during the overlap. An overlap of 0 revokes it immediately, ' +
          'with all tokens of the client.',
        headers: IdempotencyHeaders,
        body: RotationBody,
        response: oneWithSecret,
      },
    },
    async (request, reply) => {
      const { actor, userId, params, body } = request
      const madeBy = { userId, clientId: request.client.id }
      const clientId = requireClientId(params.clientId)
      const secret = await makeSecret()
      const change = { secret, overlapSeconds: body.overlapSeconds ?? OVERLAP_SECONDS_DEFAULT }
      const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { now: clock(), actor, madeBy }
        const client = await rotateClientSecret(tx, by, { clientId, change })
        const data = { ...presentClientDetail(client), secret: secret.secret }
        return accepted('Secret rotated successfully', data)
      })
      authentication.forget(clientId)
      return answer
    },
  )
}

const states: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  for (const [verb, change, summary, message] of [
    ['suspend', suspendClient, 'Suspend a client', 'Client suspended successfully'],
    ['resume', resumeClient, 'Resume a suspended client', 'Client resumed successfully'],
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
            'A suspended client cannot log in, and its tokens are revoked. No money leaves it: ' +
            'settlements, payouts, refunds and returns wait until it is resumed; what the bank has ' +
            'already is finished. Its accounts still receive money, its checkout pages work and its ' +
            'webhooks are delivered.',
          headers: IdempotencyHeaders,
          body: ReasonBody,
          response: oneClient,
        },
      },
      async (request, reply) => {
        const { client: own, actor, params, body } = request
        const clientId = requireClientId(params.clientId)
        if (clientId === own.clientId) throw new Refusal('own_client')
        const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
          const client = await change(
            tx,
            { now: clock(), actor },
            { clientId, reason: body.reason ?? body.note ?? null },
          )
          return accepted(message, presentClientDetail(client))
        })
        authentication.forget(clientId)
        return answer
      },
    )
  }
}

const accountNames: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  for (const [decision, summary, message] of [
    ['approve', 'Approve a client’s account name', 'Account name approved successfully'],
    ['reject', 'Reject a client’s account name', 'Account name rejected successfully'],
  ] as const) {
    app.post(
      `${CLIENTS}/:clientId/account-name/${decision}`,
      {
        onRequest,
        schema: {
          ...aboutOne,
          operationId: `${decision}AccountName`,
          summary,
          description:
            'Decides on pendingAccountName, the name in account names that the client chose in live ' +
            'mode. Banks show the former name until it is approved.',
          headers: IdempotencyHeaders,
          body: AccountNameDecisionBody,
          response: oneClient,
        },
      },
      async (request, reply) => {
        const { actor, params, body } = request
        const clientId = requireClientId(params.clientId)
        const { accountName, reason = null } = body
        return withIdempotency(deps, { request, reply }, async (tx) => {
          const by = { now: clock(), actor }
          await decideAccountName(tx, by, { clientId, decision, accountName, reason })
          return accepted(message, presentClientDetail(await getClient(tx, by.now, clientId)))
        })
      },
    )
  }
}
