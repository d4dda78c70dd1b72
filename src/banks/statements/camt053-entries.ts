// One entry of camt.053 becomes lines: one a TxDtls when their amounts make up the entry, else one
// for the entry. Entries that are not booked, and those of zero, become none.

import { moneyOf } from '#banks/iso20022/camt054/amounts.ts'
import { accountOf, narrationOf } from '#banks/iso20022/camt054/parties.ts'
import { child, children, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { isNipSessionId } from '#banks/session-id.ts'
import { type Kobo, kobo, parseKobo } from '#money.ts'
import { dayIn } from './camt053-dates.ts'
import { codedKind } from './camt053-kinds.ts'
import {
  cleanReference,
  cleanText,
  findAccountNumber,
  findSessionId,
  NARRATION_MAX,
  REFERENCE_MAX,
} from './line-texts.ts'
import { type StatementLine, StatementProblem } from './statement.ts'

// Of the whole entry.
type Booked = {
  entry: XmlElement
  line: number
  amountKobo: Kobo
  currency: string
  bookedOn: string
  valueOn: string | null
  isReversal: boolean
  ownAccount: string | null // The statement's.
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

// Text up to version 07, a code of its own from 08.
function isBooked(entry: XmlElement, line: number): boolean {
  const status = textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts')
  if (!status) throw new StatementProblem(line, 'The entry has no status.')
  return status === 'BOOK'
}

function readAmount(entry: XmlElement, line: number): { amountKobo: Kobo; currency: string } {
  const money = moneyOf(entry)
  const amount = parseKobo(money?.amount ?? '')
  if (amount === undefined || !/^[A-Z]{3}$/.test(money?.currency ?? '')) {
    const given = JSON.stringify((money?.amount ?? '').slice(0, 40))
    throw new StatementProblem(line, `The amount ${given} of the entry cannot be read.`)
  }
  const direction = textOf(entry, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT') {
    throw new StatementProblem(line, 'The entry says neither debit nor credit.')
  }
  const amountKobo = direction === 'DBIT' ? kobo(-amount) : amount
  return { amountKobo, currency: money?.currency as string }
}

// The amounts of its details, signed; undefined when they do not make up the entry.
function partsOf(booked: Booked, details: readonly XmlElement[]): Kobo[] | undefined {
  const direction = textOf(booked.entry, 'CdtDbtInd')
  const parts = details.map((each) => {
    const own = moneyOf(each) ?? moneyOf(child(each, 'AmtDtls', 'TxAmt'))
    const amount = own?.currency === booked.currency ? parseKobo(own.amount) : undefined
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
  const said = (details && narrationOf(details)) || bankText
  const narration = cleanText(said, NARRATION_MAX)
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
    // What takes a transfer back names its parties as the transfer did.
    counterparty: partyOf(details, isCredit !== isReversal ? 'Dbtr' : 'Cdtr'),
    narration,
  }
}

// What stands at the entry names one transaction only where it is alone there.
function referencesOf({ entry }: Booked, details: XmlElement | undefined, isAlone: boolean) {
  const refs = child(details, 'Refs')
  const of = (name: string) => cleanReference(textOf(refs, name))
  const ofEntry = (name: string) => (isAlone ? cleanReference(textOf(entry, name)) : null)
  const bankReference = of('AcctSvcrRef') ?? ofEntry('AcctSvcrRef') ?? of('ClrSysRef')
  const all = [
    bankReference,
    ...['TxId', 'ClrSysRef', 'InstrId', 'EndToEndId', 'PmtInfId', 'MsgId'].map(of),
    ofEntry('NtryRef'),
  ]
  return {
    bankReference: bankReference ?? of('TxId'),
    endToEndId: of('EndToEndId'),
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
