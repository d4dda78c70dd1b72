// Timeline entries: pure functions from rows to entries, each with a sentence and its data.

import type { BankChangeRecord } from '#domain/accounts/bank-account-changes.ts'
import type { CreditTrace } from '#domain/credits/credit-list.ts'
import type { TracedItem, TracedReturn } from '#domain/credits/credit-location.ts'
import { originalKobo, type SuspenseChange } from '#domain/credits/suspense-history.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import type { AuditedAction } from '#domain/records/audit-log.ts'
import type { RequeryReason } from '#domain/requery/questions.ts'
import type { AnswerKind } from '#domain/requery/repeat-schedule.ts'
import type { LoggedRequery } from '#domain/requery/requery-log.ts'
import { type StoredDecision, tellDecision } from '#domain/routing/tell-decision.ts'
import type { PendingDelivery, SentAttempt } from '#domain/webhooks/delivery-log.ts'
import type { SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import type { RelatedEvent } from './related-events.ts'

// Cause before effect: the order of entries with the same timestamp.
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
  'transfer',
  'archive',
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
  reference: string | null // A key for further look-ups: session id, account number, event id, …
  detail: Record<string, string | number | null>
}

// Oldest first. The sort is stable.
export function inOrder(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const rank = ({ kind }: TimelineEntry) => ENTRY_KINDS.indexOf(kind)
  return entries.toSorted(
    (one, other) => one.at.getTime() - other.at.getTime() || rank(one) - rank(other),
  )
}

type EntryText = Pick<TimelineEntry, 'description'> & Partial<TimelineEntry>

export function toEntry(at: Date, kind: EntryKind, text: EntryText): TimelineEntry {
  const nothing = { amountKobo: null, currency: null, reference: null, detail: {} }
  return { ...nothing, ...text, at, kind }
}

export type IssuedNumber = {
  accountNumber: string
  bankCode: string
  issuedAt: Date
  routing?: StoredDecision | null // Why the bank was chosen. Null: it was named.
}

export function numberEntry(number: IssuedNumber, nameBank: NameBank): TimelineEntry {
  const { accountNumber, bankCode, issuedAt, routing } = number
  const issued = `Account number ${accountNumber} issued at ${nameBank(bankCode)}.`
  const why = routing && tellDecision(routing, { kind: 'payment', nameBank })
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

// A change that is requested from a number's bank, and the bank's answer.
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
      ...withheld(credit),
    },
  })
  const entries = credit.items.flatMap((item) =>
    itemEntries(item, history.get(BigInt(item.id) as SuspenseItemId) ?? [], currency),
  )
  return [receipt, ...entries, ...archiveEntries(credit)]
}

