// Reads ISO 20022 camt.054 (bank to customer debit/credit notification), versions 01 to 13, bare or in an
// envelope with a business application header (BusMsg, DataPDU and the like).
//
// Each TxDtls (the details of one transfer) is one item. An Ntry (entry) without TxDtls is one item. An empty
// notification is legal and is acknowledged as an empty list. The acknowledgement is like that of our own
// JSON, but always an array, in the order of the document.

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

type NamedCharges = { fee: bigint; vat: bigint } // In kobo.
type Share = NamedCharges & { withheld: bigint } // The charges of one credit, and their sum.

// Divides the amount that the bank withheld from an entry among the entry's credits. Returns the net amount,
// fee and VAT of each part, with null for a debit. Returns undefined if nothing was withheld, or if the
// charges cannot be divided.
function shareCharges(
  entry: XmlElement,
  transactions: readonly XmlElement[],
  parts: readonly Part[],
): (ChargeFields | null)[] | undefined {
  const booked = parseKobo(moneyOf(entry)?.amount ?? '')
  const amounts = parts.map(({ amount }) => parseKobo(amount ?? ''))
  if (booked === undefined || amounts.some((amount) => amount === undefined)) return undefined
  const amountOf = (index: number) => amounts[index] as bigint
  const credits = parts.flatMap(({ isOpposite }, index) => (isOpposite ? [] : [index]))
  const debits = parts.reduce(
    (sum, { isOpposite }, index) => (isOpposite ? sum + amountOf(index) : sum),
    0n,
  )
  const withheld = credits.reduce((sum, index) => sum + amountOf(index), 0n) - booked
  // Whether every part in the other direction is marked as a debit: a mark may also be unreadable.
  const areDebits = transactions.every(
    (transaction, index) =>
      !parts[index]?.isOpposite || textOf(transaction, 'CdtDbtInd') === 'DBIT',
  )
  if (withheld <= 0n || !areDebits) return undefined

  const chargesByPart = transactions.map(sumNamedCharges)
  const common = sumNamedCharges(entry) // The charges that the entry names for all its parts together.
  common.fee += debits // A debit in an entry of credits is a charge of the bank.
  const shares = shareNamedCharges(withheld, credits, { chargesByPart, common })
  if (!shares || !placeCommon(shares, common, amountOf)) return undefined
  return parts.map((_, index) => {
    const share = shares.get(index)
    if (!share) return null
    const net = kobo(amountOf(index) - share.withheld)
    return { settled: formatKobo(net), fee: amountText(share.fee), vat: amountText(share.vat) }
  })
}

// Returns the share of each credit, without the common charges; undefined if the charges do not explain the
// withheld amount. Banks state tax in addition to the charges, or as a part of them: whichever sum fits is
// right.
function shareNamedCharges(
  withheld: bigint,
  credits: readonly number[],
  { chargesByPart, common }: { chargesByPart: readonly NamedCharges[]; common: NamedCharges },
): Map<number, Share> | undefined {
  const allCharges = [...credits.map((index) => chargesByPart[index] as NamedCharges), common]
  const fees = allCharges.reduce((sum, { fee }) => sum + fee, 0n)
  const vats = allCharges.reduce((sum, { vat }) => sum + vat, 0n)
  if (fees + vats !== withheld && fees !== withheld) return undefined
  const isTaxInFee = fees + vats !== withheld
  if (isTaxInFee) common.vat = 0n
  return new Map(
    credits.map((index) => {
      const { fee, vat } = chargesByPart[index] as NamedCharges
      return [index, { fee, vat, withheld: isTaxInFee ? fee : fee + vat }]
    }),
  )
}

// Adds the common charges to the first credit that is larger than these and its own charges together. Returns
// false if there is none, or if another credit is not larger than its charges: no net amount may be zero or
// less.
function placeCommon(
  shares: Map<number, Share>,
  common: NamedCharges,
  amountOf: (index: number) => bigint,
): boolean {
  const commonSum = common.fee + common.vat
  const bearer = [...shares].find(([index, { withheld }]) => withheld + commonSum < amountOf(index))
  if (!bearer) return false
  const [, share] = bearer
  share.fee += common.fee
  share.vat += common.vat
  share.withheld += commonSum
  return [...shares].every(([index, { withheld }]) => withheld < amountOf(index))
}

// Adds up the charges and taxes that an element names. Version 04 and later have charges in records; earlier
// versions have one Chrgs for each charge. Ignores a charge that was credited.
function sumNamedCharges(element: XmlElement): NamedCharges {
  const charges = children(element, 'Chrgs').flatMap((group) => {
    const records = children(group, 'Rcrd')
    return records.length > 0 ? records : [group]
  })
  const named = { fee: 0n, vat: 0n }
  for (const charge of charges) {
    if (textOf(charge, 'CdtDbtInd') === 'CRDT') continue
    named.fee += parseKobo(moneyOf(charge)?.amount ?? '') ?? 0n
    named.vat += parseKobo(moneyOf(child(charge, 'Tax'))?.amount ?? '') ?? 0n
  }
  return named
}

function amountText(amount: bigint): string {
  return formatKobo(kobo(amount))
}

// One entry of camt.054 becomes credits, reversals or rejections: one item for each TxDtls, or one item for
// the entry itself if it has none.
//
//   CRDT              credits, if the entry is booked and its parts, less charges, sum to the entry
//   DBIT and RvslInd  reversals: the bank takes a credit back
//   anything else     no credit. CRDT and RvslInd means that the bank takes a debit back: no payer paid.

