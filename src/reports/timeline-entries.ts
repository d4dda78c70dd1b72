// Makes the entries of timelines. Reads the events and the history of credits, and converts each row to an
// entry, with a sentence for people and its data.

import type { BankChangeRecord } from '#accounts/bank-changes.ts'
import type { NameBank } from '#banks/directory.ts'
import { timestamp } from '#clock.ts'
import type { TracedItem, TracedReturn } from '#credits/credit.ts'
import type { CreditTrace } from '#credits/queries.ts'
import { originalKobo, type SuspenseChange } from '#credits/suspense-items.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray, unseen } from '#db/sql.ts'
import type { HoldStep } from '#holds/hold.ts'
import {
  type AccountId,
  type ClientId,
  type CreditId,
  type EventId,
  leastIdAt,
  type PaymentId,
  type SuspenseItemId,
} from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import type { AuditedAction } from '#records/audit-log.ts'
import type { EventType } from '#records/event-types.ts'
import type { RefundedCredit } from '#refunds/refund.ts'
import type { LoggedRequery } from '#requery/answers.ts'
import type { AnswerKind } from '#requery/ask.ts'
import type { RequeryReason } from '#requery/requery.ts'
import { describeDecision, type StoredDecision } from '#routing/decision.ts'
import type { PendingDelivery, SentAttempt } from '#webhooks/delivery-log.ts'
import { kindName } from './ledger.ts'

type RelatedEvent = { id: EventId; type: EventType; sequence: bigint; createdAt: Date }

export type EventSubjects = {
  creditIds?: readonly CreditId[]
  paymentId?: PaymentId | undefined
  accountId?: AccountId | undefined
}

// Finds events related to credits, a payment or an account by time, so the outbox needs no index by credit,
// payment or account. An event id starts with its time. An event is written in the transaction that it
// describes, so it has the same time as the rows of that transaction. Returns the events ordered by sequence.
export async function readRelatedEvents(
  db: Queryable,
  clientId: ClientId,
  { about, moments }: { about: EventSubjects; moments: readonly Date[] },
): Promise<RelatedEvent[]> {
  const times = [...new Set(moments.map((moment) => moment.getTime()))]
  const { rows } = await db.query<RelatedEvent>({
    name: 'events-at-moments',
    text: `select e.id, e.type, e.sequence, e.created_at
             from unnest(${unseen('$1::uuid[]')}, ${unseen('$2::uuid[]')}) as m (first, past)
            cross join lateral (
              select id, type, sequence, created_at from events
               where id >= m.first and id < m.past and client_id = $3
                 and (credit_id = any($4::bigint[]) or payment_id = $5
                      or collection_account_id = $6 and credit_id is null)
              offset 0 -- Keeps one look-up by key for each moment. A plain join would read all events.
            ) as e
            order by e.sequence`,
    values: [
      times.map(leastIdAt),
      times.map((ms) => leastIdAt(ms + 1)),
      clientId,
      numberArray(about.creditIds ?? []),
      about.paymentId ?? null,
      about.accountId ?? null,
    ],
  })
  return rows
}

export type LedgerSide = { kind: string; accountNumber: string | null }

export type CreditTransfer = {
  creditId: CreditId
  amountKobo: Kobo
  reason: string
  from: LedgerSide
  to: LedgerSide
  postedAt: Date
}

export type CreditReversal = {
  creditId: CreditId
  sessionId: string
  amountKobo: Kobo
  shortfallKobo: Kobo
  receivableKobo: Kobo
  receivedAt: Date
}

export type CreditHistory = {
  transfers: CreditTransfer[]
  reversals: CreditReversal[]
  events: RelatedEvent[]
}

// Reads the transfers, reversals and events of one credit.
export async function readHistory(
  db: Queryable,
  clientId: ClientId,
  credit: CreditTrace,
): Promise<CreditHistory> {
  const transfers = await readTransfers(db, [credit.id])
  const reversals = await readReversals(db, [credit.id])
  const moments = historyTimes([credit], transfers, reversals)
  const events = await readRelatedEvents(db, clientId, {
    about: { creditIds: [credit.id] },
    moments,
  })
  return { transfers, reversals, events }
}

