// Timeline entries: pure functions from rows to entries, each with a sentence and its data.

import type { BankChangeRecord } from '#domain/accounts/bank-account-changes.ts'
import type { CreditTrace } from '#domain/credits/credit-list.ts'
import type { TracedItem, TracedReturn } from '#domain/credits/credit-location.ts'
import { originalKobo, type SuspenseChange } from '#domain/credits/suspense-history.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import type { AuditedAction } from '#domain/records/audit-log.ts'
import type { PendingDelivery, SentAttempt } from '#domain/webhooks/delivery-log.ts'
import type { SuspenseItemId } from '#ids.ts'
import { type Kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import type { CreditReversal, CreditTransfer, LedgerSide } from './credit-histories.ts'
import type { RelatedEvent } from './related-events.ts'

// Cause before effect: the order of entries with the same timestamp.
export const ENTRY_KINDS = [
  'advice',
  'account',
  'number',
  'action',
  'credit',
  'reversal',
  'suspense',
  'transfer',
  'event',
  'waiting',
  'attempt',
] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export type TimelineEntry = {
  at: Date
  kind: EntryKind
  description: string
  amountKobo: Kobo | null
  currency: string | null
  reference: string | null // What to look further by: session id, account number, event id, …
  detail: Record<string, string | number | null>
}

// Oldest first. Sorting keeps the order of what is alike.
export function inOrder(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const rank = ({ kind }: TimelineEntry) => ENTRY_KINDS.indexOf(kind)
  return entries.toSorted(
    (one, other) => one.at.getTime() - other.at.getTime() || rank(one) - rank(other),
  )
}

type Told = Pick<TimelineEntry, 'description'> & Partial<TimelineEntry>

export function toEntry(at: Date, kind: EntryKind, told: Told): TimelineEntry {
  const nothing = { amountKobo: null, currency: null, reference: null, detail: {} }
  return { ...nothing, ...told, at, kind }
}

export type IssuedNumber = { accountNumber: string; bankCode: string; issuedAt: Date }

export function numberEntry(number: IssuedNumber, nameBank: NameBank): TimelineEntry {
  const { accountNumber, bankCode, issuedAt } = number
  return toEntry(issuedAt, 'number', {
    description: `Number ${accountNumber} issued at ${nameBank(bankCode)}.`,
    reference: accountNumber,
    detail: { accountNumber, bank: nameBank(bankCode) },
  })
}

const BANK_CHANGES = {
  rename: { asked: 'be given the account name', done: 'has the account name' },
  block: { asked: 'be blocked', done: 'is blocked' },
} as const

// That a bank is to be told something of a number it reserved, and what it answered.
export function bankChangeEntries(
  { change, state, bankCode, accountNumber, reason, ...times }: BankChangeRecord,
  nameBank: NameBank,
): TimelineEntry[] {
  const bank = nameBank(bankCode)
  const { asked, done } = BANK_CHANGES[change]
  const about = { reference: accountNumber, detail: { change, state, bank, reason } }
  const tell = (at: Date, description: string) => toEntry(at, 'number', { ...about, description })
  const queued = tell(times.createdAt, `Number ${accountNumber} is to ${asked} at ${bank}.`)
  const { finishedAt } = times
  if (!finishedAt) return [queued]
  if (state === 'done')
    return [queued, tell(finishedAt, `Number ${accountNumber} ${done} at ${bank}.`)]
  const left = state === 'refused' ? 'refused' : 'was not told'
  return [queued, tell(finishedAt, `${bank} ${left}: number ${accountNumber} was to ${asked}.`)]
}

export function creditEntries(
  credit: CreditTrace,
  nameBank: NameBank,
  history: ReadonlyMap<SuspenseItemId, readonly SuspenseChange[]>,
): TimelineEntry[] {
  const { amountKobo, currency, sessionId, accountNumber, sourceAccountName: payer } = credit
  const came = toEntry(credit.receivedAt, 'credit', {
    description: `Money came in${payer ? ` from ${payer}` : ''}, to ${accountNumber}.`,
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
    },
  })
  const entries = credit.items.flatMap((item) =>
    itemEntries(item, history.get(BigInt(item.id) as SuspenseItemId) ?? [], currency),
  )
  return [came, ...entries]
}

const CLOSED = {
  assigned: 'Left suspense: assigned.',
  reversed: 'Left suspense: taken back by the bank.',
} as const

// Null: shown by its return, with reference and reason.
const CHANGED: Record<SuspenseChange['change'], string | null> = {
  assigned: CLOSED.assigned,
  suspended_again: 'Put in suspense again: the payment closed without enough.',
  return_requested: null,
  returned: null,
  return_failed: null,
  reversed: CLOSED.reversed,
}

