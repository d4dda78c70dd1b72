// /Payment/advice: payment requests.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { type HashPayer, parsePayerRules, payerHasher } from '#domain/accounts/payer-rules.ts'
import { cancelAdvice } from '#domain/credits/close-payments.ts'
import { findRule } from '#domain/fees/fee-rules.ts'
import {
  type AdviceTerms,
  AMOUNT_POLICIES,
  type AmountPolicy,
  getAdvice,
} from '#domain/payments/advices.ts'
import { findPaymentOfAdvice } from '#domain/payments/payments.ts'
import { Refusal } from '#errors.ts'
import { dropBlanks } from '#http/blank-fields.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { presentAdvice } from '#http/presenters.ts'
import { publicAddress } from '#http/public-url.ts'
import {
  AdviceFields,
  Amount,
  BEARER,
  Email,
  IdempotencyHeaders,
  named,
  PayerRulesBody,
  PaymentEnvelope,
  text,
  webAddress,
} from '#http/schemas.ts'
import { type AdviceId, type ClientId, parseReference } from '#ids.ts'
import { type Kobo, koboOf } from '#money.ts'

const optionalText = (lengthMax: number, description: string) =>
  Type.Optional(text(lengthMax, description))

const AdviceRequest = named('AdviceRequest', {
  amount: Amount,
  currency: Type.Optional(Type.Literal('NGN', { default: 'NGN', 'x-says': 'Must be NGN.' })),
  customer: Type.Object(
    {
      customerId: optionalText(100, 'Your customer ID.'),
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
  callBackUrl: webAddress(
    'Where the payer is redirected after payment. The payment’s final state is also posted here, as a ' +
      'signed webhook: answer the POST with 2xx.',
  ),
  notificationUrl: Type.Optional(webAddress('Webhook URL for this payment.')),
  merchantRef: optionalText(100, 'Your reference, unique among your advices.'),
  narration: optionalText(200, 'Payment description.'),
  expiresInSeconds: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 172_800,
      description: 'Counted from when a number is issued. Default: the service’s, normally 1800.',
      'x-says': 'Must be a whole number from 60 to 172800.',
    }),
  ),
  graceSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description:
        'Grace period: how long after expiry money still counts. Default: the service’s, normally 300.',
      'x-says': 'Must be a whole number from 0 to 86400.',
    }),
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

const AdviceBody = named('Advice', AdviceFields)

const response = { 200: PaymentEnvelope(AdviceBody) }
const tags = ['Payments']

export const adviceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, writers, authentication, clock, publicUrl, policy } = deps
  const address = () => publicAddress(publicUrl, app.server)
  await app.register(knownAdviceRoutes, deps)

  app.post(
    '/Payment/advice',
    {
      config: { isPublished: true, queue: 'advices' },
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
      })
      if (replayed) reply.header('idempotent-replayed', 'true')
      const how = { now: clock(), address: address() }
      if (!replayed && !value.isKnown) {
        return paymentAccepted(presentAdvice(value, undefined, { ...how, feeRule: value.feeRule }))
      }
      const payment = await findPaymentOfAdvice(db, value.id)
      const feeRule = await findRule(db, client.id, how.now)
      return paymentAccepted(presentAdvice(value, payment, { ...how, feeRule }))
    },
  )
}

const knownAdviceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, batchPool, sharedAccounts, authentication, clock, publicUrl } = deps
  const address = () => publicAddress(publicUrl, app.server)

  async function readAdvice(from: Queryable, clientId: ClientId, id: AdviceId) {
    const advice = await getAdvice(from, clientId, id)
    const payment = await findPaymentOfAdvice(from, id)
    const now = clock()
    const feeRule = await findRule(from, clientId, now)
    return paymentAccepted(presentAdvice(advice, payment, { now, address: address(), feeRule }))
  }

  app.post(
    '/Payment/advice/:adviceReference/cancel',
    {
      config: { isPublished: true },
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
      config: { isPublished: true },
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
    amountKobo: koboOf(body.amount) as Kobo, // Checked by the schema.
    currency: body.currency ?? 'NGN',
    narration: body.narration ?? null,
    callBackUrl: body.callBackUrl,
    notificationUrl: body.notificationUrl ?? null,
    customer: {
      customerId: customer.customerId ?? null,
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