// Returns the times of all changes to these credits, at which their events can be found.
export function historyTimes(
  credits: readonly CreditTrace[],
  transfers: readonly CreditTransfer[],
  reversals: readonly CreditReversal[],
): Date[] {
  const items = credits.flatMap((credit) => credit.items)
  return [
    ...credits.map((credit) => credit.receivedAt),
    ...transfers.map((transfer) => transfer.postedAt),
    ...reversals.map((reversal) => reversal.receivedAt),
    ...items.flatMap(({ openedAt, closedAt }) => [openedAt, closedAt ?? openedAt]),
  ]
}

// Reads the transfers of credits. The debited account is the source, and the credited account the
// destination. A bank's account holds our money, so arriving money debits it.
export async function readTransfers(
  db: Queryable,
  creditIds: readonly CreditId[],
): Promise<CreditTransfer[]> {
  const { rows } = await db.query<CreditTransfer>({
    name: 'transfers-of-credits',
    text: `select t.credit_id, t.amount_kobo, t.reason, t.posted_at,
                  json_build_object('kind', d.kind, 'accountNumber', dn.account_number) as "from",
                  json_build_object('kind', c.kind, 'accountNumber', cn.account_number) as "to"
             from transfers t
             join ledger_accounts d on d.id = t.debit_account_id
             join ledger_accounts c on c.id = t.credit_account_id
             left join collection_accounts dn on dn.id = d.id
             left join collection_accounts cn on cn.id = c.id
            where t.credit_id = any(${unseen('$1::bigint[]')}::bigint[])
            order by t.id`,
    values: [numberArray(creditIds)],
  })
  return rows
}

export async function readReversals(
  db: Queryable,
  creditIds: readonly CreditId[],
): Promise<CreditReversal[]> {
  const { rows } = await db.query<CreditReversal>({
    name: 'reversals-of-credits',
    text: `select credit_id, session_id, amount_kobo, shortfall_kobo, receivable_kobo, received_at
             from reversals where credit_id = any($1::bigint[]) order by id`,
    values: [numberArray(creditIds)],
  })
  return rows
}

// The kinds of entries, in the order of entries with the same timestamp: cause before effect.
export const ENTRY_KINDS = [
  'advice',
  'account',
  'number',
  'action',
  'requery',
  'credit',
  'reversal',
  'suspense',
  'refund',
  'hold',
  'transfer',
  'event',
  'waiting',
  'attempt',
] as const
type EntryKind = (typeof ENTRY_KINDS)[number]

export type TimelineEntry = {
  at: Date
  kind: EntryKind
  description: string
  amountKobo: Kobo | null
  currency: string | null
  reference: string | null // A key for further look-ups: session id, account number, event id, …
  detail: Record<string, string | number | null>
}

// Sorts entries by time, oldest first; entries of the same time are sorted by kind.
export function sortEntries(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const rank = ({ kind }: TimelineEntry) => ENTRY_KINDS.indexOf(kind)
  return entries.toSorted(
    (one, other) => one.at.getTime() - other.at.getTime() || rank(one) - rank(other),
  )
}

type EntryText = Pick<TimelineEntry, 'description'> & Partial<TimelineEntry>

// Fills in the fields that an entry does not have.
export function toEntry(at: Date, kind: EntryKind, text: EntryText): TimelineEntry {
  const nothing = { amountKobo: null, currency: null, reference: null, detail: {} }
  return { ...nothing, ...text, at, kind }
}

export type IssuedNumber = {
  accountNumber: string
  bankCode: string
  issuedAt: Date
  routing?: StoredDecision | null // Why the bank was chosen; null if the caller named the bank.
}

// Says which number was issued, and why its bank was chosen if routing chose it.
export function numberEntry(number: IssuedNumber, nameBank: NameBank): TimelineEntry {
  const { accountNumber, bankCode, issuedAt, routing } = number
  const issued = `Account number ${accountNumber} issued at ${nameBank(bankCode)}.`
  const why = routing && describeDecision(routing, { kind: 'payment', nameBank })
  return toEntry(issuedAt, 'number', {
    description: why ? `${issued} ${why}` : issued,
    reference: accountNumber,
    detail: {
      accountNumber,
      bank: nameBank(bankCode),
      ...(routing && {
        chosenFor: routing.why,
        passedOver: routing.over.map(({ bank, reason }) => `${bank}: ${reason}`).join(', ') || null,
      }),
    },
  })
}

const BANK_CHANGES = {
  rename: { name: 'Rename', done: 'Renamed' },
  block: { name: 'Block', done: 'Blocked' },
} as const

