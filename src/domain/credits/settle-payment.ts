// Money that comes to a payment: what it makes of the payment, and once the payment is paid, what was
// pending on it, what its fee is, and what subaccounts get of it.

import type { Transaction } from '#db/transaction.ts'
import {
  type ChargedFee,
  type CreditFee,
  chargeFee,
  feeAccounts,
  feeTransfers,
  insertFees,
  sumOfFees,
} from '#domain/fees/credit-fees.ts'
import type { FeeRule } from '#domain/fees/fee-rules.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { type Changes, moved } from '#domain/records/movements.ts'
import {
  type CreditShare,
  insertShares,
  type PostedShare,
  shareCredits,
  shareTransfer,
  splitAccounts,
} from '#domain/splits/credit-splits.ts'
import type { Split } from '#domain/splits/splits.ts'
import type { AccountId, ClientId, CreditId } from '#ids.ts'
import type { SharedAccount, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
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

// What goes out of money as soon as it is booked: first the fee, then the shares of subaccounts.
type Deductions = { fees: readonly CreditFee[]; shares: readonly CreditShare[] }

type Terms = { feeRule: FeeRule | null; split: Split | null }

export function deduct({ feeRule: rule, split }: Terms, parts: readonly Holding[]): Deductions {
  const fees = chargeFee(rule, parts)
  return { fees, shares: shareCredits(split, { parts, fees, rule }) }
}

// Where they go.
export function deductionAccounts(of: Terms & { clientId: ClientId }): SharedAccount[] {
  return [...(of.feeRule ? feeAccounts(of.clientId) : []), ...splitAccounts(of.split)]
}

const NONE: Deductions = { fees: [], shares: [] }

type PaidAmount = { holding: Holding; came?: Changes }

// The payment after this much more has come in. Once it is paid its fee is due, on all of it, and so
// are the shares of subaccounts: answers what each credit bears of them.
export function addPaid(
  plan: { payments: Set<PaymentTarget>; events: NewEvent[] },
  payment: PaymentTarget,
  { holding, came = {} }: PaidAmount,
): Deductions {
  const { creditId, amountKobo } = holding
  payment.amountPaidKobo = kobo(payment.amountPaidKobo + amountKobo)
  const isPaid = payment.amountPolicy === 'any' || payment.amountPaidKobo >= payment.amountKobo
  payment.status = isPaid ? 'Successful' : 'PartPayment'
  const deductions = isPaid ? deduct(payment, [...payment.pending, holding]) : NONE
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
    ...moved(payment.currency, { ...came, fees: sumOfFees(fees) }),
  })
  return deductions
}

// `by`: the credit that came just now; null: none did, all came before.
type Taking = { deductions: Deductions; accountId: AccountId; by: CreditId | null }

// From where the money is.
export function takeDeductions(
  plan: { transfers: Transfer[]; fees: ChargedFee[]; shares: PostedShare[] },
  known: { accountId: (account: SharedAccount) => AccountId },
  { deductions: { fees, shares }, accountId, by }: Taking,
): void {
  for (const fee of fees) {
    const charged = { ...fee, accountId, isLater: fee.creditId !== by }
    plan.fees.push(charged)
    plan.transfers.push(...feeTransfers(charged, known.accountId))
  }
  for (const share of shares) {
    const posted = { ...share, accountId }
    plan.shares.push(posted)
    plan.transfers.push(shareTransfer(posted, known.accountId))
  }
}

type Posting = Pick<Taking, 'deductions' | 'accountId'> & { transfers: Transfer[] }

// Of money that came before: these transfers, and what is deducted then.
export async function postDeducted(
  tx: Transaction,
  { sharedAccounts, now }: { sharedAccounts: SharedAccounts; now: Date },
  { transfers, deductions, accountId }: Posting,
): Promise<void> {
  const taken = { transfers, fees: [] as ChargedFee[], shares: [] as PostedShare[] }
  const known = { accountId: (account: SharedAccount) => sharedAccounts.id(account) }
  takeDeductions(taken, known, { deductions, accountId, by: null })
  await postTransfers(tx, now, taken.transfers)
  await insertFees(tx, now, taken.fees)
  await insertShares(tx, now, taken.shares)
}
