// /sandbox: the sandbox bank. The transfer is simulated; the credit, its duplicate and its reversal
// take the regular path.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { sandboxCredit, sandboxSessionId } from '#banks/sandbox-credits.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { findNumber } from '#domain/accounts/number-owners.ts'
import type { CreditResult } from '#domain/credits/decide-credits.ts'
import { takeReversal } from '#domain/credits/reverse-credit.ts'
import { getPayment } from '#domain/payments/payments.ts'
import {
  SANDBOX_TRANSFERS,
  type SandboxTransfer,
  sandboxAmount,
} from '#domain/sandbox/sandbox-transfers.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import {
  Amount,
  ApiEnvelope,
  ApiFailure,
  accountNumber,
  BEARER,
  IdempotencyHeaders,
  named,
  nullable,
} from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'

const TransferRequest = named(
  'SandboxTransferRequest',
  {
    accountNumber: accountNumber('Account number to credit.'),
    kind: Type.Unsafe<SandboxTransfer>({
      type: 'string',
      enum: [...SANDBOX_TRANSFERS],
      description: 'exact, under or over the amount due; late; duplicate; reversed.',
      'x-says': `Must be one of ${SANDBOX_TRANSFERS.join(', ')}.`,
    }),
    amount: Type.Optional(Amount),
  },
  { additionalProperties: false },
)

const StepBody = named('SandboxTransferStep', {
  step: Type.String({ description: 'credit, again (duplicate report) or reversal.' }),
  sessionId: Type.String(),
  responseCode: Type.String({ description: 'Response to the bank: 00 accepted, 01 duplicate.' }),
  outcome: Type.String({ description: 'booked, suspended, duplicate or reversed.' }),
  reason: nullable('string', { description: 'Suspense reason.' }),
  amountInSuspense: Type.Number(),
})

const TransferBody = named('SandboxTransfer', {
  kind: Type.String(),
  accountNumber: Type.String(),
  amount: Type.Number(),
  sessionId: Type.String(),
  creditId: Type.Integer(),
  paymentReference: nullable('string'),
  steps: Type.Array(StepBody, { description: 'Each report of the bank and its outcome.' }),
})

// Stored with the idempotency key, so that a retry sends the same transfer.
type PlannedTransfer = {
  bankCode: string
  paymentReference: string | null
  amountKobo: string
  sessionId: string
  reversalSessionId: string
}
type TransferOptions = { accountNumber: string; kind: SandboxTransfer; amount?: number | string }

export const sandboxTransferRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { mode, authentication } = deps
  const sandboxOnly = async () => {
    if (mode === 'live') throw new Refusal('sandbox_only')
  }

  app.post(
    '/sandbox/transfers',
    {
      config: { rate: 'simulate', queue: 'credits' },
      onRequest: [authentication.requires('payments:write'), sandboxOnly],
      schema: {
        operationId: 'sendSandboxTransfer',
        tags: ['Sandbox'],
        summary: 'Send a sandbox transfer (sandbox only)',
        description:
          'Default amount: the amount due, half of it (under) or 500.00 more (over). late requires ' +
          'a payment whose grace period has ended.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: TransferRequest,
        response: { 200: ApiEnvelope(TransferBody), '4xx': ApiFailure },
      },
    },
    async (request, reply) => {
      const { client, body } = request
      const begin = async (tx: Transaction) =>
        JSON.stringify(await plan(tx, deps, { clientId: client.id, asked: body }))
      return withIdempotentSteps(deps, { request, reply, begin }, async (about) =>
        accepted('Transfer sent successfully', await sendPlanned(deps, body, JSON.parse(about))),
      )
    },
  )
}

async function plan(
  tx: Transaction,
  { clock }: Deps,
  {
    clientId,
    asked: { accountNumber, kind, amount },
  }: { clientId: ClientId; asked: TransferOptions },
): Promise<PlannedTransfer> {
  const owner = await findNumber(tx, clientId, accountNumber)
  if (!owner) throw new Refusal('number_not_found')
  const { bankCode, paymentId } = owner
  const payment =
    paymentId === null
      ? undefined
      : await getPayment(tx, clientId, { by: 'payment', reference: paymentId })
  const givenKobo = amount === undefined ? undefined : (koboOf(amount) as Kobo)
  const now = clock()
  return {
    bankCode,
    paymentReference: paymentId,
    amountKobo: sandboxAmount({ kind, givenKobo, payment, now }).toString(),
    sessionId: sandboxSessionId(now),
    reversalSessionId: sandboxSessionId(now),
  }
}

async function sendPlanned(
  deps: Deps,
  { accountNumber, kind }: TransferOptions,
  planned: PlannedTransfer,
) {
  const { bankCode, sessionId, paymentReference } = planned
  const amountKobo = kobo(BigInt(planned.amountKobo))
  const { writers, clock } = deps
  const to = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
  const credit = sandboxCredit(to, clock(), { narration: `Sandbox bank: ${kind}`, sessionId })
  const taken = await writers.credits.submit(credit)
  if (taken.status === 'session_reused') throw new Refusal('try_again')
  const steps = [creditStep(sessionId, taken)]
  if (kind === 'duplicate') steps.push(againStep(sessionId, await writers.credits.submit(credit)))
  if (kind === 'reversed') steps.push(await reverse(deps, planned))
  const { creditId } = taken
  const amount = toNaira(amountKobo)
  return {
    kind,
    accountNumber,
    amount,
    sessionId,
    creditId: publicId(deps.sealer, 'credit', creditId),
    paymentReference,
    steps,
  }
}

type Step = Static<typeof StepBody>
type TakenCredit = Exclude<CreditResult, { status: 'session_reused' }>

function creditStep(sessionId: string, { outcome, reason, suspendedKobo }: TakenCredit): Step {
  const amountInSuspense = toNaira(suspendedKobo)
  return { step: 'credit', sessionId, responseCode: '00', outcome, reason, amountInSuspense }
}

function againStep(sessionId: string, { status }: CreditResult): Step {
  const isDuplicate = status === 'duplicate'
  return {
    step: 'again',
    sessionId,
    responseCode: isDuplicate ? '01' : '02',
    outcome: isDuplicate ? 'duplicate' : 'rejected',
    reason: null,
    amountInSuspense: 0,
  }
}

async function reverse(
  { batchPool, sharedAccounts, clock }: Deps,
  planned: PlannedTransfer,
): Promise<Step> {
  const { bankCode, sessionId: originalSessionId, reversalSessionId: sessionId } = planned
  const amountKobo = kobo(BigInt(planned.amountKobo))
  const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
  const answer = await withTransaction(batchPool, (tx) =>
    takeReversal(tx, { sharedAccounts, now: clock() }, reversal),
  )
  const isTaken = answer === 'reversed' || answer === 'duplicate'
  return {
    step: 'reversal',
    sessionId,
    responseCode: isTaken ? '00' : '02',
    outcome: isTaken ? 'reversed' : 'rejected',
    reason: null,
    amountInSuspense: 0,
  }
}
