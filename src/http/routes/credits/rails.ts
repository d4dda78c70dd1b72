// /rails/{bankCode}: where banks report money. Every call is signed; every answer is 00 taken,
// 01 duplicate, 02 rejected or 03 try again, and 00 and 01 mean committed. What names an amount and
// cannot be booked is kept in the register of rail items, and is 00 too: the bank need not send it
// again, an operator looks into it.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { withoutFutureTime } from '#banks/formats/credit-fields.ts'
import type {
  Acknowledgement,
  BankFormat,
  IncomingReversal,
  ParsedItem,
} from '#banks/formats/format.ts'
import { FORMATS, findFormat } from '#banks/formats/known-formats.ts'
import type { BatchResult } from '#db/batcher.ts'
import type { CreditResult } from '#domain/credits/decide-credits.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { Amount, RailFailure } from '#http/schemas.ts'
import { keepRejected, keepUnreadable, SYSTEM_FAILURE } from './keep-rail-items.ts'
import { railCallRoutes, reversalAcknowledgement } from './rail-calls.ts'
import { type Reversed, takeReversals } from './rail-reversals.ts'
import { RailSignatures } from './rail-signatures.ts'

// 1,000 credits of our own format take some 400 kB, of camt.054 a megabyte.
const BODY_BYTES_MAX = 2_097_152

const AcknowledgementBody = Type.Object({
  sessionId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  responseCode: Type.String({ description: '00 taken, 01 duplicate, 02 rejected, 03 try again.' }),
  responseMessage: Type.String(),
  outcome: Type.String({
    description:
      'booked, suspended, reversed, kept (it could not be booked, and is looked into), duplicate,' +
      ' rejected or retry.',
  }),
  code: Type.Optional(
    Type.String({ description: 'Why it was kept or rejected, or is in suspense.' }),
  ),
})

const Answers = Type.Union([AcknowledgementBody, Type.Array(AcknowledgementBody)], {
  description: 'One answer for each credit, in their order; in the format of the request.',
})

const ProvidusAnswer = Type.Object(
  {
    requestSuccessful: Type.Boolean(),
    sessionId: Type.String(),
    responseMessage: Type.String(),
    responseCode: Type.String(),
  },
  { description: 'With ?format=providus.' },
)

const text = (description: string) => Type.Optional(Type.String({ description }))

const CreditBody = Type.Object({
  sessionId: Type.String({
    description: 'The bank’s own id of the transfer: 30 digits on NIP.',
    minLength: 1,
    maxLength: 64,
  }),
  accountNumber: Type.String({ description: 'That was credited.', pattern: '^[0-9]{10}$' }),
  amount: Amount,
  currency: text('NGN unless said otherwise.'),
  sourceAccountNumber: text('Who paid.'),
  sourceAccountName: text('Who paid.'),
  sourceBankCode: text('From where.'),
  narration: text('Payer the s narration.'),
  transactionTime: text(
    'ISO 8601; without an offset: West Africa Time. One in the future is not kept.',
  ),
})

