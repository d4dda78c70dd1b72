// Whether money counts: a pure judgement of one credit against whom its number belongs to.
//
// Checked in this order; the first that applies decides:
//   number we never gave out           suspended: unknown_number          (with the bank, nobody's)
//   number of another bank             suspended: wrong_bank              (with the bank, nobody's)
//   made for who had the number before suspended: late                    (with the bank, nobody's)
//   not the currency of the number     suspended: wrong_currency
//   payment already settled            suspended: already_paid
//   payment cancelled, or reversed     suspended: cancelled, payment_reversed
//   made after the end of grace        suspended: late
//   found, and made before the payment suspended: late                  (requery, statement)
//   collection account not active      suspended: account_inactive
//   more than the suspicious amount    suspended: amount_suspicious
//   a payer rule broken                suspended: below_minimum, above_maximum, payer_not_allowed
//   a limit of the account broken      suspended: over_credit_limit, over_daily_limit,
//                                      over_balance_limit
//   policy exact, another amount       suspended: amount_mismatch
//   more than is still due             what is due is booked, the rest suspended: excess
//   otherwise                          booked
//
// I14: every kobo of a credit is booked or suspended; the two parts make up the whole.
// I32: a number takes money only from its own bank: no bank can credit the accounts of another.
// I87: money for who had a number before is not of who has it now, who hears nothing of it either.

