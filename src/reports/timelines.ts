// The timelines of payments, advices, credits and collection accounts: requests, numbers issued, money,
// ledger transfers, events, delivery attempts and audit log. Callers read a timeline in a repeatable-read
// transaction.

import { isInMerchantScope } from '#access/permissions.ts'
import {
  type AccountNumbers,
  ADDITIONAL_NUMBERS,
  accountWithNumber,
  allNumbers,
} from '#accounts/account.ts'
import { listBankChanges } from '#accounts/bank-changes.ts'
import type { NameBank } from '#banks/directory.ts'
import { isAccountNumber } from '#banks/nuban.ts'
import { type CreditTrace, listCredits, type Viewer } from '#credits/queries.ts'
import { readSuspenseChanges } from '#credits/suspense-items.ts'
import { idBounds, PAST_ID, type Window } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { type HoldStep, readHoldSteps, readHoldStepsOfAccount } from '#holds/hold.ts'
import {
  type AccountId,
  type ClientId,
  type CreditId,
  type EventId,
  leastIdAt,
  type PaymentId,
  type SuspenseItemId,
} from '#ids.ts'
import { type Advice, getAdvice } from '#payments/advice.ts'
import type { Payment } from '#payments/payment.ts'
import { type AuditedAction, auditLogFor, latestAuditLogFor } from '#records/audit-log.ts'
import { readRefundsOfCredits } from '#refunds/refund.ts'
import { readRequeries } from '#requery/answers.ts'
import type { Sealer } from '#seal.ts'
import { readDeliveryLog } from '#webhooks/delivery-log.ts'
import {
  attemptEntry,
  auditLogEntry,
  bankChangeEntries,
  creditEntries,
  type EventSubjects,
  eventEntry,
  historyTimes,
  holdEntry,
  type IssuedNumber,
  numberEntry,
  readRelatedEvents,
  readReversals,
  readTransfers,
  refundEntries,
  requeryEntry,
  reversalEntry,
  sortEntries,
  type TimelineEntry,
  toEntry,
  transferEntry,
  waitingEntry,
} from './timeline-entries.ts'

const PAYMENT_MOMENTS_MAX = 100 // Most payments never expire and get no assigned money.

// Reads the account numbers that were issued for a payment.
async function readNumbers(db: Queryable, paymentId: PaymentId): Promise<IssuedNumber[]> {
  const { rows } = await db.query<IssuedNumber>({
    name: 'numbers-of-payment',
    text: `select account_number, bank_code, issued_at, routing
             from payment_numbers where payment_id = $1 order by issued_at, bank_code`,
    values: [paymentId],
  })
  return rows
}

type CreditPage = {
  sealer: Sealer
  viewer: Viewer
  after: CreditId | undefined
  limit: number
}

// Lists credits to any of these numbers, newest first. Reads the index once for each number.
async function listCreditsOf(
  db: Queryable,
  account: AccountNumbers,
  { limit, ...page }: CreditPage,
): Promise<CreditTrace[]> {
  const credits: CreditTrace[] = []
  for (const { accountNumber } of allNumbers(account)) {
    credits.push(...(await listCredits(db, { ...page, filters: { accountNumber }, limit })))
  }
  return credits.sort((one, other) => (one.id > other.id ? -1 : 1)).slice(0, limit)
}

// The expiry of a payment, or an assignment of suspended money to it.
type PaymentMoment = { at: Date; creditId: CreditId | null }

// Reads the times when a payment expired or was assigned money. Apart from events, no row keeps them once the
// payment is paid or the money has left it.
async function readExpiriesAndAssignments(
  db: Queryable,
  { id, clientId, createdAt }: Payment,
): Promise<PaymentMoment[]> {
  const { rows } = await db.query<PaymentMoment>({
    name: 'turns-of-payment',
    text: `select created_at as at, credit_id from events
            where payment_id = $1 and client_id = $2 and id >= $3
              and type in ('payment.expired', 'credit.assigned')
            order by id desc limit ${PAYMENT_MOMENTS_MAX}`,
    values: [id, clientId, leastIdAt(createdAt.getTime())],
  })
  return rows
}

type Assignment = { creditId: CreditId; postedAt: Date }

