// /sandbox/payout-outcome: how the sandbox bank answers the client's next payouts, refunds,
// settlements and returns.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { hashAccount } from '#domain/payouts/bank-accounts.ts'
import {
  PAYOUT_OUTCOMES,
  type PayoutOutcome,
  setPayoutOutcome,
} from '#domain/sandbox/payout-outcomes.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, accountNumber, BEARER, named, nullable } from '#http/schemas.ts'
import { sandboxOnly } from './sandbox-only.ts'

const TIMES_MAX = 100

const OutcomeRequest = named(
  'SandboxPayoutOutcomeRequest',
  {
    outcome: Type.Unsafe<PayoutOutcome>({
      type: 'string',
      enum: [...PAYOUT_OUTCOMES],
      description:
        'ok: paid at once; failed: refused; slow: paid after 10 seconds; never: neither paid nor ' +
        'answered; answer_lost: paid, but the answer is lost, as after a crash.',
      'x-says': `Must be one of ${PAYOUT_OUTCOMES.join(', ')}.`,
    }),
    accountNumber: Type.Optional(accountNumber('Destination. Omitted: whichever is next.')),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TIMES_MAX,
        description: 'For how many payouts. Default 1.',
        'x-says': `Must be a whole number from 1 to ${TIMES_MAX}.`,
      }),
    ),
  },
  {
    additionalProperties: false,
    'x-examples': {
      next: { value: { outcome: 'failed' } },
      destination: { value: { outcome: 'slow', accountNumber: '0123456789', times: 3 } },
    },
  },
)

const OutcomeBody = named('SandboxPayoutOutcome', {
  outcome: Type.String(),
  accountNumber: nullable('string', { description: 'Null: whichever payout is next.' }),
  times: Type.Integer(),
})

export const payoutOutcomeRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, authentication } = deps

  app.put(
    '/sandbox/payout-outcome',
    {
      onRequest: [authentication.requires('payouts:write'), sandboxOnly(deps)],
      schema: {
        operationId: 'setSandboxPayoutOutcome',
        tags: ['Sandbox'],
        summary: 'Choose how the next payout ends (sandbox only)',
        description:
          'For the next payouts, or the next ones to one account number: payouts, refunds, ' +
          'settlements and returns alike. Replaces what was chosen before for the same ones.',
        security: BEARER,
        querystring: NoQuery,
        body: OutcomeRequest,
        response: { 200: ApiEnvelope(OutcomeBody) },
      },
    },
    async ({ client, body }) => {
      const { outcome, accountNumber: to = null, times = 1 } = body
      const accountHash = to === null ? null : hashAccount(sealer, to)
      const chosen = { clientId: client.id, outcome, accountHash, times }
      await withTransaction(db, (tx) => setPayoutOutcome(tx, clock(), chosen))
      return accepted('Payout outcome set successfully', { outcome, accountNumber: to, times })
    },
  )
}
