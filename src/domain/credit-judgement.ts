// Whether money counts: a pure judgement of one credit against whom its number belongs to.
//
// Checked in this order; the first that applies decides:
//   number we never gave out           suspended: unknown_number          (with the bank, nobody's)
//   not the currency of the number     suspended: wrong_currency
//   payment already settled            suspended: already_paid
//   payment cancelled, or reversed     suspended: cancelled, payment_reversed
//   after the end of grace             suspended: late
//   collection account not active      suspended: account_inactive
//   a payer rule broken                suspended: below_minimum, above_maximum, payer_not_allowed
//   a limit of the account broken      suspended: over_credit_limit, over_daily_limit
//   policy exact, another amount       suspended: amount_mismatch
//   more than is still due             what is due is booked, the rest suspended: excess
//   otherwise                          booked
//
// I14: every kobo of a credit is booked or suspended; the two parts make up the whole.

import type { IncomingCredit as BankCredit } from '#banks/formats/format.ts'
import { type AccountLimits, brokenLimit, type LimitBroken } from './account-limits.ts'
import type { AmountPolicy } from './advices.ts'
import { brokenRule, type HashPayer, type PayerRules, type RuleBroken } from './payer-rules.ts'
import type { PaymentStatus } from './payments.ts'

export type IncomingCredit = BankCredit & { bankCode: string }

export type SuspenseReason =
  | 'unknown_number'
  | 'wrong_currency'
  | 'account_inactive'
  | 'already_paid'
  | 'cancelled'
  | 'payment_reversed'
  | 'late'
  | RuleBroken
  | LimitBroken
  | 'amount_mismatch'
  | 'excess'
  | 'underpaid' // a payment closed before the whole amount was there

export type CollectionTarget = AccountLimits & {
  kind: 'collection'
  clientId: bigint
  collectionAccountId: bigint
  isActive: boolean
  currency: string
  balanceKobo: bigint
  payerRules: PayerRules | null
  todayKobo: bigint // What came in so far today; counted only where there is a limit per day.
}

export type PaymentTarget = {
  kind: 'payment'
  clientId: bigint
  paymentId: string
  status: PaymentStatus
  amountKobo: bigint
  amountPaidKobo: bigint
  amountPolicy: AmountPolicy
  currency: string
  closesAt: Date
  payerRules: PayerRules | null
  pending: Holding[] // What was paid so far, credit by credit. Empty once it is settled.
}

// With an item id, it came out of suspense.
export type Holding = { creditId: bigint; amountKobo: bigint; itemId?: bigint | null }

export type Target = CollectionTarget | PaymentTarget

type Judgement = { bookedKobo: bigint; reason: SuspenseReason | null }

const suspended = (reason: SuspenseReason): Judgement => ({ bookedKobo: 0n, reason })
const booked = ({ amountKobo }: IncomingCredit): Judgement => ({
  bookedKobo: amountKobo,
  reason: null,
})

export function judge(
  credit: IncomingCredit,
  target: Target | undefined,
  { now, hashPayer }: { now: Date; hashPayer: HashPayer },
): Judgement {
  if (!target) return suspended('unknown_number')
  if (credit.currency !== target.currency) return suspended('wrong_currency')
  const closed = target.kind === 'payment' ? whyClosed(target, now) : undefined
  if (closed) return suspended(closed)
  if (target.kind === 'collection' && !target.isActive) return suspended('account_inactive')
  const payer = {
    accountNumber: credit.sourceAccountNumber,
    name: credit.sourceAccountName,
    bankCode: credit.sourceBankCode,
  }
  const broken = brokenRule(target.payerRules, payer, credit.amountKobo, hashPayer)
  if (broken) return suspended(broken)
  if (target.kind === 'collection') {
    const over = brokenLimit(target, target.todayKobo, credit.amountKobo)
    return over ? suspended(over) : booked(credit)
  }
  if (target.amountPolicy === 'any') return booked(credit)
  const dueKobo = target.amountKobo - target.amountPaidKobo
  if (target.amountPolicy === 'exact' && credit.amountKobo !== dueKobo) {
    return suspended('amount_mismatch')
  }
  return credit.amountKobo > dueKobo ? { bookedKobo: dueKobo, reason: 'excess' } : booked(credit)
}

function whyClosed(payment: PaymentTarget, now: Date): SuspenseReason | undefined {
  if (payment.status === 'Successful') return 'already_paid'
  if (payment.status === 'Cancelled') return 'cancelled'
  if (payment.status === 'Reversed') return 'payment_reversed'
  return payment.status === 'Expired' || now >= payment.closesAt ? 'late' : undefined
}
