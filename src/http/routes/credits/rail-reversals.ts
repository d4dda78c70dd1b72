// POST /rails/{bankCode}/reversals: a bank takes a credit back, in full or in part.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Acknowledgement } from '#banks/notifications.ts'
import { isSessionId } from '#banks/session-id.ts'
import { withTransaction } from '#db/transaction.ts'
import { takeReversal } from '#domain/credits/reverse-credit.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { Amount, named, RailFailure } from '#http/schemas.ts'
import { isAmount } from '#http/validation.ts'
import { type Kobo, koboOf } from '#money.ts'
import { keepUnreadable, type ReversalBody, rejectedReversal } from './keep-rail-items.ts'
import { readBody } from './rail-body.ts'
import { type GivenAnswer, isReversed, keepReversal } from './reported-reversals.ts'

const SESSION_ID_MAX = 64
const SessionId = (description: string) =>
  Type.String({ minLength: 1, maxLength: SESSION_ID_MAX, description })
const isSession = (value: unknown) => typeof value === 'string' && isSessionId(value)

const REVERSAL_ACKNOWLEDGEMENTS: Record<
  GivenAnswer,
  { responseCode: Acknowledgement['responseCode']; responseMessage: string }
> = {
  reversed: { responseCode: '00', responseMessage: 'Reversed' },
  duplicate: { responseCode: '01', responseMessage: 'Duplicate: already reversed' },
  session_reused: {
    responseCode: '02',
    responseMessage: 'Session ID already used with different details',
  },
  original_archived: {
    responseCode: '02',
    responseMessage: 'Credit is archived: contact us to settle it',
  },
  original_not_found: {
    responseCode: '02',
    responseMessage: 'No credit with this original session ID',
  },
  original_awaited: {
    responseCode: '03',
    responseMessage: 'No credit with this original session ID yet: retry',
  },
  amount_exceeds_original: {
    responseCode: '02',
    responseMessage: 'Amount exceeds the remaining credit',
  },
}

const AWAITED_RETRY_SECONDS = 60

// The credit may still come.
export function askAgain(reply: Pick<FastifyReply, 'code' | 'header' | 'request'>): void {
  reply.request.isAwaited = true
  reply.code(503)
  reply.header('retry-after', AWAITED_RETRY_SECONDS)
}

const ReversalAcknowledgement = named('ReversalAcknowledgement', {
  sessionId: Type.String(),
  responseCode: Type.String({ description: '00 taken, 01 duplicate, 02 rejected, 03 retry.' }),
  responseMessage: Type.String(),
  outcome: Type.String({ description: 'reversed, duplicate, rejected or retry.' }),
  code: Type.Optional(Type.String({ description: 'Why it was rejected or is to be retried.' })),
})

export const reversalRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, clock, sealer, sharedAccounts } = deps
  app.setValidatorCompiler(() => () => true)
  app.post(
    '/rails/:bankCode/reversals',
    {
      config: { rate: 'rail' },
      schema: {
        operationId: 'reverseCredit',
        tags: ['Rails'],
        summary: 'Reverse a credit, in full or in part',
        description:
          'The bank takes money back that it reported before, named by the credit’s session id. ' +
          'The same reversal again is a duplicate. One of a credit that is not known is answered 503 ' +
          'with 03 and original_not_found for 30 minutes, since the credit may still come, and then ' +
          '02.',
        params: Type.Object({ bankCode: Type.String() }),
        body: Type.Object({
          sessionId: SessionId('Session ID of the reversal.'),
          originalSessionId: SessionId('Session ID of the credit.'),
          amount: Amount,
        }),
        response: {
          200: ReversalAcknowledgement,
          503: Type.Union([ReversalAcknowledgement, RailFailure]),
        },
      },
    },
    async (request, reply) => {
      const { bankCode } = request.params
      const body = await readReversal(deps, bankCode, request.body as unknown as Buffer)
      const { sessionId, originalSessionId } = body
      const amountKobo = koboOf(body.amount) as Kobo
      const answer = await withTransaction(batchPool, async (tx) => {
        const now = clock()
        const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
        const taken = await takeReversal(tx, { sharedAccounts, now, isReal: true }, reversal)
        if (isReversed(taken)) return taken
        const item = rejectedReversal(bankCode, { body, originals: [originalSessionId] }, taken)
        return await keepReversal(tx, { sealer, now }, { answer: taken, item })
      })
      if (answer === 'original_awaited') askAgain(reply)
      return { sessionId, ...reversalAcknowledgement(answer) }
    },
  )
}

export function reversalAcknowledgement(answer: GivenAnswer): Omit<Acknowledgement, 'sessionId'> {
  const words = REVERSAL_ACKNOWLEDGEMENTS[answer]
  if (answer === 'original_awaited') {
    return { ...words, outcome: 'retry', code: 'original_not_found' }
  }
  return isReversed(answer)
    ? { ...words, outcome: answer }
    : { ...words, outcome: 'rejected', code: answer }
}

// Unreadable reversals are kept too.
async function readReversal(deps: Deps, bankCode: string, rawBody: Buffer): Promise<ReversalBody> {
  try {
    const checks = { sessionId: isSession, originalSessionId: isSession, amount: isAmount }
    const { sessionId, originalSessionId, amount } = readBody(rawBody, checks)
    return { sessionId, originalSessionId, amount } as ReversalBody
  } catch (error) {
    if (error instanceof Refusal) {
      await keepUnreadable(deps, { bankCode, call: 'reversals', reason: error.code }, rawBody)
    }
    throw error
  }
}
