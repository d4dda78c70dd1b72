// Presenters of the published contract.

import type { CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import type { Advice } from '#domain/payments/advices.ts'
import { adviceStatus, type Payment, statusAt } from '#domain/payments/payments.ts'
import { type NameBank, viewAccount, viewPayment } from '#domain/payments/resource-presenters.ts'
import { maskIdentityNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

type Naming = { sealer: Sealer; nameBank: NameBank }

// The only place that shows a BVN in full, to the client’s systems; masked for dashboard users.
export function presentAccount(account: CollectionAccount, isPerson: boolean, how: Naming) {
  const bvn = isPerson ? maskIdentityNumber(account.bvn) : account.bvn
  return Object.assign(viewAccount(account, how), { bvn })
}

export function presentAdvice(
  advice: Advice,
  payment: Payment | undefined,
  { now, address }: { now: Date; address: string },
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
    paymentUrl: `${address}/pay?adviceReference=${advice.id}`,
    channels: ['BankTransfer'],
    charge: 0,
    customerCharge: 0,
    merchantCharge: 0,
    vatCharge: 0,
    callBackUrl: advice.callBackUrl,
    notificationUrl: advice.notificationUrl,
    amountPolicy: advice.amountPolicy,
    expiresInSeconds: advice.expiresInSeconds + advice.extendedSeconds,
    paymentReference: payment?.id ?? null,
    createdAt: timestamp(advice.createdAt),
  }
}

export function presentPayment(
  payment: Payment,
  number: { bankCode: string; accountNumber: string },
  { now, bankName, nameStyle }: { now: Date; bankName: string; nameStyle: string },
) {
  return viewPayment(payment, number, { status: statusAt(payment, now), bankName, nameStyle })
}
