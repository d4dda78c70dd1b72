// The timeline of a payment, credit or collection account: requests, numbers issued, money, ledger
// transfers, events, delivery attempts and audit log. Read in one snapshot, through existing indexes.

import { isAccountNumber } from '#banks/nuban.ts'
import { archivedBefore } from '#db/archived-period.ts'
import type { Queryable } from '#db/pool.ts'
import { PAST_ID } from '#db/time-bounds.ts'
import { isInMerchantScope } from '#domain/access/merchant-scope.ts'
import {
  type AccountNumbers,
  ADDITIONAL_NUMBERS,
  accountWithNumber,
} from '#domain/accounts/additional-numbers.ts'
import { type CreditTrace, listCredits, type Viewer } from '#domain/credits/credit-list.ts'
import { readSuspenseChanges } from '#domain/credits/suspense-history.ts'
import { type Advice, getAdvice } from '#domain/payments/advices.ts'
import type { Payment } from '#domain/payments/payments.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import { type AuditedAction, auditLogFor, latestAuditLogFor } from '#domain/records/audit-log.ts'
import { readRefundsOfCredits } from '#domain/refunds/refunds.ts'
import { readRequeries } from '#domain/requery/requery-log.ts'
import { readDeliveryLog } from '#domain/webhooks/delivery-log.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, EventId, SuspenseItemId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { historyTimes, readReversals, readTransfers } from './credit-histories.ts'
import { refundEntries, reversalEntry, transferEntry } from './money-entries.ts'
import { type EventSubjects, readRelatedEvents } from './related-events.ts'
import {
  archivedBeforeEntry,
  attemptEntry,
  auditLogEntry,
  creditEntries,
  eventEntry,
  inOrder,
  numberEntry,
  requeryEntry,
  type TimelineEntry,
  toEntry,
  waitingEntry,
} from './timeline-entries.ts'
import {
  listCreditsOf,
  readAssigned,
  readBankEntries,
  readNumbers,
  readTurns,
} from './timeline-reads.ts'

export const CREDITS_MAX = 100 // Per payment: nobody reads a longer timeline.

type TimelineDeps = { sealer: Sealer; viewer: Viewer; nameBank: NameBank }
export type Timeline = { entries: TimelineEntry[]; isWhole: boolean }

export async function creditTimeline(
  db: Queryable,
  { viewer, nameBank }: TimelineDeps,
  credit: CreditTrace,
): Promise<Timeline> {
  const entries = await readEntries(db, { viewer, nameBank, credits: [credit] })
  return { entries: inOrder(entries), isWhole: true }
}

export async function paymentTimeline(
  db: Queryable,
  { sealer, viewer, nameBank }: TimelineDeps,
  payment: Payment,
): Promise<Timeline> {
  const filters = { paymentReference: payment.id }
  const found = await listCredits(db, { sealer, viewer, filters, limit: CREDITS_MAX + 1 })
  const credits = found.slice(0, CREDITS_MAX)
  const issued = await readNumbers(db, payment.id)
  const advice = await getAdvice(db, viewer.id, payment.adviceId)
  const own = [adviceEntry(advice), ...issued.map((number) => numberEntry(number, nameBank))]
  const turns = await readTurns(db, payment)
  const foundIds = new Set(found.map(({ id }) => id))
  const entries = await readEntries(db, {
    viewer,
    nameBank,
    credits,
    about: { paymentId: payment.id },
    actions: await auditLogFor(db, viewer.id, [
      `advice/${payment.adviceId}`,
      `payment/${payment.id}`,
    ]),
    moments: [
      payment.createdAt,
      payment.updatedAt,
      ...issued.map(({ issuedAt }) => issuedAt),
      ...turns.map(({ at }) => at),
    ],
    assigned: turns.flatMap(({ creditId: id }) => (id && !foundIds.has(id) ? id : [])),
    currency: payment.currency,
  })
  const creditIds = credits.map(({ id }) => id)
  const requeries = await readRequeries(db, { paymentId: payment.id, creditIds })
  own.push(...requeries.map((each) => requeryEntry(each, nameBank)))
  return { entries: inOrder([...own, ...entries]), isWhole: found.length <= CREDITS_MAX }
}

// An advice without a number has no payment.
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
  return { entries: inOrder([adviceEntry(advice), ...entries]), isWhole: true }
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

export async function getTimelineAccount(
  db: Queryable,
  clientId: ClientId,
  accountNumber: string,
): Promise<TimelineAccount> {
  if (!isAccountNumber(accountNumber)) throw new Refusal('account_not_found')
  const { rows } = await db.query<TimelineAccount>({
    name: 'get-timeline-account',
    text: `select a.id, a.account_number as "accountNumber", a.account_name as "accountName",
                  a.bank_code as "bankCode", a.currency_code as currency,
                  a.created_at as "createdAt", a.updated_at as "updatedAt", ${ADDITIONAL_NUMBERS}
             from collection_accounts a
            where a.id = ${accountWithNumber('$1')} and a.client_id = $2
              and ${isInMerchantScope('a.merchant_code', '$2')}`,
    values: [accountNumber, clientId],
  })
  if (!rows[0]) throw new Refusal('account_not_found')
  return rows[0]
}

// The last credit of a page, and the start of the page.
type AccountPosition = { creditId: CreditId; at: Date }
type AccountTimeline = { entries: TimelineEntry[]; next: AccountPosition | null }

