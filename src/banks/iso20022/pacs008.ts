// ISO 20022 pacs.008 (customer credit transfer between banks), versions 02 to 13: the transfer itself,
// as the instant rail delivers it. One credit a CdtTrfTxInf, answered by pacs.002.
//
// The amount is what the payer instructed when the charges taken on the way explain the difference to
// what was settled; else what was settled.

import { type CreditFields, checkCredit } from '#banks/credit-fields.ts'
import { moneyOf } from '#banks/iso20022/camt054/amounts.ts'
import { accountOf, narrationOf } from '#banks/iso20022/camt054/parties.ts'
import { type Identity, identifyTransfers } from '#banks/iso20022/camt054/references.ts'
import { CREDITS_MAX, type Parsed, type ParsedItem } from '#banks/notifications.ts'
import { formatKobo, kobo, parseKobo } from '#money.ts'
import type { Iso20022Document } from './messages.ts'
import type { OriginalMessage, OriginalTransaction } from './pacs002.ts'
import { child, children, textOf, type XmlElement } from './xml.ts'

const VERSION_MIN = 2
const VERSION_MAX = 13

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
  const items = identities.map(({ named }, at) =>
    readTransaction(transactions[at] as XmlElement, named, time),
  )
  return { items, batch: true, message: original }
}

function originalTransaction(transaction: XmlElement): OriginalTransaction {
  const ids = child(transaction, 'PmtId')
  return {
    instructionId: textOf(ids, 'InstrId'),
    endToEndId: textOf(ids, 'EndToEndId'),
    transactionId: textOf(ids, 'TxId'),
  }
}

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

type Amounts = Pick<CreditFields, 'amount' | 'currency' | 'charges'>

function amounts(transaction: XmlElement): Amounts {
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
