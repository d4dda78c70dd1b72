// Adds money to a payment and sets its status. Once the payment is paid, settles its pending credits and
// computes its fee and the shares of subaccounts.

import type { Transaction } from '#db/transaction.ts'
import {
  type ChargedFee,
  type CreditFee,
  chargeFee,
  feeAccounts,
  feeTransfers,
  insertFees,
  sumOfFees,
} from '#fees/charges.ts'
import type { FeeRule } from '#fees/rules.ts'
import type { AccountId, ClientId, CreditId } from '#ids.ts'
import type { SharedAccount, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import type { NewEvent } from '#records/events.ts'
import { type Changes, overviewChanges } from '#records/money-totals.ts'
import {
  type CreditShare,
  insertShares,
  type PostedShare,
  shareCredits,
  shareTransfer,
  splitAccounts,
} from '#splits/shares.ts'
import type { Split } from '#splits/split.ts'
import type { Holding, PaymentTarget } from './judge.ts'

// The transfers of the pending credits of a payment that is now paid.
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

// The amounts that are deducted from money as soon as it is booked: first the fee, then the shares of
// subaccounts.
type Deductions = { fees: readonly CreditFee[]; shares: readonly CreditShare[] }

type Terms = { feeRule: FeeRule | null; split: Split | null }

export function deduct({ feeRule: rule, split }: Terms, parts: readonly Holding[]): Deductions {
  const fees = chargeFee(rule, parts)
  return { fees, shares: shareCredits(split, { parts, fees, rule }) }
}

// The accounts that receive the deductions.
export function deductionAccounts(of: Terms & { clientId: ClientId }): SharedAccount[] {
  return [...(of.feeRule ? feeAccounts(of.clientId) : []), ...splitAccounts(of.split)]
}

const NO_DEDUCTIONS: Deductions = { fees: [], shares: [] }

type PaidAmount = { holding: Holding; received?: Changes }

// Adds the holding to the payment. Once the payment is paid, the fee on the whole payment and the shares of
// subaccounts are due. Returns the deductions of each credit.
export function addPaid(
  plan: { payments: Set<PaymentTarget>; events: NewEvent[] },
  payment: PaymentTarget,
  { holding, received = {} }: PaidAmount,
): Deductions {
  const { creditId, amountKobo } = holding
  payment.amountPaidKobo = kobo(payment.amountPaidKobo + amountKobo)
  const isPaid = payment.amountPolicy === 'any' || payment.amountPaidKobo >= payment.amountKobo
  payment.status = isPaid ? 'Successful' : 'PartPayment'
  const deductions = isPaid ? deduct(payment, [...payment.pending, holding]) : NO_DEDUCTIONS
  const { fees } = deductions
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
    ...overviewChanges(payment.currency, { ...received, fees: sumOfFees(fees) }),
  })
  return deductions
}

// `by` is the credit that has just arrived, or null if all the money had arrived before.
type Taking = { deductions: Deductions; accountId: AccountId; by: CreditId | null }

// Takes the deductions from the account that holds the money.
export function takeDeductions(
  plan: { transfers: Transfer[]; fees: ChargedFee[]; shares: PostedShare[] },
  context: { accountId: (account: SharedAccount) => AccountId },
  { deductions: { fees, shares }, accountId, by }: Taking,
): void {
  for (const fee of fees) {
    const charged = { ...fee, accountId, isLater: fee.creditId !== by }
    plan.fees.push(charged)
    plan.transfers.push(...feeTransfers(charged, context.accountId))
  }
  for (const share of shares) {
    const posted = { ...share, accountId }
    plan.shares.push(posted)
    plan.transfers.push(shareTransfer(posted, context.accountId))
  }
}

type Posting = Pick<Taking, 'deductions' | 'accountId'> & { transfers: Transfer[] }

// Posts transfers of money that had arrived before, with its deductions.
export async function postDeducted(
  tx: Transaction,
  { sharedAccounts, now }: { sharedAccounts: SharedAccounts; now: Date },
  { transfers, deductions, accountId }: Posting,
): Promise<void> {
  const plan = { transfers, fees: [] as ChargedFee[], shares: [] as PostedShare[] }
  const context = { accountId: (account: SharedAccount) => sharedAccounts.id(account) }
  takeDeductions(plan, context, { deductions, accountId, by: null })
  await postTransfers(tx, now, plan.transfers)
  await insertFees(tx, now, plan.fees)
  await insertShares(tx, now, plan.shares)
}
