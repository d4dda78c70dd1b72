// Handles a bank's report about a payout, and reviews settled payouts that a bank has reported on. No report
// is believed by itself (I100), so a worker queries the bank about each such payout. The bank's answers
// decide (I104):
//
//   reversed, several times over 15 minutes, and nothing else in between
//                               if the payout was confirmed, the return of its money is booked (bookReturn)
//   another status than the books have
//                               operators are alerted; nothing is booked
//   the status that both the books and the report have
//                               the review ends
//
// `reversed` means that the payout was paid and the bank then sent the money back, as the bank publishes. Any
// other answer restarts the count. A query without an answer does not restart it, but its time is not
// included. Nothing is booked while payouts are held, or if settings now lead to another bank. A status may
// lag behind its report, so the worker queries at growing intervals, for about a day, and for as long as the
// bank says `reversed`.
// Locks: transactions that hold payouts; the payout; its review; then the locks of settle.ts.

import type { PayoutAnswer } from '#banks/connector.ts'
import type { PayoutEvent } from '#banks/notifications.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { awaitHolders } from '#records/call-rates.ts'
import { arePayoutsHeld } from './holds.ts'
import { alertContradiction, bookReturn, isReturnable, lockPayout } from './settle.ts'
import { type PayoutStatus, transition } from './states.ts'
import {
  addAnswer,
  areAnswersEnough,
  isReviewDue,
  NO_ANSWERS,
  type Observation,
  type ObservedAnswers,
  type PayoutQuery,
  queryAfter,
  readAnswers,
  type StoredAnswers,
} from './unknown.ts'

const REVIEW_QUERIES_MAX = 33 // With the growing intervals, they take about a day.

// The status that a bank reports, or that the books have: confirmed, failed or reversed.
type ReportedStatus = PayoutEvent['says']

// Returns the status that the books have for a payout that is settled, or was never sent.
async function readBooks(
  tx: Transaction,
  { id, status }: { id: PayoutId; status: PayoutStatus },
): Promise<ReportedStatus> {
  if (status !== 'confirmed') return 'failed'
  return (await isReturnBooked(tx, id)) ? 'reversed' : 'confirmed'
}

// Returns whether a bank's report agrees with the books. "Confirmed" also agrees with a payout whose money
// came back later: the report is older than the return.
export function isConsistent(reported: ReportedStatus, books: ReportedStatus): boolean {
  return isSame(reported, books) || (reported === 'confirmed' && books === 'reversed')
}

// A bank may say `reversed` for a payout that failed in our books: either way, the recipient has not been
// paid.
const isSame = (reported: ReportedStatus, books: ReportedStatus) =>
  reported === books || (reported === 'reversed' && books === 'failed')

// SQL condition on a review `r`: a report came within the last minute.
const IS_REPEATED = `r.reported_at between $3::timestamptz - interval '1 minute' and $3`

// Plans queries to the bank that check a payout after the bank reported on it. Reports come in any order, so
// a report that agrees with the books does not replace one that contradicts them. Repeated reports cause at
// most one query a minute. `reported` is the status that the bank reported, `books` the status in the books.
// The caller has locked the payout. In the SQL, `says` is the report that the review keeps, and $4 whether
// the new report agrees with the books.
async function openReview(
  tx: Transaction,
  now: Date,
  { id, reported, books }: { id: PayoutId; reported: ReportedStatus; books: ReportedStatus },
): Promise<void> {
  await tx.query({
    name: 'open-payout-review',
    text: `insert into payout_reviews as r (payout_id, says, reported_at, next_query_at)
           values ($1, $2, $3, $3)
           on conflict (payout_id) do update
              set says = case when $4 and r.next_query_at is not null then r.says
                              else excluded.says end,
                  reported_at = excluded.reported_at,
                  queries = case when r.next_query_at is not null and ${IS_REPEATED} then r.queries
                                 else 0 end,
                  next_query_at = least(r.next_query_at,
                                        case when ${IS_REPEATED} then r.reported_at + interval '1 minute'
                                             else excluded.next_query_at end)`,
    values: [id, reported, now, isConsistent(reported, books)],
  })
}

