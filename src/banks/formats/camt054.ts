// ISO 20022 camt.054 (bank to customer debit/credit notification), versions 02 to 08.
//
// One credit a TxDtls, or one an Ntry that has none. Our number is the transaction's CdtrAcct, else
// the notification's Acct. What we book from an entry never adds up to more than the bank booked.
// Acknowledged like our own JSON, always as an array, in the order of the document.

import { isNipSessionId } from '#banks/session-id.ts'
import { parseKobo } from '#money.ts'
import { type CreditFields, checkCredit, keptRejection, rejection } from './credit-fields.ts'
import { type BankFormat, CREDITS_MAX, mediaType, type Parsed, type ParsedItem } from './format.ts'
import { acknowledge } from './json.ts'
import { child, children, readXml, textOf, type XmlElement } from './xml.ts'

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.054\.001\.0[2-8]$/
const MEDIA_TYPES = new Set(['application/xml', 'text/xml'])
const NO_DETAILS: XmlElement = { name: 'TxDtls', attributes: new Map(), children: [], text: '' }

export const camt054Format: BankFormat = {
  name: 'camt054',
  accepts: (contentType) => MEDIA_TYPES.has(mediaType(contentType)),
  parse,
  acknowledge: (acknowledgements) => acknowledge(acknowledgements, true),
}

function parse(rawBody: Buffer): Parsed {
  const document = readXml(rawBody)
  if ('malformed' in document) return document
  const { root, namespace } = document
  const message = child(root, 'BkToCstmrDbtCdtNtfctn')
  if (root.name !== 'Document' || !NAMESPACE.test(namespace) || !message) {
    return { malformed: 'The XML is not a camt.054 notification of version 02 to 08.' }
  }
  const items: ParsedItem[] = []
  for (const notification of children(message, 'Ntfctn')) {
    const account = textOf(notification, 'Acct', 'Id', 'Othr', 'Id')
    for (const entry of children(notification, 'Ntry')) {
      for (const item of readEntry(entry, account)) items.push(item)
    }
  }
  if (items.length === 0 || items.length > CREDITS_MAX) {
    return { malformed: 'The notification must hold 1 to 1000 credits.' }
  }
  return { items, batch: true }
}

// Read once an entry, not once a transaction: an entry may have 1,000 of them.
type Entry = {
  isCredit: boolean
  isBooked: boolean
  amount: string | undefined
  currency: string | undefined
  time: string | undefined
  references: readonly (string | undefined)[]
  account: string | undefined
}

function readEntry(element: XmlElement, account: string | undefined): ParsedItem[] {
  const given = children(element, 'NtryDtls').flatMap((details) => children(details, 'TxDtls'))
  const transactions = given.length > 0 ? given : [NO_DETAILS]
  const alone = transactions.length === 1
  const amount = child(element, 'Amt')
  const entry: Entry = {
    isCredit: isCredit(element),
    isBooked: isBooked(element),
    amount: amount?.text.trim(),
    currency: amount?.attributes.get('Ccy'),
    time: dateOf(child(element, 'BookgDt')) ?? dateOf(child(element, 'ValDt')),
    // They name all its transactions together, so they serve only one alone.
    references: alone ? [textOf(element, 'AcctSvcrRef'), textOf(element, 'NtryRef')] : [],
    account,
  }
  const amounts = transactions.map(
    (transaction) => ownAmount(entry, transaction) ?? (alone ? entry.amount : undefined),
  )
  const addsUp = partsAddUp(entry.amount, amounts)
  return transactions.map((transaction, at) => {
    const sessionId = sessionIdOf(entry, transaction)
    if (!entry.isCredit || !isCredit(transaction, 'CRDT')) {
      return rejection('not_a_credit', sessionId)
    }
    if (!entry.isBooked) return rejection('not_booked', sessionId)
    const fields = fieldsOf(entry, transaction, sessionId, amounts[at])
    return addsUp ? checkCredit(fields) : keptRejection('amount_mismatch', sessionId, fields)
  })
}

function fieldsOf(
  entry: Entry,
  transaction: XmlElement,
  sessionId: string | undefined,
  amount: string | undefined,
): CreditFields {
  const parties = child(transaction, 'RltdPties')
  const payer = child(parties, 'DbtrAcct', 'Id')
  const agent = child(transaction, 'RltdAgts', 'DbtrAgt', 'FinInstnId')
  const remittance = child(transaction, 'RmtInf')
  return {
    sessionId,
    accountNumber: textOf(parties, 'CdtrAcct', 'Id', 'Othr', 'Id') ?? entry.account,
    amount,
    // Mandatory here: an amount without its currency is not read as naira.
    currency: entry.currency ?? '',
    sourceAccountNumber: textOf(payer, 'Othr', 'Id') ?? textOf(payer, 'IBAN'),
    // Version 08 put a level between the debtor and its name.
    sourceAccountName: textOf(parties, 'Dbtr', 'Nm') ?? textOf(parties, 'Dbtr', 'Pty', 'Nm'),
    sourceBankCode: textOf(agent, 'ClrSysMmbId', 'MmbId'),
    narration:
      remittance &&
      children(remittance, 'Ustrd')
        .map((line) => line.text)
        .join(' '),
    transactionTime: entry.time,
  }
}

function sessionIdOf(entry: Entry, transaction: XmlElement): string | undefined {
  const references = child(transaction, 'Refs')
  const own = ['EndToEndId', 'InstrId', 'AcctSvcrRef'].map((name) => textOf(references, name))
  const present = [...own, ...entry.references].filter((reference) => reference !== undefined)
  // The payer chooses the first two as he likes, and twice the same; NtryRef counts within its
  // document. Of other shapes than NIP's, only the bank's own AcctSvcrRef is an identity.
  return present.find(isNipSessionId) ?? own[2] ?? entry.references[0]
}

// Counts when it is in the currency of the account: what was instructed in another currency is not
// what was booked.
function ownAmount(entry: Entry, transaction: XmlElement): string | undefined {
  const own = child(transaction, 'Amt') ?? child(transaction, 'AmtDtls', 'TxAmt', 'Amt')
  return own?.attributes.get('Ccy') === entry.currency ? own?.text.trim() : undefined
}

// An amount that cannot be read is rejected by itself; its neighbours stand if they fit.
function partsAddUp(booked: string | undefined, parts: readonly (string | undefined)[]): boolean {
  const bookedKobo = parseKobo(booked ?? '')
  const known = parts.map((part) => parseKobo(part ?? '')).filter((kobo) => kobo !== undefined)
  const sumKobo = known.reduce((sum, kobo) => sum + kobo, 0n)
  if (bookedKobo === undefined) return known.length === 0
  return known.length === parts.length ? sumKobo === bookedKobo : sumKobo <= bookedKobo
}

// CRDT with RvslInd is a debit taken back: money in, but nobody's payment.
function isCredit(element: XmlElement, absent?: string): boolean {
  const isReversal = children(element, 'RvslInd').some(
    ({ text }) => !/^\s*(?:false|0)\s*$/.test(text),
  )
  return (textOf(element, 'CdtDbtInd') ?? absent) === 'CRDT' && !isReversal
}

// Text up to version 07, a code of its own from 08.
function isBooked(entry: XmlElement): boolean {
  return textOf(entry, 'Sts', 'Cd') === 'BOOK' || textOf(entry, 'Sts') === 'BOOK'
}

function dateOf(element: XmlElement | undefined): string | undefined {
  return textOf(element, 'DtTm') ?? textOf(element, 'Dt')
}
