// Accounts and payments as the API contract shows them, in responses and event data. Fields that
// only a response may show (the BVN) are added there.

import { findBank } from '#banks/directory.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { accountName } from '#domain/accounts/account-names.ts'
import { allNumbers } from '#domain/accounts/additional-numbers.ts'
import type { CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import type { AdviceId, PaymentId } from '#ids.ts'
import { toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { withReferences } from './call-back-url.ts'
import type { Payment, PaymentNumber, PaymentStatus } from './payments.ts'

export type NameBank = (code: string) => string

export function bankNames(banks: readonly BankSettings[]): NameBank {
  return (code) => banks.find((bank) => bank.code === code)?.name ?? findBank(code)?.name ?? code
}

// What is shown wherever an account is: in responses and events.
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

export function viewAccount(account: PublicAccount, { sealer, nameBank }: Naming) {
  return {
    id: publicId(sealer, 'account', account.id),
    bankCode: account.bankCode,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    email: account.email,
    accountBalance: toNaira(account.balanceKobo),
    merchantId: account.merchantId,
    merchantCode: account.merchantCode,
    notificationUrl: account.notificationUrl,
    isDefault: account.isDefault,
    isActive: account.isActive,
    currencyCode: account.currencyCode,
    phoneNumber: account.phoneNumber,
    channel: account.channel,
    accounts: allNumbers(account).map(({ bankCode, accountNumber }) => {
      return { bankCode, bankName: nameBank(bankCode), accountNumber }
    }),
    createdAt: timestamp(account.createdAt),
    updatedAt: timestamp(account.updatedAt),
  }
}

export function viewPayment(
  payment: Payment,
  number: PaymentNumber,
  how: { status: PaymentStatus; bankName: string; nameStyle: string },
) {
  return {
    bankName: how.bankName,
    bankCode: number.bankCode,
    bankAccount: number.accountNumber,
    paymentReference: payment.id,
    status: how.status,
    message: how.status,
    amount: toNaira(payment.amountKobo),
    amountPaid: toNaira(payment.amountPaidKobo),
    callBackUrl: buildCallBackUrl(payment),
    customerName: payment.customerName,
    expiresAt: timestamp(payment.expiresAt),
    accountName: accountName(how.nameStyle, payment),
  }
}

export function buildCallBackUrl(payment: {
  id: PaymentId
  adviceId: AdviceId
  callBackUrl: string
}) {
  return withReferences(payment.callBackUrl, {
    adviceReference: payment.adviceId,
    paymentReference: payment.id,
  })
}