// Returns the request to change a number at its bank, and the bank's answer.
export function bankChangeEntries(
  { change, state, bankCode, accountNumber, reason, ...times }: BankChangeRecord,
  nameBank: NameBank,
): TimelineEntry[] {
  const bank = nameBank(bankCode)
  const { name, done } = BANK_CHANGES[change]
  const about = { reference: accountNumber, detail: { change, state, bank, reason } }
  const entry = (at: Date, description: string) => toEntry(at, 'number', { ...about, description })
  const queued = entry(times.createdAt, `${name} requested at ${bank}.`)
  const { finishedAt } = times
  if (!finishedAt) return [queued]
  if (state === 'done') return [queued, entry(finishedAt, `${done} at ${bank}.`)]
  const outcome = state === 'refused' ? 'refused by' : 'not sent to'
  return [queued, entry(finishedAt, `${name} ${outcome} ${bank}.`)]
}

// Returns the receipt of a credit, and everything that happened to its suspense items.
export function creditEntries(
  credit: CreditTrace,
  nameBank: NameBank,
  history: ReadonlyMap<SuspenseItemId, readonly SuspenseChange[]>,
): TimelineEntry[] {
  const { amountKobo, currency, sessionId, accountNumber, sourceAccountName: payer } = credit
  const receipt = toEntry(credit.receivedAt, 'credit', {
    description: `Credit received${payer ? ` from ${payer}` : ''} on ${accountNumber}.`,
    amountKobo,
    currency,
    reference: sessionId,
    detail: {
      sessionId,
      bank: nameBank(credit.bankCode),
      sourceAccountName: payer,
      sourceAccountNumber: credit.sourceAccountNumberMasked,
      sourceBank: credit.sourceBankCode && nameBank(credit.sourceBankCode),
      narration: credit.narration,
      outcome: credit.outcome,
      source: credit.source,
      identifiers: credit.identifiers.map(({ value }) => value).join(', '),
      ...withheldDetail(credit),
    },
  })
  const entries = credit.items.flatMap((item) =>
    itemEntries(item, history.get(BigInt(item.id) as SuspenseItemId) ?? [], currency),
  )
  return [receipt, ...entries]
}

// The amount that the bank withheld as charges. Most credits have none.
function withheldDetail({ charges: { feeKobo, vatKobo, dutyKobo } }: CreditTrace) {
  const sumKobo = kobo(feeKobo + vatKobo + dutyKobo)
  return sumKobo > 0n ? { amountWithheld: toNaira(sumKobo) } : {}
}

const CLOSED_SENTENCES = {
  assigned: 'Assigned from suspense.',
  reversed: 'Reversed by the bank while in suspense.',
} as const

// The sentence for each change; null if the entry of the return shows the change with reference and reason.
const CHANGE_SENTENCES: Record<SuspenseChange['change'], string | null> = {
  assigned: CLOSED_SENTENCES.assigned,
  suspended_again: 'Moved back to suspense: the payment closed before it was paid in full.',
  return_requested: null,
  returned: null,
  return_failed: null,
  reversed: CLOSED_SENTENCES.reversed,
}

// Returns entries for the opening, each change and each return of a suspense item. An item from before the
// table suspense_changes existed has no stored changes, only its closing.
function itemEntries(
  item: TracedItem,
  changes: readonly SuspenseChange[],
  currency: string,
): TimelineEntry[] {
  const { reason, state, openedAt, closedAt } = item
  const about = { currency, reference: `suspense/${item.id}` }
  const amountKobo = originalKobo(item.amountKobo, changes)
  const description = `Moved to suspense: ${reason.replaceAll('_', ' ')}.`
  const opened = toEntry(openedAt, 'suspense', {
    description,
    ...about,
    amountKobo,
    detail: { reason },
  })
  // The entries of the changes, except those that an entry of a return shows (CHANGE_SENTENCES: null).
  const steps = changes.flatMap(({ change, changedAt, reference, ...amounts }) => {
    const sentence = CHANGE_SENTENCES[change]
    const detail = { change, amountLeft: toNaira(amounts.leftKobo), to: reference }
    const fields = { ...about, amountKobo: amounts.amountKobo, detail }
    return sentence === null
      ? []
      : [toEntry(changedAt, 'suspense', { description: sentence, ...fields })]
  })
  const entries = [
    opened,
    ...steps,
    ...item.returns.flatMap((attempt) => returnEntries(attempt, currency)),
  ]
  const hasEnd = steps.some(({ at }) => at.getTime() === closedAt?.getTime())
  if (!closedAt || hasEnd || (state !== 'assigned' && state !== 'reversed')) return entries
  const { accountNumber, paymentReference } = item
  const closed = {
    ...about,
    amountKobo: item.amountKobo,
    detail: { accountNumber, paymentReference },
  }
  return [
    ...entries,
    toEntry(closedAt, 'suspense', { description: CLOSED_SENTENCES[state], ...closed }),
  ]
}

