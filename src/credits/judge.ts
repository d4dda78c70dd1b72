// Judges whether a credit is booked: a pure function of one credit and the owner of its number.
//
// The checks run in this order, and the first that applies decides. "No client" means that the money is
// unidentified: the operator holds it for the bank.
//   number that we never issued        suspended: unknown_number          (no client)
//   number of another bank             suspended: wrong_bank              (no client)
//   sent for an earlier number holder  suspended: late                    (no client)
//   not the currency of the number     suspended: wrong_currency
//   payment already settled            suspended: already_paid
//   payment cancelled, or reversed     suspended: cancelled, payment_reversed
//   made after the end of grace        suspended: late
//   found, and made before the payment suspended: late                    (requery, statement)
//   collection account not active      suspended: account_inactive
//   more than the suspicious amount    suspended: amount_suspicious
//   a payer rule broken                suspended: below_minimum, above_maximum, payer_not_allowed
//   a limit of the account broken      suspended: over_credit_limit, over_daily_limit,
//                                      over_balance_limit
//   policy exact, another amount       suspended: amount_mismatch
//   more than is still due             the due amount is booked, the rest suspended: excess
//   otherwise                          booked
//
// I14: every kobo of a credit is booked or suspended; the two parts sum to the whole.
//
// I32: a number accepts a credit only if the bank that issued it reports the credit: no bank can credit the
// accounts of another.
//
// I87: money for an earlier holder of a number never goes to the current holder, and the current holder gets
// no event about that money.

