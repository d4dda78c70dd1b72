// Schemas and presenters of bank accounts. Account numbers are masked, except for whoever may pay out.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { findBank } from '#banks/directory.ts'
import { nubanCheckDigit } from '#banks/nuban.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { BankAccount, BankAccountStatus } from '#domain/payouts/bank-accounts.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { accountNumber, institutionCode, named, nullable, text } from '#http/schemas.ts'
import { maskAccountNumber } from '#mask.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

const NAME_MAX = 100
const BANK_CODE_DIGITS = 3
const STATUSES: readonly BankAccountStatus[] = ['confirmed', 'mismatch', 'unconfirmed']

export const BankAccountRequest = named(
  'BankAccountRequest',
  {
    bankCode: institutionCode(
      'CBN code (3 or 5 digits), NIP code (6 digits) or a known alias: see GET /api/v1/banks.',
    ),
    accountNumber: accountNumber('Account number: ten digits, of wallets the telephone number.'),
    accountName: text(NAME_MAX, 'Name of the account holder, as the bank has it.'),
  },
  { additionalProperties: false },
)

export const BankAccountBody = named('BankAccount', {
  reference: Type.String(),
  bankCode: Type.String({ description: 'As `code` in GET /api/v1/banks.' }),
  bankName: nullable('string'),
  accountNumberMasked: Type.String(),
  accountNumber: nullable('string', { description: 'Null without payouts:write.' }),
  accountName: Type.String({ description: 'As you gave it.' }),
  nameAtBank: nullable('string', {
    description: 'As the bank has it. Null: no answer yet, or the bank does not know the account.',
  }),
  status: Type.String({
    description:
      `One of ${STATUSES.join(', ')}. mismatch: the bank has another name for it, or does not know ` +
      'it, and nothing is paid to it. unconfirmed: no bank has answered. Banks that can be asked are ' +
      'asked again; until one answers, another user must approve payouts and settlements to it.',
  }),
  isDefault: Type.Boolean(),
  isActive: Type.Boolean(),
  createdAt: Type.String(),
  enquiredAt: nullable('string', { description: 'When the bank answered.' }),
})

// An institution we know, by any of its codes; stored by its own. Where its numbers have a check digit,
// that is checked; elsewhere only the institution can tell.
export function parseBankAccount(
  body: Static<typeof BankAccountRequest>,
  banks: readonly BankSettings[],
) {
  const { bankCode: code, accountNumber: number } = body
  const bank = findBank(code)
  const isConfigured = banks.some((each) => each.code === code)
  if (!isConfigured && (!bank || bank.canBePaid === false)) throw new Refusal('bank_not_supported')
  const isChecked = bank ? bank.checksNuban === true : code.length === BANK_CODE_DIGITS
  const checked = bank?.cbnCode ?? code
  if (isChecked && nubanCheckDigit(checked, number.slice(0, -1)) !== number.slice(-1)) {
    const message = 'Is not an account number of this bank: the check digit is wrong.'
    throw new Refusal('invalid_request', [
      { field: 'accountNumber', message },
    ] satisfies FieldError[])
  }
  return { ...body, bankCode: bank?.code ?? code }
}

type Showing = { sealer: Sealer; by: Pick<Identity, 'scopes'>; nameBank: (code: string) => string }

export function presentBankAccount(account: BankAccount, { sealer, by, nameBank }: Showing) {
  const number = sealer.open(account.accountNumberSealed)
  return {
    reference: account.reference,
    bankCode: account.bankCode,
    bankName: findBank(account.bankCode)?.name ?? nameBank(account.bankCode),
    accountNumberMasked: maskAccountNumber(number),
    accountNumber: by.scopes.has('payouts:write') ? number : null,
    accountName: account.accountName,
    nameAtBank: account.nameAtBank || null,
    status: account.status,
    isDefault: account.isDefault,
    isActive: account.isActive,
    createdAt: timestamp(account.createdAt),
    enquiredAt: account.enquiredAt && timestamp(account.enquiredAt),
  }
}
