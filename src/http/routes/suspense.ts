// /api/v1/suspense: the desk where money that could not be given to anyone is given, or sent back.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, pageOf, readCursor, writeCursor } from '#db/paging.ts'
import type { Transaction } from '#db/transaction.ts'
import { type AssignTo, assignSuspense } from '#domain/suspense-assignments.ts'
import { ITEM_STATES, type ItemState } from '#domain/suspense-items.ts'
import { getSuspense, listSuspense, type SuspenseEntry } from '#domain/suspense-list.ts'
import { requestReturn } from '#domain/suspense-returns.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { answerInSteps, answerOnce } from '#http/idempotency.ts'
import { ListEnvelope, limitOf, listed, PageQuery, query } from '#http/lists.ts'
import { timestamp } from '#http/present.ts'
import {
  ApiEnvelope,
  ApiFailure,
  BEARER,
  digits,
  IdempotencyHeaders,
  nullable,
  text,
} from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'

const SuspenseBody = Type.Object({
  id: Type.Integer(),
  amount: Type.Number(),
  currency: Type.String(),
  reason: Type.String({ description: 'Why it is in suspense: see docs/money-flow.md.' }),
  state: Type.String({ description: 'open, assigned, returning, returned or reversed.' }),
  creditId: Type.Integer(),
  sessionId: Type.String(),
  bankCode: Type.String(),
  accountNumber: Type.String({ description: 'The number that the payer sent it to.' }),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  paymentReference: nullable('string', { description: 'The payment that it was meant for.' }),
  assignedTo: nullable('string', { description: 'A payment reference or an account number.' }),
  returnReference: nullable('string'),
  openedAt: Type.String(),
  closedAt: nullable('string'),
  ageSeconds: Type.Integer({ description: 'How long it has been, or was, in suspense.' }),
})

const Note = Type.Optional(text(500, 'Why; kept in the record of actions.'))
const AssignRequest = Type.Object(
  {
    accountNumber: Type.Optional(
      digits('^[0-9]{10}$', 'A collection account.', 'Must be 10 digits.'),
    ),
    paymentReference: Type.Optional(text(40, 'A payment.')),
    note: Note,
  },
  { additionalProperties: false },
)
const Params = Type.Object({ id: Type.String() })
const response = { 200: ApiEnvelope(SuspenseBody), '4xx': ApiFailure }
const tags = ['Suspense']

type Acting = Identity & { body: { note?: string } }

export const suspenseRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  await app.register(suspenseActions, deps)

  app.get(
    '/api/v1/suspense',
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'listSuspense',
        tags,
        summary: 'Money in suspense, newest first',
        description: 'Your own; an operator also sees what is nobody’s (unknown numbers).',
        security: BEARER,
        querystring: query({
          state: Type.Optional(
            Type.Unsafe<ItemState>({
              type: 'string',
              enum: [...ITEM_STATES],
              'x-says': `Must be one of ${ITEM_STATES.join(', ')}.`,
            }),
          ),
          reason: Type.Optional(digits('^[a-z_]{1,40}$', 'Only this reason.', 'Is not a reason.')),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(SuspenseBody), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const { state, reason } = asked
      const list: List = { name: 'suspense', clientId: client.id, filters: { state, reason } }
      const position = readCursor(sealer, list, asked.cursor)
      const limit = limitOf(asked)
      const rows = await listSuspense(db, client, {
        state: state ?? null,
        reason: reason ?? null,
        beforeId: position ? BigInt(position[0] as string) : null,
        limit: limit + 1,
      })
      const page = pageOf(rows, limit, (last) => writeCursor(sealer, list, [last.id.toString()]))
      return listed('Suspense retrieved successfully', page, (entry) =>
        presentSuspense(entry, sealer, clock()),
      )
    },
  )

  app.get(
    '/api/v1/suspense/:id',
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'getSuspense',
        tags,
        summary: 'One item in suspense',
        security: BEARER,
        params: Params,
        response,
      },
    },
    async ({ client, params }) => {
      const entry = await getSuspense(db, client, itemIdOf(params.id))
      return accepted('Suspense retrieved successfully', presentSuspense(entry, sealer, clock()))
    },
  )
}