import { type AccountLimits, findLimitViolation, type LimitViolation } from '#accounts/limits.ts'
import {
  findRuleViolation,
  type HashPayer,
  type PayerRules,
  type RuleViolation,
} from '#accounts/payer-rules.ts'
import type { IncomingCredit as BankCredit } from '#banks/notifications.ts'
import { DAY_MS, watDay, watDayStart } from '#clock.ts'
import type { FeeRule } from '#fees/rules.ts'
import type { AccountId, ClientId, CreditId, FeeRuleId, PaymentId, SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { AmountPolicy } from '#payments/advice.ts'
import type { PaymentStatus } from '#payments/states.ts'
import type { Split } from '#splits/split.ts'

// Why a credit, or a part of it, is put in suspense.
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
  | 'underpaid' // The payment closed before it was paid in full.

const REASONS: Record<SuspenseReason, string> = {
  unknown_number: 'no virtual account has the number it was sent to',
  wrong_bank: 'another bank reported it than the one that has the number',
  wrong_currency: 'it is not in the currency of the account',
  amount_suspicious: 'the amount is above what is booked without a look',
  account_inactive: 'the collection account is not active',
  already_paid: 'the payment had been settled before',
  cancelled: 'the payment had been cancelled',
  payment_reversed: 'the payment had been reversed',
  late: 'it came after the payment had closed',
  below_minimum: 'it is less than the account accepts at a time',
  above_maximum: 'it is more than the account accepts at a time',
  over_credit_limit: 'it is more than the limit of the account for one credit',
  over_daily_limit: 'with it the account would have taken more than its limit for a day',
  over_balance_limit: 'with it the account would have held more than its limit',
  payer_not_allowed: 'the payer is not among those who may pay',
  amount_mismatch: 'it is not exactly the amount that was due',
  excess: 'it is more than was due',
  underpaid: 'the payment closed before the whole amount was there',
}

// Returns the reason as the end of a sentence, such as “Held in suspense: it is more than was due.” A reason
// that an older release stored may have no text.
export function reasonInWords(reason: string): string {
  return REASONS[reason as SuspenseReason] ?? reason.replaceAll('_', ' ')
}

// The route by which we learned of a credit. Credits of all routes are judged in the same way.
export const CREDIT_SOURCES = ['notification', 'requery', 'statement', 'sandbox'] as const
export type CreditSource = (typeof CREDIT_SOURCES)[number]

export type IncomingCredit = BankCredit & { bankCode: string; source?: CreditSource }

export type CollectionTarget = AccountLimits & {
  kind: 'collection'
  clientId: ClientId
  collectionAccountId: AccountId
  isActive: boolean
  currency: string
  balanceKobo: Kobo
  payerRules: PayerRules | null
  todayKobo: Kobo // Received so far today. Read only if the account has a daily limit.
  feeRule: FeeRule | null
  split: Split | null
}

export type PaymentTarget = {
  kind: 'payment'
  clientId: ClientId
  paymentId: PaymentId
  status: PaymentStatus
  storedStatus: PaymentStatus // The status in the database.
  amountKobo: Kobo
  amountPaidKobo: Kobo
  amountPolicy: AmountPolicy
  currency: string
  createdAt: Date
  closesAt: Date
  openSeconds: number // The time from the number's lease to the end of grace.
  mayReopen: boolean // Only set for payments that are over.
  payerRules: PayerRules | null
  pending: Holding[] // The unsettled credits. Empty once the payment is settled.
  quotedRuleId: FeeRuleId | null // The rule of the fee that the customer was quoted, if any.
  feeRule: FeeRule | null // Only set if money may come to the payment.
  split: Split | null // Only set if money may come to the payment.
  chargedFeeKobo: Kobo // Set at settlement, less returned fees.
  chargedVatKobo: Kobo // Set at settlement, less returned VAT.
}

// A part of a credit that is booked to its owner. `itemId` is set if the part was assigned from suspense.
export type Holding = { creditId: CreditId; amountKobo: Kobo; itemId?: SuspenseItemId | null }

export type Target = CollectionTarget | PaymentTarget

// A payment has numbers at several banks, so the bank belongs to the number. `isReused` is set only if a
// credit was made before the current lease.
export type IssuedNumber = { bankCode: string; target: Target; isReused?: boolean }

// The time that decides whether a payment was still open: the bank's time of the transfer, or the time when
// we received the report.
export type JudgedBy = 'bank_time' | 'arrival'

// The settings of the operator that a judgement depends on.
type Terms = {
  now: Date
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  hashPayer: HashPayer
}
type Judgement = { bookedKobo: Kobo; reason: SuspenseReason | null }

const suspended = (reason: SuspenseReason): Judgement => ({ bookedKobo: kobo(0n), reason })
const booked = ({ amountKobo }: IncomingCredit): Judgement => ({
  bookedKobo: amountKobo,
  reason: null,
})

// Returns the owner of the money; undefined if it has none. Money to a number of another bank has no owner:
// the reporting bank learns nothing about the number, and its holder is not involved. Money sent for an
// earlier holder of a number does not belong to the current holder.
export function findTarget(
  credit: IncomingCredit,
  number: IssuedNumber | undefined,
): Target | undefined {
  if (number?.bankCode !== credit.bankCode) return undefined
  const { target, isReused } = number
  return isReused && isBeforeLease(credit, target) ? undefined : target
}

// Decides how much of a credit is booked, and why the rest is suspended. See the order of the checks at the
// top of this file.
export function judge(
  credit: IncomingCredit,
  number: IssuedNumber | undefined,
  terms: Terms,
): Judgement {
  if (!number) return suspended('unknown_number')
  const target = findTarget(credit, number)
  if (!target) return suspended(number.bankCode === credit.bankCode ? 'late' : 'wrong_bank')
  if (credit.currency !== target.currency) return suspended('wrong_currency')
  const closedReason =
    target.kind === 'payment'
      ? closedReasonOf(target, judgedTime(credit, target, terms))
      : undefined
  if (closedReason) return suspended(closedReason)
  if (isFoundBeforeLease(credit, target)) return suspended('late')
  if (target.kind === 'collection' && !target.isActive) return suspended('account_inactive')
  if (credit.amountKobo > terms.suspiciousKobo) return suspended('amount_suspicious')
  const payer = {
    accountNumber: credit.sourceAccountNumber,
    name: credit.sourceAccountName,
    bankCode: credit.sourceBankCode,
  }
  const amount = { amountKobo: credit.amountKobo, dueKobo: stillDueKobo(target) }
  const ruleReason = findRuleViolation(target.payerRules, {
    payer,
    ...amount,
    hash: terms.hashPayer,
  })
  if (ruleReason) return suspended(ruleReason)
  if (target.kind === 'collection') {
    const limitReason = findLimitViolation(target, target, credit.amountKobo)
    return limitReason ? suspended(limitReason) : booked(credit)
  }
  const bookedKobo = acceptedKobo(target, credit.amountKobo)
  if (bookedKobo === undefined) return suspended('amount_mismatch')
  return { bookedKobo, reason: bookedKobo < credit.amountKobo ? 'excess' : null }
}

// Returns how much of the amount the payment's amount policy accepts; undefined if the policy refuses the
// whole amount.
export function acceptedKobo(
  payment: Pick<PaymentTarget, 'amountKobo' | 'amountPaidKobo' | 'amountPolicy'>,
  amountKobo: Kobo,
): Kobo | undefined {
  const dueKobo = kobo(payment.amountKobo - payment.amountPaidKobo)
  if (payment.amountPolicy === 'any' || amountKobo === dueKobo) return amountKobo
  if (payment.amountPolicy === 'exact') return undefined
  return amountKobo < dueKobo ? amountKobo : dueKobo
}

// Returns the amount that is still due on a payment; null for a collection account, which has no due amount.
function stillDueKobo(target: Target): Kobo | null {
  return target.kind === 'payment' ? kobo(target.amountKobo - target.amountPaidKobo) : null
}

// Returns the time that decides whether the payment was open. The bank's time is preferred, so that a late
// report does not make a timely transfer late. Ignores an implausible time: in the future, older than the
// bound, or older than the payment. Treats exactly midnight as a date without a time.
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

// Returns whether the credit is older than the current lease of the number, as a credit that is reported
// again, requeried or on a statement may be. A time or date may be up to a day too early, because clocks and
// time zones of banks differ by hours. The date on a statement gets no such tolerance.
export function isBeforeLease(credit: IncomingCredit, target: Target): boolean {
  if (target.kind !== 'payment') return false
  const { source, transactionTime, transactionDate } = credit
  const createdMs = target.createdAt.getTime()
  if (transactionTime !== null) return createdMs - transactionTime.getTime() > DAY_MS
  if (!transactionDate) return false
  return transactionDate < watDay(new Date(source === 'statement' ? createdMs : createdMs - DAY_MS))
}

// Returns whether a statement (with a date) or a requery (with a time) found the credit, and the credit is
// older than the lease. A notification with an old time is excluded: if the number had no earlier holder, the
// bank's clock may be wrong.
function isFoundBeforeLease(credit: IncomingCredit, target: Target): boolean {
  const { source, transactionTime, transactionDate } = credit
  const isFound = source === 'statement' ? transactionDate : source === 'requery' && transactionTime
  return Boolean(isFound) && isBeforeLease(credit, target)
}

// Returns the reason why the payment accepts no more money; undefined if it was open at `at`. If an expired
// payment has no reliable bank time, the time of arrival is always too late.
function closedReasonOf(
  payment: PaymentTarget,
  { at, by }: { at: Date; by: JudgedBy },
): SuspenseReason | undefined {
  if (payment.status === 'Successful') return 'already_paid'
  if (payment.status === 'Cancelled') return 'cancelled'
  if (payment.status === 'Reversed') return 'payment_reversed'
  if (payment.status === 'Expired' && by === 'arrival') return 'late'
  return at >= payment.closesAt ? 'late' : undefined
}
