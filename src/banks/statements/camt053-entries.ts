// Converts an entry of camt.053 to statement lines: one line for each TxDtls if their amounts sum to the
// entry, otherwise one line for the entry. Skips entries that are not booked or have the amount zero. Also
// reads balances.

import { accountOf, moneyOf, narrationOf } from '#banks/iso20022/elements.ts'
import { child, children, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { isNipSessionId } from '#banks/nuban.ts'
import { dayAlone, parseBankTime, watDay } from '#clock.ts'
import { formatKobo, type Kobo, kobo, parseKobo } from '#money.ts'
import {
  beginsWithStampDuty,
  cleanReference,
  cleanText,
  findAccountNumber,
  findSessionId,
  kindOf,
  NARRATION_MAX,
  REFERENCE_MAX,
} from './lines.ts'
import { type LineKind, type StatementLine, StatementProblem } from './statement.ts'

// The bank's transaction code decides the kind of a line, refined by the words of the line: the standard has
// one code for all charges and none for stamp duty. A line that the bank codes as a transfer is a transfer
// whatever its words say, because the sender may have written them ("agent commission").

const FEES = /^(?:CHRG|FEES|COMM|COME|COMI|COMT)$/
const TAXES = /^TAXE$/
const SWEEPS = /^(?:SWEP|ZABA|TOPG)$/
const RETURNS = /^(?:RRTN|RPCR)$/
const PROPRIETARY_FEES = /^(?:N?CHG|N?COM|CHRG|FEE)S?(?![A-Z])/
const PROPRIETARY_DUTIES = /^(?:N?STP|EMTL|E-?LEVY|STAMP ?DUTY)(?![A-Z])/
const SENT = /^(?:ICDT|IRCT)$/
const RECEIVED = /^(?:RCDT|RRCT)$/

// The values of a line that decide its kind.
type Line = {
  isCredit: boolean
  isReversal: boolean
  bankText: string | undefined
  narration: string | null // The payer's remittance, or else the bank's text.
}

// Finds the kind of a line by the bank's transaction code (BkTxCd) and by its words. The code decides whether
// the line is a transfer, and the words distinguish fees, VAT and stamp duty.
function codedKind(entry: XmlElement, details: XmlElement | undefined, line: Line): LineKind {
  const { isCredit, isReversal, bankText } = line
  const code = child(details, 'BkTxCd') ?? child(entry, 'BkTxCd')
  const family = child(code, 'Domn', 'Fmly')
  const subFamily = textOf(family, 'SubFmlyCd') ?? ''
  const proprietary = textOf(code, 'Prtry', 'Cd') ?? ''
  const isDuty = TAXES.test(subFamily) || PROPRIETARY_DUTIES.test(proprietary)
  const isFee = isDuty || FEES.test(subFamily) || PROPRIETARY_FEES.test(proprietary)
  if (SWEEPS.test(subFamily)) return 'sweep'
  if (RETURNS.test(subFamily)) return 'return'
  // The bank, and not a payer, writes the words of a charge and of an entry that is no transfer.
  const isWrittenByBank = isFee || !isTransfer(details)
  const beginsWithLevy = beginsWithStampDuty(line.narration)
  // Only words of the bank may decide the kind, never words of a payer.
  const narration = beginsWithLevy
    ? line.narration
    : bankText || (isWrittenByBank ? line.narration : null)
  const kindByWords = kindOf({ ...line, narration })
  if (isFee && (!isCredit || isReversal)) {
    if (kindByWords === 'vat' || kindByWords === 'stamp_duty') return kindByWords
    return isDuty ? 'stamp_duty' : 'fee'
  }
  if (beginsWithLevy && kindByWords === 'stamp_duty' && !child(details, 'RltdPties'))
    return kindByWords
  // The code of the entry does not apply to a part in the opposite direction, such as a charge among credits.
  const isCoded = child(details, 'BkTxCd') !== undefined || isInEntryDirection(entry, isCredit)
  const transferCode = isCoded ? (textOf(family, 'Cd') ?? '') : ''
  if (SENT.test(transferCode) && !isCredit && !isReversal) {
    return kindByWords === 'sweep' || kindByWords === 'return' ? kindByWords : 'payout'
  }
  const isCharge = kindByWords === 'fee' || kindByWords === 'vat' || kindByWords === 'stamp_duty'
  const isCodedTransfer = SENT.test(transferCode) || RECEIVED.test(transferCode)
  // A line that the bank codes as a transfer stays one, even if its words look like those of a charge.
  return isCharge && isCodedTransfer ? (isCredit ? 'credit' : 'other') : kindByWords
}

// Returns whether the details are of a transfer: they have an end-to-end id or parties. The sender of a
// transfer wrote its narration.
function isTransfer(details: XmlElement | undefined): boolean {
  const endToEndId = cleanReference(textOf(details, 'Refs', 'EndToEndId'))
  return endToEndId !== null || child(details, 'RltdPties') !== undefined
}

// Returns whether a part goes in the direction of its entry.
function isInEntryDirection(entry: XmlElement, isCredit: boolean): boolean {
  return (textOf(entry, 'CdtDbtInd') === 'CRDT') === isCredit
}

// Reads the day of an element such as BookgDt: its Dt, or the day in West Africa of its DtTm. Returns
// undefined if the element has neither, or no valid day.
function dayIn(element: XmlElement | undefined, name: string): string | undefined {
  const choice = child(element, name)
  return dayOfText(textOf(choice, 'Dt')) ?? dayOfText(textOf(choice, 'DtTm'))
}

// Returns the day of a date or time; undefined if the text is neither.
export function dayOfText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  // A date may have an offset, which does not change the day.
  const dateOnly = dayAlone(text)
  if (dateOnly) return dateOnly.slice(0, 10)
  const time = parseBankTime(text)
  return time && watDay(time)
}

