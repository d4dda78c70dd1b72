// ISO 20022 camt.054 (bank to customer debit/credit notification), versions 01 to 13, bare or in an envelope
// with a business application header (BusMsg, DataPDU and the like).
//
// Each TxDtls is one item. An Ntry without TxDtls is one item. An empty notification is legal and is
// acknowledged as an empty list. The acknowledgement is like that of our own JSON, but always an array,
// ordered as the document.

import {
  type ChargeFields,
  type CreditFields,
  checkCredit,
  keptRejection,
  rejection,
} from '#banks/credit-fields.ts'
import { acknowledge } from '#banks/manilla/notifications.ts'
import {
  CREDITS_MAX,
  mediaType,
  type NotificationFormat,
  type Parsed,
  type ParsedItem,
} from '#banks/notifications.ts'
import { AMOUNT_MAX_KOBO, formatKobo, kobo, koboOf, parseKobo } from '#money.ts'
import {
  accountOf,
  type Money,
  moneyOf,
  narrationOf,
  type Part,
  payerOf,
  sumUp,
  timeOf,
} from './elements.ts'
import { type Identity, identifyEntry } from './references.ts'
import {
  child,
  children,
  findDocuments,
  type Iso20022Document,
  readXml,
  textOf,
  type XmlElement,
} from './xml.ts'

// Charges that the bank withheld from an entry are divided among its credits, so that every credit has the
// payer's gross amount and the net amounts sum to the entry.
//
//   withheld = credits − entry
//
// Each credit bears the charges that its own details name. The first credit that is large enough bears the
// charges that the entry names, and any debit among the entry's details. If the named charges do not explain
// the withheld amount to the kobo, nothing is divided, because the nature of the rest is unknown.

type Named = { fee: bigint; vat: bigint }
type Share = Named & { withheld: bigint }

// Returns the charges of each part, with null for a debit. Returns undefined if they cannot be divided.
function shareCharges(
  entry: XmlElement,
  transactions: readonly XmlElement[],
  parts: readonly Part[],
): (ChargeFields | null)[] | undefined {
  const booked = parseKobo(moneyOf(entry)?.amount ?? '')
  const amounts = parts.map(({ amount }) => parseKobo(amount ?? ''))
  if (booked === undefined || amounts.some((amount) => amount === undefined)) return undefined
  const amountOf = (at: number) => amounts[at] as bigint
  const credits = parts.flatMap(({ isOpposite }, at) => (isOpposite ? [] : [at]))
  const debits = parts.reduce(
    (sum, { isOpposite }, at) => (isOpposite ? sum + amountOf(at) : sum),
    0n,
  )
  const withheld = credits.reduce((sum, at) => sum + amountOf(at), 0n) - booked
  const areDebits = transactions.every(
    (each, at) => !parts[at]?.isOpposite || textOf(each, 'CdtDbtInd') === 'DBIT',
  )
  if (withheld <= 0n || !areDebits) return undefined

  const ofParts = transactions.map(namedIn)
  const common = namedIn(entry)
  common.fee += debits
  const shares = explain(withheld, credits, { ofParts, common })
  if (!shares || !placeCommon(shares, common, amountOf)) return undefined
  return parts.map((_, at) => {
    const share = shares.get(at)
    if (!share) return null
    const net = kobo(amountOf(at) - share.withheld)
    return { settled: formatKobo(net), fee: text(share.fee), vat: text(share.vat) }
  })
}

// Returns the share of each credit, without the common charges; undefined if the charges do not explain the
// withheld amount.
function explain(
  withheld: bigint,
  credits: readonly number[],
  { ofParts, common }: { ofParts: readonly Named[]; common: Named },
): Map<number, Share> | undefined {
  const all = [...credits.map((at) => ofParts[at] as Named), common]
  const fees = all.reduce((sum, { fee }) => sum + fee, 0n)
  const vats = all.reduce((sum, { vat }) => sum + vat, 0n)
  // Banks state tax in addition to the charges, or as part of them.
  if (fees + vats !== withheld && fees !== withheld) return undefined
  const isInside = fees + vats !== withheld
  if (isInside) common.vat = 0n
  return new Map(
    credits.map((at) => {
      const { fee, vat } = ofParts[at] as Named
      return [at, { fee, vat, withheld: isInside ? fee : fee + vat }]
    }),
  )
}

