// Presenters of the published contract.

import type { CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import { describeCharges } from '#domain/fees/fee-quotes.ts'
import type { FeeRule } from '#domain/fees/fee-rules.ts'
import type { Advice } from '#domain/payments/advices.ts'
import { adviceStatus, type Payment, statusAt } from '#domain/payments/payments.ts'
import { type NameBank, viewAccount, viewPayment } from '#domain/payments/resource-presenters.ts'
import { openShares } from '#domain/splits/read-shares.ts'
import { presentShares } from '#http/routes/splits/split-presenters.ts'
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

// `feeRule`: in force now.
export type AdviceShowing = { now: Date; address: string; feeRule: FeeRule | undefined }

export function presentAdvice(
  advice: Advice,
  payment: Payment | undefined,
  { now, address, feeRule }: AdviceShowing,
) {
  const isSettled = payment?.status === 'Successful' || payment?.status === 'Reversed'
  const fees = payment && { ...payment, isSettled }
  const charges = describeCharges(advice.amountKobo, feeRule, fees)
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
    charge: toNaira(charges.chargeKobo),
    customerCharge: toNaira(charges.customerChargeKobo),
    merchantCharge: toNaira(charges.merchantChargeKobo),
    vatCharge: toNaira(charges.vatChargeKobo),
    callBackUrl: advice.callBackUrl,
    notificationUrl: advice.notificationUrl,
    amountPolicy: advice.amountPolicy,
    expiresInSeconds: advice.expiresInSeconds + advice.extendedSeconds,
    splitCode: advice.splitCode,
    splits: presentShares(openShares(payment?.splits ?? null)),
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
