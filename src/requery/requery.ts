// Creates requeries. A requery asks a bank for transfers that the bank may not have reported. Each bank,
// reason and subject has at most one open requery; a second request only brings it forward.
//
// If a bank lists transfers, the service asks by account number. If it finds single transfers, the service
// asks by identifier.

import type { BankCalls, BankConnections } from '#banks/connector.ts'
import type { CreditIdentifier, IdentifierKind } from '#banks/notifications.ts'
import { MINUTE_MS } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, PaymentId } from '#ids.ts'
import type { Payment } from '#payments/payment.ts'

export const REQUERY_REASONS = [
  'notification', // The bank reported the transfer without signing the report.
  'name_enquiry', // A bank asked for the account name, and no credit followed.
  'payer', // The payer says that the money is sent.
  'expiry', // The payment expires soon.
  'grace', // The grace period of the payment ends soon.
  'demand', // The client asks for it.
  'silence', // The bank has been silent for longer than usual.
  'sweep', // A regular list of all transfers of the bank.
] as const
export type RequeryReason = (typeof REQUERY_REASONS)[number]

export const REQUERY_STATES = ['open', 'found', 'not_found', 'dropped', 'merged'] as const
export type RequeryState = (typeof REQUERY_STATES)[number]

const ENQUIRY_WAIT_MS = 4 * MINUTE_MS
const ENQUIRY_REPEATED_MS = 60 * MINUTE_MS
const REPEATED_AFTER_CLOSING_MS = 60 * MINUTE_MS
const IDENTIFIER_REPEATED_MS = 24 * 60 * MINUTE_MS
// The periods that banks are asked about start this much earlier and end this much later. The clocks of banks
// differ, and a payer may send money before the page shows the number.
export const CLOCK_MARGIN_MS = 5 * MINUTE_MS
const SESSION_IDS_MAX = 10 // Open at a time for one payment, because the bank is asked for each all day.
const ASK_INTERVAL_MIN_MS = 30_000 // The bank is asked no more often, even if a user repeats the request.

