// Views of collection accounts, for responses and events, and the fields of requests.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { NameBank } from '#banks/directory.ts'
import { isAccountNumber } from '#banks/nuban.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import {
  Amount,
  BankNumber,
  digits,
  Email,
  named,
  PayerRulesBody,
  text,
  webAddress,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type IdentityCheck, readChecks } from '#identity/checks.ts'
import { CHECK_STATUSES } from '#identity/states.ts'
import { formerTier, KYC_TIERS, type KycTier, LOWEST_TIER } from '#identity/tiers.ts'
import { publicId } from '#ids.ts'
import { maskIdentityNumber, type Sealer } from '#seal.ts'
import { type AccountFields, allNumbers, type CollectionAccount } from './account.ts'
import { type AccountLimits, type KycInput, type LimitsInForce, readLimits } from './limits.ts'
import { presentPayerRules } from './payer-rules.ts'

export const ACCOUNTS = '/api/v1/accounts/static'

// The fields that responses and events show to every reader of the account.
export type PublicAccount = Pick<
  CollectionAccount,
  | 'id'
  | 'bankCode'
  | 'accountNumber'
  | 'additionalNumbers'
  | 'accountName'
  | 'email'
  | 'balanceKobo'
  | 'merchantId'
  | 'merchantCode'
  | 'notificationUrl'
  | 'isDefault'
  | 'isActive'
  | 'currencyCode'
  | 'phoneNumber'
  | 'channel'
  | 'createdAt'
  | 'updatedAt'
>

type Naming = { sealer: Sealer; nameBank: NameBank }

export const PublicAccountView = view(undefined, (f: Fields<PublicAccount, Naming>) => ({
  id: f.integer(
    ({ id }, { sealer }) => publicId(sealer, 'account', id),
    'Up to 15 digits; not sequential.',
  ),
  bankCode: f.text('bankCode', 'Bank of the account number.'),
  accountNumber: f.text('accountNumber', 'Static virtual account number to pay into.'),
  accountName: f.text('accountName', 'Name tied to the account.'),
  email: f.text('email', 'As supplied.'),
  accountBalance: f.naira('balanceKobo', 'Booked to it and not settled yet.'),
  merchantId: f.text('merchantId', 'Your merchant ID, as supplied.'),
  merchantCode: f.text('merchantCode', 'Your merchant code, as supplied.'),
  notificationUrl: f.text('notificationUrl', 'Where its events are posted.'),
  isDefault: f.flag('isDefault', 'Whether it is its merchant’s default account.'),
  isActive: f.flag('isActive', 'If false, money sent to it is held in suspense.'),
  currencyCode: f.text('currencyCode', 'Always NGN.'),
  phoneNumber: f.text('phoneNumber', 'As supplied.'),
  channel: f.text('channel', 'Channel that created it, as supplied.'),
  accounts: f.as(
    Type.Array(BankNumber, {
      description:
        'Its number at each bank, the one above first. Money sent to any of them is booked.',
    }),
    (account, { nameBank }) =>
      allNumbers(account).map(({ bankCode, accountNumber }) => {
        return { bankCode, bankName: nameBank(bankCode), accountNumber }
      }),
  ),
  createdAt: f.time('createdAt', 'ISO 8601.'),
  updatedAt: f.time('updatedAt', 'ISO 8601.'),
}))

// The fields of the published contract: seventeen, and `accounts`. The only view that shows a BVN in
// full, to the client’s systems.
export const AccountView = view(
  'Account',
  (f: Fields<CollectionAccount, Naming & { isPerson: boolean }>) => {
    const { id, bankCode, accountNumber, accountName, ...others } = PublicAccountView.fields
    const bvn = f.text(
      (account, { isPerson }) => (isPerson ? maskIdentityNumber(account.bvn) : account.bvn),
      'As supplied; masked for dashboard users.',
    )
    return { id, bankCode, accountNumber, accountName, bvn, ...others }
  },
)