const suspenseActions: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  // Not in `db`: a shared account is opened on a connection from there, and if transactions held
  // them all, each would wait for another for ever.
  const { db, batchPool, sealer, sharedAccounts, authentication, clock, sendReturns } = deps
  const actionOf = ({ client: by, actor, body: { note } }: Acting) => {
    return { sharedAccounts, now: clock(), by, actor, note: note ?? null }
  }

  app.post(
    '/api/v1/suspense/:id/assign',
    {
      onRequest: authentication.requires('suspense:write'),
      schema: {
        operationId: 'assignSuspense',
        tags,
        summary: 'Give suspended money to a payment or a collection account',
        description: 'Give one of the two. The same again changes nothing.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Params,
        body: AssignRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client, params, body } = request
      const itemId = itemIdOf(params.id)
      const target = targetOf(body)
      return answerOnce(deps, { request, reply, pool: batchPool }, async (tx) => {
        await assignSuspense(tx, actionOf(request), itemId, target)
        const entry = await getSuspense(tx, client, itemId)
        return accepted('Suspense assigned successfully', presentSuspense(entry, sealer, clock()))
      })
    },
  )

  app.post(
    '/api/v1/suspense/:id/return',
    {
      onRequest: authentication.requires('suspense:write'),
      schema: {
        operationId: 'returnSuspense',
        tags,
        summary: 'Send suspended money back to its payer',
        description: 'The bank is told, and confirms; the sandbox’s bank at once.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Params,
        body: Type.Object({ note: Note }, { additionalProperties: false }),
        response,
      },
    },
    async (request, reply) => {
      const { client, params } = request
      const itemId = itemIdOf(params.id)
      const begin = async (tx: Transaction) => {
        await requestReturn(tx, actionOf(request), itemId)
        return itemId.toString()
      }
      return answerInSteps(deps, { request, reply, pool: batchPool }, begin, async () => {
        await sendReturns()
        const entry = await getSuspense(db, client, itemId)
        return accepted('Return requested successfully', presentSuspense(entry, sealer, clock()))
      })
    },
  )
}

function itemIdOf(text: string): bigint {
  if (!/^[0-9]{1,18}$/.test(text)) throw new Refusal('suspense_not_found')
  return BigInt(text)
}

function targetOf(body: {
  accountNumber?: string | undefined
  paymentReference?: string | undefined
}): AssignTo {
  const { accountNumber, paymentReference } = body
  if ((accountNumber === undefined) === (paymentReference === undefined)) {
    const message = 'Give either accountNumber or paymentReference.'
    throw new Refusal('invalid_request', [{ field: 'accountNumber', message }])
  }
  if (accountNumber !== undefined) return { accountNumber }
  const paymentId = parseReference(paymentReference as string)
  if (!paymentId) throw new Refusal('payment_not_found')
  return { paymentId }
}

function presentSuspense(entry: SuspenseEntry, sealer: Sealer, now: Date) {
  const { openedAt, closedAt, sourceAccountSealed } = entry
  return {
    id: Number(entry.id),
    amount: toNaira(entry.amountKobo),
    currency: entry.currency,
    reason: entry.reason,
    state: entry.state,
    creditId: Number(entry.creditId),
    sessionId: entry.sessionId,
    bankCode: entry.bankCode,
    accountNumber: entry.accountNumber,
    sourceAccountName: entry.sourceAccountName,
    sourceAccountNumberMasked:
      sourceAccountSealed && maskAccountNumber(sealer.open(sourceAccountSealed)),
    sourceBankCode: entry.sourceBankCode,
    narration: entry.narration,
    paymentReference: entry.paymentReference,
    assignedTo: entry.assignedPaymentReference ?? entry.assignedAccountNumber,
    returnReference: entry.returnReference,
    openedAt: timestamp(openedAt),
    closedAt: closedAt && timestamp(closedAt),
    // Clocks of two machines differ, and one may be set back.
    ageSeconds: Math.max(0, Math.floor(((closedAt ?? now).getTime() - openedAt.getTime()) / 1000)),
  }
}
