// /rails/{bankCode}: the endpoints that banks call: credit reports, name enquiries and confirmations of
// returns. Every call is authenticated. The acknowledgements are 00 accepted, 01 duplicate, 02 rejected and
// 03 retry; 00 and 01 mean that the item is committed. A credit that names an amount but cannot be booked
// becomes a rail item, which an operator resolves, and is also acknowledged with 00.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { accountName } from '#accounts/account.ts'
import { findLiveName } from '#accounts/queries.ts'
import type { BankConnection, RailCall } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import type { Acknowledgement, NotificationFormat } from '#banks/notifications.ts'
import { ACCOUNT_NUMBER, isAccountNumber } from '#banks/nuban.ts'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { Amount, named, RailFailure } from '#http/schemas.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import { canListTransfers, requeryAfterNameEnquiry } from '#requery/requery.ts'
import { isReturnReference } from '#suspense/return.ts'
import { settleReturn } from '#suspense/settle.ts'
import { keepUnreadable } from './rail-item-routes.ts'
import { takeReport } from './rail-report-routes.ts'
import { askAgain, RAIL_ERRORS, readBody, reversalRoutes } from './rail-reversal-routes.ts'

type RailRequest = FastifyRequest<{
  Params: { bankCode: string }
  Querystring: { format?: string }
}>

type AuthenticatedCall = { call: RailCall; connection: BankConnection }

// Returns the function that checks the signature of a call and finds the connection of its bank. It throws a
// refusal if the bank is unknown or the signature is wrong. `isProxied` tells the connector whether the call
// came through a trusted proxy, whose headers count.
function railAuthenticator({ bankConnections, trustedProxies, realClock }: Deps) {
  const isProxy = addressMatcher(trustedProxies)
  return (request: RailRequest): AuthenticatedCall => {
    const connection = bankConnections.get(request.params.bankCode)
    if (!connection) throw new Refusal('bank_not_supported')
    const call: RailCall = {
      headers: request.headers,
      rawBody: request.body as Buffer,
      format: request.query.format,
      address: request.ip,
      isProxied: () => isProxy(request.socket.remoteAddress ?? ''),
      now: realClock(),
    }
    const result = connection.authenticate(call)
    if (result !== 'ok') throw new Refusal(result)
    return { call, connection }
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    rail: AuthenticatedCall // Set for authenticated calls under /rails.
  }
}

// POST /rails/{bankCode}/name-enquiry: a bank asks for the owner of a number before it sends money.

const isNumber = (value: unknown) => typeof value === 'string' && isAccountNumber(value)

const nameEnquiryRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, policy } = deps
  // Bodies are raw signed bytes, parsed after the signature check.
  app.setValidatorCompiler(() => () => true)
  app.post(
    '/rails/:bankCode/name-enquiry',
    {
      config: { rate: 'rail', errors: RAIL_ERRORS },
      schema: {
        operationId: 'nameEnquiry',
        tags: ['Rails'],
        summary: 'Name enquiry',
        description:
          'Read and answered in the words of the bank’s connector; the default is shown.',
        params: Type.Object({ bankCode: Type.String() }),
        body: Type.Object({ accountNumber: Type.String({ pattern: ACCOUNT_NUMBER }) }),
        response: {
          200: named('NameEnquiry', {
            accountNumber: Type.String(),
            accountName: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
            kycLevel: Type.Unsafe<string | null>({
              type: ['string', 'null'],
              description: 'KYC tier. Null: not known, as of the number of a payment.',
            }),
            responseCode: Type.String({
              description: '00 found; 07 invalid account, or an account of another bank.',
            }),
          }),
        },
      },
      serializerCompiler: () => (data) => JSON.stringify(data),
    },
    async (request) => {
      const { call, connection } = request.rail
      const { field, answer } = connection.nameEnquiry
      const accountNumber = readBody(call.rawBody, { [field]: isNumber })[field] as string
      const { bankCode } = request.params
      const now = clock()
      const holder = await findLiveName(db, now, { bankCode, accountNumber })
      // A payer often sends money right after an enquiry, so the bank is soon asked for its transfers.
      if (holder && canListTransfers(connection)) {
        await requeryAfterNameEnquiry(db, now, { ...holder, bankCode, accountNumber })
      }
      return answer({
        accountNumber,
        accountName: holder ? accountName(policy.accountName, holder) : null,
        kycLevel: holder?.kycLevel ?? null,
      }) as never
    },
  )
}

// POST /rails/{bankCode}/returns: a bank confirms or fails a return.

