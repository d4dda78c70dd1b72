// Questions to banks, as they are put: what is asked, why, and from when on. One is open for each
// bank, reason and subject; asking for the same again only brings it forward.
//
// A bank is asked by number where it lists transfers, and by identifier where it finds one.

import type { BankCalls, BankConnections } from '#banks/connector.ts'
import type { CreditIdentifier, IdentifierKind } from '#banks/notifications.ts'
import type { Queryable } from '#db/pool.ts'
import type { Payment } from '#domain/payments/payments.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, PaymentId } from '#ids.ts'

export const REQUERY_REASONS = [
  'notification', // The bank reported it, and signed nothing of the report.
  'name_enquiry', // A bank asked for the name, and no credit followed.
  'payer', // The payer says that the money is sent.
  'expiry',
  'grace',
  'demand',
  'silence', // The bank was not heard of for longer than usual.
  'sweep',
] as const
export type RequeryReason = (typeof REQUERY_REASONS)[number]

export const REQUERY_STATES = ['open', 'found', 'not_found', 'dropped', 'merged'] as const
export type RequeryState = (typeof REQUERY_STATES)[number]

const MINUTE_MS = 60_000
export const ENQUIRY_WAIT_MS = 4 * MINUTE_MS
const ENQUIRY_REPEATED_MS = 60 * MINUTE_MS
const AFTER_GRACE_MS = 60 * MINUTE_MS
const IDENTIFIER_REPEATED_MS = 24 * 60 * MINUTE_MS
// Clocks of banks differ, and a payer may send before the number shows.
export const CLOCK_MARGIN_MS = 5 * MINUTE_MS
const SESSION_IDS_MAX = 10 // At a time, for one payment: each is asked for all day.
const AGAIN_MIN_MS = 30_000 // However often somebody presses the button.

export type NewQuestion = {
  bankCode: string
  reason: RequeryReason
  subject: string
  identifier: { kind: IdentifierKind; value: string } | null
  accountNumber: string | null
  fromAt: Date | null
  clientId: ClientId | null
  paymentId: PaymentId | null
  collectionAccountId: AccountId | null
  dueAt: Date
  repeatUntil: Date | null
}

export type OpenQuestion = {
  bankCode: string
  state: RequeryState
  dueAt: Date
  attempts: number
  askedAt: Date | null
}

// One insert; the same again while the first is open does nothing.
export async function putQuestion(db: Queryable, now: Date, question: NewQuestion): Promise<void> {
  await db.query({
    name: 'put-requery',
    text: `${INSERT} on conflict do nothing`,
    values: [...valuesOf(question), now],
  })
}

// Now, or as soon as the bank may be asked again for the same.
async function putUrgent(db: Queryable, now: Date, question: NewQuestion): Promise<OpenQuestion> {
  const { rows } = await db.query<OpenQuestion>({
    name: 'put-urgent-requery',
    text: `${INSERT}
           on conflict (bank_code, reason, subject) where state = 'open'
           do update set due_at = least(requeries.due_at, greatest(
                           excluded.due_at, requeries.asked_at + interval '${AGAIN_MIN_MS} ms')),
                         repeat_until = greatest(requeries.repeat_until, excluded.repeat_until)
           returning bank_code as "bankCode", state, due_at as "dueAt", attempts,
                     asked_at as "askedAt"`,
    values: [...valuesOf(question), now],
  })
  return rows[0] as OpenQuestion
}

