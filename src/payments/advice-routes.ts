// Routes of advices, which are requests for a payment: /Payment/advice creates them, and /api/v1/advices
// lists, retrieves, cancels and extends them.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { type HashPayer, parsePayerRules, payerHasher } from '#accounts/payer-rules.ts'
import { parseBankTime } from '#clock.ts'
import { cancelAdvice } from '#credits/close.ts'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import { invalidField, Refusal } from '#errors.ts'
import { findRule } from '#fees/rules.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { publicAddress } from '#http/pages.ts'
import { type Call, resource } from '#http/resource.ts'
import {
  Amount,
  BEARER,
  Email,
  IdempotencyHeaders,
  NoBody,
  named,
  PayerRulesBody,
  PaymentEnvelope,
  text,
  webAddress,
  wholeNumber,
} from '#http/schemas.ts'
import { dropBlanks } from '#http/validation.ts'
import { type AdviceId, type ClientId, parseReference } from '#ids.ts'
import { type Kobo, koboOf } from '#money.ts'
import { type AdviceTerms, AMOUNT_POLICIES, type AmountPolicy, getAdvice } from './advice.ts'
import { EXPIRY_SECONDS_MAX, type Extension, extendAdvice } from './extend.ts'
import { findPaymentOfAdvice } from './payment.ts'
import { ADVICE_STATUSES, getAdviceId, listAdvices, readAdvices } from './queries.ts'
import {
  AdviceRecordView,
  type AdviceRow,
  AdviceView,
  BY_ANY_REFERENCE,
  filterFields,
  LISTED,
  parsePaymentFilters,
  toAdviceRow,
} from './views.ts'

const optionalText = (lengthMax: number, description: string) =>
  Type.Optional(text(lengthMax, description))

// Your customer ID. Some clients send their row id as a number.
const CustomerId = Type.Unsafe<string | number>({
  ...text(100, 'Your customer ID.'),
  type: ['string', 'integer'],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  'x-described': text(100, 'Your customer ID.'),
})

const AdviceRequest = named('AdviceRequest', {
  amount: Amount,
  currency: Type.Optional(Type.Literal('NGN', { default: 'NGN', 'x-says': 'Must be NGN.' })),
  customer: Type.Object(
    {
      customerId: Type.Optional(CustomerId),
      customerFirstName: optionalText(100, 'First name.'),
      customerLastName: optionalText(100, 'Last name.'),
      customerFullName: optionalText(200, 'Alternative to first and last name.'),
      customerEmail: Type.Optional(Email),
      customerPhoneNumber: optionalText(20, 'Phone number.'),
    },
    {
      description: 'At least one name is required.',
      'x-has-name': ['customerFirstName', 'customerLastName', 'customerFullName'],
      'x-says': 'Must have a customerFirstName, customerLastName or customerFullName.',
    },
  ),
  callBackUrl: {
    ...webAddress(
      'Where the payer is redirected after payment. The payment’s final state is also posted here, as ' +
        'a signed webhook: answer the POST with 2xx. Empty: none.',
    ),
    'x-web-address': 'or-empty',
  },
  notificationUrl: Type.Optional(webAddress('Webhook URL for this payment.')),
  merchantRef: optionalText(100, 'Your reference, unique among your advices.'),
  narration: optionalText(200, 'Payment description.'),
  expiresInSeconds: Type.Optional(
    wholeNumber(
      60,
      172_800,
      'Counted from when a number is issued. Default: the service’s, normally 1800.',
    ),
  ),
  graceSeconds: Type.Optional(
    wholeNumber(
      0,
      86_400,
      'Grace period: how long after expiry money still counts. Default: the service’s, normally 300.',
    ),
  ),
  amountPolicy: Type.Optional(
    Type.Unsafe<AmountPolicy>({
      type: 'string',
      enum: [...AMOUNT_POLICIES],
      description: 'Default allow_under: part payments until expiry; excess is suspended.',
      'x-says': `Must be one of ${AMOUNT_POLICIES.join(', ')}.`,
    }),
  ),
  payerRules: Type.Optional(PayerRulesBody),
  splitCode: optionalText(40, 'Split that shares what is paid with subaccounts.'),
})

const response = { 200: PaymentEnvelope(AdviceView.schema) }
const tags = ['Payments']

