// Converts an entry of camt.053 to lines: one line for each TxDtls if their amounts sum to the entry,
// otherwise one line for the entry. Skips entries that are not booked or have the amount zero. Also reads
// balances.

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

type Line = {
  isCredit: boolean
  isReversal: boolean
  bankText: string | undefined
  narration: string | null // The payer's remittance, or else the bank's text.
}

function codedKind(entry: XmlElement, details: XmlElement | undefined, line: Line): LineKind {
  const { isCredit, isReversal, bankText } = line
  const code = child(details, 'BkTxCd') ?? child(entry, 'BkTxCd')
  const family = child(code, 'Domn', 'Fmly')
  const sub = textOf(family, 'SubFmlyCd') ?? ''
  const proprietary = textOf(code, 'Prtry', 'Cd') ?? ''
  const isDuty = TAXES.test(sub) || PROPRIETARY_DUTIES.test(proprietary)
  const isFee = isDuty || FEES.test(sub) || PROPRIETARY_FEES.test(proprietary)
  if (SWEEPS.test(sub)) return 'sweep'
  if (RETURNS.test(sub)) return 'return'
  // The bank, and not a payer, writes the words of a charge and of an entry that is no transfer.
  const isBanks = isFee || !isTransfer(details)
  const isLevy = beginsWithStampDuty(line.narration)
  const narration = isLevy ? line.narration : bankText || (isBanks ? line.narration : null)
  const worded = kindOf({ ...line, narration })
  if (isFee && (!isCredit || isReversal)) {
    if (worded === 'vat' || worded === 'stamp_duty') return worded
    return isDuty ? 'stamp_duty' : 'fee'
  }
  if (isLevy && worded === 'stamp_duty' && !child(details, 'RltdPties')) return worded
  // The code of the entry does not apply to a part in the opposite direction, such as a charge among credits.
  const isCoded = child(details, 'BkTxCd') !== undefined || isAlong(entry, isCredit)
  const transfer = isCoded ? (textOf(family, 'Cd') ?? '') : ''
  if (SENT.test(transfer) && !isCredit && !isReversal) {
    return worded === 'sweep' || worded === 'return' ? worded : 'payout'
  }
  const isCharge = worded === 'fee' || worded === 'vat' || worded === 'stamp_duty'
  const isCodedTransfer = SENT.test(transfer) || RECEIVED.test(transfer)
  return isCharge && isCodedTransfer ? (isCredit ? 'credit' : 'other') : worded
}

// Returns whether the details are of a transfer: they have an end-to-end id or parties. The sender of a
// transfer wrote its narration.
function isTransfer(details: XmlElement | undefined): boolean {
  const endToEndId = cleanReference(textOf(details, 'Refs', 'EndToEndId'))
  return endToEndId !== null || child(details, 'RltdPties') !== undefined
}

function isAlong(entry: XmlElement, isCredit: boolean): boolean {
  return (textOf(entry, 'CdtDbtInd') === 'CRDT') === isCredit
}

// Reads the day of an element such as BookgDt: its Dt, or the day in West Africa of its DtTm. Returns
// undefined if the element has neither, or no valid day.
function dayIn(element: XmlElement | undefined, name: string): string | undefined {
  const choice = child(element, name)
  return dayOfText(textOf(choice, 'Dt')) ?? dayOfText(textOf(choice, 'DtTm'))
}

export function dayOfText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  // A date may have an offset, which does not change the day.
  const alone = dayAlone(text)
  if (alone) return alone.slice(0, 10)
  const time = parseBankTime(text)
  return time && watDay(time)
}

type Booked = {
  entry: XmlElement
  line: number
  amountKobo: Kobo
  currency: string
  bookedOn: string
  valueOn: string | null
  isReversal: boolean
  ownAccount: string | null // The account of the statement.
}

export function readEntry(
  entry: XmlElement,
  { line, ownAccount }: { line: number; ownAccount: string | null },
): StatementLine[] {
  if (!isBooked(entry, line)) return []
  const amount = readAmount(entry, line)
  if (amount.amountKobo === 0n) return []
  const bookedOn = dayIn(entry, 'BookgDt') ?? dayIn(entry, 'ValDt')
  if (bookedOn === undefined) throw new StatementProblem(line, 'The entry has no booking date.')
  const booked: Booked = {
    entry,
    line,
    ...amount,
    bookedOn,
    valueOn: dayIn(entry, 'ValDt') ?? null,
    isReversal: /^(?:true|1)$/.test(textOf(entry, 'RvslInd') ?? ''),
    ownAccount,
  }
  const details = children(entry, 'NtryDtls').flatMap((each) => children(each, 'TxDtls'))
  const parts = details.length > 1 ? partsOf(booked, details) : undefined
  if (!parts) {
    const only = details.length === 1 ? details[0] : undefined
    return [lineOf(booked, only, { amountKobo: booked.amountKobo, isAlone: true })]
  }
  return parts.flatMap((amountKobo, at) =>
    amountKobo === 0n ? [] : [lineOf(booked, details[at], { amountKobo, isAlone: false })],
  )
}