// How it came, and each change; of an item from before changes were kept, how it ended.
function itemEntries(
  item: TracedItem,
  changes: readonly SuspenseChange[],
  currency: string,
): TimelineEntry[] {
  const { reason, state, openedAt, closedAt } = item
  const about = { currency, reference: `suspense/${item.id}` }
  const amountKobo = originalKobo(item.amountKobo, changes)
  const because = `Put in suspense: ${reason.replaceAll('_', ' ')}.`
  const opened = toEntry(openedAt, 'suspense', {
    description: because,
    ...about,
    amountKobo,
    detail: { reason },
  })
  const steps = changes.flatMap(({ change, changedAt, reference, ...kobo }) => {
    const sentence = CHANGED[change]
    const detail = { change, amountLeft: toNaira(kobo.leftKobo), to: reference }
    const more = { ...about, amountKobo: kobo.amountKobo, detail }
    return sentence === null
      ? []
      : [toEntry(changedAt, 'suspense', { description: sentence, ...more })]
  })
  const told = [opened, ...steps, ...item.returns.flatMap((each) => returnEntries(each, currency))]
  const isTold = steps.some(({ at }) => at.getTime() === closedAt?.getTime())
  if (!closedAt || isTold || (state !== 'assigned' && state !== 'reversed')) return told
  const { accountNumber, paymentReference } = item
  const closed = {
    ...about,
    amountKobo: item.amountKobo,
    detail: { accountNumber, paymentReference },
  }
  return [...told, toEntry(closedAt, 'suspense', { description: CLOSED[state], ...closed })]
}

const SETTLED = {
  confirmed: 'Returned to the payer.',
  failed: 'Could not be returned to the payer.',
} as const

function returnEntries(each: TracedReturn, currency: string): TimelineEntry[] {
  const { reference, status, amountKobo, requestedAt, settledAt } = each
  const about = { amountKobo, currency, reference }
  const detail = { returnReference: reference }
  const left = 'Left suspense: on its way back to the payer.'
  const asked = toEntry(requestedAt, 'suspense', { description: left, ...about, detail })
  if (status === 'pending' || !settledAt) return [asked]
  const { bankReference, failureReason } = each
  const more = status === 'confirmed' ? { bankReference } : { failureReason }
  const settled = { ...about, detail: { ...detail, ...more } }
  return [asked, toEntry(settledAt, 'suspense', { description: SETTLED[status], ...settled })]
}

const LEDGER_NAMES: Record<string, string> = {
  bank: 'the bank',
  pending: 'part payments',
  settled: 'paid payments',
  suspense: 'suspense',
  returning: 'money on its way back',
  shortfall: 'the shortfall',
}

const sideName = ({ kind, accountNumber }: LedgerSide) =>
  accountNumber ? `account ${accountNumber}` : (LEDGER_NAMES[kind] ?? kind)

export function transferEntry(transfer: CreditTransfer, currency: string): TimelineEntry {
  const { from, to, amountKobo, reason, creditId } = transfer
  const moved = `Booked in the ledger, from ${sideName(from)} to ${sideName(to)}.`
  return toEntry(transfer.postedAt, 'transfer', {
    description: moved,
    amountKobo,
    currency,
    reference: `credit/${creditId}`,
    detail: { from: from.kind, to: to.kind, reason },
  })
}

export function reversalEntry(reversal: CreditReversal, currency: string): TimelineEntry {
  const { receivedAt, amountKobo, sessionId, shortfallKobo } = reversal
  const isShort = shortfallKobo > 0n
  const what = `Taken back by the bank${isShort ? ', in part after it had left us' : ''}.`
  return toEntry(receivedAt, 'reversal', {
    description: what,
    amountKobo,
    currency,
    reference: sessionId,
  })
}

export function eventEntry({ id, type, sequence, createdAt }: RelatedEvent): TimelineEntry {
  const detail = { type, sequence: Number(sequence) }
  return toEntry(createdAt, 'event', { description: `Event ${type}.`, reference: id, detail })
}

export function attemptEntry(attempt: SentAttempt, type: string): TimelineEntry {
  const { attemptedAt, status, latencyMs, error, kind, url, eventId } = attempt
  const answer = status === null ? 'had no answer' : `was answered ${status}`
  const what = `${SENT[kind]} ${type} ${answer} after ${latencyMs} ms.`
  const detail = { url, kind, attempt: attempt.attempt, status, latencyMs, error }
  return toEntry(attemptedAt, 'attempt', { description: what, reference: eventId, detail })
}

const SENT = { endpoint: 'Webhook', notification: 'Notification', callback: 'Callback' } as const

export function waitingEntry(waiting: PendingDelivery, type: string): TimelineEntry {
  const { createdAt, kind, url, eventId, nextAttemptAt } = waiting
  const detail = { url, kind, nextAttemptAt: nextAttemptAt && timestamp(nextAttemptAt) }
  const isPlanned = nextAttemptAt !== null
  const what = `${SENT[kind]} ${type} is ${isPlanned ? 'waiting to be sent' : 'held: its address is off'}.`
  return toEntry(createdAt, 'waiting', { description: what, reference: eventId, detail })
}

export function auditLogEntry({ actor, action, subject, ...taken }: AuditedAction): TimelineEntry {
  const { note } = taken.detail as { note?: string | null }
  const who = actor.slice(actor.indexOf(':') + 1)
  return toEntry(taken.takenAt, 'action', {
    description: `By hand: ${action}, by ${who}.`,
    reference: subject,
    detail: { action, actor, note: typeof note === 'string' ? note : null },
  })
}
