// Settled payouts that a bank has reported about: the bank is asked about each again, because no report
// is believed by itself (I100). What its answers come to (I104):
//
//   reversed, several times over 15 minutes, and nothing else in between
//                               the payout was confirmed: its money came back (return-payout.ts)
//   another status than the books have
//                               operators are alerted; nothing is booked
//   what books and report say   it is not asked for any more
//
// `reversed` is only what the bank publishes as: it was paid, and the money was given back. Any other
// answer begins the count anew; silence takes nothing away, but its time does not count. A hold, or
// settings that lead to another bank since, keep anything from being booked. A status may lag behind its
// report, so the bank is asked at growing intervals, for about a day, and for as long as it says
// `reversed`.
// Locks: those who hold payouts; the payout; its review; then as return-payout.ts.

import type { PayoutAnswer } from '#banks/connector.ts'
import type { PayoutEvent } from '#banks/notifications.ts'
import type { Due } from '#client-time.ts'
import type { Transaction } from '#db/transaction.ts'
import { awaitHolders } from '#domain/records/sending-lock.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { PayoutId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { arePayoutsHeld } from './hold-payouts.ts'
import {
  addAnswer,
  areEnough,
  NO_ANSWERS,
  type Observation,
  type ObservedAnswers,
  readAnswers,
  type StoredAnswers,
} from './observed-answers.ts'
import type { PayoutStatus } from './payouts.ts'
import { bookReturn, isReturnable } from './return-payout.ts'
import { tellContradiction } from './settle-as-told.ts'
import { lockPayout } from './settle-payout.ts'
import { FIRST_MS, IS_SETTLED, LONGEST_MS, type PayoutQuery } from './unknown-payouts.ts'

export const REVIEW_QUERIES_MAX = 33 // About a day.

type Says = PayoutEvent['says']

// The books' own word for a payout that is settled, or was never sent.
export async function readBooks(
  tx: Transaction,
  { id, status }: { id: PayoutId; status: PayoutStatus },
): Promise<Says> {
  if (status !== 'confirmed') return 'failed'
  return (await isBookedAsReturned(tx, id)) ? 'reversed' : 'confirmed'
}

// Whether a report says what the books do. One of a payment that came back since is old.
export function isKnown(says: Says, books: Says): boolean {
  return isSame(says, books) || (says === 'confirmed' && books === 'reversed')
}

// Of what failed here, a bank may say that it gave the money back.
const isSame = (says: Says, books: Says) =>
  says === books || (says === 'reversed' && books === 'failed')

const REPEATED = `r.reported_at between $3::timestamptz - interval '1 minute' and $3`

// Of a payout that the caller has locked. A report that the books know already does not replace one that
// they do not: they may come in any order. Repeated reports have the bank asked once a minute.
export async function openReview(
  tx: Transaction,
  now: Date,
  { id, says, books }: { id: PayoutId; says: Says; books: Says },
): Promise<void> {
  await tx.query({
    name: 'open-payout-review',
    text: `insert into payout_reviews as r (payout_id, says, reported_at, next_query_at)
           values ($1, $2, $3, $3)
           on conflict (payout_id) do update
              set says = case when $4 and r.next_query_at is not null then r.says
                              else excluded.says end,
                  reported_at = excluded.reported_at,
                  queries = case when r.next_query_at is not null and ${REPEATED} then r.queries
                                 else 0 end,
                  next_query_at = least(r.next_query_at,
                                        case when ${REPEATED} then r.reported_at + interval '1 minute'
                                             else excluded.next_query_at end)`,
    values: [id, says, now, isKnown(says, books)],
  })
}

// As claimQueries, of reviews. One of an open payout waits until it is settled.
export async function claimReviews(
  tx: Transaction,
  { now, only }: Due,
  { bankCode, limit }: { bankCode: string; limit: number },
): Promise<PayoutQuery[]> {
  if (limit <= 0) return []
  const { rows } = await tx.query<PayoutQuery>({
    name: 'claim-payout-reviews',
    text: `with due as materialized (
             select r.payout_id from payout_reviews r join payouts p on p.id = r.payout_id
              where r.next_query_at <= $2 and p.bank_code = $1 and ${IS_SETTLED}
                and ${livesIn('p.client_id', '$6')}
              order by r.next_query_at, r.payout_id limit $3 for no key update of r skip locked)
           update payout_reviews r
              set queries = r.queries + 1,
                  next_query_at = $2 + least($4 * power(2, least(r.queries, 20)), $5)
                                       * interval '1 millisecond'
             from due join payouts p on p.id = due.payout_id
            where r.payout_id = due.payout_id
           returning p.id, p.reference, p.currency, p.sent_over as "sentOver"`,
    values: [bankCode, now, limit, FIRST_MS, LONGEST_MS, only ?? null],
  })
  return rows
}

