// Checks the fields of one credit, the same for all formats. Also turns unsigned reports into hints.
//
// Identity and terms (session id, account number, amount, currency) are strict. Free text of the payer is
// cleaned and cut instead of refused, because the money has arrived whatever the narration contains.

import { dayAlone, parseBankTime, watDay } from '#clock.ts'
import { AMOUNT_MAX_KOBO, formatKobo, type Kobo, kobo, koboOf, wholeKoboOf } from '#money.ts'
import { findBank, findBankByNipCode } from './directory.ts'
import type {
  BankCharges,
  GivenIdentifier,
  IdentifierKind,
  IncomingCredit,
  NamedMoney,
  Parsed,
  ParsedItem,
  Rejection,
  RejectionCode,
} from './notifications.ts'
import { isAccountNumber, isSessionId } from './nuban.ts'

// The charges that a bank withheld from a transfer, as its notification reports them.
//
// The settled amount decides, because the bank's statement shows it: fee, VAT and duty must make up exactly
// the difference between the amount and the settled amount. Some banks report the VAT as a part of the fee.
// An unexplained rest is treated as a fee.

// The amounts as the bank wrote them. Null, undefined and '' mean that the bank named no amount.
export type ChargeFields = { settled?: unknown; fee?: unknown; vat?: unknown; duty?: unknown }

// Returns undefined if the bank withheld nothing, and 'mismatch' if the amounts contradict each other.
function readCharges(
  amountKobo: Kobo,
  fields: ChargeFields,
  readAmount: (value: unknown) => Kobo | undefined = koboOf,
): BankCharges | undefined | 'mismatch' {
  const read = (value: unknown) => readPart(value, readAmount)
  const settled = read(fields.settled)
  const parts = [fields.fee, fields.vat, fields.duty].map(read)
  if (settled === 'unreadable' || parts.includes('unreadable')) return 'mismatch'
  const [fee = 0n, vat = 0n, duty = 0n] = parts as (bigint | undefined)[]
  const withheld = settled === undefined ? fee + vat + duty : amountKobo - settled
  if (withheld < 0n || withheld >= amountKobo) return 'mismatch'
  if (withheld === 0n) return undefined
  const isWhole = fee + vat + duty === withheld
  if (isWhole) return charges(fee, vat, duty)
  const isInside = fee + duty === withheld && vat <= fee
  if (isInside) return charges(fee - vat, vat, duty)
  const rest = withheld - vat - duty
  return rest >= 0n ? charges(rest, vat, duty) : charges(withheld, 0n, 0n)
}

function readPart(
  value: unknown,
  readAmount: (value: unknown) => Kobo | undefined,
): bigint | undefined | 'unreadable' {
  if (value === undefined || value === null || value === '') return undefined
  const amount = readAmount(value)
  return amount === undefined || amount < 0n ? 'unreadable' : amount
}

function charges(fee: bigint, vat: bigint, duty: bigint): BankCharges {
  return { feeKobo: kobo(fee), vatKobo: kobo(vat), dutyKobo: kobo(duty) }
}

// The values of a format, not yet checked. Null and undefined both mean absent.
export type CreditFields = {
  sessionId?: unknown
  accountNumber?: unknown
  amount?: unknown
  unit?: 'kobo' // Amount and charges are in whole kobo. Default: naira, with decimals.
  currency?: unknown
  sourceAccountNumber?: unknown
  sourceAccountName?: unknown
  sourceBankCode?: unknown
  narration?: unknown
  transactionTime?: unknown
  identifiedBy?: IdentifierKind // The kind of the session id. Defaults to session_id.
  isWeak?: boolean // Whether two credits may share the session id (GivenIdentifier).
  otherIdentifiers?: readonly GivenField[]
  charges?: ChargeFields
}

// `isRequired`: an invalid value refuses the credit instead of being ignored.
type GivenField = { kind: IdentifierKind; value: unknown; isWeak?: boolean; isRequired?: boolean }

const TEXT_MAX = 200
const SOURCE_ACCOUNT_MAX = 34 // The greatest length of an IBAN.
const SOURCE_BANK_MAX = 35 // The greatest length of a clearing member id in ISO 20022.
const ECHO_MAX = 64
const CLOCK_SKEW_MAX_MS = 300_000 // The same limit as for the time of a signature.

const LONG_NUMBER = /^ [0-9]+$/
const CURRENCY = /^[A-Za-z]{3}$/
// Control characters, line separators, and the marks that change the direction of writing. Such marks could
// make a payer's name look like another name on a page.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
const UNSEEN_RUNS = new RegExp(`${UNSEEN.source}+`, 'g')

