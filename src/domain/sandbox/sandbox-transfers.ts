// The kinds of transfer that the sandbox bank can send, and their amounts. Pure.
//
//   exact           the amount due; any amount to a collection account
//   under over      less, or more, than is due
//   late            to a payment past its grace period, without moving a clock
//   duplicate       the same transfer reported again, once or more often
//   out_of_order    two halves; the later one is reported first
//   reversed        a transfer that the bank then takes back, at once or later
//   reversal_first  the reversal is reported before its credit, and again after it
//   wrong_currency  in dollars
//   delayed         made now, reported later
//   lost            made now and never reported; found by querying the bank

import { isOpen, type PaymentStatus } from '#domain/payments/payments.ts'
import { type FieldError, Refusal } from '#errors.ts'
import { AMOUNT_MAX_KOBO, type Kobo, kobo } from '#money.ts'

export const SANDBOX_TRANSFERS = [
  'exact',
  'under',
  'over',
  'late',
  'duplicate',
  'out_of_order',
  'reversed',
  'reversal_first',
  'wrong_currency',
  'delayed',
  'lost',
] as const
export type SandboxTransfer = (typeof SANDBOX_TRANSFERS)[number]

type SandboxPayment = {
  status: PaymentStatus
  amountKobo: Kobo
  amountPaidKobo: Kobo
  closesAt: Date
}

const MORE_KOBO = 50_000n // The default excess of `over`.
const TO_PAYMENT_ONLY: readonly SandboxTransfer[] = ['under', 'over', 'late']
const TO_ACCOUNT = SANDBOX_TRANSFERS.filter((kind) => !TO_PAYMENT_ONLY.includes(kind))
const DELAY_SECONDS = 30

// `times`: repetitions of a duplicate. `afterSeconds`: delay of a reversal or a delayed transfer.
export type TransferTerms = { times: number; afterSeconds: number }

type RequestedTerms = {
  kind: SandboxTransfer
  times?: number | undefined
  afterSeconds?: number | undefined
}

// Refuses fields that the kind does not use.
export function transferTerms({ kind, times, afterSeconds }: RequestedTerms): TransferTerms {
  if (times !== undefined && kind !== 'duplicate') throw wrong('times', 'Is for duplicate only.')
  if (afterSeconds !== undefined && kind !== 'reversed' && kind !== 'delayed') {
    throw wrong('afterSeconds', 'Is for reversed and delayed only.')
  }
  const usual = kind === 'delayed' ? DELAY_SECONDS : 0
  return { times: times ?? 1, afterSeconds: afterSeconds ?? usual }
}

type ToNumber = {
  kind: SandboxTransfer
  requestedKobo: Kobo | undefined
  payment: SandboxPayment | undefined
  now: Date
}
type ToPayment = ToNumber & { payment: SandboxPayment }

// Without `requestedKobo`, chooses an amount that shows the case.
export function sandboxAmount({ kind, requestedKobo, payment, now }: ToNumber): Kobo {
  const amountKobo = payment
    ? amountToPayment({ kind, requestedKobo, payment, now })
    : amountToAccount(kind, requestedKobo)
  if (kind === 'out_of_order' && amountKobo < 2n) throw wrong('amount', 'Must be at least 0.02.')
  return amountKobo
}

function amountToPayment({ kind, requestedKobo, payment, now }: ToPayment): Kobo {
  const isLate = payment.status === 'Expired' || (isOpen(payment.status) && now >= payment.closesAt)
  if (kind === 'late') {
    if (!isLate) throw new Refusal('payment_not_late')
    return requestedKobo ?? payment.amountKobo
  }
  if (isLate || !isOpen(payment.status)) throw new Refusal('payment_not_open')
  const dueKobo = kobo(payment.amountKobo - payment.amountPaidKobo)
  const amountKobo = requestedKobo ?? usualAmount(kind, dueKobo)
  if (kind === 'exact' && amountKobo !== dueKobo) throw wrong('amount', 'Must be what is due.')
  if (kind === 'under' && amountKobo >= dueKobo) throw wrong('amount', 'Must be less than is due.')
  if (kind === 'over' && amountKobo <= dueKobo) throw wrong('amount', 'Must be more than is due.')
  return amountKobo
}

function amountToAccount(kind: SandboxTransfer, requestedKobo: Kobo | undefined): Kobo {
  if (!TO_ACCOUNT.includes(kind)) {
    throw wrong('kind', `A collection account takes any amount: use ${TO_ACCOUNT.join(', ')}.`)
  }
  if (requestedKobo === undefined) throw wrong('amount', 'Is required for a collection account.')
  return requestedKobo
}

// One kobo has no smaller amount and the maximum has no larger one; the caller refuses the amount due as
// wrong.
function usualAmount(kind: SandboxTransfer, dueKobo: Kobo): Kobo {
  if (kind === 'under') return dueKobo > 1n ? kobo(dueKobo / 2n) : dueKobo
  if (kind !== 'over') return dueKobo
  const moreKobo = kobo(dueKobo + MORE_KOBO)
  return moreKobo < AMOUNT_MAX_KOBO ? moreKobo : AMOUNT_MAX_KOBO
}

function wrong(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message } satisfies FieldError])
}