export const adviceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, writers, authentication, clock, publicUrl, policy } = deps
  await knownAdviceRoutes(app, deps)

  app.post(
    '/Payment/advice',
    {
      config: { isPublished: true, queue: 'advices', errors: ['merchant_ref_reused'] },
      onRequest: authentication.requires('payments:write'),
      preValidation: dropBlanks(AdviceRequest),
      schema: {
        operationId: 'createAdvice',
        tags,
        summary: 'Create a payment advice',
        description:
          'Says what a customer is to pay. Send the customer to paymentUrl, or initiate a bank ' +
          'transfer to get a number yourself. The same merchantRef with the same terms returns ' +
          'the same advice. An optional field that is empty or null counts as not sent.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: AdviceRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client } = request
      const { value, replayed } = await writers.advices.submit({
        clientId: client.id,
        merchantName: client.name,
        terms: parseTerms(request.body, policy, payerHasher(sealer)),
        idempotencyKey: request.headers['idempotency-key'],
        session: request.session,
      })
      if (replayed) reply.header('idempotent-replayed', 'true')
      const [now, address] = [clock(), publicAddress(publicUrl, app.server)]
      // A new advice has no payment, and `value` has its fee rule, so it needs no further query.
      if (!replayed && !value.isKnown) {
        const { feeRule } = value
        const row = toAdviceRow({ advice: value, payment: undefined }, { feeRule, address })
        return paymentAccepted(AdviceView.present(row, { now }))
      }
      const payment = await findPaymentOfAdvice(db, value.id)
      const feeRule = await findRule(db, client.id, now)
      const row = toAdviceRow({ advice: value, payment }, { feeRule, address })
      return paymentAccepted(AdviceView.present(row, { now }))
    },
  )
}

// Retrieves and cancels an advice that exists.
const knownAdviceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, batchPool, sharedAccounts, authentication, clock, publicUrl } = deps

  // Reads an advice and its payment, and makes the response body that retrieving and cancelling an advice
  // share.
  async function readAdvice(from: Queryable, clientId: ClientId, id: AdviceId) {
    const advice = await getAdvice(from, clientId, id)
    const payment = await findPaymentOfAdvice(from, id)
    const now = clock()
    const feeRule = await findRule(from, clientId, now)
    const address = publicAddress(publicUrl, app.server)
    const row = toAdviceRow({ advice, payment }, { feeRule, address })
    return paymentAccepted(AdviceView.present(row, { now }))
  }

  app.post(
    '/Payment/advice/:adviceReference/cancel',
    {
      config: {
        isPublished: true,
        errors: ['advice_expired', 'advice_not_found', 'advice_paid', 'advice_reversed'],
      },
      onRequest: authentication.requires('payments:write'),
      schema: {
        operationId: 'cancelAdvice',
        tags,
        summary: 'Cancel an unpaid advice',
        description: 'Part payments move to suspense. Idempotent.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ adviceReference: Type.String() }),
        response,
      },
    },
    async (request, reply) => {
      const { client, actor } = request
      const id = parseReference<AdviceId>(request.params.adviceReference)
      if (!id) throw new Refusal('advice_not_found')
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        await cancelAdvice(
          tx,
          { sharedAccounts, now: clock(), actor },
          { clientId: client.id, adviceId: id },
        )
        return readAdvice(tx, client.id, id)
      })
    },
  )

  app.get(
    '/Payment/advice/:adviceReference',
    {
      config: { isPublished: true, errors: ['advice_not_found'] },
      onRequest: authentication.requires('payments:read'),
      schema: {
        operationId: 'getAdvice',
        tags,
        summary: 'Retrieve a payment advice',
        description: 'What is to be paid, its state, and what was paid so far.',
        security: BEARER,
        params: Type.Object({ adviceReference: Type.String() }),
        response,
      },
    },
    async (request) => {
      const id = parseReference<AdviceId>(request.params.adviceReference)
      if (!id) throw new Refusal('advice_not_found')
      return readAdvice(db, request.client.id, id)
    },
  )
}

// Converts the request to the terms of an advice, with the service's defaults.
function parseTerms(
  body: Static<typeof AdviceRequest>,
  policy: Deps['policy'],
  hashPayer: HashPayer,
): AdviceTerms {
  const { customer } = body
  const customerName =
    customer.customerFullName ??
    [customer.customerFirstName, customer.customerLastName].filter(Boolean).join(' ')
  return {
    merchantRef: body.merchantRef ?? null,
    amountKobo: koboOf(body.amount) as Kobo, // The schema has checked it.
    currency: body.currency ?? 'NGN',
    narration: body.narration ?? null,
    callBackUrl: body.callBackUrl,
    notificationUrl: body.notificationUrl ?? null,
    customer: {
      customerId: customer.customerId === undefined ? null : String(customer.customerId),
      firstName: customer.customerFirstName ?? null,
      lastName: customer.customerLastName ?? null,
      email: customer.customerEmail ?? null,
      phoneNumber: customer.customerPhoneNumber ?? null,
    },
    customerName,
    amountPolicy: body.amountPolicy ?? 'allow_under',
    expiresInSeconds: body.expiresInSeconds ?? policy.expirySeconds,
    graceSeconds: body.graceSeconds ?? policy.graceSeconds,
    payerRules: parsePayerRules(body.payerRules, hashPayer),
    splitCode: body.splitCode ?? null,
  }
}

