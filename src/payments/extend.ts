// Extends an open advice, to a time or by a number of seconds. The end of the grace period and the quarantine
// of its numbers move by the same time. With all extensions, an advice can be open for 48 hours from its
// first number (or its reopening) to its expiry, like a new advice.
//
// Locks the advice, then its payment. So a concurrent expiry, cancellation or credit either commits before,
// and the extension sees it, or waits and sees the new expiry.

import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { AdviceId, ClientId, PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'
import { closedRefusal, isOpen, statusAt } from './payment.ts'
import type { PaymentStatus } from './states.ts'

export const EXPIRY_SECONDS_MAX = 172_800

export type Extension = { expiresAt: Date } | { seconds: number }

type AdviceRow = { cancelledAt: Date | null; expirySeconds: number }
type PaymentRow = { id: PaymentId; status: PaymentStatus; amountPaidKobo: Kobo; expiresAt: Date }

type AdviceExtension = { clientId: ClientId; adviceId: AdviceId; extension: Extension }

// Extends an advice, and tells the client by an event if the payment has a number. Extending to the current
// expiry changes nothing.
export async function extendAdvice(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  { clientId, adviceId, extension }: AdviceExtension,
): Promise<void> {
  const { advice, payment } = await lockAdvice(tx, clientId, adviceId)
  const seconds = secondsToAdd({ adviceRow: advice, payment, extension, now })
  if (seconds === 0) return
  await moveTimes(tx, now, { adviceId, paymentId: payment?.id ?? null, seconds })
  const expiresAt = payment && new Date(payment.expiresAt.getTime() + seconds * 1000)
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'advice.extend',
    subject: `advice/${adviceId}`,
    detail: { seconds, ...(expiresAt ? { expiresAt: timestamp(expiresAt) } : {}) },
  })
  // Before the first number, no event has stated an expiry, so no event is needed to correct it.
  if (!payment || !expiresAt) return
  const { id: paymentId, status, amountPaidKobo } = payment
  const facts = { status, amountPaidKobo, expiresAt: timestamp(expiresAt) }
  await appendEvents(tx, now, [{ clientId, type: 'payment.extended', paymentId, facts }])
}

// Returns the seconds to add to the expiry. Throws a refusal if the advice is no longer open, or would be
// open for more than 48 hours.
function secondsToAdd({
  adviceRow: { cancelledAt, expirySeconds },
  payment,
  extension,
  now,
}: {
  adviceRow: AdviceRow
  payment: Pick<PaymentRow, 'status' | 'expiresAt'> | undefined
  extension: Extension
  now: Date
}): number {
  if (cancelledAt) throw new Refusal('advice_cancelled')
  const status = payment && statusAt(payment, now)
  if (status && !isOpen(status)) throw closedRefusal(status)
  const addMax = EXPIRY_SECONDS_MAX - expirySeconds
  if ('seconds' in extension) {
    const { seconds } = extension
    const tooMuch = `Must be at most ${addMax}: it has 48 hours in all.`
    if (seconds > addMax) throw invalidField('seconds', addMax > 0 ? tooMuch : NO_TIME_LEFT)
    return seconds
  }
  if (!payment) throw invalidField('expiresAt', NOT_BEGUN)
  const seconds = Math.floor((extension.expiresAt.getTime() - payment.expiresAt.getTime()) / 1000)
  if (seconds < 0) {
    throw invalidField(
      'expiresAt',
      `Must not be before its expiry, ${timestamp(payment.expiresAt)}.`,
    )
  }
  if (seconds > addMax) {
    const latest = new Date(payment.expiresAt.getTime() + addMax * 1000)
    throw invalidField('expiresAt', `Must be at most ${timestamp(latest)}: it has 48 hours in all.`)
  }
  return seconds
}

const NO_TIME_LEFT = 'It has had its 48 hours: create a new advice.'
const NOT_BEGUN = 'Its time begins with its first number: give seconds.'

// Locks an advice and its payment, if it has one.
async function lockAdvice(tx: Transaction, clientId: ClientId, adviceId: AdviceId) {
  const advices = await tx.query<AdviceRow>({
    name: 'lock-advice-to-extend',
    text: `select cancelled_at,
                  expires_in_seconds + extended_seconds as expiry_seconds
             from advices where id = $1 and client_id = $2 for no key update`,
    values: [adviceId, clientId],
  })
  const advice = advices.rows[0]
  if (!advice) throw new Refusal('advice_not_found')
  const payments = await tx.query<PaymentRow>({
    name: 'lock-payment-to-extend',
    text: `select id, status, amount_paid_kobo, expires_at
             from payments where advice_id = $1 for no key update`,
    values: [adviceId],
  })
  return { advice, payment: payments.rows[0] }
}

type TimeShift = { adviceId: AdviceId; paymentId: PaymentId | null; seconds: number }

// Moves the expiry of the advice and, if there is a payment, its expiry, its closing and the quarantine of
// its numbers.
async function moveTimes(
  tx: Transaction,
  now: Date,
  { adviceId, paymentId, seconds }: TimeShift,
): Promise<void> {
  await tx.query({
    name: 'extend-advice',
    text: 'update advices set extended_seconds = extended_seconds + $2 where id = $1',
    values: [adviceId, seconds],
  })
  if (!paymentId) return
  await tx.query({
    name: 'extend-payment',
    text: `with extended as (
             update payments set expires_at = expires_at + make_interval(secs => $2),
                                 closes_at = closes_at + make_interval(secs => $2),
                                 updated_at = $3
              where id = $1
           )
           update numbers n set reusable_at = n.reusable_at + make_interval(secs => $2)
             from payment_numbers pn
            where pn.payment_id = $1 and n.account_number = pn.account_number
              and n.payment_id = $1`,
    values: [paymentId, seconds, now],
  })
}
