// /rails/{bankCode}: banks report credits. Every call is signed; acknowledgements are 00 accepted,
// 01 duplicate, 02 rejected, 03 retry, where 00 and 01 mean committed. A credit with an amount that
// cannot be booked becomes a rail item and is 00 too: an operator resolves it.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Acknowledgement, NotificationFormat } from '#banks/notifications.ts'
import { ACCOUNT_NUMBER } from '#banks/nuban.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { Amount, named, RailFailure } from '#http/schemas.ts'
import { scoped } from '#http/scopes.ts'
import { keepUnreadable } from './keep-rail-items.ts'
import { type RailRequest, railAuthenticator } from './rail-authentication.ts'
import { nameEnquiryRoutes } from './rail-name-enquiry.ts'
import { returnRoutes } from './rail-returns.ts'
import { askAgain, reversalRoutes } from './rail-reversals.ts'
import { takeReport } from './take-report.ts'

// 1,000 credits of our own format take some 400 kB, of camt.054 a megabyte.
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

const Answers = Type.Union([AcknowledgementBody, Type.Array(AcknowledgementBody)], {
  description: 'One acknowledgement per credit, in request order and in the format of the request.',
})

const ProvidusAnswer = named(
  'ProvidusAcknowledgement',
  {
    requestSuccessful: Type.Boolean(),
    sessionId: Type.String(),
    responseMessage: Type.String(),
    responseCode: Type.String(),
  },
  { description: 'With ?format=providus.' },
)

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

export const railRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const authenticate = railAuthenticator(deps)
  app.decorateRequest('rail', null as never)
  app.removeAllContentTypeParsers()
  // Known types are found without being parsed each time.
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
  await app.register(otherCalls, deps)

  app.post(
    '/rails/:bankCode/credits',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { rate: 'rail', queue: 'credits' },
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
        body: Type.Union([CreditBody, Type.Array(CreditBody, { minItems: 1, maxItems: 1000 })]),
        response: {
          200: Type.Union([Answers, ProvidusAnswer]),
          400: Type.Union([RailFailure, Answers, ProvidusAnswer]),
          503: Type.Union([RailFailure, Answers, ProvidusAnswer]),
        },
      },
      // Raw signed bytes in the bank’s format; the response is in the same format.
      validatorCompiler: () => () => true,
      serializerCompiler: () => (data) => data as string,
    },
    (request, reply) => report(deps, request as RailRequest, reply as FastifyReply),
  )
})

// A signature over the fields of a credit would fit these with any content, and so would none.
const otherCalls: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  app.addHook('preValidation', (request, _reply, done) => {
    const { signsFieldsOnly, hintsOnly } = request.rail.connection
    done(signsFieldsOnly || hintsOnly ? new Refusal('invalid_signature') : undefined)
  })
  await app.register(nameEnquiryRoutes, deps)
  await app.register(reversalRoutes, deps)
  await app.register(returnRoutes, deps)
})

// Calls back rather than promise, as the hooks do: nearly every report is one credit that is
// booked, and a promise for each step cost more than most of the steps.
function report(deps: Deps, request: RailRequest, reply: FastifyReply): void {
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
      answer(reply, format.acknowledge(answers, parsed), answers)
    } catch (failure) {
      reply.send(failure)
    }
  })
}

function answer(
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