const ExtendRequest = named(
  'ExtendAdviceRequest',
  {
    expiresAt: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'New expiry (ISO 8601), to the second. Only once a number is issued.',
        'x-says': 'Must be an ISO 8601 date or time.',
      }),
    ),
    seconds: Type.Optional(wholeNumber(1, EXPIRY_SECONDS_MAX, 'Seconds to add to the expiry.')),
  },
  { additionalProperties: false, 'x-says': 'Must be an object with expiresAt or seconds.' },
)

// /api/v1/advices: list, retrieve, cancel and extend advices.
export const advices = resource('/api/v1/advices', {
  tag: 'Payments',
  noun: 'payment advice',
  view: AdviceRecordView,
  scopes: { read: 'payments:read', write: 'payments:write' },
  params: { reference: String },
  paramDescriptions: { reference: BY_ANY_REFERENCE },
})
  .act('cancelAdviceByAnyReference', {
    path: '/:reference/cancel',
    summary: 'Cancel an unpaid advice',
    description: 'Part payments move to suspense. Idempotent.',
    body: NoBody,
    pool: 'batchPool',
    errors: ['advice_expired', 'advice_not_found', 'advice_paid', 'advice_reversed'],
    message: 'Payment advice cancelled successfully',
    run: async (tx, call) => {
      const { clientId } = call
      const adviceId = await getAdviceId(tx, clientId, call.params.reference)
      await cancelAdvice(tx, call, { clientId, adviceId })
      return readRow(tx, call, adviceId)
    },
  })
  .act('extendAdvice', {
    path: '/:reference/extend',
    summary: 'Extend an advice',
    description:
      'Send either expiresAt or seconds. Only while Pending, and to at most 48 hours after ' +
      'the first number was issued, plus grace. The account number stays the same.',
    body: ExtendRequest,
    pool: 'batchPool',
    errors: [
      'advice_cancelled',
      'advice_expired',
      'advice_not_found',
      'advice_paid',
      'advice_reversed',
    ],
    message: 'Payment advice extended successfully',
    parse: ({ body }) => parseExtension(body),
    run: async (tx, call) => {
      const { clientId, input: extension } = call
      const adviceId = await getAdviceId(tx, clientId, call.params.reference)
      await extendAdvice(tx, call, { clientId, adviceId, extension })
      return readRow(tx, call, adviceId)
    },
  })
  .list('listAdvices', {
    exportAs: 'exportAdvices',
    summary: 'List payment advices, newest first',
    description: LISTED,
    filters: filterFields(ADVICE_STATUSES),
    isOrdered: true,
    hasTextIds: true,
    position: ({ advice }) => advice.id,
    rows: async (db, call) => {
      const { clientId, query, now, order, after, limit } = call
      const filters = parsePaymentFilters(query)
      const page = { order, after: after ?? undefined, limit, now }
      const { rows, scannedTo } = await withSnapshot(db, (tx) =>
        listAdvices(tx, clientId, { filters, ...page }),
      )
      const feeRule = await findRule(db, clientId, now)
      const address = addressOf(call)
      return { rows: rows.map((row) => toAdviceRow(row, { feeRule, address })), scannedTo }
    },
  })
  .get('findAdvice', {
    summary: 'Retrieve an advice by any reference',
    description: 'By advice reference, payment reference or your merchantRef.',
    errors: ['advice_not_found'],
    run: (db, call) =>
      withSnapshot(db, async (tx) =>
        readRow(tx, call, await getAdviceId(tx, call.clientId, call.params.reference)),
      ),
  })

// Reads an advice as the view needs it: with its payment and the fee rule in force.
async function readRow(db: Queryable, call: Call, id: AdviceId): Promise<AdviceRow> {
  const [advice] = await readAdvices(db, [id])
  if (!advice) throw new Refusal('advice_not_found')
  const feeRule = await findRule(db, call.clientId, call.now)
  return toAdviceRow(advice, { feeRule, address: addressOf(call) })
}

function addressOf({ publicUrl, request }: Call): string {
  return publicAddress(publicUrl, request.server.server)
}

// Parses how long to extend an advice: to a time, or by a number of seconds.
function parseExtension({ expiresAt, seconds }: Static<typeof ExtendRequest>): Extension {
  if ((expiresAt === undefined) === (seconds === undefined)) {
    throw invalidExpiry('Send either expiresAt or seconds.')
  }
  if (seconds !== undefined) return { seconds }
  const time = parseBankTime(expiresAt as string)
  if (!time) throw invalidExpiry('Must be an ISO 8601 date or time.')
  return { expiresAt: time }
}

function invalidExpiry(message: string): Refusal {
  return invalidField('expiresAt', message)
}
