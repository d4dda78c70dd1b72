// /api/v1/operator/returns: returns to execute at the banks, and their results. Payers’ account
// numbers are masked unless revealed, which needs returns:write and is recorded in the audit log
// per number. They are not of what is not to be sent by hand, which would be paid twice; nor of what is,
// while payouts are held (I82).

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import { arePayoutsHeld } from '#domain/payouts/hold-payouts.ts'
import { recordActions } from '#domain/records/audit-log.ts'
import { awaitHolders } from '#domain/records/sending-lock.ts'
import {
  findReturn,
  listReturns,
  type Return,
  type Sender,
  senderOf,
} from '#domain/suspense/returns.ts'
import { settleByHand, type Verdict } from '#domain/suspense/settle-return.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  PageQuery,
  pageById,
  parseWindow,
  query,
  WindowQuery,
} from '#http/lists.ts'
import { ApiEnvelope, BEARER, digits, IdempotencyHeaders, text } from '#http/schemas.ts'
import {
  checkedReference,
  presentReturn,
  ReturnBody,
  RevealQuery,
  StatusQuery,
} from './return-presenters.ts'

const RETURNS = '/api/v1/operator/returns'
const BANK_REFERENCE_MAX = 100
const REASON_MAX = 500

const Params = Type.Object({ reference: Type.String() })
const response = { 200: ApiEnvelope(ReturnBody) }
const about = { tags: ['Operator'], security: BEARER }

export const operatorReturnRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reading, deps)
  await app.register(settling, deps)
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('returns:read')

  app.get(
    RETURNS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listReturns',
        summary: 'List returns, newest first',
        description: 'Suspended money on its way back to payers, and what became of it.',
        querystring: query({
          status: StatusQuery,
          bankCode: Type.Optional(
            digits('^[0-9]{3,6}$', 'Filter by bank.', 'Must be a bank code.'),
          ),
          ...WindowQuery,
          reveal: RevealQuery,
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(ReturnBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      const { status, bankCode, from, to } = asked
      const isRevealed = mayReveal(request, asked.reveal)
      const filters = { status, bankCode, from, to }
      const list: List = { name: 'returns', clientId: client.id, filters }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listReturns(db, { status, bankCode, ...parseWindow(asked), beforeId: after, limit }),
      )
      const seen = isRevealed ? await reveal(deps, request, page.rows) : []
      return listResponse('Returns retrieved successfully', page, (row) =>
        presentReturn(row, sealer, { sentBy: sentBy(deps, row), isRevealed: seen.includes(row) }),
      )
    },
  )

  app.get(
    `${RETURNS}/:reference`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getReturn',
        summary: 'Retrieve a return',
        description: 'Its amount, state and the bank’s reference or reason.',
        params: Params,
        querystring: query({ reveal: RevealQuery }),
        response,
      },
    },
    async (request) => {
      const isRevealed = mayReveal(request, request.query.reveal)
      const found = await findReturn(db, checkedReference(request.params))
      if (!found) throw new Refusal('return_not_found')
      if (isRevealed && (await reveal(deps, request, [found])).length === 0) {
        throw new Refusal(concealment(deps, found) ?? 'payouts_held')
      }
      const shown = presentReturn(found, sealer, { sentBy: sentBy(deps, found), isRevealed })
      return accepted('Return retrieved successfully', shown)
    },
  )
}

const settling: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  // Not on `db`: shared accounts are opened on a connection of it.
  const { batchPool, sealer, sharedAccounts, authentication, clock } = deps
  const onRequest = authentication.requires('returns:write')
  const change = { ...about, headers: IdempotencyHeaders, params: Params, querystring: NoQuery }

  const settle = (
    call: Parameters<typeof withIdempotency>[1],
    given: string,
    { verdict, message }: { verdict: Verdict; message: string },
  ) => {
    const { client: by, actor } = call.request
    return withIdempotency(deps, { ...call, pool: batchPool }, async (tx) => {
      const reference = checkedReference({ reference: given })
      await settleByHand(tx, { sharedAccounts, now: clock(), by, actor }, { reference, verdict })
      const settled = (await findReturn(tx, reference)) as Return
      return accepted(message, presentReturn(settled, sealer, { sentBy: null }))
    })
  }

  app.post(
    `${RETURNS}/:reference/confirm`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'confirmReturn',
        summary: 'Confirm a return',
        description:
          'The bank has returned the money. Idempotent. bankReference defaults to reference.',
        body: Type.Object(
          { bankReference: Type.Optional(text(BANK_REFERENCE_MAX, 'The bank’s own reference.')) },
          { additionalProperties: false },
        ),
        response,
      },
    },
    async (request, reply) => {
      const { reference } = request.params
      const { bankReference = reference } = request.body
      const verdict = { status: 'confirmed', bankReference } as const
      const message = 'Return confirmed successfully'
      return settle({ request, reply }, reference, { verdict, message })
    },
  )

  app.post(
    `${RETURNS}/:reference/fail`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'failReturn',
        summary: 'Fail a return',
        description:
          'The money goes back to suspense; the client is notified (credit.return_failed). Idempotent. ' +
          'Two people fail what the bank may have, as a payout (return_may_be_paid).',
        body: Type.Object(
          { reason: text(REASON_MAX, 'Failure reason, shown to the client.') },
          { additionalProperties: false },
        ),
        response,
      },
    },
    async (request, reply) => {
      const { reason } = request.body
      const verdict = { status: 'failed', reason } as const
      const message = 'Return failed'
      return settle({ request, reply }, request.params.reference, { verdict, message })
    },
  )
}

function sentBy({ banks, bankConnections }: Deps, found: Return): Sender | null {
  return senderOf(found, (bankCode) => {
    if (banks.find(({ code }) => code === bankCode)?.payoutFiles) return 'file'
    return bankConnections.get(bankCode)?.calls.sendMoney ? 'connector' : 'operator'
  })
}

// Why its number is not revealed; undefined: it may be.
function concealment(deps: Deps, found: Return): RefusalCode | undefined {
  if (found.blockedBy) return found.blockedBy
  return [null, 'operator'].includes(sentBy(deps, found)) ? undefined : 'return_not_by_hand'
}

function mayReveal({ scopes, isPerson }: Identity, reveal: string | undefined): boolean {
  if (reveal !== 'true') return false
  if (!scopes.has('returns:write'))
    throw new Refusal(isPerson ? 'role_not_allowed' : 'scope_missing')
  return true
}

// Which of them may be shown; their numbers are logged. Committed before any is shown.
async function reveal(deps: Deps, by: Identity, rows: readonly Return[]): Promise<Return[]> {
  return withTransaction(deps.db, async (tx) => {
    await awaitHolders(tx)
    const isHeld = await arePayoutsHeld(tx)
    const shown = rows.filter(
      (row) => !concealment(deps, row) && !(isHeld && row.status === 'pending'),
    )
    const numbered = shown.filter(({ payerAccountSealed }) => payerAccountSealed !== null)
    await recordActions(
      tx,
      deps.clock(),
      numbered.map(({ reference }) => ({
        clientId: by.client.id,
        actor: by.actor,
        action: 'return.reveal',
        subject: `return/${reference}`,
        detail: {},
      })),
    )
    return shown
  })
}
