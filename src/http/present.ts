// How our things look from outside: the fields and types of the published contract.

import { accountName } from '#domain/account-names.ts'
import type { Advice } from '#domain/advices.ts'
import { withReferences } from '#domain/call-back-url.ts'
import type { CollectionAccount } from '#domain/collection-accounts.ts'
import { adviceStatus, type Payment, statusAt } from '#domain/payments.ts'
import { toNaira } from '#money.ts'

const WAT_OFFSET_MS = 3_600_000 // West Africa Time is UTC+1 all year round.

// 2026-11-15T01:42:26.123000+01:00
export function timestamp(date: Date): string {
  const wat = new Date(date.getTime() + WAT_OFFSET_MS).toISOString()
  return `${wat.slice(0, -1)}000+01:00`
}

export function presentAccount(account: CollectionAccount) {
  return {
    id: Number(account.id),
    bankCode: account.bankCode,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    bvn: account.bvn,
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
    createdAt: timestamp(account.createdAt),
    updatedAt: timestamp(account.updatedAt),
  }
}

export function presentAdvice(
  advice: Advice,
  payment: Payment | undefined,
  { now, publicUrl }: { now: Date; publicUrl: string },
) {
  return {
    adviceReference: advice.id,
    merchantRef: advice.merchantRef,
    amount: toNaira(advice.amountKobo),
    currency: advice.currency,
    narration: advice.narration,
    status: adviceStatus(advice, payment, now),
    customerId: advice.customer.customerId,
    customerFullName: advice.customerName,
    merchantName: advice.merchantName,
    paymentUrl: `${publicUrl}/pay?adviceReference=${advice.id}`,
    channels: ['BankTransfer'],
    charge: 0,
    customerCharge: 0,
    merchantCharge: 0,
    vatCharge: 0,
    callBackUrl: advice.callBackUrl,
    notificationUrl: advice.notificationUrl,
    amountPolicy: advice.amountPolicy,
    expiresInSeconds: advice.expiresInSeconds,
    paymentReference: payment?.id ?? null,
    createdAt: timestamp(advice.createdAt),
  }
}

export function presentPayment(
  payment: Payment,
  number: { bankCode: string; accountNumber: string },
  { now, bankName, nameStyle }: { now: Date; bankName: string; nameStyle: string },
) {
  const status = statusAt(payment, now)
  return {
    bankName,
    bankCode: number.bankCode,
    bankAccount: number.accountNumber,
    paymentReference: payment.id,
    status,
    message: status,
    amount: toNaira(payment.amountKobo),
    amountPaid: toNaira(payment.amountPaidKobo),
    callBackUrl: callBackUrlOf(payment),
    customerName: payment.customerName,
    expiresAt: timestamp(payment.expiresAt),
    accountName: accountName(nameStyle, payment),
  }
}

export function callBackUrlOf(payment: Payment): string {
  return withReferences(payment.callBackUrl, {
    adviceReference: payment.adviceId,
    paymentReference: payment.id,
  })
}