const RETURN_SENTENCES = {
  confirmed: 'Return to the payer confirmed.',
  failed: 'Return to the payer failed.',
} as const

// Returns the start of an attempt to return suspended money, and its end once the bank has answered.
function returnEntries(attempt: TracedReturn, currency: string): TimelineEntry[] {
  const { reference, status, amountKobo, requestedAt, settledAt } = attempt
  const shared = { amountKobo, currency, reference }
  const detail = { returnReference: reference }
  const description = 'Return to the payer started.'
  const start = toEntry(requestedAt, 'suspense', { description, ...shared, detail })
  if (status === 'pending' || !settledAt) return [start]
  const { bankReference, failureReason } = attempt
  const outcome = status === 'confirmed' ? { bankReference } : { failureReason }
  const settled = { ...shared, detail: { ...detail, ...outcome } }
  return [
    start,
    toEntry(settledAt, 'suspense', { description: RETURN_SENTENCES[status], ...settled }),
  ]
}

const REQUERY_REASON_WORDS: Record<RequeryReason, string> = {
  notification: 'reported without a signature',
  name_enquiry: 'after a name enquiry',
  payer: 'the payer says they’ve paid',
  expiry: 'before expiry',
  grace: 'before the grace period ends',
  demand: 'on demand',
  silence: 'the bank was silent',
  sweep: 'regular sweep',
}

const ANSWER_WORDS: Record<AnswerKind, string> = {
  found: 'already known',
  listed: 'nothing new',
  in_progress: 'still in progress',
  not_found: 'not found',
  no_answer: 'no answer',
}

// A query to a bank about transfers that the service may not know, and its result.
export function requeryEntry(requery: LoggedRequery, nameBank: NameBank): TimelineEntry {
  const { askedAt, bankCode, reason, answer, newCredits, subject, latencyMs, error } = requery
  const bank = nameBank(bankCode)
  const outcome = newCredits > 0 ? 'money found' : ANSWER_WORDS[answer]
  return toEntry(askedAt, 'requery', {
    description: `${bank} queried (${REQUERY_REASON_WORDS[reason]}): ${outcome}.`,
    reference: requery.identifier,
    detail: { bank, reason, askedFor: subject, answer, newCredits, latencyMs, error },
  })
}

export function eventEntry({ id, type, sequence, createdAt }: RelatedEvent): TimelineEntry {
  const detail = { type, sequence: Number(sequence) }
  return toEntry(createdAt, 'event', { description: `Event ${type}.`, reference: id, detail })
}

// An attempt to deliver an event to the client, and the receiver's answer.
export function attemptEntry(attempt: SentAttempt, type: string): TimelineEntry {
  const { attemptedAt, status, latencyMs, error, kind, url, eventId } = attempt
  const answer = status === null ? 'no response after' : `HTTP ${status} in`
  const description = `${DELIVERY_NAMES[kind]} ${type}: ${answer} ${latencyMs} ms.`
  const detail = { url, kind, attempt: attempt.attempt, status, latencyMs, error }
  return toEntry(attemptedAt, 'attempt', { description, reference: eventId, detail })
}

const DELIVERY_NAMES = {
  endpoint: 'Webhook',
  notification: 'Notification',
  callback: 'Callback',
} as const

// Returns the entry of a delivery that still waits for an attempt, or is on hold.
export function waitingEntry(waiting: PendingDelivery, type: string): TimelineEntry {
  const { createdAt, kind, url, eventId, nextAttemptAt } = waiting
  const detail = { url, kind, nextAttemptAt: nextAttemptAt && timestamp(nextAttemptAt) }
  const isPlanned = nextAttemptAt !== null
  const state = isPlanned ? 'queued' : 'on hold because its destination is disabled'
  const description = `${DELIVERY_NAMES[kind]} ${type} is ${state}.`
  return toEntry(createdAt, 'waiting', { description, reference: eventId, detail })
}

