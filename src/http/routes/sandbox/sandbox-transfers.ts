// /sandbox/transfers: what the sandbox bank sends, in every scenario. The transfer is simulated; the
// credit, its duplicates and its reversal take the regular path.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { Transaction } from '#db/transaction.ts'
import { findNumber } from '#domain/accounts/number-owners.ts'
import { getPayment } from '#domain/payments/payments.ts'
import {
  SANDBOX_TRANSFERS,
  type SandboxTransfer,
  sandboxAmount,
  transferTerms,
} from '#domain/sandbox/sandbox-transfers.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import {
  Amount,
  ApiEnvelope,
  accountNumber,
  BEARER,
  IdempotencyHeaders,
  named,
  nullable,
} from '#http/schemas.ts'
import type { ClientId, PaymentId } from '#ids.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import { timestamp } from '#wat-time.ts'
import { type PlannedTransfer, planTransfer, sendPlanned } from './planned-transfers.ts'
import { sandboxOnly } from './sandbox-only.ts'

const TIMES_MAX = 20
const AFTER_SECONDS_MAX = 30 * 86_400

const TO = { accountNumber: '1000000015' }
const EXAMPLES = {
  exact: { value: { ...TO, kind: 'exact' } },
  over: { value: { ...TO, kind: 'over', amount: 6500 } },
  duplicate: { value: { ...TO, kind: 'duplicate', times: 3 } },
  reversed: { value: { ...TO, kind: 'reversed', afterSeconds: 60 } },
  delayed: { value: { ...TO, kind: 'delayed', afterSeconds: 120 } },
  lost: { value: { ...TO, kind: 'lost' } },
}

const TransferRequest = named(
  'SandboxTransferRequest',
  {
    accountNumber: accountNumber('Account number to credit.'),
    kind: Type.Unsafe<SandboxTransfer>({
      type: 'string',
      enum: [...SANDBOX_TRANSFERS],
      description:
        'exact, under or over the amount due; late; duplicate; out_of_order: two halves, the later ' +
        'reported first; reversed; reversal_first: reported before its credit; wrong_currency; ' +
        'delayed; lost: never reported, and found by requery.',
      'x-says': `Must be one of ${SANDBOX_TRANSFERS.join(', ')}.`,
    }),
    amount: Type.Optional(Amount),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TIMES_MAX,
        description: 'duplicate: how often it is reported again. Default 1.',
        'x-says': `Must be a whole number from 1 to ${TIMES_MAX}.`,
      }),
    ),
    afterSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: AFTER_SECONDS_MAX,
        description:
          'reversed: when the bank takes it back (default 0, at once). delayed: when it is ' +
          'reported (default 30).',
        'x-says': `Must be a whole number from 0 to ${AFTER_SECONDS_MAX}.`,
      }),
    ),
  },
  { additionalProperties: false, 'x-examples': EXAMPLES },
)

const StepBody = named('SandboxTransferStep', {
  step: Type.String({ description: 'credit, again (duplicate report) or reversal.' }),
  sessionId: Type.String(),
  responseCode: Type.String({
    description: 'Response to the bank: 00 accepted, 01 duplicate, 02 rejected.',
  }),
  outcome: Type.String({
    description: 'booked, suspended, duplicate, reversed, rejected or retry.',
  }),
  reason: nullable('string', { description: 'Suspense reason, or why it was rejected.' }),
  amountInSuspense: Type.Number(),
})

const ScheduledBody = named('SandboxTransferScheduled', {
  step: Type.String({ description: 'credit or reversal.' }),
  sessionId: Type.String(),
  dueAt: nullable('string', { description: 'When the bank reports it. Null: only when asked.' }),
})

const TransferBody = named('SandboxTransfer', {
  kind: Type.String(),
  accountNumber: Type.String(),
  amount: Type.Number(),
  sessionId: Type.String(),
  creditId: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Null while the transfer is not reported: delayed, lost.',
  }),
  paymentReference: nullable('string'),
  steps: Type.Array(StepBody, { description: 'Each report of the bank and its outcome.' }),
  scheduled: Type.Array(ScheduledBody, { description: 'What the bank reports later.' }),
})

type TransferOptions = {
  accountNumber: string
  kind: SandboxTransfer
  amount?: number | string
  times?: number
  afterSeconds?: number
}
// Stored with the idempotency key.
type Planned = { transfer: PlannedTransfer; paymentReference: PaymentId | null }

export const sandboxTransferRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication } = deps

  app.post(
    '/sandbox/transfers',
    {
      config: { rate: 'simulate', queue: 'credits' },
      onRequest: [authentication.requires('payments:write'), sandboxOnly(deps)],
      schema: {
        operationId: 'sendSandboxTransfer',
        tags: ['Sandbox'],
        summary: 'Send a sandbox transfer (sandbox only)',
        description:
          'Default amount: the amount due, half of it (under) or 500.00 more (over). late requires ' +
          'a payment whose grace period has ended. What is reported later is reported by the ' +
          'workers, also after a restart.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: TransferRequest,
        response: { 200: ApiEnvelope(TransferBody) },
      },
    },
    async (request, reply) => {
      const { client, body } = request
      const begin = async (tx: Transaction) =>
        JSON.stringify(await plan(tx, deps, { clientId: client.id, asked: body }))
      return withIdempotentSteps(deps, { request, reply, begin }, async (about) =>
        accepted('Transfer sent successfully', await sendAsked(deps, client.id, JSON.parse(about))),
      )
    },
  )
}

type AskedTransfer = { clientId: ClientId; asked: TransferOptions }

async function plan(
  tx: Transaction,
  { clock }: Deps,
  { clientId, asked: { accountNumber, kind, amount, ...options } }: AskedTransfer,
): Promise<Planned> {
  const owner = await findNumber(tx, clientId, accountNumber)
  if (!owner) throw new Refusal('number_not_found')
  const { bankCode, paymentId } = owner
  const payment =
    paymentId === null
      ? undefined
      : await getPayment(tx, clientId, { by: 'payment', reference: paymentId })
  const requestedKobo = amount === undefined ? undefined : (koboOf(amount) as Kobo)
  const now = clock()
  const amountKobo = sandboxAmount({ kind, requestedKobo, payment, now })
  const terms = transferTerms({ kind, ...options })
  const to = { kind, accountNumber, bankCode, amountKobo, terms }
  const transfer = await planTransfer(tx, { clientId, now }, to)
  return { transfer, paymentReference: paymentId }
}

async function sendAsked(
  deps: Deps,
  clientId: ClientId,
  { transfer, paymentReference }: Planned,
): Promise<Static<typeof TransferBody>> {
  const { kind, accountNumber, amountKobo, sessionId } = transfer
  const { taken, steps, scheduled } = await sendPlanned(deps, clientId, transfer)
  return {
    kind,
    accountNumber,
    amount: toNaira(kobo(BigInt(amountKobo))),
    sessionId,
    creditId: taken ? publicId(deps.sealer, 'credit', taken.creditId) : null,
    paymentReference,
    steps,
    scheduled: scheduled.map(({ dueAt, ...step }) => ({
      ...step,
      dueAt: dueAt && timestamp(dueAt),
    })),
  }
}
