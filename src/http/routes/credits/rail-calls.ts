// Other rail calls: name enquiry, reversal, confirmation of a return.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { cleanText } from '#banks/formats/credit-fields.ts'
import { ACCOUNT_NUMBER, isAccountNumber } from '#banks/nuban.ts'
import { isSessionId } from '#banks/session-id.ts'
import { withTransaction } from '#db/transaction.ts'
import { accountName } from '#domain/accounts/account-names.ts'
import { findLiveName } from '#domain/accounts/number-owners.ts'
import { storeRailItems } from '#domain/credits/rail-items.ts'
import { type ReversalAnswer, takeReversal } from '#domain/credits/reverse-credit.ts'
import { settleReturn } from '#domain/suspense/return-suspense.ts'
import { isReturnReference } from '#domain/suspense/returns.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { parseJson } from '#http/json-bodies.ts'
import { Amount, named, RailFailure } from '#http/schemas.ts'
import { isAmount } from '#http/validation.ts'
import { type Kobo, koboOf } from '#money.ts'
import { keepUnreadable, type ReversalBody, rejectedReversal } from './keep-rail-items.ts'
import { isReversed } from './rail-reversals.ts'

const tags = ['Rails']
const BankParams = Type.Object({ bankCode: Type.String() })
const SESSION_ID_MAX = 64
const BANK_REFERENCE_MAX = 100
const FAILURE_REASON_MAX = 500
const SessionId = (description: string) =>
  Type.String({ minLength: 1, maxLength: SESSION_ID_MAX, description })
const KYC_LEVEL = '3' // Every account is opened with a BVN.

const REVERSAL_ACKNOWLEDGEMENTS: Record<
  ReversalAnswer,
  { responseCode: '00' | '01' | '02'; responseMessage: string }
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
  amount_exceeds_original: {
    responseCode: '02',
    responseMessage: 'Amount exceeds the remaining credit',
  },
}

export const railCallRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  // Bodies are raw signed bytes, parsed after the signature check.
  app.setValidatorCompiler(() => () => true)
  await app.register(nameEnquiry, deps)
  await app.register(reversals, deps)
  await app.register(returns, deps)
}

const nameEnquiry: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, policy } = deps
  app.post(
    '/rails/:bankCode/name-enquiry',
    {
      config: { rate: 'rail' },
      schema: {
        operationId: 'nameEnquiry',
        tags,
        summary: 'Name enquiry',
        params: BankParams,
        body: Type.Object({ accountNumber: Type.String({ pattern: ACCOUNT_NUMBER }) }),
        response: {
          200: named('NameEnquiry', {
            accountNumber: Type.String(),
            accountName: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
            kycLevel: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
            responseCode: Type.String({
              description: '00 found; 07 invalid account, or an account of another bank.',
            }),
          }),
          '4xx': RailFailure,
        },
      },
    },
    async (request) => {
      const { accountNumber } = readBody(request.body, { accountNumber: isNumber })
      const number = accountNumber as string
      const { bankCode } = request.params
      const found = await findLiveName(db, clock(), { bankCode, accountNumber: number })
      if (!found) {
        return { accountNumber: number, accountName: null, kycLevel: null, responseCode: '07' }
      }
      const name = accountName(policy.accountName, found)
      return { accountNumber: number, accountName: name, kycLevel: KYC_LEVEL, responseCode: '00' }
    },
  )
}

const reversals: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, clock, sealer, sharedAccounts } = deps
  app.post(
    '/rails/:bankCode/reversals',
    {
      config: { rate: 'rail' },
      schema: {
        operationId: 'reverseCredit',
        tags,
        summary: 'Reverse a credit, in full or in part',
        params: BankParams,
        body: Type.Object({
          sessionId: SessionId('Session ID of the reversal.'),
          originalSessionId: SessionId('Session ID of the credit.'),
          amount: Amount,
        }),
        response: {
          200: named('ReversalAcknowledgement', {
            sessionId: Type.String(),
            responseCode: Type.String(),
            responseMessage: Type.String(),
            outcome: Type.String(),
            code: Type.Optional(Type.String()),
          }),
          '4xx': RailFailure,
        },
      },
    },
    async (request) => {
      const { bankCode } = request.params
      const body = await readReversal(deps, bankCode, request.body as unknown as Buffer)
      const { sessionId, originalSessionId } = body
      const amountKobo = koboOf(body.amount) as Kobo
      const answer = await withTransaction(batchPool, async (tx) => {
        const now = clock()
        const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
        const given = await takeReversal(tx, { sharedAccounts, now }, reversal)
        if (!isReversed(given)) {
          await storeRailItems(tx, { sealer, now }, [rejectedReversal(bankCode, body, given)])
        }
        return given
      })
      return { sessionId, ...reversalAcknowledgement(answer) }
    },
  )
}

export function reversalAcknowledgement(answer: ReversalAnswer) {
  const words = REVERSAL_ACKNOWLEDGEMENTS[answer]
  return isReversed(answer)
    ? { ...words, outcome: answer }
    : { ...words, outcome: 'rejected', code: answer }
}

const returns: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, clock, sharedAccounts } = deps
  app.post(
    '/rails/:bankCode/returns',
    {
      config: { rate: 'rail' },
      schema: {
        operationId: 'settleReturn',
        tags,
        summary: 'Confirm or fail a return',
        params: BankParams,
        body: Type.Object({
          reference: Type.String({ description: 'Return reference from the instruction.' }),
          status: Type.Union([Type.Literal('confirmed'), Type.Literal('failed')]),
          bankReference: Type.Optional(Type.String({ description: 'The bank’s own reference.' })),
          reason: Type.Optional(
            Type.String({ description: 'Failure reason, shown to the client.' }),
          ),
        }),
        response: {
          200: named('ReturnAcknowledgement', {
            reference: Type.String(),
            responseCode: Type.String(),
            responseMessage: Type.String(),
          }),
          '4xx': RailFailure,
        },
      },
    },
    async (request) => {
      const body = readBody(request.body, {
        reference: isReturnReference,
        status: (value) => value === 'confirmed' || value === 'failed',
      })
      const reference = body.reference as string
      const { bankCode } = request.params
      const bankReference = textOf(body.bankReference, BANK_REFERENCE_MAX) ?? reference
      const reason = textOf(body.reason, FAILURE_REASON_MAX)
      const settling = {
        reference,
        verdict:
          body.status === 'confirmed'
            ? ({ status: 'confirmed', bankReference } as const)
            : ({ status: 'failed', reason } as const),
        by: `bank:${bankCode}`,
        fromBank: bankCode,
      }
      const isSettled = await withTransaction(batchPool, (tx) =>
        settleReturn(tx, { sharedAccounts, now: clock() }, settling),
      )
      return isSettled
        ? { reference, responseCode: '00', responseMessage: 'Accepted' }
        : {
            reference,
            responseCode: '01',
            responseMessage: 'No pending return with this reference',
          }
    },
  )
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

type Checks = Record<string, (value: unknown) => boolean>

const isSession = (value: unknown) => typeof value === 'string' && isSessionId(value)
const textOf = (value: unknown, lengthMax: number) =>
  typeof value === 'string' ? (cleanText(value, lengthMax) ?? null) : null
const isNumber = (value: unknown) => typeof value === 'string' && isAccountNumber(value)

// Unknown fields are ignored: banks add some.
function readBody(bytes: unknown, checks: Checks): Record<string, unknown> {
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
