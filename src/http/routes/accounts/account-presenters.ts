// Schemas and presenters of collection accounts, for responses, requests and events.

import { Type } from '@fastify/type-provider-typebox'
import { isAccountNumber } from '#banks/nuban.ts'
import type { AccountFields as GivenFields } from '#domain/accounts/collection-accounts.ts'
import { KYC_TIERS, type KycInput, type KycTier } from '#domain/accounts/kyc.ts'
import { Refusal } from '#errors.ts'
import {
  Amount,
  BankNumber,
  digits,
  Email,
  named,
  nullable,
  PayerRulesBody,
  text,
  webAddress,
} from '#http/schemas.ts'

export const ACCOUNTS = '/api/v1/accounts/static'

// What everybody who may see the account may see of it.
export const AccountFields = {
  id: Type.Integer({ description: 'Up to 15 digits; not sequential.' }),
  bankCode: Type.String({ description: 'Bank of the account number.' }),
  accountNumber: Type.String({ description: 'Static virtual account number to pay into.' }),
  accountName: Type.String({ description: 'Name tied to the account.' }),
  email: Type.String({ description: 'As supplied.' }),
  accountBalance: Type.Number({ description: 'Booked to it and not settled yet.' }),
  merchantId: Type.String({ description: 'Your merchant ID, as supplied.' }),
  merchantCode: Type.String({ description: 'Your merchant code, as supplied.' }),
  notificationUrl: Type.String({ description: 'Where its events are posted.' }),
  isDefault: Type.Boolean({ description: 'Whether it is its merchant’s default account.' }),
  isActive: Type.Boolean({ description: 'If false, money sent to it is held in suspense.' }),
  currencyCode: Type.String({ description: 'Always NGN.' }),
  phoneNumber: Type.String({ description: 'As supplied.' }),
  channel: Type.String({ description: 'Channel that created it, as supplied.' }),
  accounts: Type.Array(BankNumber, {
    description:
      'Its number at each bank, the one above first. Money sent to any of them is booked.',
  }),
  createdAt: Type.String({ description: 'ISO 8601.' }),
  updatedAt: Type.String({ description: 'ISO 8601.' }),
}

const { id, bankCode, accountNumber, accountName, ...otherFields } = AccountFields

// As the published contract has it: seventeen fields, and `accounts`.
export const AccountBody = named('Account', {
  id,
  bankCode,
  accountNumber,
  accountName,
  bvn: Type.String({ description: 'As supplied; masked for dashboard users.' }),
  ...otherFields,
})

const ShownRules = Type.Unsafe<object | null>({
  $id: 'PayerRules',
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
  description: 'Who may pay, and how much at a time. Account numbers are masked. Null: anyone.',
})

export const LimitFields = {
  perCredit: nullable('number'),
  perDay: nullable('number'),
  balanceMax: nullable('number'),
}

// As our own endpoints have it.
export const OwnAccountBody = named('OwnAccount', {
  ...AccountFields,
  bvnMasked: Type.String(),
  ninMasked: nullable('string'),
  kycTier: Type.Integer({
    description:
      'In force: 1 without a NIN, else kycTierSet. Limits follow it; banks see it in name enquiries.',
  }),
  kycTierSet: Type.Integer({
    description: 'As it was set: 1, 2 or 3. In force once the account has a NIN.',
  }),
  verifiedName: nullable('string', { description: 'As the verification service returned it.' }),
  payerRules: ShownRules,
  limits: named('LimitsInForce', LimitFields, {
    description:
      'In force. Credits above a limit are suspended. Days are in West Africa Time. Null: no ' +
      'limit. Each is the first that is set of the account’s own, its limit profile’s, its ' +
      'tier’s and the default.',
  }),
  ownLimits: named('OwnLimits', LimitFields, { description: 'Set on the account itself.' }),
  limitProfile: nullable('string', { description: 'Limit profile that the account names.' }),
  splitCode: nullable('string', { description: 'Split that shares what it receives.' }),
  version: Type.Integer({ description: 'Incremented by every change. In quotes, the ETag.' }),
})

export const BankCode = digits('^([0-9]{3}|[0-9]{5})$', 'Bank code.', 'Must be 3 or 5 digits.')

export const ChangeableFields = {
  accountName: text(100, 'Name to be tied to the account.'),
  email: Email,
  notificationUrl: webAddress('Webhook URL for notifications.'),
  phoneNumber: digits(
    '^\\+?[0-9]{7,15}$',
    'Contact phone number.',
    'Must be 7 to 15 digits with an optional leading +.',
  ),
}

export const LimitAmount = Type.Union([Amount, Type.Null()])

const Nin = digits('^[0-9]{11}$', 'NIN of the owner or customer.', 'Must be 11 digits.')
const VerifiedName = text(100, 'Name as the verification service returned it.')

const TIER_TEXT = 'KYC tier; 2 and 3 are in force once the account has a NIN.'

export const Tier = Type.Unsafe<KycTier>({
  type: 'integer',
  enum: [...KYC_TIERS],
  description: TIER_TEXT,
  'x-says': 'Must be 1, 2 or 3.',
})

export const KycFields = {
  nin: Type.Union([Nin, Type.Null()]),
  kycTier: Tier,
  verifiedName: Type.Union([VerifiedName, Type.Null()]),
}

const Split = text(40, 'Split that shares what it receives with subaccounts.')
export const SplitCode = Type.Union([Split, Type.Literal(''), Type.Null()])

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
  nin: Type.Optional(Nin),
  kycTier: Type.Optional(Type.Unsafe<KycTier>({ ...Tier, description: `${TIER_TEXT} Default 3.` })),
  verifiedName: Type.Optional(VerifiedName),
  banks: Type.Optional(
    Type.Array(BankCode, {
      maxItems: 20,
      description: 'Banks where the account gets numbers besides its own. All or none.',
      'x-says': 'Must be a list of at most 20 bank codes.',
    }),
  ),
  splitCode: Type.Optional(Split),
}

// Clients send unknown fields; they are dropped.
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

export function pickKyc({ nin, kycTier, verifiedName }: KycInput): KycInput {
  return { nin, kycTier, verifiedName }
}

export const AccountParams = Type.Object({ accountNumber: Type.String() })

export function requireAccountNumber({ accountNumber: given }: { accountNumber: string }): string {
  if (!isAccountNumber(given)) throw new Refusal('account_not_found')
  return given
}

// Covers the updatable fields. Balances are excluded, so it is not for caching: If-None-Match is
// ignored.
export function formatEtag(version: bigint | number): string {
  return `"${version}"`
}

export const IfMatchHeader = {
  'if-match': Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'ETag of the version you read. 412 if it is no longer current.',
      'x-says': 'Must be one or more ETags of at most 500 characters, or *.',
    }),
  ),
}

// A weak ETag never matches (RFC 9110, section 13.1.1).
export function etagMatcher(ifMatch: string | undefined): (version: bigint) => boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return () => true
  const seen = new Set(ifMatch.split(',').map((tag) => tag.trim()))
  return (version) => seen.has(formatEtag(version))
}
