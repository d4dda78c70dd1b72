// The states of a payment, and the only code that changes them. To show a status, use statusAt() of
// payment.ts.

import { numberArray } from '#db/sql.ts'
import { assertAllowed, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'

const TRANSITIONS = {
  Processing: ['PartPayment', 'Successful', 'Expired', 'Cancelled'],
  PartPayment: ['Processing', 'Successful', 'Expired', 'Cancelled'],
  Successful: ['Reversed'],
  Expired: ['PartPayment', 'Successful'],
  Cancelled: [],
  Reversed: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PaymentStatus = keyof typeof TRANSITIONS

export const PAYMENTS: States<PaymentStatus> = {
  table: 'payments',
  column: 'status',
  initial: 'Processing',
  transitions: TRANSITIONS,
}

export const PAYMENT_STATUSES = statusesOf(TRANSITIONS)

type ChangedPayment = {
  paymentId: PaymentId
  storedStatus: PaymentStatus // The status in the database, read under the lock.
  status: PaymentStatus // Equal to `storedStatus`, or the next status.
  amountPaidKobo: Kobo
  chargedFeeKobo: Kobo
  chargedVatKobo: Kobo
}

// Writes the states and amounts of a batch of payments, which the caller has locked, in one statement.
export async function updatePayments(
  tx: Transaction,
  now: Date,
  payments: readonly ChangedPayment[],
): Promise<void> {
  if (payments.length === 0) return
  for (const { storedStatus, status } of payments) {
    if (status !== storedStatus) assertAllowed(PAYMENTS, storedStatus, status)
  }
  await tx.query({
    name: 'update-payments',
    text: `update payments p
              set status = u.status, amount_paid_kobo = u.paid, charged_fee_kobo = u.fee,
                  charged_vat_kobo = u.vat, updated_at = $6
             from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
                  as u (id, status, paid, fee, vat)
            where p.id = u.id`,
    values: [
      payments.map((payment) => payment.paymentId),
      payments.map((payment) => payment.status),
      numberArray(payments.map((payment) => payment.amountPaidKobo)),
      numberArray(payments.map((payment) => payment.chargedFeeKobo)),
      numberArray(payments.map((payment) => payment.chargedVatKobo)),
      now,
    ],
  })
}