// Reads the assignments to an account of money that was sent to other numbers, within the period of one page,
// so the query scans about as many transfers as the page has credits. Returns the latest `limit` assignments,
// and any others that were posted at the same time as the oldest of them (`with ties`).
async function readAssignments(
  db: Queryable,
  { id }: { id: AccountId },
  { from, to, limit }: Window & { limit: number },
): Promise<Assignment[]> {
  const { firstId, pastId } = await idBounds(db, 'transfers', { from, to })
  const { rows } = await db.query<Assignment>({
    name: 'credits-assigned-to-account',
    text: `select t.credit_id, t.posted_at
             from transfers t join credits c on c.id = t.credit_id
            where t.credit_account_id = $1 and t.id >= $2 and t.id < $3
              and t.posted_at >= $4 and t.posted_at < $5
              and t.reason = 'assign' and c.collection_account_id is distinct from $1
            order by t.posted_at desc fetch first ($6) rows with ties`,
    values: [id, firstId, pastId, from ?? '-infinity', to ?? 'infinity', limit],
  })
  return rows
}

// Returns entries for the additional numbers of the account, and for the changes of its numbers at
// banks.
async function readBankEntries(
  db: Queryable,
  { id }: { id: AccountId },
  nameBank: NameBank,
): Promise<TimelineEntry[]> {
  const { rows } = await db.query<IssuedNumber>({
    name: 'additional-numbers-of-account',
    text: `select account_number, bank_code, added_at as issued_at
             from numbers where collection_account_id = $1 and added_at is not null`,
    values: [id],
  })
  const changes = await listBankChanges(db, id)
  return [
    ...rows.map((number) => numberEntry(number, nameBank)),
    ...changes.flatMap((change) => bankChangeEntries(change, nameBank)),
  ]
}

export const CREDITS_MAX = 100 // Per payment: a longer timeline is unreadable.

type TimelineDeps = { sealer: Sealer; viewer: Viewer; nameBank: NameBank }
type Timeline = { entries: TimelineEntry[]; isWhole: boolean }

// Returns the timeline of one credit, which is never cut or split into pages.
export async function creditTimeline(
  db: Queryable,
  { viewer, nameBank }: TimelineDeps,
  credit: CreditTrace,
): Promise<Timeline> {
  const entries = await readEntries(db, { viewer, nameBank, credits: [credit] })
  return { entries: sortEntries(entries), isWhole: true }
}

// Returns the timeline of a payment, with its latest CREDITS_MAX credits. `isWhole` is false if there are
// more.
export async function paymentTimeline(
  db: Queryable,
  { sealer, viewer, nameBank }: TimelineDeps,
  payment: Payment,
): Promise<Timeline> {
  const filters = { paymentReference: payment.id }
  const matching = await listCredits(db, { sealer, viewer, filters, limit: CREDITS_MAX + 1 })
  const credits = matching.slice(0, CREDITS_MAX)
  const issuedNumbers = await readNumbers(db, payment.id)
  const advice = await getAdvice(db, viewer.id, payment.adviceId)
  const paymentEntries = [
    adviceEntry(advice),
    ...issuedNumbers.map((number) => numberEntry(number, nameBank)),
  ]
  const paymentMoments = await readExpiriesAndAssignments(db, payment)
  const matchingIds = new Set(matching.map(({ id }) => id))
  const entries = await readEntries(db, {
    viewer,
    nameBank,
    credits,
    eventSubjects: { paymentId: payment.id },
    actions: await auditLogFor(db, viewer.id, [
      `advice/${payment.adviceId}`,
      `payment/${payment.id}`,
    ]),
    eventTimes: [
      payment.createdAt,
      payment.updatedAt,
      ...issuedNumbers.map(({ issuedAt }) => issuedAt),
      ...paymentMoments.map(({ at }) => at),
    ],
    assigned: paymentMoments.flatMap(({ creditId: id }) => (id && !matchingIds.has(id) ? id : [])),
    currency: payment.currency,
  })
  const creditIds = credits.map(({ id }) => id)
  const requeries = await readRequeries(db, { paymentId: payment.id, creditIds })
  paymentEntries.push(...requeries.map((requery) => requeryEntry(requery, nameBank)))
  const isWhole = matching.length <= CREDITS_MAX
  return { entries: sortEntries([...paymentEntries, ...entries]), isWhole }
}

// Returns the timeline of an advice that has no payment, because no number was issued.
export async function adviceTimeline(
  db: Queryable,
  { viewer, nameBank }: TimelineDeps,
  advice: Advice,
): Promise<Timeline> {
  const entries = await readEntries(db, {
    viewer,
    nameBank,
    credits: [],
    actions: await auditLogFor(db, viewer.id, [`advice/${advice.id}`]),
  })
  return { entries: sortEntries([adviceEntry(advice), ...entries]), isWhole: true }
}

