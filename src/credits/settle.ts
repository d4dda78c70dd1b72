// Adds money to a payment and sets its status. Once the payment is paid in full, settles its pending credits
// and computes its fee and the shares of subaccounts.

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

// Returns the transfers that move the part payments of a payment that is now paid from the pending to the
// available account. Empties `pending`.
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

// Computes the fee on the whole amount and the shares of subaccounts, each divided among the parts of the
// money.
export function deduct({ feeRule: rule, split }: Terms, parts: readonly Holding[]): Deductions {
  const fees = chargeFee(rule, parts)
  return { fees, shares: shareCredits(split, { parts, fees, rule }) }
}

// Returns the ledger accounts that receive the deductions, so that the caller can open them.
export function deductionAccounts(owner: Terms & { clientId: ClientId }): SharedAccount[] {
  return [...(owner.feeRule ? feeAccounts(owner.clientId) : []), ...splitAccounts(owner.split)]
}

const NO_DEDUCTIONS: Deductions = { fees: [], shares: [] }

type PaidAmount = { holding: Holding; received?: Changes }

// Adds money to the payment, in memory. If the payment is now paid in full, returns the fee on the whole
// payment and the shares of subaccounts; otherwise no deductions. `received` are the changes to the client's
// totals if the money has just arrived.
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

// `accountId` is the account that holds the money and pays the deductions. `newCreditId` is the credit that
// has just arrived, or null if all the money had arrived before.
type Taking = { deductions: Deductions; accountId: AccountId; newCreditId: CreditId | null }

// Adds the transfers and rows of the deductions to the plan. `newCreditId` is the credit that has just
// arrived, or null. The fees on all other credits are later than their credits (`isLater`): those were part
// payments, and are charged only now that the payment is paid in full.
export function takeDeductions(
  plan: { transfers: Transfer[]; fees: ChargedFee[]; shares: PostedShare[] },
  context: { accountId: (account: SharedAccount) => AccountId },
  { deductions: { fees, shares }, accountId, newCreditId }: Taking,
): void {
  for (const fee of fees) {
    const charged = { ...fee, accountId, isLater: fee.creditId !== newCreditId }
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

// Posts transfers of money that had arrived before, such as suspended money that is assigned, together with
// its deductions.
export async function postDeducted(
  tx: Transaction,
  { sharedAccounts, now }: { sharedAccounts: SharedAccounts; now: Date },
  { transfers, deductions, accountId }: Posting,
): Promise<void> {
  const plan = { transfers, fees: [] as ChargedFee[], shares: [] as PostedShare[] }
  const context = { accountId: (account: SharedAccount) => sharedAccounts.id(account) }
  takeDeductions(plan, context, { deductions, accountId, newCreditId: null })
  await postTransfers(tx, now, plan.transfers)
  await insertFees(tx, now, plan.fees)
  await insertShares(tx, now, plan.shares)
}