// Claims the reviews whose next query to the bank is due, and plans the query after it. The review of an open
// payout waits until the payout is settled.
export async function claimReviews(
  tx: Transaction,
  now: Date,
  { bankCode, limit }: { bankCode: string; limit: number },
): Promise<PayoutQuery[]> {
  if (limit <= 0) return []
  const { rows } = await tx.query<PayoutQuery>({
    name: 'claim-payout-reviews',
    text: `with due as materialized (
             select r.payout_id from payout_reviews r join payouts p on p.id = r.payout_id
              where p.bank_code = $1 and ${isReviewDue('$2')}
              order by r.next_query_at, r.payout_id limit $3 for no key update of r skip locked)
           update payout_reviews r
              set queries = r.queries + 1, next_query_at = $2 + ${queryAfter('r.queries')}
             from due join payouts p on p.id = due.payout_id
            where r.payout_id = due.payout_id
           returning p.id, p.reference, p.currency, p.sent_over`,
    values: [bankCode, now, limit],
  })
  return rows
}

// Counts the answers that say `reversed`, and returns the new count. A query without an answer interrupts the
// measured time; any other answer restarts the count. Without `by` and `atMs`, addAnswer() adds no time for
// the next answer.
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
  canKnowPayout: boolean // Whether the queried connection can know the payout.
  by: string
}

// Acts on a bank's answer to a query of a review: books the return of the money if the bank has said
// `reversed` often enough, alerts operators if the answer contradicts the books, and ends the review if there
// is nothing more to find out.
export async function takeReviewAnswer(
  tx: Transaction,
  deps: { sharedAccounts: SharedAccounts; now: Date },
  { query: { id, reference }, answer, observation, canKnowPayout, by }: Reviewed,
): Promise<void> {
  await awaitHolders(tx)
  const payout = await lockPayout(tx, id)
  const review = await lockReview(tx, id)
  if (!review) return
  const { status } = payout
  if (status === 'sending' || status === 'unknown') return // Other workers query open payouts.
  const isLast = review.queries >= REVIEW_QUERIES_MAX
  if (!canKnowPayout) return isLast ? endReview(tx, id) : undefined // The answer proves nothing.
  const counted = countReversed(readAnswers(review), answer, observation)
  await writeReversedAnswers(tx, id, counted)
  const books = await readBooks(tx, { id, status })
  const canBeReturned = books === 'confirmed' && isReturnable(payout)
  if (canBeReturned && areAnswersEnough(counted) && !(await arePayoutsHeld(tx))) {
    await bookReturn(tx, deps, { payout, by })
    return endReview(tx, id)
  }
  const reported = reportedStatusOf(answer)
  const isAgreed = reported !== undefined && isSame(reported, books)
  if (reported && !isAgreed) {
    await alertContradiction(tx, deps.now, { subject: `payout/${reference}`, status: reported })
  }
  // While the bank says `reversed`, the review goes on, even beyond its last planned query.
  const isCounting = canBeReturned && counted.answers > 0
  if ((isLast && !isCounting) || (isAgreed && isConsistent(review.says, books)))
    await endReview(tx, id)
}

// Translates a bank's answer into the words of its reports. Returns undefined if the answer is not final.
function reportedStatusOf(answer: PayoutAnswer): ReportedStatus | undefined {
  if (answer.status === 'confirmed') return 'confirmed'
  if (answer.status !== 'failed') return undefined
  return answer.isReversed ? 'reversed' : 'failed'
}

type Review = StoredAnswers & { says: ReportedStatus; queries: number }

// Locks the review of a payout. Returns undefined if none is open.
async function lockReview(tx: Transaction, id: PayoutId): Promise<Review | undefined> {
  const { rows } = await tx.query<Review>({
    name: 'lock-payout-review',
    text: `select says, queries, reversed_answers as answers, reversed_ms as observed_ms,
                  reversed_by as by, reversed_at_ms as at_ms
             from payout_reviews where payout_id = $1 and next_query_at is not null
              for no key update`,
    values: [id],
  })
  return rows[0]
}

// Stores how often, and over which time, the bank has said that the payout was reversed.
async function writeReversedAnswers(
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

// Ends a review: the bank is not queried any more, unless it reports on the payout again.
async function endReview(tx: Transaction, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'end-payout-review',
    text: `update payout_reviews set next_query_at = null, reversed_answers = 0, reversed_ms = 0,
                  reversed_by = null, reversed_at_ms = null
            where payout_id = $1`,
    values: [id],
  })
}