const PayerRules = Type.Unsafe<object | null>({
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

export const LimitsView = view(undefined, (f: Fields<AccountLimits>) => ({
  perCredit: f.nairaOrNull('perCreditKobo'),
  perDay: f.nairaOrNull('perDayKobo'),
  balanceMax: f.nairaOrNull('balanceMaxKobo'),
}))

const limits = (name: string, description: string) =>
  named(name, LimitsView.schema.properties, { description })

export type OwnAccount = CollectionAccount & {
  inForce: LimitsInForce
  checks: readonly IdentityCheck[]
}

// `not_checked` means that there is no check yet.
const IDENTITY_STATES = ['not_checked', ...CHECK_STATUSES] as const

const IdentityView = view('IdentityCheck', (f: Fields<IdentityCheck | undefined>) => ({
  status: f.oneOf(
    (check) => check?.status ?? 'not_checked',
    IDENTITY_STATES,
    'verified, name_mismatch and not_found are what the service said. not_checked: it was never asked. ' +
      'queued: its answer is awaited. unanswered: it was asked and said nothing that we understand.',
  ),
  nameScore: f.decimalOrNull(
    (check) => check?.nameScore ?? null,
    'How well the account’s name matches, 0 to 100; verified from 80. Null: not known.',
  ),
  checkedAt: f.timeOrNull((check) => check?.checkedAt ?? null, 'When the service last answered.'),
}))

const IdentityOfAccount = view(undefined, (f: Fields<OwnAccount>) => ({
  bvn: f.one(IdentityView, checkOf('bvn')),
  nin: f.one(IdentityView, checkOf('nin')),
}))

function checkOf(identifier: IdentityCheck['identifier']) {
  return ({ checks }: OwnAccount) => checks.find((check) => check.identifier === identifier)
}

// The fields of our own endpoints: with KYC, payer rules and the limits in force. BVN and NIN are masked.
export const OwnAccountView = view('OwnAccount', (f: Fields<OwnAccount, Naming>) => ({
  ...PublicAccountView.fields,
  bvnMasked: f.text(({ bvn }) => maskIdentityNumber(bvn)),
  ninMasked: f.textOrNull(
    ({ ninSealed }, { sealer }) => ninSealed && maskIdentityNumber(sealer.open(ninSealed)),
  ),
  kycTier: f.integer(
    ({ tierInForce }) => tierInForce ?? LOWEST_TIER,
    'In force: kycTierSet once BVN and NIN are verified, 1 until then. Banks see it in name enquiries.',
  ),
  kycTierSet: f.integer('kycTier', 'As you set it: 1, 2 or 3. The highest that can be in force.'),
  limitTier: f.integer(
    ({ tierInForce, ninHash, kycTier }) =>
      tierInForce ?? formerTier({ hasNin: ninHash !== null, kycTier }),
    'Whose limits apply: kycTier, but for an older account the tier that it had, until the operator ' +
      'assigns its tier.',
  ),
  identity: f.one(IdentityOfAccount, (account: OwnAccount) => account),
  verifiedName: f.textOrNull('verifiedName', 'As your own verification returned it.'),
  payerRules: f.as(PayerRules, ({ payerRules }) => payerRules && presentPayerRules(payerRules)),
  limits: f.as(
    limits(
      'LimitsInForce',
      'In force. Credits above a limit are suspended. Days are in West Africa Time. Null: no ' +
        'limit. Each is the first that is set of the account’s own, its limit profile’s, its ' +
        'tier’s and the default.',
    ),
    ({ inForce }) => LimitsView.present(inForce),
  ),
  ownLimits: f.as(limits('OwnLimits', 'Set on the account itself.'), (account) =>
    LimitsView.present(account),
  ),
  limitProfile: f.textOrNull(
    ({ inForce }) => inForce.limitProfile,
    'Limit profile that the account names.',
  ),
  splitCode: f.textOrNull('splitCode', 'Split that shares what it receives.'),
  version: f.integer('version', 'Incremented by every change. In quotes, the ETag.'),
}))

// Adds the limits in force and the identity checks, for OwnAccountView. Keeps the order of the accounts.
export async function withLimits(
  db: Queryable,
  accounts: readonly CollectionAccount[],
): Promise<OwnAccount[]> {
  const ids = accounts.map(({ id }) => id)
  const inForce = await readLimits(db, ids)
  const checks = await readChecks(db, ids)
  return accounts.map((account) => ({
    ...account,
    inForce: inForce.get(account.id) as LimitsInForce,
    checks: checks.get(account.id) ?? [],
  }))
}

// Like withLimits, for one account.
export async function withLimitsOf(db: Queryable, account: CollectionAccount): Promise<OwnAccount> {
  const [ownAccount] = await withLimits(db, [account])
  return ownAccount as OwnAccount
}

export const OWN_ACCOUNTS = {
  tag: 'Collection accounts',
  noun: 'collection account',
  view: OwnAccountView,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  params: { accountNumber: requireAccountNumber },
} as const

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
const VerifiedName = text(100, 'Name as your own verification returned it.')

const TIER_TEXT = 'KYC tier; 2 and 3 are in force once BVN and NIN are verified.'

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
  splitCode: Type.Optional(text(40, 'Split that shares what it receives with subaccounts.')),
}

// Drops unknown fields, which some clients send.
export function pickFields(body: AccountFields): AccountFields {
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

// Refuses a malformed number in a path like an unknown one.
export function requireAccountNumber(text: string): string {
  if (!isAccountNumber(text)) throw new Refusal('account_not_found')
  return text
}

// The ETag of an account covers the updatable fields. It excludes balances, so it is not for caching:
// If-None-Match is ignored.
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

// Returns a function that tells whether the caller has seen a version of the account, by the If-Match header.
// Without the header, every version counts as seen. A weak ETag never matches (RFC 9110, section 13.1.1).
export function etagMatcher({ headers }: FastifyRequest): (version: bigint) => boolean {
  const ifMatch = headers['if-match']
  if (ifMatch === undefined || ifMatch.trim() === '*') return () => true
  const seen = new Set(ifMatch.split(',').map((tag) => tag.trim()))
  return (version) => seen.has(formatEtag(version))
}

export function sendEtag(
  { reply }: { reply: FastifyReply },
  { version }: { version: number },
): void {
  reply.header('etag', formatEtag(version))
}