function archiveEntries({ archivedIn, archivedAt }: CreditTrace): TimelineEntry[] {
  if (archivedIn === null || archivedAt === null) return []
  const month = MONTH.format(new Date(`${archivedIn}-01T00:00:00Z`))
  return [
    toEntry(archivedAt, 'archive', {
      description: `Archived with ${month}: its payer and ledger entries are in the archive’s files.`,
      detail: { month: archivedIn },
    }),
  ]
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

// For the timeline of an account, which does not list archived credits.
export function archivedBeforeEntry(at: Date): TimelineEntry {
  const description =
    'Credits received before this may be archived. Each is found by its session ID.'
  return toEntry(at, 'archive', { description })
}

// Most credits have no charges.
function withheld({ charges: { feeKobo, vatKobo, dutyKobo } }: CreditTrace) {
  const sumKobo = kobo(feeKobo + vatKobo + dutyKobo)
  return sumKobo > 0n ? { amountWithheld: toNaira(sumKobo) } : {}
}

const CLOSED = {
  assigned: 'Assigned from suspense.',
  reversed: 'Reversed by the bank while in suspense.',
} as const

// Null: the return's own entry shows it, with reference and reason.
const CHANGED: Record<SuspenseChange['change'], string | null> = {
  assigned: CLOSED.assigned,
  suspended_again: 'Moved back to suspense: the payment closed before it was paid in full.',
  return_requested: null,
  returned: null,
  return_failed: null,
  reversed: CLOSED.reversed,
}

// The opening and each change. An item from before changes were recorded has only its end.
function itemEntries(
  item: TracedItem,
  changes: readonly SuspenseChange[],
  currency: string,
): TimelineEntry[] {
  const { reason, state, openedAt, closedAt } = item
  const about = { currency, reference: `suspense/${item.id}` }
  const amountKobo = originalKobo(item.amountKobo, changes)
  const because = `Moved to suspense: ${reason.replaceAll('_', ' ')}.`
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
  const all = [opened, ...steps, ...item.returns.flatMap((each) => returnEntries(each, currency))]
  const hasEnd = steps.some(({ at }) => at.getTime() === closedAt?.getTime())
  if (!closedAt || hasEnd || (state !== 'assigned' && state !== 'reversed')) return all
  const { accountNumber, paymentReference } = item
  const closed = {
    ...about,
    amountKobo: item.amountKobo,
    detail: { accountNumber, paymentReference },
  }
  return [...all, toEntry(closedAt, 'suspense', { description: CLOSED[state], ...closed })]
}

const SETTLED = {
  confirmed: 'Return to the payer confirmed.',
  failed: 'Return to the payer failed.',
} as const

function returnEntries(each: TracedReturn, currency: string): TimelineEntry[] {
  const { reference, status, amountKobo, requestedAt, settledAt } = each
  const about = { amountKobo, currency, reference }
  const detail = { returnReference: reference }
  const description = 'Return to the payer started.'
  const start = toEntry(requestedAt, 'suspense', { description, ...about, detail })
  if (status === 'pending' || !settledAt) return [start]
  const { bankReference, failureReason } = each
  const more = status === 'confirmed' ? { bankReference } : { failureReason }
  const settled = { ...about, detail: { ...detail, ...more } }
  return [start, toEntry(settledAt, 'suspense', { description: SETTLED[status], ...settled })]
}

const REQUERY_REASONS: Record<RequeryReason, string> = {
  notification: 'reported without a signature',
  name_enquiry: 'after a name enquiry',
  payer: 'the payer says they’ve paid',
  expiry: 'before expiry',
  grace: 'before the grace period ends',
  demand: 'on demand',
  silence: 'the bank was silent',
  sweep: 'regular sweep',
}

const ANSWERS: Record<AnswerKind, string> = {
  found: 'already known',
  listed: 'nothing new',
  in_progress: 'still in progress',
  not_found: 'not found',
  no_answer: 'no answer',
}

export function requeryEntry(requery: LoggedRequery, nameBank: NameBank): TimelineEntry {
  const { askedAt, bankCode, reason, answer, newCredits, subject, latencyMs, error } = requery
  const bank = nameBank(bankCode)
  const outcome = newCredits > 0 ? 'money found' : ANSWERS[answer]
  return toEntry(askedAt, 'requery', {
    description: `${bank} queried (${REQUERY_REASONS[reason]}): ${outcome}.`,
    reference: requery.identifier,
    detail: { bank, reason, askedFor: subject, answer, newCredits, latencyMs, error },
  })
}

export function eventEntry({ id, type, sequence, createdAt }: RelatedEvent): TimelineEntry {
  const detail = { type, sequence: Number(sequence) }
  return toEntry(createdAt, 'event', { description: `Event ${type}.`, reference: id, detail })
}

export function attemptEntry(attempt: SentAttempt, type: string): TimelineEntry {
  const { attemptedAt, status, latencyMs, error, kind, url, eventId } = attempt
  const answer = status === null ? 'no response after' : `HTTP ${status} in`
  const what = `${SENT[kind]} ${type}: ${answer} ${latencyMs} ms.`
  const detail = { url, kind, attempt: attempt.attempt, status, latencyMs, error }
  return toEntry(attemptedAt, 'attempt', { description: what, reference: eventId, detail })
}

const SENT = { endpoint: 'Webhook', notification: 'Notification', callback: 'Callback' } as const

export function waitingEntry(waiting: PendingDelivery, type: string): TimelineEntry {
  const { createdAt, kind, url, eventId, nextAttemptAt } = waiting
  const detail = { url, kind, nextAttemptAt: nextAttemptAt && timestamp(nextAttemptAt) }
  const isPlanned = nextAttemptAt !== null
  const state = isPlanned ? 'queued' : 'on hold because its destination is disabled'
  const what = `${SENT[kind]} ${type} is ${state}.`
  return toEntry(createdAt, 'waiting', { description: what, reference: eventId, detail })
}

export function auditLogEntry({ actor, action, subject, ...rest }: AuditedAction): TimelineEntry {
  const { note } = rest.detail as { note?: string | null }
  const who = actor.slice(actor.indexOf(':') + 1)
  return toEntry(rest.takenAt, 'action', {
    description: `Action ${action} by ${who}.`,
    reference: subject,
    detail: { action, actor, note: typeof note === 'string' ? note : null },
  })
}
