// What a bank reports about a payout on its own. I100: no report settles a payout, because some banks
// sign only a part of it, or do not publish what it looks like. Instead
//
//   unknown   the bank is asked at once, and its answer settles it
//   sending   its sender is about to hear the answer
//   others    the bank is asked at once, and what it answers is held against the books
//             (review-payouts.ts). Where the report contradicts them operators are alerted (I47)
//
// The same report again changes nothing but that the bank is asked once more.
// Locks: the payout; its review.

import type { PayoutEvent } from '#banks/notifications.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import type { PayoutStatus } from './payouts.ts'
import { isKnown, openReview, readBooks } from './review-payouts.ts'
import { tellContradiction } from './settle-as-told.ts'

// Whether the payout is one that this bank sends for us.
export async function hearOfPayout(
  tx: Transaction,
  now: Date,
  { bankCode, event: { reference, says } }: { bankCode: string; event: PayoutEvent },
): Promise<boolean> {
  const { rows } = await tx.query<{ id: PayoutId; status: PayoutStatus }>({
    name: 'lock-reported-payout',
    text: `select id, status from payouts where reference = $1 and bank_code = $2
              for no key update`,
    values: [reference, bankCode],
  })
  const payout = rows[0]
  if (!payout) return false
  const { id, status } = payout
  if (status === 'unknown') await askAtOnce(tx, now, id)
  else if (status !== 'sending') {
    const books = await readBooks(tx, payout)
    await openReview(tx, now, { id, says, books })
    if (!isKnown(says, books)) {
      await tellContradiction(tx, now, { subject: `payout/${reference}`, status: says })
    }
  }
  return true
}

async function askAtOnce(tx: Transaction, now: Date, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'ask-for-payout-at-once',
    text: `update payouts set next_query_at = least(next_query_at, $2) where id = $1`,
    values: [id, now],
  })
}
