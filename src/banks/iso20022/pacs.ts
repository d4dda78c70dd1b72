// Reads ISO 20022 pacs.008 (customer credit transfer between banks), versions 02 to 13: the transfer itself,
// as the instant rail delivers it. Each CdtTrfTxInf is one credit. Also writes the answer, a pacs.002.
//
// If the charges that banks deducted explain the difference between the instructed and the settled amount,
// the credit has the instructed amount. Otherwise it has the settled amount.

import { type CreditFields, checkCredit } from '#banks/credit-fields.ts'
import {
  type Acknowledgement,
  CREDITS_MAX,
  type Parsed,
  type ParsedItem,
} from '#banks/notifications.ts'
import { formatKobo, kobo, parseKobo } from '#money.ts'
import { accountOf, moneyOf, narrationOf, tag } from './elements.ts'
import { type Identity, identifyTransfers } from './references.ts'
import { child, children, type Iso20022Document, textOf, type XmlElement } from './xml.ts'

const VERSION_MIN = 2
const VERSION_MAX = 13

// Reads the credits of a document, and the ids that the answer must repeat.
export function readPacs008({ version, root }: Iso20022Document): Parsed {
  const message = child(root, 'FIToFICstmrCdtTrf')
  const transactions = children(message, 'CdtTrfTxInf')
  const header = child(message, 'GrpHdr')
  if (version < VERSION_MIN || version > VERSION_MAX || !header || transactions.length === 0) {
    return { malformed: 'The XML is not a pacs.008 credit transfer of version 02 to 13.' }
  }
  if (transactions.length > CREDITS_MAX) {
    return { malformed: 'The message must hold at most 1000 transactions.' }
  }
  const original: OriginalMessage = {
    messageId: textOf(header, 'MsgId') ?? '',
    name: `pacs.008.001.${String(version).padStart(2, '0')}`,
    transactions: transactions.map(originalTransaction),
  }
  const time = textOf(header, 'CreDtTm')
  const identities = identifyTransfers(transactions, original.messageId || undefined)
  const items = identities.map(({ named }, index) =>
    readTransaction(transactions[index] as XmlElement, named, time),
  )
  return { items, batch: true, message: original }
}

// Returns the ids that the answer must repeat.
function originalTransaction(transaction: XmlElement): OriginalTransaction {
  const ids = child(transaction, 'PmtId')
  return {
    instructionId: textOf(ids, 'InstrId'),
    endToEndId: textOf(ids, 'EndToEndId'),
    transactionId: textOf(ids, 'TxId'),
  }
}

// Reads one transfer. If it has no time of its own, the time of the message counts.
function readTransaction(
  transaction: XmlElement,
  named: Identity['named'],
  messageTime: string | undefined,
): ParsedItem {
  const agent = child(transaction, 'DbtrAgt', 'FinInstnId')
  const account = child(transaction, 'DbtrAcct')
  return checkCredit({
    ...named,
    accountNumber: accountOf(child(transaction, 'CdtrAcct')),
    ...amounts(transaction),
    sourceAccountNumber:
      textOf(account, 'Id', 'Othr', 'Id') ??
      textOf(account, 'Id', 'IBAN') ??
      textOf(account, 'Prxy', 'Id'),
    sourceAccountName: textOf(transaction, 'Dbtr', 'Nm'),
    sourceBankCode:
      textOf(agent, 'ClrSysMmbId', 'MmbId') ?? textOf(agent, 'BICFI') ?? textOf(agent, 'BIC'),
    narration: narrationOf(transaction),
    transactionTime: textOf(transaction, 'AccptncDtTm') ?? messageTime,
  })
}

// Returns the amount of a transfer: what the payer sent if the named charges explain the difference, else
// what was settled.
function amounts(transaction: XmlElement): Pick<CreditFields, 'amount' | 'currency' | 'charges'> {
  const settled = moneyOf(transaction, 'IntrBkSttlmAmt')
  const instructed = moneyOf(transaction, 'InstdAmt')
  const amount = settled?.amount
  const currency = settled?.currency ?? '' // Mandatory: an amount without one is not read as naira.
  const settledKobo = parseKobo(amount ?? '')
  const instructedKobo = parseKobo(instructed?.amount ?? '')
  const charges = children(transaction, 'ChrgsInf').map((charge) =>
    parseKobo(moneyOf(charge)?.amount ?? ''),
  )
  const isReadable = charges.every((charge) => charge !== undefined)
  const withheld = (charges as bigint[]).reduce((sum, charge) => sum + (charge ?? 0n), 0n)
  const isExplained =
    isReadable &&
    withheld > 0n &&
    instructed?.currency === currency &&
    settledKobo !== undefined &&
    instructedKobo === settledKobo + withheld
  if (!isExplained) return { amount, currency }
  const fee = formatKobo(kobo(withheld))
  return { amount: instructed.amount, currency, charges: { settled: amount, fee } }
}

// Our answer to a pacs.008 is a pacs.002.001.10 (payment status report). Its status follows the
// acknowledgement:
//
//   00, 01  ACSC  settled on the account of the creditor, now or before
//   02      RJCT  not taken, with the reason in words
//   03      PDNG  not decided: the bank should send it again

type OriginalTransaction = {
  instructionId: string | undefined
  endToEndId: string | undefined
  transactionId: string | undefined
}

export type OriginalMessage = {
  messageId: string
  name: string
  transactions: readonly OriginalTransaction[]
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10'
const MESSAGE_ID_MAX = 35
const REASON_MAX = 105

const STATUSES: Record<Acknowledgement['responseCode'], string> = {
  '00': 'ACSC',
  '01': 'ACSC',
  '02': 'RJCT',
  '03': 'PDNG',
}

// Writes the answer to a pacs.008. Answers to the same message have the same id, so that the sender
// recognises a repeated answer.
export function writePacs002(
  acknowledgements: readonly Acknowledgement[],
  original: OriginalMessage,
  now: Date,
): string {
  const id = `STS-${original.messageId}`.slice(0, MESSAGE_ID_MAX)
  const group = tag('OrgnlMsgId', original.messageId) + tag('OrgnlMsgNmId', original.name)
  const statuses = acknowledgements.map((acknowledgement, index) =>
    statusElement(acknowledgement, original.transactions[index]),
  )
  return (
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="${NAMESPACE}"><FIToFIPmtStsRpt>` +
    `<GrpHdr>${tag('MsgId', id)}${tag('CreDtTm', now.toISOString())}</GrpHdr>` +
    `<OrgnlGrpInfAndSts>${group}</OrgnlGrpInfAndSts>${statuses.join('')}` +
    '</FIToFIPmtStsRpt></Document>'
  )
}

// Writes the status of one transfer, with the reason if the transfer was rejected (response code 02).
function statusElement(
  { responseCode, responseMessage, code }: Acknowledgement,
  original: OriginalTransaction | undefined,
): string {
  const reason =
    responseCode === '02'
      ? `<StsRsnInf><Rsn>${tag('Prtry', (code ?? 'rejected').slice(0, MESSAGE_ID_MAX))}</Rsn>` +
        `${tag('AddtlInf', responseMessage.slice(0, REASON_MAX))}</StsRsnInf>`
      : ''
  return (
    `<TxInfAndSts>${tag('OrgnlInstrId', original?.instructionId)}` +
    `${tag('OrgnlEndToEndId', original?.endToEndId)}${tag('OrgnlTxId', original?.transactionId)}` +
    `${tag('TxSts', STATUSES[responseCode])}${reason}</TxInfAndSts>`
  )
}