export const railRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const signatures = new RailSignatures(deps)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('preValidation', (request, _reply, done) => {
    try {
      if (!Buffer.isBuffer(request.body)) throw new Refusal('body_missing')
      signatures.check(request as never)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  await app.register(railCallRoutes, deps)

  app.post(
    '/rails/:bankCode/credits',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { rate: 'rail', queue: 'credits' },
      schema: {
        operationId: 'reportCredits',
        tags: ['Rails'],
        summary: 'A bank reports one credit, or up to 1,000',
        description:
          'Signed by Standard Webhooks. In our own JSON; ?format=providus for Providus-style JSON;' +
          ' or camt.054 as application/xml or application/iso20022+xml. A credit to a number of' +
          ' another bank is suspended (wrong_bank). Payer names an amount and cannot be booked is' +
          ' answered 00 with the outcome kept: see the rail items of the operator. 02 is for what is' +
          ' no money.',
        params: Type.Object({ bankCode: Type.String() }),
        querystring: Type.Object({
          format: Type.Optional(Type.String({ enum: ['json', 'providus', 'camt054'] })),
        }),
        body: Type.Union([CreditBody, Type.Array(CreditBody, { minItems: 1, maxItems: 1000 })]),
        response: {
          200: Type.Union([Answers, ProvidusAnswer]),
          '4xx': Type.Union([RailFailure, Answers, ProvidusAnswer]),
          503: Type.Union([RailFailure, Answers, ProvidusAnswer]),
        },
      },
      // The body is bytes, signed and in the bank's own format; the answer is text of that format.
      validatorCompiler: () => () => true,
      serializerCompiler: () => (data) => data as string,
    },
    async (request, reply) => {
      const format = formatOf(request, request.query.format)
      const parsed = format.parse(request.body as unknown as Buffer)
      const { bankCode } = request.params
      const rawBody = request.body as unknown as Buffer
      if ('malformed' in parsed) {
        await keepUnreadable(deps, { bankCode, call: 'credits', reason: 'malformed' }, rawBody)
        return answerMalformed(reply, format, parsed.malformed)
      }
      const answers = await take(deps, { bankCode, rawBody }, parsed.items)
      const { contentType, body } = format.acknowledge(answers, parsed.batch)
      const isRetry =
        answers.length > 0 && answers.every(({ responseCode }) => responseCode === '03')
      if (isRetry) reply.header('retry-after', 1)
      return reply
        .code((isRetry ? 503 : 200) as 200)
        .type(contentType)
        .send(body as never)
    },
  )
}

// Credits first, so that one that is taken back in the same report is there to be taken back.
async function take(
  deps: Deps,
  report: { bankCode: string; rawBody: Buffer },
  items: readonly ParsedItem[],
): Promise<readonly Acknowledgement[]> {
  const { bankCode } = report
  const now = deps.clock()
  const credits = items.flatMap((item) =>
    item.ok ? [{ ...withoutFutureTime(item.credit, now), bankCode }] : [],
  )
  const results = (await deps.writers.credits.submitAll(credits)).values()
  const reversals = items.flatMap((item) => (item.ok ? [] : (item.reversal ?? [])))
  const reversed = await takeReversals(deps, bankCode, reversals)
  const answers = items.map((item) => acknowledgement(item, results, reversed))
  return await keepRejected(deps, report, { items, answers })
}

function formatOf(request: FastifyRequest, name: string | undefined): BankFormat {
  const contentType = request.headers['content-type'] ?? ''
  const format =
    name === undefined ? FORMATS.find((known) => known.accepts(contentType)) : findFormat(name)
  if (!format?.accepts(contentType)) throw new Refusal('media_type_unsupported')
  return format
}

function answerMalformed(reply: FastifyReply, format: BankFormat, sentence: string) {
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
    false,
  )
  return reply
    .code(400)
    .type(contentType)
    .send(body as never)
}

function acknowledgement(
  item: ParsedItem,
  results: Iterator<BatchResult<CreditResult>>,
  reversed: ReadonlyMap<IncomingReversal, Reversed>,
): Acknowledgement {
  if (!item.ok) {
    const { sessionId, code, message } = item
    const answer = item.reversal && reversed.get(item.reversal)
    if (answer === 'failed') return { sessionId, ...SYSTEM_FAILURE }
    if (answer) return { sessionId, ...reversalAcknowledgement(answer) }
    const rejected = { responseCode: '02', outcome: 'rejected' } as const
    return { sessionId, ...rejected, responseMessage: message, code }
  }
  const { sessionId } = item.credit
  const { value: result } = results.next()
  if (!result?.ok) return { sessionId, ...SYSTEM_FAILURE }
  return { sessionId, ...toAcknowledgement(result.value) }
}

function toAcknowledgement(answer: CreditResult): Omit<Acknowledgement, 'sessionId'> {
  if (answer.status === 'session_reused') {
    const responseMessage = 'This session id was used on other terms'
    return { responseCode: '02', responseMessage, outcome: 'rejected', code: answer.status }
  }
  const code = answer.reason === null ? {} : { code: answer.reason }
  if (answer.status === 'duplicate') {
    const responseMessage = `Duplicate: taken before and ${answer.outcome}`
    return { responseCode: '01', responseMessage, outcome: 'duplicate', ...code }
  }
  const responseMessage = answer.outcome === 'booked' ? 'Taken' : 'Taken, and in suspense'
  return { responseCode: '00', responseMessage, outcome: answer.outcome, ...code }
}