const BANK_REFERENCE_MAX = 100
const FAILURE_REASON_MAX = 500
// Returns the cleaned text, or null if the bank sent no text.
const textOf = (value: unknown, lengthMax: number) =>
  typeof value === 'string' ? (cleanText(value, lengthMax) ?? null) : null

const returnRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, clock, sharedAccounts } = deps
  // Bodies are raw signed bytes, parsed after the signature check.
  app.setValidatorCompiler(() => () => true)
  app.post(
    '/rails/:bankCode/returns',
    {
      config: { rate: 'rail', errors: RAIL_ERRORS },
      schema: {
        operationId: 'settleReturn',
        tags: ['Rails'],
        summary: 'Confirm or fail a return',
        description: 'The bank reports what became of money that was to go back to a payer.',
        params: Type.Object({ bankCode: Type.String() }),
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
      const settlement = {
        reference,
        verdict:
          body.status === 'confirmed'
            ? ({ status: 'confirmed', bankReference } as const)
            : ({ status: 'failed', reason } as const),
        by: `bank:${bankCode}`,
        fromBank: bankCode,
      }
      const isSettled = await withTransaction(batchPool, (tx) =>
        settleReturn(tx, { sharedAccounts, now: clock() }, settlement),
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

// 1,000 credits take some 400 kB in our own format, and a megabyte in camt.054.
const BODY_BYTES_MAX = 2_097_152

const AcknowledgementBody = named('RailAcknowledgement', {
  sessionId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  responseCode: Type.String({ description: '00 accepted, 01 duplicate, 02 rejected, 03 retry.' }),
  responseMessage: Type.String(),
  outcome: Type.String({
    description:
      'booked, suspended, reversed, accepted (a report about a payout, or one that is not signed: the ' +
      'bank is asked), kept (not bookable; under manual review), duplicate, rejected or retry.',
  }),
  code: Type.Optional(Type.String({ description: 'Why it was kept, rejected or suspended.' })),
})

// Described for a list of credits alone, because generators of clients cannot read a list or something else.
const Answers = Type.Array(AcknowledgementBody, {
  description:
    'One acknowledgement per credit, in request order and in the format of the request: without the list ' +
    'for a credit sent without it; with ?format=providus, an object with requestSuccessful, sessionId, ' +
    'responseMessage and responseCode.',
})

// Describes a report that failed as a whole, or whose acknowledgements ask the bank to send it again. Without
// a `type`, it also admits the list of acknowledgements of a list of credits.
const { type: _type, ...ReportFailure } = Type.Object({
  responseCode: RailFailure.properties.responseCode,
  responseMessage: RailFailure.properties.responseMessage,
  code: Type.Optional(Type.String({ description: 'Why. Not in the format of Providus.' })),
  errors: Type.Optional(RailFailure.properties.errors),
  requestId: Type.Optional(RailFailure.properties.requestId),
  sessionId: Type.Optional(AcknowledgementBody.properties.sessionId),
})
const REPORT_FAILURE = {
  description: 'Nothing was taken. Of a report that was read: its acknowledgements, as with 200.',
  content: {
    'application/json': { schema: Type.Unsafe({ $id: 'ReportFailure', ...ReportFailure }) },
  },
}

const text = (description: string) => Type.Optional(Type.String({ description }))

const CreditBody = named('RailCredit', {
  sessionId: Type.String({
    description: 'Interbank session ID (30 digits on NIP).',
    minLength: 1,
    maxLength: 64,
  }),
  accountNumber: Type.String({ description: 'Credited account.', pattern: ACCOUNT_NUMBER }),
  amount: Amount,
  currency: text('Default NGN.'),
  sourceAccountNumber: text('Payer’s account number.'),
  sourceAccountName: text('Payer’s name.'),
  sourceBankCode: text('Payer’s bank.'),
  narration: text('Payer’s narration.'),
  transactionTime: text(
    'ISO 8601; West Africa Time if it has no offset. Future times are discarded.',
  ),
  settlementId: text('The bank’s settlement ID: a further identifier of the transfer.'),
  bankReference: text('The bank’s own reference: a further identifier of the transfer.'),
  charges: Type.Optional(
    Type.Object(
      {
        fee: Type.Optional(Amount),
        vat: Type.Optional(Amount),
        duty: Type.Optional(Amount),
        settled: Type.Optional(Amount),
      },
      { description: 'What the bank withheld from the amount, and what it settled.' },
    ),
  ),
})

const Credits = Type.Array(CreditBody, {
  minItems: 1,
  maxItems: 1000,
  description: 'One credit may also be sent as an object, without the list.',
})

export const railRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const authenticate = railAuthenticator(deps)
  app.decorateRequest('rail', null as never)
  app.removeAllContentTypeParsers()
  // Registers the type by its name, because Fastify finds it without parsing the header each time.
  app.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  )
  app.addHook('preValidation', (request, _reply, done) => {
    try {
      if (!Buffer.isBuffer(request.body)) throw new Refusal('body_missing')
      request.rail = authenticate(request as RailRequest)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  await otherCalls(app, deps)

  app.post(
    '/rails/:bankCode/credits',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { rate: 'rail', queue: 'credits', errors: RAIL_ERRORS },
      schema: {
        operationId: 'reportCredits',
        tags: ['Rails'],
        summary: 'Report up to 1,000 credits',
        description:
          'Authenticated, read and acknowledged by the bank’s connector. The default connector is ' +
          'signed per Standard Webhooks and accepts Manilla JSON, Providus-style JSON ' +
          '(?format=providus), or camt.054 as application/xml or application/iso20022+xml. A ' +
          'credit to an account of another bank is suspended (wrong_bank). A credit with an amount ' +
          'that cannot be booked is acknowledged with 00 and outcome kept, and becomes a rail ' +
          'item. 02 means that no money was reported.',
        params: Type.Object({ bankCode: Type.String() }),
        querystring: Type.Object({
          format: Type.Optional(Type.String({ enum: ['json', 'providus', 'camt054'] })),
        }),
        body: Credits,
        response: {
          200: Answers,
          400: REPORT_FAILURE,
          503: REPORT_FAILURE,
        },
      },
      // Request and response are bytes in the bank's own format, so no schema checks or writes them.
      validatorCompiler: () => () => true,
      serializerCompiler: () => (data) => data as string,
    },
    (request, reply) => handleCreditReport(deps, request as RailRequest, reply as FastifyReply),
  )
})

// The endpoints other than credit reports. Refuses banks whose signature covers only the fields of a credit,
// and banks that do not sign, because the content of these calls would be unprotected.
const otherCalls: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  app.addHook('preValidation', (request, _reply, done) => {
    const { signsFieldsOnly, hintsOnly } = request.rail.connection
    done(signsFieldsOnly || hintsOnly ? new Refusal('invalid_signature') : undefined)
  })
  await nameEnquiryRoutes(app, deps)
  await reversalRoutes(app, deps)
  await returnRoutes(app, deps)
})

// Handles a credit report: parses it in the format of the bank's connector, takes its items and acknowledges
// them. Uses callbacks instead of promises, as the hooks do: nearly every report is one credit that is
// booked, and a promise for each step would cost more than most steps.
function handleCreditReport(deps: Deps, request: RailRequest, reply: FastifyReply): void {
  const { call, connection } = request.rail
  const format = connection.findFormat(call)
  if (!format) throw new Refusal('media_type_unsupported')
  const { rawBody } = call
  const parsed = format.parse(rawBody)
  const { bankCode } = request.params
  if ('malformed' in parsed) {
    void keepUnreadable(deps, { bankCode, call: 'credits', reason: 'malformed' }, rawBody).then(
      () => answerMalformed(reply, format, parsed.malformed),
      (error) => reply.send(error),
    )
    return
  }
  takeReport(deps, { bankCode, rawBody, items: parsed.items }, (error, answers) => {
    try {
      if (!answers) throw error
      sendAcknowledgements(reply, format.acknowledge(answers, parsed), answers)
    } catch (failure) {
      reply.send(failure)
    }
  })
}

// Sends the acknowledgements. If the bank should send every item of the report again, the status is 503. A
// bank may repeat a failed report after a second, but repeats reversals that came before their credits later
// (askAgain).
function sendAcknowledgements(
  reply: FastifyReply,
  { contentType, body }: { contentType: string; body: string },
  answers: readonly Acknowledgement[],
): void {
  const isRetry = answers.length > 0 && answers.every(({ responseCode }) => responseCode === '03')
  if (!isRetry) reply.code(200)
  else if (answers.every(({ code }) => code === 'original_not_found')) askAgain(reply)
  else reply.code(503).header('retry-after', 1)
  reply.type(contentType).send(body)
}

// Answers a report that could not be parsed: 400 with one rejection, in the format of the report.
function answerMalformed(reply: FastifyReply, format: NotificationFormat, sentence: string) {
  const { contentType, body } = format.acknowledge(
    [
      {
        sessionId: null,
        responseCode: '02',
        responseMessage: sentence,
        outcome: 'rejected',
        code: 'malformed',
      },
    ],
    { batch: false },
  )
  return reply
    .code(400)
    .type(contentType)
    .send(body as never)
}