// Strips the kind of actor: "user:ada@shop.example" becomes "ada@shop.example".
const actorName = (actor: string) => actor.slice(actor.indexOf(':') + 1)

const NOUNS: Readonly<Record<string, string>> = {
  advice: 'Payment request',
  account: 'Collection account',
  suspense: 'Suspended money',
}
const VERBS: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  cancel: 'cancelled',
  extend: 'extended',
  requery: 'queried at the bank',
  assign: 'assigned',
  return: 'returned to the payer',
  erase: 'erased',
  activate: 'activated',
  deactivate: 'deactivated',
  request: 'requested',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
}

// Describes an action: advice.cancel becomes "Payment request cancelled". An unknown action keeps its name.
function describeAction(action: string): string {
  const [object = '', verb = ''] = action.split('.')
  const done = VERBS[verb]
  if (!done) return `Action ${action}`
  return `${NOUNS[object] ?? sentenceCase(object)} ${done}`
}

const sentenceCase = (name: string) =>
  name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll('_', ' ')

export function auditLogEntry({ actor, action, subject, ...rest }: AuditedAction): TimelineEntry {
  const { note } = rest.detail as { note?: string | null }
  return toEntry(rest.takenAt, 'action', {
    description: `${describeAction(action)} by ${actorName(actor)}.`,
    reference: subject,
    detail: { action, actor, note: typeof note === 'string' ? note : null },
  })
}

// Names one side of a transfer: a collection account by its number, others by their kind.
const sideName = ({ kind, accountNumber }: LedgerSide) =>
  accountNumber ? `account ${accountNumber}` : kindName(kind)

export function transferEntry(transfer: CreditTransfer, currency: string): TimelineEntry {
  const { from, to, amountKobo, reason, creditId } = transfer
  const moved = `Ledger transfer from ${sideName(from)} to ${sideName(to)}.`
  return toEntry(transfer.postedAt, 'transfer', {
    description: moved,
    amountKobo,
    currency,
    reference: `credit/${creditId}`,
    detail: { from: from.kind, to: to.kind, reason },
  })
}

export function reversalEntry(reversal: CreditReversal, currency: string): TimelineEntry {
  const { receivedAt, amountKobo, sessionId, shortfallKobo, receivableKobo } = reversal
  const isShort = shortfallKobo + receivableKobo > 0n
  const description = `Reversed by the bank${isShort ? ', partly after the funds had left' : ''}.`
  return toEntry(receivedAt, 'reversal', {
    description,
    amountKobo,
    currency,
    reference: sessionId,
  })
}

const REFUND_SENTENCES: Partial<Record<RefundedCredit['status'], string>> = {
  confirmed: 'Refunded to the payer and confirmed by the bank.',
  failed: 'The refund failed; the funds are available again.',
  cancelled: 'The refund was cancelled; the funds are available again.',
}

// Returns the request of a refund and, once it is settled, its outcome.
export function refundEntries(refund: RefundedCredit): TimelineEntry[] {
  const { reference, amountKobo, currency, requestedAt, settledAt, status } = refund
  const shared = { amountKobo, currency, reference }
  const requested = `Refund requested by ${actorName(refund.requestedBy)}.`
  const request = toEntry(requestedAt, 'refund', { description: requested, ...shared })
  if (!settledAt) return [request]
  const { bankReference, failureReason } = refund
  const detail = status === 'confirmed' ? { bankReference } : { failureReason }
  const description = REFUND_SENTENCES[status] as string
  return [request, toEntry(settledAt, 'refund', { description, ...shared, detail })]
}

const HOLD_SENTENCES: Record<HoldStep['step'], string> = {
  placed: 'Hold placed by the operator.',
  hold: 'Held by the operator.',
  hold_release: 'Released from the hold; the funds are available again.',
  forfeiture: 'Forfeited: taken for good by the operator.',
  released: 'Hold ended: released.',
  forfeited: 'Hold ended: forfeited.',
}

export function holdEntry({ reference, step, amountKobo, currency, at }: HoldStep): TimelineEntry {
  return toEntry(at, 'hold', { description: HOLD_SENTENCES[step], amountKobo, currency, reference })
}