type AccountTimelinePage = {
  account: TimelineAccount
  before?: AccountPosition | undefined
  limit: number
}

// One page, because an account may have millions of credits. Pages go back in time; each has everything
// since its oldest credit, up to the page before. A page ends earlier if that time has more manual
// actions than a page holds.
export async function accountTimeline(
  db: Queryable,
  { sealer, viewer, nameBank }: TimelineDeps,
  { account, before, limit }: AccountTimelinePage,
): Promise<AccountTimeline> {
  const after = before?.creditId
  const found = await listCreditsOf(db, account, { sealer, viewer, after, limit: limit + 1 })
  const last = found.length > limit ? found[limit - 1] : undefined
  const from = last && earlier(last.receivedAt, before?.at)
  const within = { from, to: before?.at }
  const subject = `account/${account.accountNumber}`
  const actions = await latestAuditLogFor(db, viewer.id, { subject, ...within, limit: limit + 1 })
  const assigned = await readAssigned(db, account, { ...within, limit: limit + 1 })
  const cuts = [actions.map(({ takenAt }) => takenAt), assigned.map(({ postedAt }) => postedAt)]
  const since = latest([from, ...cuts.map((times) => findCut(times, limit))])
  // The account's own entries, not a credit's, are on the page of their time.
  const isInPage = (at: Date) => (!since || at >= since) && (!before || at < before.at)
  const credits = since === from ? found.slice(0, limit) : receivedSince(found, since as Date)
  const entries = await readEntries(db, {
    viewer,
    nameBank,
    credits,
    about: { accountId: account.id },
    actions: actions.filter(({ takenAt }) => isInPage(takenAt)),
    moments: [account.createdAt, account.updatedAt].filter(isInPage),
    assigned: assigned.flatMap(({ creditId, postedAt }) => (isInPage(postedAt) ? creditId : [])),
    currency: account.currency,
  })
  const opened = toEntry(account.createdAt, 'account', {
    description: `Account opened for ${account.accountName}.`,
    reference: account.accountNumber,
  })
  const archived = await archivedBefore(db)
  const own = [
    opened,
    ...(archived && archived > account.createdAt ? [archivedBeforeEntry(archived)] : []),
    ...(await readBankEntries(db, account, nameBank)),
  ].filter(({ at }) => isInPage(at))
  const next = since && {
    creditId: credits.at(-1)?.id ?? after ?? (PAST_ID as CreditId),
    at: since,
  }
  return { entries: inOrder([...own, ...entries]), next: next ?? null }
}

// The start of a page that has more things of one kind than it holds.
function findCut(times: readonly Date[], limit: number): Date | undefined {
  const newestFirst = times.toSorted((one, other) => other.getTime() - one.getTime())
  return newestFirst.length > limit ? newestFirst[limit - 1] : undefined
}

function latest(times: readonly (Date | undefined)[]): Date | undefined {
  return times.reduce((one, other) => (!one || (other && other > one) ? other : one))
}

function earlier(one: Date, other: Date | undefined): Date {
  return other && other < one ? other : one
}

// The newest, without a gap: the next page continues after the last of them.
function receivedSince(credits: readonly CreditTrace[], since: Date): readonly CreditTrace[] {
  const past = credits.findIndex(({ receivedAt }) => receivedAt < since)
  return past === -1 ? credits : credits.slice(0, past)
}

type EntrySources = Pick<TimelineDeps, 'viewer' | 'nameBank'> & {
  credits: readonly CreditTrace[]
  about?: EventSubjects
  actions?: readonly AuditedAction[]
  moments?: readonly Date[]
  assigned?: readonly CreditId[] // Further credits that were assigned here, even if they have left since.
  currency?: string
}

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
  const subjects = [
    ...itemIds.map((id) => `suspense/${id}`),
    ...credits.map(({ id }) => `credit/${id}`),
  ]
  const actions = [...(sources.actions ?? []), ...(await auditLogFor(db, viewer.id, subjects))]
  const moments = [
    ...historyTimes(credits, transfers, reversals),
    ...refunds.flatMap(({ requestedAt, settledAt }) => [requestedAt, settledAt ?? []].flat()),
    ...actions.map(({ takenAt }) => takenAt),
    ...(sources.moments ?? []),
  ]
  const about = { ...sources.about, creditIds }
  const events = await readRelatedEvents(db, viewer.id, { about, moments })
  const ids = events.map(({ id }) => id)
  const types = new Map(events.map(({ id, type }) => [id, type]))
  const typeOf = (eventId: EventId) => types.get(eventId) as string
  const { attempts, waiting } = await readDeliveryLog(db, ids)
  return [
    ...credits.flatMap((credit) => creditEntries(credit, nameBank, history)),
    ...transfers.map((transfer) => transferEntry(transfer, currencyOf(transfer.creditId))),
    ...reversals.map((reversal) => reversalEntry(reversal, currencyOf(reversal.creditId))),
    ...refunds.flatMap(refundEntries),
    ...actions.map(auditLogEntry),
    ...events.map(eventEntry),
    ...attempts.map((attempt) => attemptEntry(attempt, typeOf(attempt.eventId))),
    ...waiting.map((each) => waitingEntry(each, typeOf(each.eventId))),
  ]
}
