// One entry of camt.054 becomes credits, reversals or rejections: one item a TxDtls, or one for the
// entry itself when it has none.
//
//   CRDT              credits, when booked and when the parts, less charges, make up the entry
//   DBIT and RvslInd  a credit that the bank takes back
//   anything else     not a credit. CRDT and RvslInd is a debit taken back: nobody's payment.

import { type CreditFields, checkCredit, keptRejection, rejection } from '#banks/credit-fields.ts'
import { child, children, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import { AMOUNT_MAX_KOBO, kobo, koboOf, parseKobo } from '#money.ts'
import { type Money, moneyOf, type Part, sumUp } from './amounts.ts'
import { shareCharges } from './charges.ts'
import { accountOf, narrationOf, payerOf, timeOf } from './parties.ts'
import { type Identity, identifyEntry } from './references.ts'

type Place = { account: string | undefined; messageId: string | undefined; position: string }
type Kind = 'credit' | 'reversal' | 'other'

export function readEntry(entry: XmlElement, place: Place): ParsedItem[] {
  // Version 01 had no NtryDtls between them.
  const holders = [entry, ...children(entry, 'NtryDtls')]
  const given = holders.flatMap((holder) => children(holder, 'TxDtls'))
  const transactions = given.length > 0 ? given : [withoutDetails(entry)]
  const booked = moneyOf(entry)
  const parts = transactions.map((transaction): Part => {
    const isAlone = transactions.length === 1
    const own = statedMoney(booked, transactions, transaction) ?? (isAlone ? booked : undefined)
    return { amount: own?.amount, isOpposite: isOpposite(entry, transaction) }
  })
  const kind = kindOf(entry)
  const shares = kind === 'credit' ? shareCharges(entry, transactions, parts) : undefined
  const refusal = whyNot({ entry, transactions, booked, parts, isShared: shares !== undefined })
  return identifyEntry(entry, transactions, place).map((identity, at) => {
    const transaction = transactions[at] as XmlElement
    const part = parts[at] as Part
    const fields: CreditFields = {
      ...identity.named,
      accountNumber: accountOf(child(transaction, 'RltdPties', 'CdtrAcct')) ?? place.account,
      amount: part.amount,
      // Mandatory here: an amount without its currency is not read as naira.
      currency: booked?.currency ?? '',
      ...payerOf(transaction),
      narration: narrationOf(transaction),
      transactionTime: timeOf(entry, transaction),
    }
    if (shares?.[at]) fields.charges = shares[at]
    const kept = { ...fields, amount: part.amount ?? booked?.amount }
    if (kind === 'other' || part.isOpposite || children(transaction, 'RvslInd').length > 0) {
      const isDebit = textOf(entry, 'CdtDbtInd') === 'DBIT' || part.isOpposite
      // Of what is booked and no debit nobody can say that it is no money.
      return isDebit || !isBooked(entry)
        ? rejection('not_a_credit', identity.id)
        : keptRejection('not_a_credit', identity.id, kept)
    }
    if (refusal === 'not_booked') return rejection(refusal, identity.id)
    if (refusal) return keptRejection(refusal, identity.id, kept)
    if (part.amount === undefined) return keptRejection('invalid_amount', identity.id, kept)
    return kind === 'reversal' ? readReversal(fields, identity) : checkCredit(fields)
  })
}

// Why nothing of the entry can be taken.
function whyNot({
  entry,
  transactions,
  booked,
  parts,
  isShared,
}: {
  entry: XmlElement
  transactions: readonly XmlElement[]
  booked: Money | undefined
  parts: readonly Part[]
  isShared: boolean // What is missing of the whole are charges, and every credit has its own.
}) {
  if (!isBooked(entry)) return 'not_booked'
  const [first] = transactions as readonly [XmlElement]
  const isSilent = transactions.length === 1 && !statedMoney(booked, transactions, first)
  if (isSilent && countOf(entry) > 1) return 'batch_without_details'
  const isCharged = [entry, ...transactions].some((each) => children(each, 'Chrgs').length > 0)
  const sum = sumUp(booked?.amount, parts, isCharged)
  return sum === 'exact' || (sum === 'net_of_charges' && isShared) ? undefined : sum
}

// Its other references may be those of the credit: what our bank calls the booking comes first.
function readReversal(fields: CreditFields, identity: Identity): ParsedItem {
  const { id, references, servicer, place } = identity
  const amountKobo = koboOf(fields.amount) ?? kobo(0n)
  if (id === undefined) return keptRejection('invalid_session_id', id, fields)
  if (amountKobo <= 0n || amountKobo > AMOUNT_MAX_KOBO) {
    return keptRejection('invalid_amount', id, fields)
  }
  const reversal = {
    sessionId: servicer ?? id,
    ...(servicer !== undefined && servicer !== id && { formerId: id }),
    place,
    originals: [...new Set([id, ...references])],
    accountNumber: typeof fields.accountNumber === 'string' ? fields.accountNumber : undefined,
    amountKobo,
    currency: String(fields.currency).toUpperCase(),
  }
  return { ...rejection('not_a_credit', id), reversal }
}

function withoutDetails({ namespace }: XmlElement): XmlElement {
  return { name: 'TxDtls', namespace, attributes: new Map(), children: [], text: '' }
}

function kindOf(entry: XmlElement): Kind {
  const direction = textOf(entry, 'CdtDbtInd')
  const marks = children(entry, 'RvslInd')
  const isReversal = marks.length > 0 && !/^(?:false|0)$/.test(textOf(entry, 'RvslInd') ?? '')
  if (direction === 'CRDT') return isReversal ? 'other' : 'credit'
  const isSure = /^(?:true|1)$/.test(textOf(entry, 'RvslInd') ?? '')
  return direction === 'DBIT' && isSure ? 'reversal' : 'other'
}

// A debit among the parts of a credit (a fee), or the other way round.
function isOpposite(entry: XmlElement, transaction: XmlElement): boolean {
  if (children(transaction, 'CdtDbtInd').length === 0) return false
  return textOf(transaction, 'CdtDbtInd') !== textOf(entry, 'CdtDbtInd')
}

// Counts when it is in the currency of the account: what was instructed in another currency is not
// what was booked.
function ownMoney(booked: Money | undefined, transaction: XmlElement): Money | undefined {
  const own = moneyOf(transaction) ?? moneyOf(child(transaction, 'AmtDtls', 'TxAmt'))
  return own?.currency === booked?.currency ? own : undefined
}

// Some banks write zero in the details of an entry that holds one transfer: the entry has its amount.
function statedMoney(
  booked: Money | undefined,
  { length }: readonly XmlElement[],
  transaction: XmlElement,
): Money | undefined {
  const own = ownMoney(booked, transaction)
  return length === 1 && own && parseKobo(own.amount) === 0n ? undefined : own
}

// Text up to version 07, a code of its own from 08.
function isBooked(entry: XmlElement): boolean {
  return textOf(entry, 'Sts', 'Cd') === 'BOOK' || textOf(entry, 'Sts') === 'BOOK'
}

// How many transfers the bank says are in it. What cannot be read counts as many.
function countOf(entry: XmlElement): number {
  const batches = [entry, ...children(entry, 'NtryDtls')].flatMap((each) => children(each, 'Btch'))
  return batches.reduce((sum, batch) => {
    const count = textOf(batch, 'NbOfTxs')
    if (count === undefined) return sum + (children(batch, 'NbOfTxs').length > 0 ? 2 : 0)
    return sum + (/^[0-9]{1,15}$/.test(count) ? Number(count) : 2)
  }, 0)
}
