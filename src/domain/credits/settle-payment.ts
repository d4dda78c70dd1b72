// Money that comes to a payment: what it makes of the payment, and once the payment is paid, what was
// pending on it and what its fee is.

import {
  type ChargedFee,
  type CreditFee,
  chargeFee,
  feeTransfers,
  sumOfFees,
} from '#domain/fees/credit-fees.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { type Changes, moved } from '#domain/records/movements.ts'
import type { AccountId, CreditId } from '#ids.ts'
import type { SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import type { Holding, PaymentTarget } from './judge-credit.ts'

// What was pending on a payment that is now paid.
export function settlePending(
  payment: PaymentTarget,
  pendingId: AccountId,
  settledId: AccountId,
): Transfer[] {
  return payment.pending.splice(0).map(({ creditId, amountKobo }) => ({
    creditId,
    amountKobo,
    debitAccountId: pendingId,
    creditAccountId: settledId,
    reason: 'settle',
  }))
}

type PaidAmount = { holding: Holding; came?: Changes }

// The payment after this much more has come in. Once it is paid its fee is due, on all of it: answers
// what each credit bears of it.
export function addPaid(
  plan: { payments: Set<PaymentTarget>; events: NewEvent[] },
  payment: PaymentTarget,
  { holding, came = {} }: PaidAmount,
): CreditFee[] {
  const { creditId, amountKobo } = holding
  payment.amountPaidKobo = kobo(payment.amountPaidKobo + amountKobo)
  const isPaid = payment.amountPolicy === 'any' || payment.amountPaidKobo >= payment.amountKobo
  payment.status = isPaid ? 'Successful' : 'PartPayment'
  const fees = isPaid ? chargeFee(payment.feeRule, [...payment.pending, holding]) : []
  const vatKobo = fees.reduce((sum, fee) => sum + fee.vatKobo, 0n)
  payment.chargedFeeKobo = kobo(sumOfFees(fees) - vatKobo)
  payment.chargedVatKobo = kobo(vatKobo)
  plan.payments.add(payment)
  plan.events.push({
    clientId: payment.clientId,
    type: isPaid ? 'payment.successful' : 'payment.part_paid',
    paymentId: payment.paymentId,
    creditId,
    facts: { status: payment.status, amountPaidKobo: payment.amountPaidKobo },
    ...moved(payment.currency, { ...came, fees: sumOfFees(fees) }),
  })
  return fees
}

// `by`: the credit that came just now; null: none did, all came before.
type FeeTaking = { fees: readonly CreditFee[]; accountId: AccountId; by: CreditId | null }

// From where the money is.
export function takeFees(
  plan: { transfers: Transfer[]; fees: ChargedFee[] },
  known: { accountId: (account: SharedAccount) => AccountId },
  { fees, accountId, by }: FeeTaking,
): void {
  for (const fee of fees) {
    const charged = { ...fee, accountId, isLater: fee.creditId !== by }
    plan.fees.push(charged)
    plan.transfers.push(...feeTransfers(charged, known.accountId))
  }
}