import type { IncomingCredit as BankCredit } from '#banks/notifications.ts'
import {
  type AccountLimits,
  findLimitViolation,
  type LimitViolation,
} from '#domain/accounts/account-limits.ts'
import {
  findRuleViolation,
  type HashPayer,
  type PayerRules,
  type RuleViolation,
} from '#domain/accounts/payer-rules.ts'
import type { FeeRule } from '#domain/fees/fee-rules.ts'
import type { AmountPolicy } from '#domain/payments/advices.ts'
import type { PaymentStatus } from '#domain/payments/payments.ts'
import type { Split } from '#domain/splits/splits.ts'
import type { AccountId, ClientId, CreditId, FeeRuleId, PaymentId, SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { watDay, watDayStart } from '#wat-time.ts'

// By which route we learned of a credit. Whichever it was, it takes the same way from here.
export const CREDIT_SOURCES = ['notification', 'requery', 'statement', 'sandbox'] as const
export type CreditSource = (typeof CREDIT_SOURCES)[number]

export type IncomingCredit = BankCredit & { bankCode: string; source?: CreditSource }

export type SuspenseReason =
  | 'unknown_number'
  | 'wrong_bank'
  | 'wrong_currency'
  | 'account_inactive'
  | 'amount_suspicious'
  | 'already_paid'
  | 'cancelled'
  | 'payment_reversed'
  | 'late'
  | RuleViolation
  | LimitViolation
  | 'amount_mismatch'
  | 'excess'
  | 'underpaid' // a payment closed before the whole amount was there

export type CollectionTarget = AccountLimits & {
  kind: 'collection'
  clientId: ClientId
  collectionAccountId: AccountId
  isActive: boolean
  currency: string
  balanceKobo: Kobo
  payerRules: PayerRules | null
  todayKobo: Kobo // What came in so far today; counted only where there is a limit per day.
  feeRule: FeeRule | null
  split: Split | null
}

export type PaymentTarget = {
  kind: 'payment'
  clientId: ClientId
  paymentId: PaymentId
  status: PaymentStatus
  amountKobo: Kobo
  amountPaidKobo: Kobo
  amountPolicy: AmountPolicy
  currency: string
  createdAt: Date
  closesAt: Date
  openSeconds: number // Its usual time, from a number to the end of grace.
  mayReopen: boolean // Known of those that are over only.
  payerRules: PayerRules | null
  pending: Holding[] // What was paid so far, credit by credit. Empty once it is settled.
  quotedRuleId: FeeRuleId | null // By which the customer was asked for the fee, if he was.
  feeRule: FeeRule | null // Known where money may come to it only, …
  split: Split | null // … and so is this.
  chargedFeeKobo: Kobo // Once it is settled, …
  chargedVatKobo: Kobo // … less what was given back.
}

// With an item id, it came out of suspense.
export type Holding = { creditId: CreditId; amountKobo: Kobo; itemId?: SuspenseItemId | null }

export type Target = CollectionTarget | PaymentTarget

// A payment's numbers are at several banks, so the bank is the number's and not the target's.
// Whether another payment had it before is known where a credit was made before the present lease.
export type IssuedNumber = { bankCode: string; target: Target; isReused?: boolean }

// Which time says whether a payment was still open: the bank's, or the one it arrived here.
export type JudgedBy = 'bank_time' | 'arrival'

type Terms = {
  now: Date
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  hashPayer: HashPayer
}
type PaymentTerms = Pick<PaymentTarget, 'amountKobo' | 'amountPaidKobo' | 'amountPolicy'>
type Judgement = { bookedKobo: Kobo; reason: SuspenseReason | null }

const DAY_MS = 86_400_000

const suspended = (reason: SuspenseReason): Judgement => ({ bookedKobo: kobo(0n), reason })
const booked = ({ amountKobo }: IncomingCredit): Judgement => ({
  bookedKobo: amountKobo,
  reason: null,
})

// Whose the money may be. Of a number at another bank the reporting bank learns nothing, and its
// owner is not involved; nor is who has a number by now that was another's when the money was sent.
export function findTarget(
  credit: IncomingCredit,
  number: IssuedNumber | undefined,
): Target | undefined {
  if (number?.bankCode !== credit.bankCode) return undefined
  const { target, isReused } = number
  return isReused && isBeforeLease(credit, target) ? undefined : target
}

export function judge(
  credit: IncomingCredit,
  number: IssuedNumber | undefined,
  terms: Terms,
): Judgement {
  if (!number) return suspended('unknown_number')
  const target = findTarget(credit, number)
  if (!target) return suspended(number.bankCode === credit.bankCode ? 'late' : 'wrong_bank')
  if (credit.currency !== target.currency) return suspended('wrong_currency')
  const closed =
    target.kind === 'payment' ? whyClosed(target, judgedTime(credit, target, terms)) : undefined
  if (closed) return suspended(closed)
  if (isFoundBeforeLease(credit, target)) return suspended('late')
  if (target.kind === 'collection' && !target.isActive) return suspended('account_inactive')
  if (credit.amountKobo > terms.suspiciousKobo) return suspended('amount_suspicious')
  const payer = {
    accountNumber: credit.sourceAccountNumber,
    name: credit.sourceAccountName,
    bankCode: credit.sourceBankCode,
  }
  const amount = { amountKobo: credit.amountKobo, dueKobo: dueOn(target) }
  const broken = findRuleViolation(target.payerRules, { payer, ...amount, hash: terms.hashPayer })
  if (broken) return suspended(broken)
  if (target.kind === 'collection') {
    const over = findLimitViolation(target, target, credit.amountKobo)
    return over ? suspended(over) : booked(credit)
  }
  const bookedKobo = acceptedKobo(target, credit.amountKobo)
  if (bookedKobo === undefined) return suspended('amount_mismatch')
  return { bookedKobo, reason: bookedKobo < credit.amountKobo ? 'excess' : null }
}

// How much of an amount the payment's policy accepts. Undefined: it refuses the amount.
export function acceptedKobo(payment: PaymentTerms, amountKobo: Kobo): Kobo | undefined {
  const dueKobo = kobo(payment.amountKobo - payment.amountPaidKobo)
  if (payment.amountPolicy === 'any' || amountKobo === dueKobo) return amountKobo
  if (payment.amountPolicy === 'exact') return undefined
  return amountKobo < dueKobo ? amountKobo : dueKobo
}

function dueOn(target: Target): Kobo | null {
  return target.kind === 'payment' ? kobo(target.amountKobo - target.amountPaidKobo) : null
}

// The bank's time counts, so that nobody who paid in time is late because the bank's report was;
// unless it cannot be true: it lies ahead, is older than the bound, or older than the payment.
// Midnight to the millisecond is a date that came without a time.
export function judgedTime(
  { transactionTime }: IncomingCredit,
  { createdAt }: PaymentTarget,
  { now, bankTimeMaxAgeMs }: Pick<Terms, 'now' | 'bankTimeMaxAgeMs'>,
): { at: Date; by: JudgedBy } {
  const isPlausible =
    transactionTime !== null &&
    transactionTime <= now &&
    now.getTime() - transactionTime.getTime() <= bankTimeMaxAgeMs &&
    transactionTime >= createdAt &&
    transactionTime.getTime() !== watDayStart(transactionTime).getTime()
  return isPlausible ? { at: transactionTime, by: 'bank_time' } : { at: now, by: 'arrival' }
}

// What is reported again, asked for, or stands on a statement, may be older than the number's present
// lease. Clocks and time zones of banks differ by hours, not by a day; a statement knows only the day.
export function isBeforeLease(credit: IncomingCredit, target: Target): boolean {
  if (target.kind !== 'payment') return false
  const { source, transactionTime, transactionDate } = credit
  const createdMs = target.createdAt.getTime()
  if (transactionTime !== null) return createdMs - transactionTime.getTime() > DAY_MS
  if (!transactionDate) return false
  return transactionDate < watDay(new Date(source === 'statement' ? createdMs : createdMs - DAY_MS))
}

// A notification may be of a bank whose clock is wrong, if nobody had the number before.
function isFoundBeforeLease(credit: IncomingCredit, target: Target): boolean {
  const { source, transactionTime, transactionDate } = credit
  const isFound = source === 'statement' ? transactionDate : source === 'requery' && transactionTime
  return Boolean(isFound) && isBeforeLease(credit, target)
}

function whyClosed(
  payment: PaymentTarget,
  { at, by }: { at: Date; by: JudgedBy },
): SuspenseReason | undefined {
  if (payment.status === 'Successful') return 'already_paid'
  if (payment.status === 'Cancelled') return 'cancelled'
  if (payment.status === 'Reversed') return 'payment_reversed'
  if (payment.status === 'Expired' && by === 'arrival') return 'late'
  return at >= payment.closesAt ? 'late' : undefined
}