// Returns whether a return of the payout's money was booked, from the bank's answers or from a statement.
async function isReturnBooked(tx: Transaction, id: PayoutId): Promise<boolean> {
  const { rows } = await tx.query<{ isBooked: boolean }>({
    name: 'is-payout-booked-as-returned',
    text: `select exists (select from payout_returns where payout_id = $1)
                  or exists (select from differences d join transfers t on t.difference_id = d.id
                              where d.payout_id = $1 and d.kind = 'payout_returned')
                  as is_booked`,
    values: [id],
  })
  return rows[0]?.isBooked === true
}

// Handles a bank's own report about a payout. I100: no report settles a payout, because some banks sign only
// a part of their reports, or do not publish the format. The status of the payout decides:
//
//   unknown   a worker queries the bank at once, and the answer settles the payout
//   sending   the worker that is sending the payout is about to receive the answer
//   queued, after an order that was not sent (I105)
//             the bank has the payout after all: it becomes unknown, and is never sent
//   others    a worker queries the bank at once, and compares the answer with the books
//             (takeReviewAnswer). If the report contradicts the books, operators are alerted (I47)
//
// The bank's answers may lag behind its reports. So if a bank reports that an open payout was not paid, the
// report is also compared with the outcome that settles the payout later. A bank that the payout was moved
// away from may also report: if it says that it paid the payout, operators are alerted. A repeated report
// causes at most one query a minute. Returns false if the payout is not with this bank and never was. Locks:
// the payout; its review.
export async function recordPayoutReport(
  tx: Transaction,
  now: Date,
  { bankCode, event: { reference, says: reported } }: { bankCode: string; event: PayoutEvent },
): Promise<boolean> {
  const by = `bank:${bankCode}`
  const { rows } = await tx.query<Reported>({
    name: 'lock-reported-payout',
    text: `select id, status, bank_code = $2 as is_here, unsent_times > 0 as was_tried
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
    await alertContradiction(tx, now, { subject, status: reported })
  } else if (!isHere) {
    if (reported === 'confirmed') await alertContradiction(tx, now, { subject, status: reported })
  } else if (status === 'sending' || status === 'unknown') {
    if (status === 'unknown') await planQueryNow(tx, now, id)
    // Compares the report with a confirmation, the outcome that it would contradict.
    if (reported !== 'confirmed') await openReview(tx, now, { id, reported, books: 'confirmed' })
  } else {
    const books = await readBooks(tx, payout)
    await openReview(tx, now, { id, reported, books })
    if (!isConsistent(reported, books))
      await alertContradiction(tx, now, { subject, status: reported })
  }
  return true
}

type Reported = {
  id: PayoutId
  status: PayoutStatus
  isHere: boolean // False if the payout was moved to another bank since.
  wasTried: boolean
}

// Assigns a queued payout to the bank that reports it, and makes it unknown, so that workers query that bank
// and never send the payout. No other bank has it, because it was queued. A queued payout can become unknown
// only by way of `sending` (TRANSITIONS in states.ts).
async function markUnknownAgain(
  tx: Transaction,
  now: Date,
  { id, bankCode, by }: { id: PayoutId; bankCode: string; by: string },
): Promise<void> {
  const cause = { by, now, detail: 'The bank reported it.' }
  await tx.query({
    name: 'return-reported-payout',
    text: `update payouts set bank_code = $2 where id = $1 and bank_code <> $2`,
    values: [id, bankCode],
  })
  await transition(tx, {
    name: 'claim-reported-payout',
    rows: [id],
    from: 'queued',
    to: 'sending',
    set: 'sending_at = $2',
    values: [now],
    ...cause,
  })
  await transition(tx, {
    name: 'reported-payout-unknown',
    rows: [id],
    from: 'sending',
    to: 'unknown',
    set: 'next_query_at = $2',
    values: [now],
    ...cause,
  })
}

// Makes the next query about an unknown payout due now.
async function planQueryNow(tx: Transaction, now: Date, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'ask-for-payout-at-once',
    text: `update payouts set next_query_at = least(next_query_at, $2) where id = $1`,
    values: [id, now],
  })
}
