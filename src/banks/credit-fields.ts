// Checks the fields of one credit, in the same way for all formats. Also turns unsigned reports into hints.
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
// The settled amount decides, because the bank's statement shows that amount: fee, VAT and duty must make up
// exactly the difference between the amount and the settled amount. Some banks report the VAT as a part of
// the fee. A difference that the charges do not explain is booked as a fee.

// The amounts as the bank wrote them. Null, undefined and '' mean that the bank named no amount.
export type ChargeFields = { settled?: unknown; fee?: unknown; vat?: unknown; duty?: unknown }

// Returns the charges of a credit. Returns undefined if the bank withheld nothing, and 'mismatch' if the
// amounts contradict each other.
function readCharges(
  amountKobo: Kobo,
  fields: ChargeFields,
  readAmount: (value: unknown) => Kobo | undefined = koboOf,
): BankCharges | undefined | 'mismatch' {
  const read = (value: unknown) => readChargeAmount(value, readAmount)
  const settled = read(fields.settled)
  const parts = [fields.fee, fields.vat, fields.duty].map(read)
  if (settled === 'unreadable' || parts.includes('unreadable')) return 'mismatch'
  const [fee = 0n, vat = 0n, duty = 0n] = parts as (bigint | undefined)[]
  const withheld = settled === undefined ? fee + vat + duty : amountKobo - settled
  if (withheld < 0n || withheld >= amountKobo) return 'mismatch'
  if (withheld === 0n) return undefined
  // The settled amount decides how much was withheld. The rest of this function divides it.
  const isExplained = fee + vat + duty === withheld
  if (isExplained) return charges(fee, vat, duty)
  // Some banks report the VAT as a part of the fee.
  const isVatInFee = fee + duty === withheld && vat <= fee
  if (isVatInFee) return charges(fee - vat, vat, duty)
  // The difference that the charges do not explain is booked as a fee.
  const unexplained = withheld - vat - duty
  return unexplained >= 0n ? charges(unexplained, vat, duty) : charges(withheld, 0n, 0n)
}

// Returns one charge in kobo; undefined if the bank named none.
function readChargeAmount(
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

// The fields of a credit as a format names them, not yet checked. Null and undefined both mean absent.
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

// Returns the rejection of an item that names no money, so it is not stored for an operator.
export function rejection(code: RejectionCode, sessionId: unknown): Rejection {
  const echo = typeof sessionId === 'string' ? cleanText(sessionId, ECHO_MAX) : null
  return { ok: false, sessionId: echo, code, message: MESSAGES[code], money: null }
}

// Returns a rejection with the money that the fields name, so that the item is stored for an operator.
export function keptRejection(
  code: RejectionCode,
  sessionId: unknown,
  fields: CreditFields,
): Rejection {
  return { ...rejection(code, sessionId), money: moneyIn(fields) }
}

// Returns the money that the fields name, or null if they certainly name none. An unreadable amount counts as
// money.
function moneyIn(fields: CreditFields): NamedMoney | null {
  const { amount } = fields
  const isAbsentAmount = amount === undefined || amount === null
  const isPlain = typeof amount === 'number' || typeof amount === 'string'
  if (isAbsentAmount || (isPlain && Number(amount) <= 0)) return null
  const amountKobo = fields.unit === 'kobo' ? wholeKoboOf(amount) : undefined
  const written = isPlain ? String(amount) : JSON.stringify(amount)
  // Operators read amounts in naira.
  if (amountKobo !== undefined)
    return { amount: formatKobo(amountKobo), text: JSON.stringify(fields) }
  return { amount: cleanText(written, ECHO_MAX), text: JSON.stringify(fields) }
}

// Checks the fields of one credit. An invalid credit with an amount is stored for an operator.
export function checkCredit(fields: CreditFields): ParsedItem {
  const item = readCredit(fields)
  return item.ok ? item : { ...item, money: moneyIn(fields) }
}

// Checks the fields one after another. The first invalid field rejects the credit.
function readCredit(fields: CreditFields): ParsedItem {
  const { accountNumber, identifiedBy } = fields
  const sessionId = identifiedBy ? identifierText(fields.sessionId) : fields.sessionId
  if (typeof sessionId !== 'string' || !isSessionId(sessionId)) {
    return rejection('invalid_session_id', sessionId)
  }
  const otherIdentifiers = fields.otherIdentifiers && readIdentifiers(fields, sessionId)
  if (otherIdentifiers === 'unreadable') return rejection('invalid_identifier', sessionId)
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
  if (otherIdentifiers) credit.otherIdentifiers = otherIdentifiers
  if (charges) credit.charges = charges
  return { ok: true, credit }
}

// Returns the valid identifiers besides the session id. Ignores an invalid one, because the session id
// identifies the credit. Returns 'unreadable', and so refuses the credit, if the invalid identifier is
// required, or if the session id is weak: a weak id alone could identify another transfer.
function readIdentifiers(
  fields: CreditFields,
  sessionId: string,
): GivenIdentifier[] | 'unreadable' {
  const { identifiedBy = 'session_id', isWeak, otherIdentifiers = [] } = fields
  const valid: GivenIdentifier[] = []
  for (const other of otherIdentifiers) {
    const value = identifierText(other.value)
    if (typeof value === 'string' && isSessionId(value)) {
      const { isRequired: _, ...identifier } = other
      if (value !== sessionId || other.kind !== identifiedBy) valid.push({ ...identifier, value })
    } else if (other.isRequired || (isWeak && !other.isWeak && !isAbsent(value))) {
      return 'unreadable'
    }
  }
  return valid
}

// Returns an identifier as text. Some banks write references as JSON numbers. readJson() turns a number with
// more digits than a double holds into a text with a leading space.
function identifierText(value: unknown): unknown {
  if (typeof value === 'string') return LONG_NUMBER.test(value) ? value.slice(1) : value
  return Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : value
}

// Returns whether the bank wrote no identifier, or a placeholder such as 0 or blanks.
function isAbsent(value: unknown): boolean {
  const isBlank = typeof value === 'string' && value.trim() === ''
  return value === undefined || value === null || value === 0 || isBlank
}

// Removes invisible characters and cuts the text. Returns null if no visible character is left. The result is
// well-formed without NUL, because PostgreSQL cannot store NUL or half a surrogate pair.
export function cleanText(text: string, lengthMax = TEXT_MAX): string | null {
  const visible = UNSEEN.test(text) ? text.replace(UNSEEN_RUNS, ' ') : text
  const trimmed = visible.isWellFormed() ? visible.trim() : visible.toWellFormed().trim()
  if (trimmed.length <= lengthMax) return trimmed === '' ? null : trimmed
  const cut = trimmed.slice(0, lengthMax)
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()
}

// Returns the cleaned text; null if it is absent, undefined if it is no text.
function readText(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? cleanText(value) : undefined
}

// Returns an account number or bank code of the payer; null if it is absent. Refuses a text that is too long
// (undefined) instead of cutting it: a part of an account number could be the number of another person.
function readReference(value: unknown, lengthMax: number): string | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' || value.length > lengthMax) return undefined
  return cleanText(value, lengthMax)
}