const MESSAGES: Record<RejectionCode, string> = {
  not_a_credit: 'This is not a credit.',
  not_booked: 'Only booked entries are taken.',
  batch_without_details: 'The entry is a batch of several transfers without their details.',
  repeated_field: 'A field occurs twice in this credit.',
  net_of_charges: 'The entry is net of charges: it is less than what the payers sent.',
  amount_mismatch: 'The amounts of the transactions do not add up to the amount of their entry.',
  charges_mismatch: 'The charges and the settled amount do not make up the amount.',
  invalid_session_id: 'The session id must be 1 to 64 printable characters.',
  invalid_identifier: 'Every identifier must be 1 to 64 printable characters.',
  invalid_account_number: 'The account number must be exactly 10 digits.',
  invalid_amount:
    'The amount must be more than 0 and at most 10000000000000.00, with at most two decimals.',
  invalid_currency: 'The currency must be three letters, such as NGN.',
  invalid_source_account_number: 'The source account number must be text of 34 characters at most.',
  invalid_source_bank_code: 'The source bank code must be text of 35 characters at most.',
  invalid_source_account_name: 'The source account name must be text.',
  invalid_narration: 'The narration must be text.',
  invalid_transaction_time:
    'The transaction time must be an ISO 8601 time, such as 2026-11-15T01:42:26+01:00.',
}

export function rejection(code: RejectionCode, sessionId: unknown): Rejection {
  const echo = typeof sessionId === 'string' ? cleanText(sessionId, ECHO_MAX) : null
  return { ok: false, sessionId: echo, code, message: MESSAGES[code], money: null }
}

// Returns a rejection with the money that the fields name, so that the item is kept for an operator.
export function keptRejection(
  code: RejectionCode,
  sessionId: unknown,
  fields: CreditFields,
): Rejection {
  return { ...rejection(code, sessionId), money: moneyIn(fields) }
}

// Returns the money that the fields name, or null if they certainly name none.
function moneyIn(fields: CreditFields): NamedMoney | null {
  const { amount } = fields
  const isNone = amount === undefined || amount === null
  const isPlain = typeof amount === 'number' || typeof amount === 'string'
  if (isNone || (isPlain && Number(amount) <= 0)) return null
  const amountKobo = fields.unit === 'kobo' ? wholeKoboOf(amount) : undefined
  const written = isPlain ? String(amount) : JSON.stringify(amount)
  // Operators read amounts in naira.
  if (amountKobo !== undefined)
    return { amount: formatKobo(amountKobo), text: JSON.stringify(fields) }
  return { amount: cleanText(written, ECHO_MAX), text: JSON.stringify(fields) }
}

export function checkCredit(fields: CreditFields): ParsedItem {
  const item = readCredit(fields)
  return item.ok ? item : { ...item, money: moneyIn(fields) }
}

function readCredit(fields: CreditFields): ParsedItem {
  const { accountNumber, identifiedBy } = fields
  const sessionId = identifiedBy ? identifierText(fields.sessionId) : fields.sessionId
  if (typeof sessionId !== 'string' || !isSessionId(sessionId)) {
    return rejection('invalid_session_id', sessionId)
  }
  const others = fields.otherIdentifiers && readIdentifiers(fields, sessionId)
  if (others === 'unreadable') return rejection('invalid_identifier', sessionId)
  if (typeof accountNumber !== 'string' || !isAccountNumber(accountNumber)) {
    return rejection('invalid_account_number', sessionId)
  }
  const readAmount = fields.unit === 'kobo' ? wholeKoboOf : koboOf
  const amountKobo = readAmount(fields.amount)
  if (amountKobo === undefined || amountKobo <= 0n || amountKobo > AMOUNT_MAX_KOBO) {
    return rejection('invalid_amount', sessionId)
  }
  const currency = fields.currency ?? 'NGN'
  if (typeof currency !== 'string' || !CURRENCY.test(currency)) {
    return rejection('invalid_currency', sessionId)
  }
  const sourceAccountNumber = readReference(fields.sourceAccountNumber, SOURCE_ACCOUNT_MAX)
  if (sourceAccountNumber === undefined) {
    return rejection('invalid_source_account_number', sessionId)
  }
  const sourceBankCode = readReference(fields.sourceBankCode, SOURCE_BANK_MAX)
  if (sourceBankCode === undefined) return rejection('invalid_source_bank_code', sessionId)
  const sourceAccountName = readText(fields.sourceAccountName)
  if (sourceAccountName === undefined) return rejection('invalid_source_account_name', sessionId)
  const narration = readText(fields.narration)
  if (narration === undefined) return rejection('invalid_narration', sessionId)
  const time = readTime(fields.transactionTime)
  if (time === undefined) return rejection('invalid_transaction_time', sessionId)
  const charges = fields.charges && readCharges(amountKobo, fields.charges, readAmount)
  if (charges === 'mismatch') return rejection('charges_mismatch', sessionId)

  const credit: IncomingCredit = {
    sessionId,
    accountNumber,
    amountKobo,
    currency: currency.toUpperCase(),
    sourceAccountNumber,
    sourceAccountName,
    sourceBankCode: sourceBankCode === null ? null : plainBankCode(sourceBankCode),
    narration,
    ...time,
  }
  if (identifiedBy) credit.identifiedBy = identifiedBy
  if (fields.isWeak) credit.isWeak = true
  if (others) credit.otherIdentifiers = others
  if (charges) credit.charges = charges
  return { ok: true, credit }
}