function adviceEntry(advice: Advice): TimelineEntry {
  const { id, amountKobo, currency, merchantRef, amountPolicy } = advice
  return toEntry(advice.createdAt, 'advice', {
    description: `Payment requested from ${advice.customerName}.`,
    amountKobo,
    currency,
    reference: id,
    detail: { merchantRef, amountPolicy },
  })
}

type TimelineAccount = AccountNumbers & {
  id: AccountId
  accountName: string
  currency: string
  createdAt: Date
  updatedAt: Date
}

// Reads a collection account that the client may see, by any of its numbers.
export async function getTimelineAccount(
  db: Queryable,
  clientId: ClientId,
  accountNumber: string,
): Promise<TimelineAccount> {
  if (!isAccountNumber(accountNumber)) throw new Refusal('account_not_found')
  const { rows } = await db.query<TimelineAccount>({
    name: 'get-timeline-account',
    text: `select a.id, a.account_number, a.account_name, a.bank_code, a.currency_code as currency,
                  a.created_at, a.updated_at, ${ADDITIONAL_NUMBERS}
             from collection_accounts a
            where a.id = ${accountWithNumber('$1')} and a.client_id = $2
              and ${isInMerchantScope('a.merchant_code', '$2')}`,
    values: [accountNumber, clientId],
  })
  if (!rows[0]) throw new Refusal('account_not_found')
  return rows[0]
}

// The position after a page: its last credit, and the time at which the page starts.
type AccountPosition = { creditId: CreditId; at: Date }

type AccountTimelinePage = {
  account: TimelineAccount
  before?: AccountPosition | undefined
  limit: number
}

// Returns one page of an account's timeline, because an account may have millions of credits. Pages go back
// in time: a page has all entries from the time of its oldest credit (`since`) up to the start of the
// previous page (`before`). If that period has more than `limit` manual actions or assignments, the page
// gets a later `since`.
export async function accountTimeline(
  db: Queryable,
  { sealer, viewer, nameBank }: TimelineDeps,
  { account, before, limit }: AccountTimelinePage,
): Promise<{ entries: TimelineEntry[]; next: AccountPosition | null }> {
  const after = before?.creditId
  const nextCredits = await listCreditsOf(db, account, { sealer, viewer, after, limit: limit + 1 })
  const lastCredit = nextCredits.length > limit ? nextCredits[limit - 1] : undefined
  const from = lastCredit && earlierOf(lastCredit.receivedAt, before?.at)
  const within = { from, to: before?.at }
  const subject = `account/${account.accountNumber}`
  const actions = await latestAuditLogFor(db, viewer.id, { subject, ...within, limit: limit + 1 })
  const assigned = await readAssignments(db, account, { ...within, limit: limit + 1 })
  const timesOfNonCredits = [
    actions.map(({ takenAt }) => takenAt),
    assigned.map(({ postedAt }) => postedAt),
  ]
  const since = latestOf([from, ...timesOfNonCredits.map((times) => findPageStart(times, limit))])
  // An entry that belongs to the account and not to a credit is on the page of its time.
  const isInPage = (at: Date) => (!since || at >= since) && (!before || at < before.at)
  const credits =
    since === from ? nextCredits.slice(0, limit) : receivedSince(nextCredits, since as Date)
  const entries = await readEntries(db, {
    viewer,
    nameBank,
    credits,
    eventSubjects: { accountId: account.id },
    actions: actions.filter(({ takenAt }) => isInPage(takenAt)),
    eventTimes: [account.createdAt, account.updatedAt].filter(isInPage),
    assigned: assigned.flatMap(({ creditId, postedAt }) => (isInPage(postedAt) ? creditId : [])),
    holds: await readHoldStepsOfAccount(db, account, { from: since, to: before?.at }),
    currency: account.currency,
  })
  const opened = toEntry(account.createdAt, 'account', {
    description: `Account opened for ${account.accountName}.`,
    reference: account.accountNumber,
  })
  const bankEntries = await readBankEntries(db, account, nameBank)
  const accountEntries = [opened, ...bankEntries].filter(({ at }) => isInPage(at))
  // PAST_ID is greater than every id. It is the position of a page without credits that starts the list.
  const next = since && {
    creditId: credits.at(-1)?.id ?? after ?? (PAST_ID as CreditId),
    at: since,
  }
  return { entries: sortEntries([...accountEntries, ...entries]), next: next ?? null }
}