// Where an entry stands: its account, the id of the message, and its position in the message, such as 1.3.
type Place = { account: string | undefined; messageId: string | undefined; position: string }
type Kind = 'credit' | 'reversal' | 'other'

// Reads one entry into one item for each of its transactions: a credit, a reversal or a rejection.
function readEntry(entry: XmlElement, place: Place): ParsedItem[] {
  // In version 01, TxDtls stood directly in the entry, without NtryDtls.
  const holders = [entry, ...children(entry, 'NtryDtls')]
  const details = holders.flatMap((holder) => children(holder, 'TxDtls'))
  const transactions = details.length > 0 ? details : [emptyDetails(entry)]
  const booked = moneyOf(entry)
  const parts = transactions.map((transaction): Part => {
    const isAlone = transactions.length === 1
    const money = statedMoney(booked, transactions, transaction) ?? (isAlone ? booked : undefined)
    return { amount: money?.amount, isOpposite: isOpposite(entry, transaction) }
  })
  const kind = kindOf(entry)
  const chargeShares = kind === 'credit' ? shareCharges(entry, transactions, parts) : undefined
  const refusal = findRefusal({
    entry,
    transactions,
    booked,
    parts,
    isShared: chargeShares !== undefined,
  })
  return identifyEntry(entry, transactions, place).map((identity, index) => {
    const transaction = transactions[index] as XmlElement
    const part = parts[index] as Part
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
    if (chargeShares?.[index]) fields.charges = chargeShares[index]
    // For an operator, a part without an amount has that of the entry.
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

// Returns the reason why the whole entry is refused, or undefined: the entry is not booked, its transfers are
// unknown, or their amounts do not add up to the entry.
function findRefusal({
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
  const lacksDetails = transactions.length === 1 && !statedMoney(booked, transactions, first)
  if (lacksDetails && countOf(entry) > 1) return 'batch_without_details'
  const isCharged = [entry, ...transactions].some(
    (element) => children(element, 'Chrgs').length > 0,
  )
  const sum = sumUp(booked?.amount, parts, isCharged)
  return sum === 'exact' || (sum === 'net_of_charges' && isShared) ? undefined : sum
}

// Makes a reversal of a debit. Its id is preferably our bank's reference of this booking, because the other
// references may belong to the credit. Earlier releases always used the entry's first id (`formerId`).
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

// Returns an empty TxDtls, for an entry that has none.
function emptyDetails({ namespace }: XmlElement): XmlElement {
  return { name: 'TxDtls', namespace, attributes: new Map(), children: [], text: '' }
}

// Returns the kind of an entry by its direction (CdtDbtInd) and its reversal mark (RvslInd). With an
// unreadable mark, the entry is neither a credit nor a reversal.
function kindOf(entry: XmlElement): Kind {
  const direction = textOf(entry, 'CdtDbtInd')
  const marks = children(entry, 'RvslInd')
  const isReversal = marks.length > 0 && !/^(?:false|0)$/.test(textOf(entry, 'RvslInd') ?? '')
  if (direction === 'CRDT') return isReversal ? 'other' : 'credit'
  const isSure = /^(?:true|1)$/.test(textOf(entry, 'RvslInd') ?? '')
  return direction === 'DBIT' && isSure ? 'reversal' : 'other'
}

// Returns whether the transaction goes in the other direction than its entry: a debit (such as a fee) among
// the parts of a credit, or a credit among those of a debit.
function isOpposite(entry: XmlElement, transaction: XmlElement): boolean {
  if (children(transaction, 'CdtDbtInd').length === 0) return false
  return textOf(transaction, 'CdtDbtInd') !== textOf(entry, 'CdtDbtInd')
}

// Returns the amount of the transaction if it is in the currency of the account. An amount that was
// instructed in another currency is not the booked amount.
function ownMoney(booked: Money | undefined, transaction: XmlElement): Money | undefined {
  const money = moneyOf(transaction) ?? moneyOf(child(transaction, 'AmtDtls', 'TxAmt'))
  return money?.currency === booked?.currency ? money : undefined
}

// Like ownMoney(), but ignores zero in an entry with one transfer: some banks write zero in such details. The
// caller then uses the amount of the entry.
function statedMoney(
  booked: Money | undefined,
  { length }: readonly XmlElement[],
  transaction: XmlElement,
): Money | undefined {
  const money = ownMoney(booked, transaction)
  return length === 1 && money && parseKobo(money.amount) === 0n ? undefined : money
}

// Returns whether the entry is booked and not only pending. The status is text up to version 07, and a code
// from version 08 on.
function isBooked(entry: XmlElement): boolean {
  return textOf(entry, 'Sts', 'Cd') === 'BOOK' || textOf(entry, 'Sts') === 'BOOK'
}

// Returns how many transfers the entry has according to the bank. An unreadable count is treated as several.
function countOf(entry: XmlElement): number {
  const batches = [entry, ...children(entry, 'NtryDtls')].flatMap((holder) =>
    children(holder, 'Btch'),
  )
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

// Parses a body that must be one camt.054 document, bare or in an envelope.
function parse(rawBody: Buffer): Parsed {
  const read = readXml(rawBody)
  if ('malformed' in read) return read
  const documents = findDocuments(read.root).filter(({ name }) => name === 'camt.054')
  if (documents.length > 1) return { malformed: 'The envelope must hold one document.' }
  return readCamt054(documents[0])
}

// Reads the items of a document, or returns a sentence for the bank if it is no camt.054 notification.
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

// Reads all entries of all notifications in the message.
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