// Ignores an invalid identifier, because the session id identifies the credit. If the session id is weak, the
// credit is refused instead: a weak id alone could identify another transfer.
function readIdentifiers(
  fields: CreditFields,
  sessionId: string,
): GivenIdentifier[] | 'unreadable' {
  const { identifiedBy = 'session_id', isWeak, otherIdentifiers = [] } = fields
  const read: GivenIdentifier[] = []
  for (const other of otherIdentifiers) {
    const value = identifierText(other.value)
    if (typeof value === 'string' && isSessionId(value)) {
      const { isRequired: _, ...identifier } = other
      if (value !== sessionId || other.kind !== identifiedBy) read.push({ ...identifier, value })
    } else if (other.isRequired || (isWeak && !other.isWeak && !isAbsent(value))) {
      return 'unreadable'
    }
  }
  return read
}

// Some banks write references as JSON numbers. readJson() turns a number with more digits than a double holds
// into a text with a leading space.
function identifierText(value: unknown): unknown {
  if (typeof value === 'string') return LONG_NUMBER.test(value) ? value.slice(1) : value
  return Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : value
}

function isAbsent(value: unknown): boolean {
  const isBlank = typeof value === 'string' && value.trim() === ''
  return value === undefined || value === null || value === 0 || isBlank
}

// Returns null if no visible character is left. PostgreSQL can store neither NUL nor half a surrogate pair.
export function cleanText(text: string, lengthMax = TEXT_MAX): string | null {
  const seen = UNSEEN.test(text) ? text.replace(UNSEEN_RUNS, ' ') : text
  const whole = seen.isWellFormed() ? seen.trim() : seen.toWellFormed().trim()
  if (whole.length <= lengthMax) return whole === '' ? null : whole
  const cut = whole.slice(0, lengthMax)
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()
}

function readText(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? cleanText(value) : undefined
}

// Refuses (undefined) a reference that is too long instead of cutting it: a part of an account number could
// be the number of another person.
function readReference(value: unknown, lengthMax: number): string | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' || value.length > lengthMax) return undefined
  return cleanText(value, lengthMax)
}

function readTime(
  value: unknown,
): Pick<IncomingCredit, 'transactionTime' | 'transactionDate'> | undefined {
  if (value === undefined || value === null || value === '') return { transactionTime: null }
  const time = typeof value === 'string' ? parseBankTime(value) : undefined
  if (time === undefined) return undefined
  const transactionDate = dayAlone(value as string)
  return transactionDate ? { transactionTime: null, transactionDate } : { transactionTime: time }
}

// Removes a time in the future from a credit: it means that the bank's clock is wrong.
export function withoutFutureTime(credit: IncomingCredit, now: Date): IncomingCredit {
  const { transactionTime, transactionDate } = credit
  const latestMs = now.getTime() + CLOCK_SKEW_MAX_MS
  const isFuture =
    (transactionTime !== null && transactionTime.getTime() > latestMs) ||
    (transactionDate !== undefined && transactionDate > watDay(new Date(latestMs)))
  if (!isFuture) return credit
  const { transactionDate: _, ...rest } = credit
  return { ...rest, transactionTime: null }
}

// Returns our code of a bank. Some banks name the payer's bank by its NIP code, but our records use one code
// for each bank.
export function plainBankCode(code: string): string {
  return findBank(code)?.code ?? findBankByNipCode(code)?.code ?? code
}

// In an unsigned report (I103), a credit becomes a hint, which the service verifies with a query at the bank.
// A reversal is kept for an operator if it names money.
export function asHints(parsed: Parsed): Parsed {
  return 'malformed' in parsed ? parsed : { ...parsed, items: parsed.items.map(asHint) }
}

function asHint(item: ParsedItem): ParsedItem {
  if (!item.ok) {
    const { reversal: _, ...rest } = item
    return rest
  }
  const { sessionId: value, identifiedBy: kind = 'session_id' } = item.credit
  return { ...rejection('not_a_credit', value), hint: { kind, value } }
}