function placeCommon(
  shares: Map<number, Share>,
  common: Named,
  amountOf: (at: number) => bigint,
): boolean {
  const more = common.fee + common.vat
  const bearer = [...shares].find(([at, { withheld }]) => withheld + more < amountOf(at))
  if (!bearer) return false
  const [, share] = bearer
  share.fee += common.fee
  share.vat += common.vat
  share.withheld += more
  return [...shares].every(([at, { withheld }]) => withheld < amountOf(at))
}

// Version 04 and later have charges in records; earlier versions have one Chrgs for each charge. Ignores a
// charge that was credited.
function namedIn(element: XmlElement): Named {
  const charges = children(element, 'Chrgs').flatMap((each) => {
    const records = children(each, 'Rcrd')
    return records.length > 0 ? records : [each]
  })
  const named = { fee: 0n, vat: 0n }
  for (const charge of charges) {
    if (textOf(charge, 'CdtDbtInd') === 'CRDT') continue
    named.fee += parseKobo(moneyOf(charge)?.amount ?? '') ?? 0n
    named.vat += parseKobo(moneyOf(child(charge, 'Tax'))?.amount ?? '') ?? 0n
  }
  return named
}

function text(amount: bigint): string {
  return formatKobo(kobo(amount))
}

// One entry of camt.054 becomes credits, reversals or rejections: one item for each TxDtls, or one item for
// the entry itself if it has none.
//
//   CRDT              credits, if the entry is booked and its parts, less charges, sum to the entry
//   DBIT and RvslInd  reversals: the bank takes a credit back
//   anything else     no credit. CRDT and RvslInd means that the bank takes a debit back: no payer paid.

type Place = { account: string | undefined; messageId: string | undefined; position: string }
type Kind = 'credit' | 'reversal' | 'other'

function readEntry(entry: XmlElement, place: Place): ParsedItem[] {
  // In version 01, TxDtls stood directly in the entry, without NtryDtls.
  const holders = [entry, ...children(entry, 'NtryDtls')]
  const details = holders.flatMap((holder) => children(holder, 'TxDtls'))
  const transactions = details.length > 0 ? details : [withoutDetails(entry)]
  const booked = moneyOf(entry)
  const parts = transactions.map((transaction): Part => {
    const isAlone = transactions.length === 1
    const money = statedMoney(booked, transactions, transaction) ?? (isAlone ? booked : undefined)
    return { amount: money?.amount, isOpposite: isOpposite(entry, transaction) }
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
      // The currency is mandatory here: an amount without a currency is not read as naira.
      currency: booked?.currency ?? '',
      ...payerOf(transaction),
      narration: narrationOf(transaction),
      transactionTime: timeOf(entry, transaction),
    }
    if (shares?.[at]) fields.charges = shares[at]
    const storedFields = { ...fields, amount: part.amount ?? booked?.amount }
    if (kind === 'other' || part.isOpposite || children(transaction, 'RvslInd').length > 0) {
      const isDebit = textOf(entry, 'CdtDbtInd') === 'DBIT' || part.isOpposite
      // A booked item that is no debit may be money, so its fields are stored for an operator.
      return isDebit || !isBooked(entry)
        ? rejection('not_a_credit', identity.id)
        : keptRejection('not_a_credit', identity.id, storedFields)
    }
    if (refusal === 'not_booked') return rejection(refusal, identity.id)
    if (refusal) return keptRejection(refusal, identity.id, storedFields)
    if (part.amount === undefined) return keptRejection('invalid_amount', identity.id, storedFields)
    return kind === 'reversal' ? readReversal(fields, identity) : checkCredit(fields)
  })
}

// Returns the reason why the whole entry is refused, or undefined.
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
  isShared: boolean // Whether the withheld charges were divided among the credits.
}) {
  if (!isBooked(entry)) return 'not_booked'
  const [first] = transactions as readonly [XmlElement]
  const isSilent = transactions.length === 1 && !statedMoney(booked, transactions, first)
  if (isSilent && countOf(entry) > 1) return 'batch_without_details'
  const isCharged = [entry, ...transactions].some((each) => children(each, 'Chrgs').length > 0)
  const sum = sumUp(booked?.amount, parts, isCharged)
  return sum === 'exact' || (sum === 'net_of_charges' && isShared) ? undefined : sum
}

