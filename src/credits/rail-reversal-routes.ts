// POST /rails/{bankCode}/reversals: a bank takes a credit back, in full or in part. Also takes the reversals
// inside a credit report, and has the helpers that all signed calls share.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Acknowledgement, IncomingReversal } from '#banks/notifications.ts'
import { isSessionId } from '#banks/nuban.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { type FieldError, Refusal, type RefusalCode } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { Amount, named, RailFailure } from '#http/schemas.ts'
import { isAmount, parseJson } from '#http/validation.ts'
import { formatKobo, type Kobo, koboOf } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { findOriginal } from './identifiers.ts'
import { keepUnreadable, type ReversalBody, toReversalItem } from './rail-item-routes.ts'
import { firstReceivedAt, type NewRailItem, storeRailItems } from './rail-items.ts'
import { type ReversalAnswer, takeReversal } from './reverse.ts'

// Reversals inside a credit report are handled like POST /rails/{bankCode}/reversals, after the credits of
// the same report and before the acknowledgement.
//
// The original credit is found by any id that the bank may have used. A rejected reversal becomes a rail item
// in the same transaction.
//
// A reversal may overtake its credit, if the credit is in flight or about to be sent again. So for half an
// hour, the service asks the bank to send the reversal of an unknown credit again; later it rejects the
// reversal. If it rejected the reversal at once, the reversal would be lost and the credit booked in full.

const AWAITED_MS = 1_800_000 // Half an hour.

// `original_awaited`: the credit may still come, and the bank should send the reversal again.
type GivenAnswer = ReversalAnswer | 'original_awaited'
export type Reversed = GivenAnswer | 'failed' // After `failed`, the bank may safely send the reversal again.

// Returns whether the bank's reversal is in the books, now or from an earlier report.
export function isReversed(answer: GivenAnswer): boolean {
  return answer === 'reversed' || answer === 'duplicate'
}

// Stores a reversal that could not be taken as a rail item, and returns the answer to the bank. While the
// reversed credit may still come, the answer asks the bank to send the reversal again (code 03).
async function keepReversal(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  { answer, item }: { answer: ReversalAnswer; item: NewRailItem },
): Promise<GivenAnswer> {
  const isAwaited = answer === 'original_not_found' && (await isRecent(tx, { sealer, now }, item))
  const responseCode = isAwaited ? '03' : '02'
  await storeRailItems(tx, { sealer, now }, [{ ...item, responseCode }])
  return isAwaited ? 'original_awaited' : answer
}

// Returns whether the bank first reported this reversal less than AWAITED_MS ago, so that its credit may
// still come.
async function isRecent(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  item: NewRailItem,
): Promise<boolean> {
  const firstReportedAt = (await firstReceivedAt(tx, sealer, item)) ?? now
  return now.getTime() - firstReportedAt.getTime() < AWAITED_MS
}

// Takes the reversals one after another, because two of them may reverse parts of one credit.
export async function takeReversals(
  { batchPool, clock, sealer, sharedAccounts, log }: Deps,
  bankCode: string,
  reversals: readonly IncomingReversal[],
): Promise<Map<IncomingReversal, Reversed>> {
  const results = new Map<IncomingReversal, Reversed>()
  for (const reversal of reversals) {
    const now = clock()
    try {
      const answer = await withTransaction(batchPool, async (tx) => {
        const outcome = await findAndReverse(tx, { sharedAccounts, now }, { bankCode, reversal })
        if (isReversed(outcome)) return outcome
        const item = toRejectedItem(bankCode, reversal, outcome)
        return await keepReversal(tx, { sealer, now }, { answer: outcome, item })
      })
      results.set(reversal, answer)
    } catch (error) {
      log.error({ err: error }, 'failed to book a reversal')
      results.set(reversal, 'failed')
    }
  }
  return results
}