// Returns the time at which a page must start so that it holds at most `limit` entries of one kind. Returns
// undefined if there are no more than that.
function findPageStart(times: readonly Date[], limit: number): Date | undefined {
  const newestFirst = times.toSorted((one, other) => other.getTime() - one.getTime())
  return newestFirst.length > limit ? newestFirst[limit - 1] : undefined
}

// Returns the latest of these times, or undefined if none is defined.
function latestOf(times: readonly (Date | undefined)[]): Date | undefined {
  return times.reduce((one, other) => (!one || (other && other > one) ? other : one))
}

function earlierOf(one: Date, other: Date | undefined): Date {
  return other && other < one ? other : one
}

// Returns the credits, newest first, up to the first one that was received earlier than `since`. There are no
// gaps, because the next page continues after the last returned credit.
function receivedSince(credits: readonly CreditTrace[], since: Date): readonly CreditTrace[] {
  const firstEarlier = credits.findIndex(({ receivedAt }) => receivedAt < since)
  return firstEarlier === -1 ? credits : credits.slice(0, firstEarlier)
}

type EntrySources = Pick<TimelineDeps, 'viewer' | 'nameBank'> & {
  credits: readonly CreditTrace[]
  eventSubjects?: EventSubjects
  actions?: readonly AuditedAction[]
  eventTimes?: readonly Date[]
  assigned?: readonly CreditId[] // Credits assigned to the payment or account, even if they left later.
  holds?: readonly HoldStep[]
  currency?: string
}

// Makes the entries of everything that happened to the given credits, of the given audit log actions and
// steps of holds, and of the events about the given subjects. The caller sorts the entries.
async function readEntries(db: Queryable, { viewer, nameBank, ...sources }: EntrySources) {
  const { credits, assigned = [] } = sources
  const creditIds = [...credits.map(({ id }) => id), ...assigned]
  const currencies = new Map(credits.map(({ id, currency }) => [id, currency]))
  const currencyOf = (id: CreditId) => currencies.get(id) ?? sources.currency ?? 'NGN'
  const itemIds = credits.flatMap((credit) =>
    credit.items.map(({ id }) => BigInt(id) as SuspenseItemId),
  )
  const history = await readSuspenseChanges(db, itemIds)
  const transfers = await readTransfers(db, creditIds)
  const reversals = await readReversals(db, creditIds)
  const refunds = await readRefundsOfCredits(db, viewer.id, creditIds)
  const holds = [...(sources.holds ?? []), ...(await readHoldSteps(db, creditIds))]
  const subjects = [
    ...itemIds.map((id) => `suspense/${id}`),
    ...credits.map(({ id }) => `credit/${id}`),
  ]
  const actions = [...(sources.actions ?? []), ...(await auditLogFor(db, viewer.id, subjects))]
  // Events are looked up by time, because their ids begin with it. So every row that may have an event
  // contributes its time.
  const eventTimes = [
    ...historyTimes(credits, transfers, reversals),
    ...refunds.flatMap(({ requestedAt, settledAt }) => [requestedAt, settledAt ?? []].flat()),
    ...holds.map(({ at }) => at),
    ...actions.map(({ takenAt }) => takenAt),
    ...(sources.eventTimes ?? []),
  ]
  const eventSubjects = { ...sources.eventSubjects, creditIds }
  const events = await readRelatedEvents(db, viewer.id, {
    about: eventSubjects,
    moments: eventTimes,
  })
  const ids = events.map(({ id }) => id)
  const types = new Map(events.map(({ id, type }) => [id, type]))
  const typeOf = (eventId: EventId) => types.get(eventId) as string
  const { attempts, waiting: waitingDeliveries } = await readDeliveryLog(db, ids)
  return [
    ...credits.flatMap((credit) => creditEntries(credit, nameBank, history)),
    ...transfers.map((transfer) => transferEntry(transfer, currencyOf(transfer.creditId))),
    ...reversals.map((reversal) => reversalEntry(reversal, currencyOf(reversal.creditId))),
    ...refunds.flatMap(refundEntries),
    ...holds.map(holdEntry),
    ...actions.map(auditLogEntry),
    ...events.map(eventEntry),
    ...attempts.map((attempt) => attemptEntry(attempt, typeOf(attempt.eventId))),
    ...waitingDeliveries.map((delivery) => waitingEntry(delivery, typeOf(delivery.eventId))),
  ]
}
