// What the sandbox bank can be asked to send to a number, and the amount. A pure decision; the
// result is sent as a bank would send it.
//
//   exact           the amount due; any amount to a collection account
//   under over      less, or more, than is due
//   late            to a payment past its grace period; no clock is changed
//   duplicate       the same transfer reported again, once or more often
//   out_of_order    two halves, of which the later is reported first
//   reversed        a transfer that the bank then takes back, at once or later
//   reversal_first  the reversal is reported before its credit, and then again
//   wrong_currency  in dollars
//   delayed         made now, reported later
//   lost            made now, and never reported: found by asking the bank

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

const MORE_KOBO = 50_000n // How much too much "over" sends, unless said otherwise.
const TO_PAYMENT_ONLY: readonly SandboxTransfer[] = ['under', 'over', 'late']
const TO_ACCOUNT = SANDBOX_TRANSFERS.filter((kind) => !TO_PAYMENT_ONLY.includes(kind))
const DELAY_SECONDS = 30

// How often a duplicate is reported again, and when a reversal or a delayed transfer is reported.
export type TransferTerms = { times: number; afterSeconds: number }

type AskedTerms = {
  kind: SandboxTransfer
  times?: number | undefined
  afterSeconds?: number | undefined
}

// Refuses what the kind has no use for.
export function transferTerms({ kind, times, afterSeconds }: AskedTerms): TransferTerms {
  if (times !== undefined && kind !== 'duplicate') throw wrong('times', 'Is for duplicate only.')
  if (afterSeconds !== undefined && kind !== 'reversed' && kind !== 'delayed') {
    throw wrong('afterSeconds', 'Is for reversed and delayed only.')
  }
  const usual = kind === 'delayed' ? DELAY_SECONDS : 0
  return { times: times ?? 1, afterSeconds: afterSeconds ?? usual }
}

type ToNumber = {
  kind: SandboxTransfer
  givenKobo: Kobo | undefined
  payment: SandboxPayment | undefined
  now: Date
}
type ToPayment = ToNumber & { payment: SandboxPayment }

// `givenKobo` undefined: whatever shows the case.
export function sandboxAmount({ kind, givenKobo, payment, now }: ToNumber): Kobo {
  const amountKobo = payment
    ? amountToPayment({ kind, givenKobo, payment, now })
    : amountToAccount(kind, givenKobo)
  if (kind === 'out_of_order' && amountKobo < 2n) throw wrong('amount', 'Must be at least 0.02.')
  return amountKobo
}

function amountToPayment({ kind, givenKobo, payment, now }: ToPayment): Kobo {
  const isLate = payment.status === 'Expired' || (isOpen(payment.status) && now >= payment.closesAt)
  if (kind === 'late') {
    if (!isLate) throw new Refusal('payment_not_late')
    return givenKobo ?? payment.amountKobo
  }
  if (isLate || !isOpen(payment.status)) throw new Refusal('payment_not_open')
  const dueKobo = kobo(payment.amountKobo - payment.amountPaidKobo)
  const amountKobo = givenKobo ?? usualAmount(kind, dueKobo)
  if (kind === 'exact' && amountKobo !== dueKobo) throw wrong('amount', 'Must be what is due.')
  if (kind === 'under' && amountKobo >= dueKobo) throw wrong('amount', 'Must be less than is due.')
  if (kind === 'over' && amountKobo <= dueKobo) throw wrong('amount', 'Must be more than is due.')
  return amountKobo
}

function amountToAccount(kind: SandboxTransfer, givenKobo: Kobo | undefined): Kobo {
  if (!TO_ACCOUNT.includes(kind)) {
    throw wrong('kind', `A collection account takes any amount: use ${TO_ACCOUNT.join(', ')}.`)
  }
  if (givenKobo === undefined) throw wrong('amount', 'Is required for a collection account.')
  return givenKobo
}

// A due of one kobo has no less, and one of the most that a bank may report has no more: what is due
// itself is refused above like any other wrong amount.
function usualAmount(kind: SandboxTransfer, dueKobo: Kobo): Kobo {
  if (kind === 'under') return dueKobo > 1n ? kobo(dueKobo / 2n) : dueKobo
  if (kind !== 'over') return dueKobo
  const moreKobo = kobo(dueKobo + MORE_KOBO)
  return moreKobo < AMOUNT_MAX_KOBO ? moreKobo : AMOUNT_MAX_KOBO
}

function wrong(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message } satisfies FieldError])
}