const INSERT = `
  insert into requeries
    (bank_code, reason, subject, identifier_kind, identifier, account_number, from_at, client_id,
     payment_id, collection_account_id, due_at, repeat_until, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

function valuesOf(question: NewQuestion): unknown[] {
  const { identifier } = question
  return [
    question.bankCode,
    question.reason,
    question.subject,
    identifier?.kind ?? null,
    identifier?.value ?? null,
    question.accountNumber,
    question.fromAt,
    question.clientId,
    question.paymentId,
    question.collectionAccountId,
    question.dueAt,
    question.repeatUntil,
  ]
}

type Enquired = {
  bankCode: string
  accountNumber: string
  clientId: ClientId
  paymentId: PaymentId | null
  collectionAccountId: AccountId | null
}

// A name was asked for: most likely money follows within seconds. If it came, the question is
// dropped when it falls due.
export async function putAfterEnquiry(db: Queryable, now: Date, enquired: Enquired): Promise<void> {
  const { accountNumber } = enquired
  await putQuestion(db, now, {
    ...enquired,
    reason: 'name_enquiry',
    subject: `account/${accountNumber}`,
    identifier: null,
    fromAt: later(now, -CLOCK_MARGIN_MS),
    dueAt: later(now, ENQUIRY_WAIT_MS),
    repeatUntil: later(now, ENQUIRY_REPEATED_MS),
  })
}

// I103: the bank's answer is booked, never its report. Safe to repeat.
export async function askForReported(
  db: Queryable,
  now: Date,
  { bankCode, hint }: { bankCode: string; hint: CreditIdentifier },
): Promise<void> {
  await putUrgent(db, now, {
    bankCode,
    reason: 'notification',
    subject: `${hint.kind}/${hint.value}`,
    identifier: hint,
    accountNumber: null,
    fromAt: null,
    clientId: null,
    paymentId: null,
    collectionAccountId: null,
    dueAt: now,
    repeatUntil: later(now, IDENTIFIER_REPEATED_MS),
  })
}

type AskedPayment = Pick<Payment, 'id' | 'clientId' | 'numbers' | 'createdAt' | 'closesAt'>

type PaymentQuestion = {
  payment: AskedPayment
  reason: 'payer' | 'demand'
  sessionId?: string | undefined
}

// A question to each of its banks that can be asked; none where no bank can.
export async function askForPayment(
  db: Queryable,
  { now, bankConnections }: { now: Date; bankConnections: BankConnections },
  { payment, reason, sessionId }: PaymentQuestion,
): Promise<OpenQuestion[]> {
  const { numbers, createdAt, closesAt } = payment
  const how = { reason, clientId: payment.clientId, paymentId: payment.id, dueAt: now }
  const asked: OpenQuestion[] = []
  if (sessionId !== undefined) await refuseTooMany(db, payment.id, sessionId)
  for (const { bankCode, accountNumber } of numbers) {
    const { calls = {}, findsBy } = bankConnections.get(bankCode) ?? {}
    const isFound = calls.findTransfer && (findsBy?.includes('session_id') ?? true)
    const question = { ...how, bankCode, collectionAccountId: null }
    if (sessionId !== undefined && isFound) {
      const byIdentifier = {
        subject: `session_id/${sessionId}/${payment.id}`,
        identifier: { kind: 'session_id' as const, value: sessionId },
        accountNumber: null,
        fromAt: null,
        repeatUntil: later(now, IDENTIFIER_REPEATED_MS),
      }
      asked.push(await putUrgent(db, now, { ...question, ...byIdentifier }))
    } else if (calls.listTransfers) {
      const until = closesAt > now ? closesAt : now
      const byNumber = {
        subject: `account/${accountNumber}/${payment.id}`,
        identifier: null,
        accountNumber,
        fromAt: later(createdAt, -CLOCK_MARGIN_MS),
        repeatUntil: later(until, AFTER_GRACE_MS),
      }
      asked.push(await putUrgent(db, now, { ...question, ...byNumber }))
    }
  }
  return asked
}

async function refuseTooMany(
  db: Queryable,
  paymentId: PaymentId,
  sessionId: string,
): Promise<void> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-session-ids-asked-for',
    text: `select count(distinct identifier)::int as count from requeries
            where payment_id = $1 and state = 'open' and identifier <> $2`,
    values: [paymentId, sessionId],
  })
  if ((rows[0]?.count ?? 0) >= SESSION_IDS_MAX) throw new Refusal('too_many_requeries')
}

// Whether a payer's word, or a number, is enough to ask.
export function canListTransfers({ calls }: { calls: BankCalls }): boolean {
  return calls.listTransfers !== undefined
}

export function later(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs)
}
