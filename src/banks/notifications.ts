// The common form of the notifications of all banks: a format parses a body into credits and rejections, and
// writes the acknowledgement that the bank expects.
//
// `parse` never throws, and one bad credit never fails the others. Only a body that is unreadable as a whole
// is `malformed`.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Kobo } from '#money.ts'
import { isObject, readNestedJson } from './json-body.ts'

export const CREDITS_MAX = 1_000

// Kinds of identifiers that a bank gives a transfer. Values of different kinds never identify the same
// credit.
export const IDENTIFIER_KINDS = [
  'session_id',
  'settlement_id',
  'bank_reference',
  'clearing_reference', // ISO 20022's ClrSysRef
  'uetr', // ISO 20022's unique end-to-end transaction reference
] as const
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number]
export type CreditIdentifier = { kind: IdentifierKind; value: string }

// Two transfers may share a weak identifier: the payer chose it, or the bank does not de-duplicate by it.
// It identifies a credit unless another identifier contradicts it.
export type GivenIdentifier = CreditIdentifier & { isWeak?: boolean }

// The charges that the bank withheld: the payer sent the amount, and our account got the rest.
export type BankCharges = { feeKobo: Kobo; vatKobo: Kobo; dutyKobo: Kobo }

export type IncomingCredit = {
  sessionId: string // The first identifier, whatever its kind.
  identifiedBy?: IdentifierKind // The kind of the session id. Default: session_id.
  isWeak?: boolean // Whether the session id is weak.
  otherIdentifiers?: readonly GivenIdentifier[]
  charges?: BankCharges
  accountNumber: string
  amountKobo: Kobo
  currency: string
  sourceAccountNumber: string | null
  sourceAccountName: string | null
  sourceBankCode: string | null
  narration: string | null
  transactionTime: Date | null
  transactionDate?: string // yyyy-MM-dd, where the bank gives no time of day.
}

// The reason why an item is not taken, in the order of the checks.
export type RejectionCode =
  | 'not_a_credit' // an item that is no object, a debit, or a debit taken back
  | 'not_booked' // announced by the bank, but not booked yet
  | 'batch_without_details' // several transfers in one sum, so their owners are unknown
  | 'repeated_field' // one field twice in one object, so its value is ambiguous
  | 'net_of_charges' // the bank kept a part of the payers' money
  | 'amount_mismatch' // the parts of an entry do not add up to the entry
  | 'charges_mismatch' // the bank's charges and the settled amount do not make up the amount
  | 'invalid_session_id'
  | 'invalid_identifier' // invalid, but needed to tell two transfers with one session id apart
  | 'invalid_account_number'
  | 'invalid_amount'
  | 'invalid_currency'
  | 'invalid_source_account_number'
  | 'invalid_source_bank_code'
  | 'invalid_source_account_name'
  | 'invalid_narration'
  | 'invalid_transaction_time'

// A bank takes a credit back. `originals` are the ids under which the bank may have reported the credit, the
// likeliest first. `accountNumber`, if the bank gives it, is the number that received the credit. It guards
// against wrong matches, because payers choose some of the ids and may choose another payer's.
//
// Some banks report every reversal of a credit under the id of the credit. Then `place` (the message and the
// position in it) tells the reversals apart. If `place` is undefined, the id belongs to the reversal alone.
// `formerId` is the id that an earlier release gave the reversal.
export type IncomingReversal = {
  sessionId: string
  formerId?: string
  place?: string | undefined
  originals: readonly string[]
  accountNumber?: string | undefined
  amountKobo: Kobo
  currency: string
}

// A bank reports the outcome of a payout. The service never believes the report by itself: it queries the
// payout.
export type PayoutEvent = {
  reference: string // Our reference.
  says: 'confirmed' | 'failed' | 'reversed'
}

// `sessionId` of a rejection is the bank's value, shortened, so that the bank can find its record. An item
// with a `reversal` is no credit and is processed as a reversal.
export type Rejection = {
  ok: false
  sessionId: string | null
  code: RejectionCode
  message: string
  money: NamedMoney | null
  reversal?: IncomingReversal
  payout?: PayoutEvent
  hint?: CreditIdentifier // The service requeries this transfer and never believes the hint by itself (I103).
}

// The money that a rejected item names, which is stored. Null if the item certainly names no money: it has no
// amount, no amount above zero, or is no booked credit.
export type NamedMoney = { amount: string | null; text: string }

export type ParsedItem = { ok: true; credit: IncomingCredit } | Rejection

// `batch`: the answer is a list. `message`: other values that the acknowledgement repeats.
export type Report = { items: ParsedItem[]; batch: boolean; message?: unknown }

// `malformed` is a sentence for the sender.
export type Parsed = Report | { malformed: string }

// The answer to one item: 00 taken, 01 duplicate, 02 rejected (with a code), 03 try again.
export type Acknowledgement = {
  sessionId: string | null
  responseCode: '00' | '01' | '02' | '03'
  responseMessage: string
  outcome: string
  code?: string
}

export type NotificationFormat = {
  name: string
  accepts(contentType: string): boolean
  parse(rawBody: Buffer): Parsed
  acknowledge(
    acknowledgements: readonly Acknowledgement[],
    report: Pick<Report, 'batch' | 'message'>,
  ): { contentType: string; body: string }
}

// Returns the media type without its parameters: "text/xml" for "Text/XML; charset=utf-8".
export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase()
}

type Call = { headers: Readonly<Record<string, string | string[] | undefined>> }

// Returns the `findFormat` of a connection whose bank has only one format: it checks only the content type.
export function onlyFormat(format: NotificationFormat) {
  return ({ headers }: Call): NotificationFormat | undefined => {
    const type = headers['content-type']
    return typeof type === 'string' && format.accepts(type) ? format : undefined
  }
}

// Compares a caller's value with a secret in constant time.
export function isSecretEqual(value: string, secret: string): boolean {
  return timingSafeEqual(digest(value), digest(secret))
}

// Returns the value of a header, or undefined if it is missing or was sent twice.
export function singleHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

// The rules of a format whose notifications are one JSON object each.
type Reading = {
  name: string
  // `isRepeated`: a field occurs twice in the same object, so its value is ambiguous.
  read(notification: Record<string, unknown>, isRepeated: boolean): ParsedItem
  answer(acknowledgement: Acknowledgement): object
}

const UNANSWERED: Acknowledgement = {
  sessionId: null,
  responseCode: '03',
  responseMessage: '',
  outcome: 'retry',
}

// Returns a format whose notifications are one JSON object each.
export function jsonNotification({ name, read, answer }: Reading): NotificationFormat {
  return {
    name,
    accepts: (contentType) => mediaType(contentType) === 'application/json',
    parse(rawBody) {
      const body = readNestedJson(rawBody)
      if ('malformed' in body) return body
      const { value, isRepeated } = body
      if (!isObject(value)) return { malformed: 'The body must be one notification.' }
      return { items: [read(value, isRepeated)], batch: false }
    },
    acknowledge: ([acknowledgement = UNANSWERED]) => ({
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(answer(acknowledgement)),
    }),
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

// Returns the text that a bank signs for one field, which is empty if the field is absent. Returns undefined
// for a list, an object or a boolean, because the bank's text of such a value may differ from ours.
export function signedValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}
