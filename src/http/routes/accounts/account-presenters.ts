// How collection accounts look from outside: one list of their fields, for answers and for events;
// and what a client gives to make one.

import { Type } from '@fastify/type-provider-typebox'
import type { AccountFields as GivenFields } from '#domain/accounts/collection-accounts.ts'
import { Refusal } from '#errors.ts'
import { digits, Email, nullable, PayerRulesBody, text, webAddress } from '#http/schemas.ts'

export const ACCOUNTS = '/api/v1/accounts/static'

// What everybody who may see the account may see of it.
export const AccountFields = {
  id: Type.Integer({ description: 'Of up to 15 digits, in no order.' }),
  bankCode: Type.String(),
  accountNumber: Type.String(),
  accountName: Type.String(),
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
}

const { id, bankCode, accountNumber, accountName, ...otherFields } = AccountFields

// As the published contract has it: seventeen fields.
export const AccountBody = Type.Object({
  id,
  bankCode,
  accountNumber,
  accountName,
  bvn: Type.String(),
  ...otherFields,
})

const ShownRules = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  properties: {
    minAmount: { type: 'number' },
    maxAmount: { type: 'number' },
    accounts: {
      type: 'array',
      items: {
        type: 'object',
        properties: { accountNumber: { type: 'string' }, bankCode: { type: 'string' } },
        required: ['accountNumber', 'bankCode'],
      },
    },
    names: { type: 'array', items: { type: 'string' } },
  },
  description: 'Who may pay, and how much at a time; account numbers are masked. Null: anyone.',
})

// As our own endpoints have it.
export const OwnAccountBody = Type.Object({
  ...AccountFields,
  bvnMasked: Type.String(),
  payerRules: ShownRules,
  limits: Type.Object(
    { perCredit: nullable('number'), perDay: nullable('number') },
    { description: 'What is more is suspended. A day is one of West Africa Time. Null: no limit.' },
  ),
  version: Type.Integer({ description: 'Counts the changes. In quotes, it is the ETag.' }),
})

export const ChangeableFields = {
  accountName: text(100, 'Name to be tied to the account.'),
  email: Email,
  notificationUrl: webAddress('Webhook URL for notifications.'),
  phoneNumber: digits(
    '^\\+?[0-9]{7,15}$',
    'Contact phone number.',
    'Must be 7 to 15 digits, with an optional + before them.',
  ),
}

export const RequestFields = {
  accountName: ChangeableFields.accountName,
  bvn: digits('^[0-9]{11}$', 'BVN of the owner or customer.', 'Must be 11 digits.'),
  email: Email,
  merchantId: text(64, 'Internal merchant identifier.'),
  merchantCode: text(64, 'Merchant code or client code.'),
  notificationUrl: ChangeableFields.notificationUrl,
  phoneNumber: ChangeableFields.phoneNumber,
  channel: text(64, 'Channel initiating the request.'),
  payerRules: Type.Optional(PayerRulesBody),
}

// Real clients send fields that we do not know; nothing of them gets in.
export function pickFields(body: GivenFields): GivenFields {
  const { bvn, email, merchantId, merchantCode, notificationUrl, phoneNumber, channel } = body
  return {
    accountName: body.accountName,
    bvn,
    email,
    merchantId,
    merchantCode,
    notificationUrl,
    phoneNumber,
    channel,
  }
}

const ACCOUNT_NUMBER = /^[0-9]{10}$/

export const AccountParams = Type.Object({ accountNumber: Type.String() })

export function accountNumberOf({ accountNumber: given }: { accountNumber: string }): string {
  if (!ACCOUNT_NUMBER.test(given)) throw new Refusal('account_not_found')
  return given
}

// Of what a client can change. Balances move by themselves and are no part of it, so it is not for
// caches: If-None-Match is not looked at.
export function etagOf(version: bigint | number): string {
  return `"${version}"`
}

export const IfMatchHeader = {
  'if-match': Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'The ETag that you have seen. When it is no longer the current one: 412.',
      'x-says': 'Must be one or more ETags of at most 500 characters, or *.',
    }),
  ),
}

// A weak ETag never matches (RFC 9110, section 13.1.1).
export function matcherOf(ifMatch: string | undefined): (version: bigint) => boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return () => true
  const seen = new Set(ifMatch.split(',').map((tag) => tag.trim()))
  return (version) => seen.has(etagOf(version))
}
