// /api/v1/accounts/static: collection accounts.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type AccountFields, getAccount } from '#domain/collection-accounts.ts'
import { keepRules, payerHasher } from '#domain/payer-rules.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { presentAccount } from '#http/present.ts'
import {
  ApiEnvelope,
  ApiFailure,
  BEARER,
  digits,
  Email,
  IdempotencyHeaders,
  PayerRulesBody,
  text,
  webAddress,
} from '#http/schemas.ts'

const AccountRequest = Type.Object({
  accountName: text(100, 'Name to be tied to the account.'),
  bvn: digits('^[0-9]{11}$', 'BVN of the owner or customer.', 'Must be 11 digits.'),
  email: Email,
  merchantId: text(64, 'Internal merchant identifier.'),
  merchantCode: text(64, 'Merchant code or client code.'),
  notificationUrl: webAddress('Webhook URL for notifications.'),
  phoneNumber: digits(
    '^\\+?[0-9]{7,15}$',
    'Contact phone number.',
    'Must be 7 to 15 digits, with an optional + before them.',
  ),
  channel: text(64, 'Channel initiating the request.'),
  payerRules: Type.Optional(PayerRulesBody),
})

export const AccountBody = Type.Object({
  id: Type.Integer(),
  bankCode: Type.String(),
  accountNumber: Type.String(),
  accountName: Type.String(),
  bvn: Type.String(),
  email: Type.String(),
  accountBalance: Type.Number(),
  merchantId: Type.String(),
  merchantCode: Type.String(),
  notificationUrl: Type.String(),
  isDefault: Type.Boolean(),
  isActive: Type.Boolean(),
  currencyCode: Type.String(),
  phoneNumber: Type.String(),
  channel: Type.String(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})

const ACCOUNT_NUMBER = /^[0-9]{10}$/

export const collectionAccountRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { reads, sealer, writers, authentication } = deps
  const response = { 200: ApiEnvelope(AccountBody), '4xx': ApiFailure }
  const tags = ['Collection accounts']

  app.post(
    '/api/v1/accounts/static',
    {
      config: { isPublished: true },
      onRequest: authentication.requires('accounts:write'),
      schema: {
        operationId: 'createCollectionAccount',
        tags,
        summary: 'Create a collection account',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: AccountRequest,
        response,
      },
    },
    async (request, reply) => {
      const { payerRules } = request.body
      const { value, replayed } = await writers.accounts.submit({
        clientId: request.client.id,
        fields: pickFields(request.body),
        payerRules: keepRules(payerRules, payerHasher(sealer)),
        idempotencyKey: request.headers['idempotency-key'],
      })
      if (replayed) reply.header('idempotent-replayed', 'true')
      return accepted('Collection account created successfully', presentAccount(value))
    },
  )

  app.get(
    '/api/v1/accounts/static/:accountNumber',
    {
      config: { isPublished: true },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getCollectionAccount',
        tags,
        summary: 'Get a collection account by its number',
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        response,
      },
    },
    async (request) => {
      const { accountNumber } = request.params
      if (!ACCOUNT_NUMBER.test(accountNumber)) throw new Refusal('account_not_found')
      const account = await getAccount(reads, sealer, request.client.id, accountNumber)
      return accepted('Collection account retrieved successfully', presentAccount(account))
    },
  )
}

// Real clients send fields that we do not know; nothing of them gets in.
function pickFields(body: AccountFields): AccountFields {
  const { accountName, bvn, email, merchantId, merchantCode, notificationUrl } = body
  const { phoneNumber, channel } = body
  return {
    accountName,
    bvn,
    email,
    merchantId,
    merchantCode,
    notificationUrl,
    phoneNumber,
    channel,
  }
}