// A reversal is identified preferably by our bank's reference of the booking, because its other references
// may belong to the credit.
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

// Returns true for a debit (such as a fee) among the parts of a credit, and for a credit among those of a
// debit.
function isOpposite(entry: XmlElement, transaction: XmlElement): boolean {
  if (children(transaction, 'CdtDbtInd').length === 0) return false
  return textOf(transaction, 'CdtDbtInd') !== textOf(entry, 'CdtDbtInd')
}

// Returns the transaction's amount only if it is in the currency of the account: an amount that was
// instructed in another currency is not the booked amount.
function ownMoney(booked: Money | undefined, transaction: XmlElement): Money | undefined {
  const money = moneyOf(transaction) ?? moneyOf(child(transaction, 'AmtDtls', 'TxAmt'))
  return money?.currency === booked?.currency ? money : undefined
}

// In an entry with one transfer, some banks write zero in the details. Returns undefined then, so that the
// caller uses the amount of the entry.
function statedMoney(
  booked: Money | undefined,
  { length }: readonly XmlElement[],
  transaction: XmlElement,
): Money | undefined {
  const money = ownMoney(booked, transaction)
  return length === 1 && money && parseKobo(money.amount) === 0n ? undefined : money
}

// The status is text up to version 07, and a code from version 08 on.
function isBooked(entry: XmlElement): boolean {
  return textOf(entry, 'Sts', 'Cd') === 'BOOK' || textOf(entry, 'Sts') === 'BOOK'
}

// Returns how many transfers the entry has according to the bank. An unreadable count is treated as several.
function countOf(entry: XmlElement): number {
  const batches = [entry, ...children(entry, 'NtryDtls')].flatMap((each) => children(each, 'Btch'))
  return batches.reduce((sum, batch) => {
    const count = textOf(batch, 'NbOfTxs')
    if (count === undefined) return sum + (children(batch, 'NbOfTxs').length > 0 ? 2 : 0)
    return sum + (/^[0-9]{1,15}$/.test(count) ? Number(count) : 2)
  }, 0)
}

const VERSION_MAX = 13
export const MEDIA_TYPES = new Set(['application/xml', 'text/xml', 'application/iso20022+xml'])

export const camt054Format: NotificationFormat = {
  name: 'camt054',
  accepts: (contentType) => MEDIA_TYPES.has(mediaType(contentType)),
  parse,
  acknowledge: (acknowledgements) => acknowledge(acknowledgements, { batch: true }),
}

function parse(rawBody: Buffer): Parsed {
  const read = readXml(rawBody)
  if ('malformed' in read) return read
  const documents = findDocuments(read.root).filter(({ name }) => name === 'camt.054')
  if (documents.length > 1) return { malformed: 'The envelope must hold one document.' }
  return readCamt054(documents[0])
}

export function readCamt054(document: Iso20022Document | undefined): Parsed {
  const { root, version = 0 } = document ?? {}
  // In version 01, the name of the message also ends in the version.
  const message = child(root, 'BkToCstmrDbtCdtNtfctn') ?? child(root, 'BkToCstmrDbtCdtNtfctnV01')
  const isKnown = version >= 1 && version <= VERSION_MAX
  if (!isKnown || !message || children(message, 'Ntfctn').length === 0) {
    return { malformed: 'The XML is not a camt.054 notification of version 01 to 13.' }
  }
  const items = readMessage(message)
  if (items.length > CREDITS_MAX) {
    return { malformed: 'The notification must hold at most 1000 transactions.' }
  }
  return { items, batch: true }
}

function readMessage(message: XmlElement): ParsedItem[] {
  const messageId = textOf(message, 'GrpHdr', 'MsgId')
  return children(message, 'Ntfctn').flatMap((notification, notificationAt) => {
    const account = accountOf(child(notification, 'Acct'))
    return children(notification, 'Ntry').flatMap((entry, entryAt) => {
      const position = `${notificationAt + 1}.${entryAt + 1}`
      return readEntry(entry, { account, messageId, position })
    })
  })
}