// Takes one reversal of a report: finds its credit by any of the ids that the bank gives, and books it.
async function findAndReverse(
  tx: Transaction,
  deps: Parameters<typeof takeReversal>[1],
  { bankCode, reversal }: { bankCode: string; reversal: IncomingReversal },
): Promise<ReversalAnswer> {
  const originalSessionId = await findOriginal(tx, bankCode, reversal)
  if (originalSessionId === undefined) return 'original_not_found'
  const { sessionId, formerId, place, amountKobo } = reversal
  const named = { bankCode, sessionId, formerId, place }
  return await takeReversal(tx, deps, { ...named, originalSessionId, amountKobo })
}

// Builds the rail item of a reversal inside a credit report that was not taken.
function toRejectedItem(bankCode: string, reversal: IncomingReversal, reason: ReversalAnswer) {
  const { sessionId, originals, amountKobo, currency } = reversal
  const body = { sessionId, originals, amount: formatKobo(amountKobo), currency }
  return toReversalItem(bankCode, { body, originals }, reason)
}

type Checks = Record<string, (value: unknown) => boolean>

// Reads the JSON body of a rail call whose signature was already checked, and refuses it if a field is
// missing or fails its check. Ignores unknown fields, because banks add some.
export function readBody(bytes: unknown, checks: Checks): Record<string, unknown> {
  const value = parseJson(bytes as Buffer)
  const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const problems = Object.entries(checks).flatMap(([field, isGood]): FieldError[] =>
    Object.hasOwn(body, field) && isGood(body[field])
      ? []
      : [{ field, message: Object.hasOwn(body, field) ? 'Invalid.' : 'Required.' }],
  )
  if (problems.length > 0) throw new Refusal('invalid_request', problems)
  return body
}

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

// Makes the response a 503 that asks the bank to send the reversal again, because the credit may still come.
export function askAgain(reply: Pick<FastifyReply, 'code' | 'header' | 'request'>): void {
  reply.request.isAwaited = true // The metrics then do not count this 503 as a failure.
  reply.code(503)
  reply.header('retry-after', AWAITED_RETRY_SECONDS)
}

// The refusals that every signed call may answer.
export const RAIL_ERRORS: readonly RefusalCode[] = [
  'bank_not_supported',
  'invalid_signature',
  'signature_too_old',
  'source_not_allowed',
]

const ReversalAcknowledgement = named('ReversalAcknowledgement', {
  sessionId: Type.String(),
  responseCode: Type.String({ description: '00 taken, 01 duplicate, 02 rejected, 03 retry.' }),
  responseMessage: Type.String(),
  outcome: Type.String({ description: 'reversed, duplicate, rejected or retry.' }),
  code: Type.Optional(Type.String({ description: 'Why it was rejected or is to be retried.' })),
})

export const reversalRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, clock, sealer, sharedAccounts } = deps
  // The body is raw signed bytes, which readBody() checks after the signature check.
  app.setValidatorCompiler(() => () => true)
  app.post(
    '/rails/:bankCode/reversals',
    {
      config: { rate: 'rail', errors: RAIL_ERRORS },
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
        const outcome = await takeReversal(tx, { sharedAccounts, now }, reversal)
        if (isReversed(outcome)) return outcome
        const item = toReversalItem(bankCode, { body, originals: [originalSessionId] }, outcome)
        return await keepReversal(tx, { sealer, now }, { answer: outcome, item })
      })
      if (answer === 'original_awaited') askAgain(reply)
      return { sessionId, ...reversalAcknowledgement(answer) }
    },
  )
}

// Returns the acknowledgement of a reversal. A reversal whose credit may still come has the outcome retry.
export function reversalAcknowledgement(answer: GivenAnswer): Omit<Acknowledgement, 'sessionId'> {
  const response = REVERSAL_ACKNOWLEDGEMENTS[answer]
  if (answer === 'original_awaited') {
    return { ...response, outcome: 'retry', code: 'original_not_found' }
  }
  return isReversed(answer)
    ? { ...response, outcome: answer }
    : { ...response, outcome: 'rejected', code: answer }
}

// Reads the body of a reversal. Stores an unreadable body for an operator before it throws.
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