// `subject` names what the bank is asked about; one requery may be open for each bank, reason and subject.
// `fromAt` is the start of the period that a list covers.
type NewRequery = {
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

export type OpenRequery = {
  bankCode: string
  state: RequeryState
  dueAt: Date
  attempts: number
  askedAt: Date | null
}

// Inserts a requery, or does nothing if an equal one is open.
export async function putRequery(db: Queryable, now: Date, requery: NewRequery): Promise<void> {
  await db.query({
    name: 'put-requery',
    text: `${INSERT_REQUERY} on conflict do nothing`,
    values: [...toValues(requery), now],
  })
}

// Makes a requery due now, or as soon as the bank may be asked again about the same subject.
async function requeryNow(db: Queryable, now: Date, requery: NewRequery): Promise<OpenRequery> {
  const { rows } = await db.query<OpenRequery>({
    name: 'put-urgent-requery',
    text: `${INSERT_REQUERY}
           on conflict (bank_code, reason, subject) where state = 'open'
           do update set due_at = least(requeries.due_at, greatest(
                           excluded.due_at, requeries.asked_at + interval '${ASK_INTERVAL_MIN_MS} ms')),
                         repeat_until = greatest(requeries.repeat_until, excluded.repeat_until)
           returning bank_code, state, due_at, attempts, asked_at`,
    values: [...toValues(requery), now],
  })
  return rows[0] as OpenRequery
}

const INSERT_REQUERY = `
  insert into requeries
    (bank_code, reason, subject, identifier_kind, identifier, account_number, from_at, client_id,
     payment_id, collection_account_id, due_at, repeat_until, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

// Returns the values of the parameters of INSERT_REQUERY, except the last one, the current time.
function toValues(requery: NewRequery): unknown[] {
  const { identifier } = requery
  return [
    requery.bankCode,
    requery.reason,
    requery.subject,
    identifier?.kind ?? null,
    identifier?.value ?? null,
    requery.accountNumber,
    requery.fromAt,
    requery.clientId,
    requery.paymentId,
    requery.collectionAccountId,
    requery.dueAt,
    requery.repeatUntil,
  ]
}

type Enquired = {
  bankCode: string
  accountNumber: string
  clientId: ClientId
  paymentId: PaymentId | null
  collectionAccountId: AccountId | null
}

// Plans a requery after a bank asked for an account's name, because money usually follows within seconds. If
// the credit has arrived when the requery is due, the requery is dropped.
export async function requeryAfterNameEnquiry(
  db: Queryable,
  now: Date,
  enquired: Enquired,
): Promise<void> {
  const { accountNumber } = enquired
  await putRequery(db, now, {
    ...enquired,
    reason: 'name_enquiry',
    subject: `account/${accountNumber}`,
    identifier: null,
    fromAt: addMs(now, -CLOCK_MARGIN_MS),
    dueAt: addMs(now, ENQUIRY_WAIT_MS),
    repeatUntil: addMs(now, ENQUIRY_REPEATED_MS),
  })
}

// Asks the bank about a transfer that it reported without a signature. I103: the service books the bank's
// answer to the requery, never the unsigned report. A repetition is safe.
export async function requeryReported(
  db: Queryable,
  now: Date,
  { bankCode, hint }: { bankCode: string; hint: CreditIdentifier },
): Promise<void> {
  await requeryNow(db, now, {
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
    repeatUntil: addMs(now, IDENTIFIER_REPEATED_MS),
  })
}

type PaymentRequery = {
  payment: Pick<Payment, 'id' | 'clientId' | 'numbers' | 'createdAt' | 'closesAt'>
  reason: 'payer' | 'demand'
  sessionId?: string | undefined
}

// Requeries a payment because its payer or the client asks for it. Creates one requery for each of the
// payment's numbers at a bank that can be queried: by the session id, if the bank finds single transfers by
// it; otherwise by the account number.
export async function requeryPayment(
  db: Queryable,
  { now, bankConnections }: { now: Date; bankConnections: BankConnections },
  { payment, reason, sessionId }: PaymentRequery,
): Promise<OpenRequery[]> {
  const { numbers, createdAt, closesAt } = payment
  const common = { reason, clientId: payment.clientId, paymentId: payment.id, dueAt: now }
  const requeries: OpenRequery[] = []
  if (sessionId !== undefined) await refuseTooMany(db, payment.id, sessionId)
  for (const { bankCode, accountNumber } of numbers) {
    const { calls = {}, findsBy } = bankConnections.get(bankCode) ?? {}
    const canFindTransfer = calls.findTransfer && (findsBy?.includes('session_id') ?? true)
    const requery = { ...common, bankCode, collectionAccountId: null }
    if (sessionId !== undefined && canFindTransfer) {
      const byIdentifier = {
        subject: `session_id/${sessionId}/${payment.id}`,
        identifier: { kind: 'session_id' as const, value: sessionId },
        accountNumber: null,
        fromAt: null,
        repeatUntil: addMs(now, IDENTIFIER_REPEATED_MS),
      }
      requeries.push(await requeryNow(db, now, { ...requery, ...byIdentifier }))
    } else if (calls.listTransfers) {
      const until = closesAt > now ? closesAt : now
      const byNumber = {
        subject: `account/${accountNumber}/${payment.id}`,
        identifier: null,
        accountNumber,
        fromAt: addMs(createdAt, -CLOCK_MARGIN_MS),
        repeatUntil: addMs(until, REPEATED_AFTER_CLOSING_MS),
      }
      requeries.push(await requeryNow(db, now, { ...requery, ...byNumber }))
    }
  }
  return requeries
}

// Refuses a further session id if the payment has the most that may be open.
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

// Returns whether the bank lists transfers, so that it can be asked by account number or for a whole period,
// without an identifier of the transfer.
export function canListTransfers({ calls }: { calls: BankCalls }): boolean {
  return calls.listTransfers !== undefined
}

export function addMs(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs)
}
