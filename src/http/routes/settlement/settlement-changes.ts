// /api/v1/settlements: close, approve and cancel settlements.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { approveSettlement } from '#domain/settlement/approve-settlement.ts'
import { cancelSettlement } from '#domain/settlement/cancel-settlement.ts'
import { awaitTurn, closeSettlement } from '#domain/settlement/close-settlement.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named } from '#http/schemas.ts'
import { parseBankTime } from '#wat-time.ts'
import {
  presentSettlement,
  ReferenceParams,
  requireReference,
  SETTLEMENTS,
  SettlementBody,
} from './settlement-presenters.ts'

const ATTEMPTS_MAX = 5
const PAYEES_MAX = 10_000
const BODY_BYTES_MAX = 4_194_304 // So many references and names.
const CUT_OFF_SAYS = 'Must be an ISO 8601 date or time that is not in the future.'

const about = {
  tags: ['Settlements'],
  security: BEARER,
  headers: IdempotencyHeaders,
  querystring: NoQuery,
  response: { 200: ApiEnvelope(SettlementBody) },
}

const CloseRequest = named(
  'CloseSettlementRequest',
  {
    cutOff: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Settle what was posted before this (ISO 8601). Default: everything.',
        'x-says': CUT_OFF_SAYS,
      }),
    ),
  },
  { additionalProperties: false },
)

const ApproveRequest = named(
  'ApproveSettlementRequest',
  {
    bankAccounts: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: PAYEES_MAX,
        description:
          'The bankAccount of each payee, in the order of payees. If it would now be paid to ' +
          'others, it is refused with settlement_accounts_changed. Required where no bank has ' +
          'confirmed the name of one (bank_account_unconfirmed).',
      }),
    ),
    accountNames: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: PAYEES_MAX,
        description:
          'The accountName of each payee, in the order of payees. If one has another name now, it ' +
          'is refused and required as above.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Nothing = Type.Object({}, { additionalProperties: false })

export const settlementChangeRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(closing, deps)
  await app.register(deciding, deps)
}

const closing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  app.post(
    SETTLEMENTS,
    {
      onRequest: deps.authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'closeSettlement',
        summary: 'Close a settlement now',
        description:
          'Takes what is available up to the cut-off, and pays it out unless that needs approval. ' +
          'Refused with settlement_empty when there is nothing, cut_off_passed when the cut-off ' +
          'is not later than the last one. A settlement of very many credits may be answered with ' +
          'try_again before it is done: retry with the same Idempotency-Key.',
        body: CloseRequest,
      },
    },
    async (request, reply) => {
      const { client, actor, userId } = request
      refuseRestricted(client)
      const cutOff = parseCutOff(request.body, deps.clock())
      return inTurn(deps, { request, reply }, async (tx) => {
        const acting = { ...deps, now: deps.clock() }
        const asked = { clientId: client.id, cutOff, actor, userId }
        const settlement = await closeSettlement(tx, acting, asked)
        return accepted('Settlement closed successfully', presentSettlement(settlement))
      })
    },
  )
}

const deciding: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const onRequest = deps.authentication.requires('payouts:write')

  app.post(
    `${SETTLEMENTS}/:reference/approve`,
    {
      onRequest,
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        ...about,
        operationId: 'approveSettlement',
        summary: 'Approve a settlement',
        description:
          'Creates its payouts. Where approval is needed, or no bank has confirmed the name of an ' +
          'account it is paid to, only for a signed-in user other than who closed it or chose its ' +
          'bank account. Otherwise needed only where a bank account was missing.',
        params: ReferenceParams,
        body: ApproveRequest,
      },
    },
    async (request, reply) => {
      refuseRestricted(request.client)
      const reference = requireReference(request.params.reference)
      // Not on `db`: shared accounts are opened on a connection of it.
      return withIdempotency(deps, { request, reply, pool: deps.batchPool }, async (tx) => {
        const now = deps.clock()
        const by = { ...toViewer(deps, request), scopes: request.scopes }
        const approval = { ...by, reference, view: request.body }
        const settlement = await approveSettlement(tx, { ...deps, now }, approval)
        return accepted('Settlement approved successfully', presentSettlement(settlement))
      })
    },
  )

  app.post(
    `${SETTLEMENTS}/:reference/cancel`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'cancelSettlement',
        summary: 'Cancel a settlement',
        description: 'Your latest, before it is approved. The next settlement takes it all again.',
        params: ReferenceParams,
        body: Nothing,
      },
    },
    async (request, reply) => {
      const { client, actor, params } = request
      refuseRestricted(client)
      const reference = requireReference(params.reference)
      return inTurn(deps, { request, reply }, async (tx) => {
        const asked = { clientId: client.id, reference, actor, now: deps.clock() }
        const settlement = await cancelSettlement(tx, asked)
        return accepted('Settlement cancelled successfully', presentSettlement(settlement))
      })
    },
  )
}

type Call = { request: FastifyRequest; reply: FastifyReply }

// A retry with the same key waits for the first, whose answer it gets; any other request is told.
async function inTurn<T extends object>(
  deps: Deps,
  { request, reply }: Call,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const pool = deps.settlementPool
  for (let attempt = 1; ; attempt++) {
    try {
      return await withIdempotency(deps, { request, reply, pool }, work)
    } catch (error) {
      const isTaken = error instanceof Refusal && error.code === 'settlement_in_progress'
      const isKeyed = request.headers['idempotency-key'] !== undefined
      if (!isTaken || !isKeyed || attempt === ATTEMPTS_MAX) throw error
      await withTransaction(pool, (tx) => awaitTurn(tx, request.client.id))
    }
  }
}

function parseCutOff({ cutOff }: Static<typeof CloseRequest>, now: Date): Date | undefined {
  if (cutOff === undefined) return undefined
  const time = parseBankTime(cutOff)
  if (time && time <= now) return time
  throw new Refusal('invalid_request', [{ field: 'cutOff', message: CUT_OFF_SAYS }])
}
