// What every bank's notifications come down to: a body goes in, credits and rejections come out, and an
// acknowledgement goes back in the words that bank expects.
//
// `parse` never throws and never lets one bad credit fail its neighbours. Only a body of which
// nothing can be read is `malformed`.

import type { Kobo } from '#money.ts'

export const CREDITS_MAX = 1_000

// What a bank calls a transfer. Values of different kinds never identify the same credit.
export const IDENTIFIER_KINDS = [
  'session_id',
  'settlement_id',
  'bank_reference',
  'clearing_reference', // ISO 20022's ClrSysRef
  'uetr', // ISO 20022's unique end-to-end transaction reference
] as const
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number]
export type CreditIdentifier = { kind: IdentifierKind; value: string }

// Weak: chosen by the payer, or not what the bank itself de-duplicates by, so two transfers may share
// it. It identifies a credit unless another identifier says that it is another.
export type GivenIdentifier = CreditIdentifier & { isWeak?: boolean }

// What the bank withheld from the transfer: the payer sent the amount, our account got the rest.
export type BankCharges = { feeKobo: Kobo; vatKobo: Kobo; dutyKobo: Kobo }

export type IncomingCredit = {
  sessionId: string // The first identifier, whatever its kind.
  identifiedBy?: IdentifierKind // Of the session id; default session_id.
  isWeak?: boolean // Of the session id.
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

// In the order they are checked.
export type RejectionCode =
  | 'not_a_credit' // an item that is no object, a debit, or a debit taken back
  | 'not_booked' // announced by the bank, but not booked yet
  | 'batch_without_details' // several transfers in one sum: nobody can say whose they are
  | 'repeated_field' // one field twice in one object: nobody can say which one is meant
  | 'net_of_charges' // the bank kept a part of what the payers sent
  | 'amount_mismatch' // the parts of an entry do not add up to the entry
  | 'charges_mismatch' // the bank's charges and the settled amount do not make up the amount
  | 'invalid_session_id'
  | 'invalid_identifier' // one that would tell two transfers with the same session id apart
  | 'invalid_account_number'
  | 'invalid_amount'
  | 'invalid_currency'
  | 'invalid_source_account_number'
  | 'invalid_source_bank_code'
  | 'invalid_source_account_name'
  | 'invalid_narration'
  | 'invalid_transaction_time'

// A bank takes a credit back. `originals` are the ids under which it may have reported that credit,
// the likeliest first; `accountNumber`, if it says so, the number that the credit was sent to: payers
// choose some of the ids, and may choose another's.
//
// Some banks call every reversal of a credit by the credit's own id. Such a one is told apart by `place`,
// which names the message and where in it; undefined: the id is the reversal's own. `formerId` is what
// an earlier release called it by.
export type IncomingReversal = {
  sessionId: string
  formerId?: string
  place?: string | undefined
  originals: readonly string[]
  accountNumber?: string | undefined
  amountKobo: Kobo
  currency: string
}

// A bank reports what became of a payout of ours. Never believed by itself: the bank is asked for it.
export type PayoutEvent = {
  reference: string // Ours.
  says: 'confirmed' | 'failed' | 'reversed'
}

// `sessionId` of a rejection is what the bank sent, shortened, so that it can find its own record.
// With a `reversal` it is no credit, and is still to be taken as what it is.
export type Rejection = {
  ok: false
  sessionId: string | null
  code: RejectionCode
  message: string
  money: NamedMoney | null
  reversal?: IncomingReversal
  payout?: PayoutEvent
  hint?: CreditIdentifier // A transfer that the bank is asked for. Never believed by itself (I103).
}

// What a rejected item says of money, to be kept. Null when it is provably none: no amount is named,
// or none above zero, or it is no booked credit.
export type NamedMoney = { amount: string | null; text: string }

export type ParsedItem = { ok: true; credit: IncomingCredit } | Rejection

// `batch` says whether the answer is a list; `message` is whatever else the acknowledgement has to
// repeat of what it answers.
export type Report = { items: ParsedItem[]; batch: boolean; message?: unknown }

// `malformed` is a sentence for the sender.
export type Parsed = Report | { malformed: string }

// 00 taken, 01 duplicate, 02 rejected (with a code), 03 try again.
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

// The type in front of any parameters: "text/xml" of "Text/XML; charset=utf-8".
export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase()
}

type Call = { headers: Readonly<Record<string, string | string[] | undefined>> }

// For a bank that has one format.
export function onlyFormat(format: NotificationFormat) {
  return ({ headers }: Call): NotificationFormat | undefined => {
    const type = headers['content-type']
    return typeof type === 'string' && format.accepts(type) ? format : undefined
  }
}