// What one more answer comes to. Pure.
export function countReversed(
  counted: ObservedAnswers,
  answer: PayoutAnswer,
  observation: Observation,
): ObservedAnswers {
  if (answer.status === 'failed' && answer.isReversed) return addAnswer(counted, observation)
  const isSilent = answer.status === 'unknown' && !answer.isAccepted
  return isSilent ? { ...counted, by: null, atMs: null } : NO_ANSWERS
}

type Reviewed = {
  query: PayoutQuery
  answer: PayoutAnswer
  observation: Observation
  wouldKnow: boolean // The connection that was asked.
  by: string
}

export async function takeReviewAnswer(
  tx: Transaction,
  deps: { sharedAccounts: SharedAccounts; now: Date },
  { query: { id, reference }, answer, observation, wouldKnow, by }: Reviewed,
): Promise<void> {
  await awaitHolders(tx)
  const payout = await lockPayout(tx, id)
  const review = await lockReview(tx, id)
  if (!review) return
  const { status } = payout
  if (status === 'sending' || status === 'unknown') return // It is asked for by itself.
  const isLast = review.queries >= REVIEW_QUERIES_MAX
  if (!wouldKnow) return isLast ? endReview(tx, id) : undefined // This connection cannot know it.
  const counted = countReversed(readAnswers(review), answer, observation)
  await recordCounted(tx, id, counted)
  const books = await readBooks(tx, { id, status })
  const mayComeBack = books === 'confirmed' && isReturnable(payout)
  if (mayComeBack && areEnough(counted) && !(await arePayoutsHeld(tx))) {
    await bookReturn(tx, deps, { payout, by })
    return endReview(tx, id)
  }
  const says = wordOf(answer)
  const isAgreed = says !== undefined && isSame(says, books)
  if (says && !isAgreed) {
    await tellContradiction(tx, deps.now, { subject: `payout/${reference}`, status: says })
  }
  const isCounting = mayComeBack && counted.answers > 0
  if ((isLast && !isCounting) || (isAgreed && isKnown(review.says, books))) await endReview(tx, id)
}

function wordOf(answer: PayoutAnswer): Says | undefined {
  if (answer.status === 'confirmed') return 'confirmed'
  if (answer.status !== 'failed') return undefined
  return answer.isReversed ? 'reversed' : 'failed'
}

type Review = StoredAnswers & { says: Says; queries: number }

async function lockReview(tx: Transaction, id: PayoutId): Promise<Review | undefined> {
  const { rows } = await tx.query<Review>({
    name: 'lock-payout-review',
    text: `select says, queries, reversed_answers as answers, reversed_ms as "observedMs",
                  reversed_by as by, reversed_at_ms as "atMs"
             from payout_reviews where payout_id = $1 and next_query_at is not null
              for no key update`,
    values: [id],
  })
  return rows[0]
}

async function recordCounted(
  tx: Transaction,
  id: PayoutId,
  { answers, observedMs, by, atMs }: ObservedAnswers,
): Promise<void> {
  await tx.query({
    name: 'record-reversed-answers',
    text: `update payout_reviews set reversed_answers = $2, reversed_ms = $3, reversed_by = $4,
                  reversed_at_ms = $5
            where payout_id = $1`,
    values: [id, answers, observedMs, by, atMs],
  })
}

async function endReview(tx: Transaction, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'end-payout-review',
    text: `update payout_reviews set next_query_at = null, reversed_answers = 0, reversed_ms = 0,
                  reversed_by = null, reversed_at_ms = null
            where payout_id = $1`,
    values: [id],
  })
}

// From the bank's answers, or from a statement.
async function isBookedAsReturned(tx: Transaction, id: PayoutId): Promise<boolean> {
  const { rows } = await tx.query<{ isBooked: boolean }>({
    name: 'is-payout-booked-as-returned',
    text: `select exists (select from payout_returns where payout_id = $1)
                  or exists (select from differences d join transfers t on t.difference_id = d.id
                              where d.payout_id = $1 and d.kind = 'payout_returned')
                  as "isBooked"`,
    values: [id],
  })
  return rows[0]?.isBooked === true
}