// Returns the time of the transfer, or its date if the bank gave no time of day; undefined if it is no time.
function readTime(
  value: unknown,
): Pick<IncomingCredit, 'transactionTime' | 'transactionDate'> | undefined {
  if (value === undefined || value === null || value === '') return { transactionTime: null }
  const time = typeof value === 'string' ? parseBankTime(value) : undefined
  if (time === undefined) return undefined
  const transactionDate = dayAlone(value as string)
  return transactionDate ? { transactionTime: null, transactionDate } : { transactionTime: time }
}

// Removes a time in the future from a credit: such a time means that the clock of the bank is wrong.
export function withoutFutureTime(credit: IncomingCredit, now: Date): IncomingCredit {
  const { transactionTime, transactionDate } = credit
  const latestMs = now.getTime() + CLOCK_SKEW_MAX_MS
  const isFuture =
    (transactionTime !== null && transactionTime.getTime() > latestMs) ||
    (transactionDate !== undefined && transactionDate > watDay(new Date(latestMs)))
  if (!isFuture) return credit
  const { transactionDate: _, ...timelessCredit } = credit
  return { ...timelessCredit, transactionTime: null }
}

// Returns our code of a bank. Some banks name the payer's bank by its NIP code, but our records use one code
// for each bank.
export function plainBankCode(code: string): string {
  return findBank(code)?.code ?? findBankByNipCode(code)?.code ?? code
}

// Makes hints of an unsigned report (I103): each credit becomes a hint, which the service verifies with a
// query at the bank. A reversal is only stored for an operator, if it names money.
export function asHints(parsed: Parsed): Parsed {
  return 'malformed' in parsed ? parsed : { ...parsed, items: parsed.items.map(asHint) }
}

// Rejects a credit and keeps its identifier as a hint, so that the service asks the bank instead of booking.
// Removes the reversal of a rejected item, so that the reversal is not booked.
function asHint(item: ParsedItem): ParsedItem {
  if (!item.ok) {
    const { reversal: _, ...rejectionOnly } = item
    return rejectionOnly
  }
  const { sessionId: value, identifiedBy: kind = 'session_id' } = item.credit
  return { ...rejection('not_a_credit', value), hint: { kind, value } }
}
