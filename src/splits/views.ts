// Views, request schemas and parsers of subaccounts and splits.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { BankSettings } from '#config/bank-settings.ts'
import { type FieldError, Refusal } from '#errors.ts'
import {
  Amount,
  accountNumber,
  bankCode,
  chosen,
  named,
  namedBody,
  text,
  trueOrFalse,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { parseBankAccount } from '#payouts/views.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import type { ShareView } from './shares.ts'
import {
  ALL_BPS,
  type NewSplit,
  PARTS_MAX,
  type Split,
  type SplitPart,
  type SplitType,
} from './split.ts'
import { generateCode, type Subaccount } from './subaccounts.ts'

const TYPES: readonly SplitType[] = ['percentage', 'flat']

const CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$'
const CODE_FORM = new RegExp(CODE)

export function isCode(text: string): boolean {
  return CODE_FORM.test(text)
}

const code = (description: string) =>
  Type.String({
    pattern: CODE,
    description,
    'x-says': 'Must be 1 to 40 letters, digits, dashes and underscores.',
  })
const NAME = text(100, 'Display name.')
const PaidTo = {
  bankCode: bankCode('Bank of the account that its share is paid to.'),
  accountNumber: accountNumber('Account that its share is paid to.'),
  accountName: text(100, 'Name of the account holder, as the bank knows it.'),
}

export const SubaccountRequest = namedBody('SubaccountRequest', {
  subaccountCode: Type.Optional(code('Your name for it. Generated if omitted.')),
  name: NAME,
  ...PaidTo,
})

export const SubaccountChange = named(
  'SubaccountChange',
  {
    name: Type.Optional(NAME),
    isActive: Type.Optional(trueOrFalse('False: not for new splits, advices and accounts.')),
    bankCode: Type.Optional(PaidTo.bankCode),
    accountNumber: Type.Optional(PaidTo.accountNumber),
    accountName: Type.Optional(PaidTo.accountName),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-says': 'Must be an object with name, isActive or a bank account.',
  },
)

export const SubaccountView = view('Subaccount', (f: Fields<Subaccount, { sealer: Sealer }>) => ({
  subaccountCode: f.text('code'),
  name: f.text('name'),
  bankAccountReference: f.text('bankAccountReference', 'The bank account that it is paid to.'),
  bankCode: f.text('bankCode'),
  accountNumberMasked: f.text(({ accountNumberSealed }, { sealer }) =>
    maskAccountNumber(sealer.open(accountNumberSealed)),
  ),
  accountName: f.text('accountName'),
  accountStatus: f.text('accountStatus', 'confirmed, mismatch or unconfirmed.'),
  isAccountActive: f.flag('isAccountActive', 'False: nothing is paid to its bank account.'),
  isActive: f.flag('isActive'),
  balance: f.naira('balanceKobo', 'Its shares that were not paid out or settled yet.'),
  createdAt: f.time('createdAt'),
  updatedAt: f.time('updatedAt'),
}))

const PartRequest = named(
  'SplitPartRequest',
  {
    subaccountCode: code('Subaccount that gets it.'),
    share: Type.Unsafe<number | string>({
      ...Amount,
      description: 'Percent with at most two decimals, or an amount: see type.',
    }),
    bearsFee: Type.Optional(
      trueOrFalse(
        'Whether the fee comes out of this part, where subaccounts bear it. Default false.',
      ),
    ),
  },
  { additionalProperties: false, 'x-says': 'Must be an object with subaccountCode and share.' },
)

export const SplitRequest = namedBody('SplitRequest', {
  splitCode: Type.Optional(code('Your name for it. Generated if omitted.')),
  name: NAME,
  type: chosen(TYPES, 'What the shares are.'),
  parts: Type.Array(PartRequest, {
    minItems: 1,
    maxItems: PARTS_MAX,
    description: 'The main account keeps the rest.',
    'x-says': `Must be a list of 1 to ${PARTS_MAX} parts.`,
  }),
})

const PartView = view('SplitPart', (f: Fields<SplitPart>) => ({
  subaccountCode: f.text('subaccountCode'),
  share: f.decimal(({ share }) => toNaira(kobo(share))),
  bearsFee: f.flag('bearsFee'),
}))

export const SplitView = view('Split', (f: Fields<Split>) => ({
  splitCode: f.text('code'),
  name: f.text('name'),
  type: f.text('type', 'percentage or flat.'),
  parts: f.list(PartView, 'parts'),
  isActive: f.flag('isActive'),
  createdAt: f.time('createdAt'),
}))

// Returns the new bank account, or undefined if the request does not change it.
export function parsePaidTo(
  { bankCode, accountNumber, accountName }: Static<typeof SubaccountChange>,
  banks: readonly BankSettings[],
) {
  if (bankCode !== undefined && accountNumber !== undefined && accountName !== undefined) {
    return parseBankAccount({ bankCode, accountNumber, accountName }, banks)
  }
  const entries = Object.entries({ bankCode, accountNumber, accountName })
  const missing = entries.filter(([, value]) => value === undefined)
  if (missing.length === entries.length) return undefined
  const message = 'Required: bankCode, accountNumber and accountName are changed together.'
  const errors: FieldError[] = missing.map(([field]) => ({ field, message }))
  throw new Refusal('invalid_request', errors)
}

// Parses a new split. Shares are parsed like money in both cases: a flat share in naira becomes kobo, and a
// percentage becomes basis points, which are hundredths of a percent as kobo are hundredths of a naira.
export function parseSplit(body: Static<typeof SplitRequest>): NewSplit {
  return {
    code: body.splitCode ?? generateCode('SPL'),
    name: body.name,
    type: body.type,
    parts: body.parts.map(({ subaccountCode, share: amount, bearsFee = false }, index) => {
      const share: bigint = koboOf(amount) as Kobo // The schema has checked the format.
      if (body.type === 'percentage' && share > ALL_BPS) {
        const message = 'Must be at most 100 percent.'
        const errors: FieldError[] = [{ field: `parts.${index}.share`, message }]
        throw new Refusal('invalid_request', errors)
      }
      return { subaccountCode, share, bearsFee }
    }),
  }
}

export function presentShares(shares: readonly ShareView[]) {
  return shares.map(({ subaccountCode, amountKobo }) => ({
    subaccountCode,
    amount: toNaira(amountKobo),
  }))
}