// The values of an entry that all its lines share.
type BookedEntry = {
  entry: XmlElement
  line: number
  amountKobo: Kobo
  currency: string
  bookedOn: string
  valueOn: string | null
  isReversal: boolean
  ownAccount: string | null // The account of the statement.
}

// Reads one entry. Throws a problem that names the line of the file if the entry is unclear.
export function readEntry(
  entry: XmlElement,
  { line, ownAccount }: { line: number; ownAccount: string | null },
): StatementLine[] {
  if (!isBooked(entry, line)) return []
  const amount = readAmount(entry, line)
  if (amount.amountKobo === 0n) return []
  const bookedOn = dayIn(entry, 'BookgDt') ?? dayIn(entry, 'ValDt')
  if (bookedOn === undefined) throw new StatementProblem(line, 'The entry has no booking date.')
  const booked: BookedEntry = {
    entry,
    line,
    ...amount,
    bookedOn,
    valueOn: dayIn(entry, 'ValDt') ?? null,
    isReversal: /^(?:true|1)$/.test(textOf(entry, 'RvslInd') ?? ''),
    ownAccount,
  }
  const details = children(entry, 'NtryDtls').flatMap((holder) => children(holder, 'TxDtls'))
  const parts = details.length > 1 ? partsOf(booked, details) : undefined
  if (!parts) {
    const onlyDetails = details.length === 1 ? details[0] : undefined
    return [lineOf(booked, onlyDetails, { amountKobo: booked.amountKobo, isAlone: true })]
  }
  return parts.flatMap((amountKobo, index) =>
    amountKobo === 0n ? [] : [lineOf(booked, details[index], { amountKobo, isAlone: false })],
  )
}

// Returns whether the entry is booked and not only pending. Sts is text up to version 07, and has a Cd from
// version 08 on.
function isBooked(entry: XmlElement, line: number): boolean {
  const status = textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts')
  if (!status) throw new StatementProblem(line, 'The entry has no status.')
  return status === 'BOOK'
}

// Returns the signed amount of an entry: negative for a debit.
function readAmount(entry: XmlElement, line: number): { amountKobo: Kobo; currency: string } {
  const money = moneyOf(entry)
  const amount = parseKobo(money?.amount ?? '')
  if (amount === undefined || !/^[A-Z]{3}$/.test(money?.currency ?? '')) {
    const quoted = JSON.stringify((money?.amount ?? '').slice(0, 40))
    throw new StatementProblem(line, `The amount ${quoted} of the entry cannot be read.`)
  }
  const direction = textOf(entry, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT') {
    throw new StatementProblem(line, 'The entry says neither debit nor credit.')
  }
  const amountKobo = direction === 'DBIT' ? kobo(-amount) : amount
  return { amountKobo, currency: money?.currency as string }
}