// Sts is text up to version 07, and has a Cd from version 08 on.
function isBooked(entry: XmlElement, line: number): boolean {
  const status = textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts')
  if (!status) throw new StatementProblem(line, 'The entry has no status.')
  return status === 'BOOK'
}

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
function partsOf(booked: Booked, details: readonly XmlElement[]): Kobo[] | undefined {
  const direction = textOf(booked.entry, 'CdtDbtInd')
  const parts = details.map((each) => {
    const money = moneyOf(each) ?? moneyOf(child(each, 'AmtDtls', 'TxAmt'))
    const amount = money?.currency === booked.currency ? parseKobo(money.amount) : undefined
    const isDebit = (textOf(each, 'CdtDbtInd') ?? direction) === 'DBIT'
    return amount === undefined ? undefined : kobo(isDebit ? -amount : amount)
  })
  if (!parts.every((part) => part !== undefined)) return undefined
  const sum = parts.reduce((total, part) => total + part, 0n)
  return sum === booked.amountKobo ? parts : undefined
}

function lineOf(
  booked: Booked,
  details: XmlElement | undefined,
  { amountKobo, isAlone }: { amountKobo: Kobo; isAlone: boolean },
): StatementLine {
  const { entry, isReversal, ownAccount } = booked
  const references = referencesOf(booked, details, isAlone)
  const bankText = textOf(details, 'AddtlTxInf') || textOf(entry, 'AddtlNtryInf')
  const text = (details && narrationOf(details)) || bankText
  const narration = cleanText(text, NARRATION_MAX)
  const isCredit = amountKobo > 0n
  const sentTo = accountOf(child(details, 'RltdPties', 'CdtrAcct')) ?? null
  const account = isCredit && sentTo !== ownAccount ? cleanReference(sentTo ?? undefined) : null
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
    // A reversal names the parties of the transfer that it takes back, in the same roles.
    counterparty: partyOf(details, isCredit !== isReversal ? 'Dbtr' : 'Cdtr'),
    narration,
  }
}

// References of the entry belong to a line only if the entry has no other line.
function referencesOf({ entry }: Booked, details: XmlElement | undefined, isAlone: boolean) {
  const refs = child(details, 'Refs')
  const ofLine = (name: string) => cleanReference(textOf(refs, name))
  const ofEntry = (name: string) => (isAlone ? cleanReference(textOf(entry, name)) : null)
  const bankReference = ofLine('AcctSvcrRef') ?? ofEntry('AcctSvcrRef') ?? ofLine('ClrSysRef')
  const all = [
    bankReference,
    ...['TxId', 'ClrSysRef', 'InstrId', 'EndToEndId', 'PmtInfId', 'MsgId'].map(ofLine),
    ofEntry('NtryRef'),
  ]
  return {
    bankReference: bankReference ?? ofLine('TxId'),
    endToEndId: ofLine('EndToEndId'),
    sessionId: all.find((each) => each !== null && isNipSessionId(each)) ?? null,
  }
}

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

// The balances of a camt.053 statement: opening (OPBD, else PRCD) and closing (CLBD), and the interim
// balances (ITBD, or subtype INTM) at the start and end of pages.

export type Camt053Balance = {
  type: string
  isInterim: boolean
  amountKobo: Kobo
  currency: string
  day: string | null
  line: number
}

// Returns undefined for balances that are not about booked entries: available, forward, information.
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

export function openingOf(
  balances: readonly Camt053Balance[],
  currency: string | undefined,
): Camt053Balance | undefined {
  const all = ofCurrency(balances, currency)
  return only(all, 'OPBD') ?? only(all, 'PRCD') ?? all.find(({ type }) => type === 'ITBD')
}

export function closingOf(
  balances: readonly Camt053Balance[],
  currency: string | undefined,
): Camt053Balance | undefined {
  const all = ofCurrency(balances, currency)
  const closing = only(all, 'CLBD')
  if (closing) return closing
  const interim = all.filter(({ type }) => type === 'ITBD')
  const hasOpening = all.some(({ type }) => type === 'OPBD' || type === 'PRCD')
  return hasOpening || interim.length > 1 ? interim.at(-1) : undefined
}

function ofCurrency(balances: readonly Camt053Balance[], currency: string | undefined) {
  return balances.filter((balance) => currency === undefined || balance.currency === currency)
}

// Prefers the balance of the statement to that of a page. If a balance occurs twice with different amounts,
// it is ambiguous, so the file is refused.
function only(balances: readonly Camt053Balance[], type: string): Camt053Balance | undefined {
  const candidates = balances.filter((balance) => balance.type === type)
  const ofStatement = candidates.filter(({ isInterim }) => !isInterim)
  const [first, ...others] = ofStatement.length > 0 ? ofStatement : candidates
  const other = others.find(({ amountKobo }) => amountKobo !== first?.amountKobo)
  if (!first || !other) return first
  const amounts = `${formatKobo(first.amountKobo)} and ${formatKobo(other.amountKobo)}`
  throw new StatementProblem(other.line, `The balance ${type} is given as ${amounts}.`)
}
