// What a bank reports about a payout on its own. I100: no report settles a payout, because some banks
// sign only a part of it, or do not publish what it looks like. Instead
//
//   unknown   the bank is asked at once, and its answer settles it
//   sending   its sender is about to hear the answer
//   queued, after an order that was not sent (I105)
//             the bank knows it after all: it is sent by nobody, and asked for as unknown
//   others    the bank is asked at once, and what it answers is held against the books
//             (review-payouts.ts). Where the report contradicts them operators are alerted (I47)
//
// A status may lag behind its report. So a report that an open payout was not paid is also held against what
// settles it. A bank that the payout was moved away from is heard too: if it has paid it, operators are
// alerted. The same report again has the bank asked at most once a minute.
// Locks: the payout; its review.

import type { PayoutEvent } from '#banks/notifications.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import { recordPayoutChanges } from './payout-changes.ts'
import type { PayoutStatus } from './payouts.ts'
import { isKnown, openReview, readBooks } from './review-payouts.ts'
import { tellContradiction } from './settle-as-told.ts'

// Whether the payout is one that this bank sends for us.
export async function hearOfPayout(
  tx: Transaction,
  now: Date,
  { bankCode, event: { reference, says } }: { bankCode: string; event: PayoutEvent },
): Promise<boolean> {
  const by = `bank:${bankCode}`
  const { rows } = await tx.query<Reported>({
    name: 'lock-reported-payout',
    text: `select id, status, bank_code = $2 as "isHere", unsent_times > 0 as "wasTried"
             from payouts p
            where reference = $1
              and (bank_code = $2
                   or exists (select from payout_changes c
                               where c.payout_id = p.id and c.change = 'sending'
                                 and c.changed_by = $3))
              for no key update`,
    values: [reference, bankCode, by],
  })
  const payout = rows[0]
  if (!payout) return false
  const { id, status, isHere, wasTried } = payout
  const subject = `payout/${reference}`
  if (status === 'queued' && wasTried) {
    await markUnknownAgain(tx, now, { id, bankCode, by })
    await tellContradiction(tx, now, { subject, status: says })
  } else if (!isHere) {
    if (says === 'confirmed') await tellContradiction(tx, now, { subject, status: says })
  } else if (status === 'sending' || status === 'unknown') {
    if (status === 'unknown') await askAtOnce(tx, now, id)
    if (says !== 'confirmed') await openReview(tx, now, { id, says, books: 'confirmed' })
  } else {
    const books = await readBooks(tx, payout)
    await openReview(tx, now, { id, says, books })
    if (!isKnown(says, books)) await tellContradiction(tx, now, { subject, status: says })
  }
  return true
}

type Reported = {
  id: PayoutId
  status: PayoutStatus
  isHere: boolean // False: it was moved to another bank since.
  wasTried: boolean
}

// At the bank that reports it. It was queued, so no other bank has it.
async function markUnknownAgain(
  tx: Transaction,
  now: Date,
  { id, bankCode, by }: { id: PayoutId; bankCode: string; by: string },
): Promise<void> {
  const history = { payoutIds: [id], changedBy: by, detail: 'The bank reported it.' }
  await tx.query({
    name: 'return-reported-payout',
    text: `update payouts set bank_code = $2 where id = $1 and bank_code <> $2`,
    values: [id, bankCode],
  })
  await tx.query({
    name: 'claim-reported-payout',
    text: `update payouts set status = 'sending', sending_at = $2 where id = $1`,
    values: [id, now],
  })
  await recordPayoutChanges(tx, now, { ...history, change: 'sending' })
  await tx.query({
    name: 'reported-payout-unknown',
    text: `update payouts set status = 'unknown', next_query_at = $2 where id = $1`,
    values: [id, now],
  })
  await recordPayoutChanges(tx, now, { ...history, change: 'unknown' })
}

async function askAtOnce(tx: Transaction, now: Date, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'ask-for-payout-at-once',
    text: `update payouts set next_query_at = least(next_query_at, $2) where id = $1`,
    values: [id, now],
  })
}