// Returns the signed amounts of the details; undefined if they do not sum to the entry.
function partsOf(booked: BookedEntry, details: readonly XmlElement[]): Kobo[] | undefined {
  const direction = textOf(booked.entry, 'CdtDbtInd')
  const parts = details.map((detail) => {
    const money = moneyOf(detail) ?? moneyOf(child(detail, 'AmtDtls', 'TxAmt'))
    const amount = money?.currency === booked.currency ? parseKobo(money.amount) : undefined
    const isDebit = (textOf(detail, 'CdtDbtInd') ?? direction) === 'DBIT'
    return amount === undefined ? undefined : kobo(isDebit ? -amount : amount)
  })
  if (!parts.every((part) => part !== undefined)) return undefined
  const sum = parts.reduce((total, part) => total + part, 0n)
  return sum === booked.amountKobo ? parts : undefined
}

// Builds a line from the entry and, if it has any, its details. `isAlone`: the entry has only this line.
function lineOf(
  booked: BookedEntry,
  details: XmlElement | undefined,
  { amountKobo, isAlone }: { amountKobo: Kobo; isAlone: boolean },
): StatementLine {
  const { entry, isReversal, ownAccount } = booked
  const references = referencesOf(booked, details, isAlone)
  const bankText = textOf(details, 'AddtlTxInf') || textOf(entry, 'AddtlNtryInf')
  const text = (details && narrationOf(details)) || bankText
  const narration = cleanText(text, NARRATION_MAX)
  const isCredit = amountKobo > 0n
  const creditedAccount = accountOf(child(details, 'RltdPties', 'CdtrAcct')) ?? null
  // The number that the payer sent to. The account of the statement itself is no such number.
  const account =
    isCredit && creditedAccount !== ownAccount ? cleanReference(creditedAccount ?? undefined) : null
  return {
    lineNo: booked.line,
    bookedOn: booked.bookedOn,
    valueOn: booked.valueOn,
    amountKobo,
    currency: booked.currency,
    isReversal,
    kind: codedKind(entry, details, { isCredit, isReversal, bankText, narration }),
    ...references,
    sessionId: references.sessionId ?? findSessionId(narration, bankText),
    accountNumber: account ?? (isCredit ? findAccountNumber(narration) : null),
    // A reversal names the parties in their roles in the transfer that it takes back. So the other party of a
    // reversed credit is its debtor, although the line is a debit.
    counterparty: partyOf(details, isCredit !== isReversal ? 'Dbtr' : 'Cdtr'),
    narration,
  }
}

// Returns the references of a line. References of the entry belong to a line only if the entry has no other
// line.
function referencesOf({ entry }: BookedEntry, details: XmlElement | undefined, isAlone: boolean) {
  const refs = child(details, 'Refs')
  const lineReference = (name: string) => cleanReference(textOf(refs, name))
  const entryReference = (name: string) => (isAlone ? cleanReference(textOf(entry, name)) : null)
  const bankReference =
    lineReference('AcctSvcrRef') ?? entryReference('AcctSvcrRef') ?? lineReference('ClrSysRef')
  const references = [
    bankReference,
    ...['TxId', 'ClrSysRef', 'InstrId', 'EndToEndId', 'PmtInfId', 'MsgId'].map(lineReference),
    entryReference('NtryRef'),
  ]
  return {
    bankReference: bankReference ?? lineReference('TxId'),
    endToEndId: lineReference('EndToEndId'),
    sessionId:
      references.find((reference) => reference !== null && isNipSessionId(reference)) ?? null,
  }
}

// Returns the other party of a transfer: its name, account and bank.
function partyOf(details: XmlElement | undefined, role: 'Dbtr' | 'Cdtr') {
  const parties = child(details, 'RltdPties')
  const id = child(parties, `${role}Acct`, 'Id')
  const agent = child(details, 'RltdAgts', `${role}Agt`, 'FinInstnId')
  return {
    // Version 08 put a level between the party and its name; version 03 renamed BIC.
    name: cleanText(
      textOf(parties, role, 'Nm') ?? textOf(parties, role, 'Pty', 'Nm'),
      REFERENCE_MAX,
    ),
    account: cleanReference(textOf(id, 'Othr', 'Id') ?? textOf(id, 'IBAN')),
    bank: cleanReference(
      textOf(agent, 'ClrSysMmbId', 'MmbId') ?? textOf(agent, 'BICFI') ?? textOf(agent, 'BIC'),
    ),
  }
}

// A camt.053 statement has an opening balance (OPBD, else PRCD) and a closing balance (CLBD). Pages may begin
// and end with interim balances (ITBD, or subtype INTM).

export type Camt053Balance = {
  type: string
  isInterim: boolean
  amountKobo: Kobo
  currency: string
  day: string | null
  line: number
}

// Reads a balance. Returns undefined if the balance is not about booked entries: available, forward or
// information.
export function readBalance(element: XmlElement, line: number): Camt053Balance | undefined {
  const type = textOf(element, 'Tp', 'CdOrPrtry', 'Cd') ?? ''
  if (!/^(?:OPBD|PRCD|CLBD|ITBD)$/.test(type)) return undefined
  const money = moneyOf(element)
  const amount = parseKobo(money?.amount ?? '')
  const direction = textOf(element, 'CdtDbtInd')
  if (amount === undefined || !money?.currency || !/^(?:CRDT|DBIT)$/.test(direction ?? '')) {
    throw new StatementProblem(line, `The balance ${type} cannot be read.`)
  }
  return {
    type,
    isInterim: type === 'ITBD' || textOf(element, 'Tp', 'SubTp', 'Cd') === 'INTM',
    amountKobo: direction === 'DBIT' ? kobo(-amount) : amount,
    currency: money.currency,
    day: dayIn(element, 'Dt') ?? null,
    line,
  }
}

// Returns the opening balance of a statement or page: opening booked (OPBD), else previously closed booked
// (PRCD), else the first interim booked (ITBD).
export function openingOf(
  balances: readonly Camt053Balance[],
  currency: string | undefined,
): Camt053Balance | undefined {
  const candidates = ofCurrency(balances, currency)
  return (
    requireUnambiguous(candidates, 'OPBD') ??
    requireUnambiguous(candidates, 'PRCD') ??
    candidates.find(({ type }) => type === 'ITBD')
  )
}

// Returns the closing balance of a statement or page: closing booked (CLBD), else the last interim booked
// (ITBD). An interim balance counts only if another balance opens the statement.
export function closingOf(
  balances: readonly Camt053Balance[],
  currency: string | undefined,
): Camt053Balance | undefined {
  const candidates = ofCurrency(balances, currency)
  const closing = requireUnambiguous(candidates, 'CLBD')
  if (closing) return closing
  const interim = candidates.filter(({ type }) => type === 'ITBD')
  const hasOpening = candidates.some(({ type }) => type === 'OPBD' || type === 'PRCD')
  return hasOpening || interim.length > 1 ? interim.at(-1) : undefined
}

function ofCurrency(balances: readonly Camt053Balance[], currency: string | undefined) {
  return balances.filter((balance) => currency === undefined || balance.currency === currency)
}

// Returns the one balance of this type. Prefers the balance of the statement to that of a page. If a balance
// occurs twice with different amounts, it is ambiguous, so the file is refused.
function requireUnambiguous(
  balances: readonly Camt053Balance[],
  type: string,
): Camt053Balance | undefined {
  const candidates = balances.filter((balance) => balance.type === type)
  const statementBalances = candidates.filter(({ isInterim }) => !isInterim)
  const [first, ...repeats] = statementBalances.length > 0 ? statementBalances : candidates
  const contradiction = repeats.find(({ amountKobo }) => amountKobo !== first?.amountKobo)
  if (!first || !contradiction) return first
  const amounts = `${formatKobo(first.amountKobo)} and ${formatKobo(contradiction.amountKobo)}`
  throw new StatementProblem(contradiction.line, `The balance ${type} is given as ${amounts}.`)
}
