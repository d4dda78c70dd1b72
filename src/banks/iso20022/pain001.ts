// ISO 20022 pain.001.001.09 (customer credit transfer initiation): payouts as a file for a bank's
// portal. One group and one payment information, both under the file's reference; each order's
// reference is its instruction id and its end-to-end id, which the bank's report repeats.
//
// Elements stand in the order of the schema, and text is Latin and within its lengths. The bank
// books each order singly, so that its statement shows them as our ledger does, and charges us.

import type { PayoutInstruction } from '#banks/connector.ts'
import type { PaymentFile } from '#banks/payment-files.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { latinText } from './latin-text.ts'
import { tag } from './write-xml.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
const NAME_MAX = 140
const REMITTANCE_MAX = 140
const NOT_PROVIDED = 'NOTPROVIDED' // The standard's word for a text that is due and missing.

export function writePain001(file: PaymentFile): string {
  const { reference, createdAt, debitAccount, orders } = file
  const name = tag('Nm', latinText(debitAccount.accountName, NAME_MAX) || NOT_PROVIDED)
  const totals = tag('NbOfTxs', `${orders.length}`) + tag('CtrlSum', formatKobo(sumOf(orders)))
  const header =
    `<GrpHdr>${tag('MsgId', reference)}${tag('CreDtTm', createdAt.toISOString())}${totals}` +
    `<InitgPty>${name}${organisation(debitAccount.customerId)}</InitgPty></GrpHdr>`
  const debtor =
    `<Dbtr>${name}</Dbtr>` +
    `<DbtrAcct>${account(debitAccount.accountNumber)}${tag('Ccy', CURRENCY)}</DbtrAcct>` +
    `<DbtrAgt>${agent(file.bankCode)}</DbtrAgt>`
  const information =
    `<PmtInf>${tag('PmtInfId', reference)}<PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg>` +
    `${totals}<ReqdExctnDt>${tag('Dt', file.executionDate)}</ReqdExctnDt>${debtor}` +
    `<ChrgBr>DEBT</ChrgBr>\n${orders.map(transaction).join('')}` +
    '</PmtInf>'
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">` +
    `<CstmrCdtTrfInitn>\n${header}\n${information}\n</CstmrCdtTrfInitn></Document>\n`
  )
}

function transaction(order: PayoutInstruction): string {
  const { reference, amountKobo, currency, to } = order
  const name = latinText(to.accountName, NAME_MAX) || NOT_PROVIDED
  const remittance = latinText(order.narration, REMITTANCE_MAX) || reference
  return (
    `<CdtTrfTxInf><PmtId>${tag('InstrId', reference)}${tag('EndToEndId', reference)}</PmtId>` +
    `<Amt><InstdAmt Ccy="${currency}">${formatKobo(amountKobo)}</InstdAmt></Amt>` +
    `<CdtrAgt>${agent(to.bankCode)}</CdtrAgt><Cdtr>${tag('Nm', name)}</Cdtr>` +
    `<CdtrAcct>${account(to.accountNumber)}</CdtrAcct>` +
    `<RmtInf>${tag('Ustrd', remittance)}</RmtInf></CdtTrfTxInf>\n`
  )
}

function organisation(id: string | undefined): string {
  return id === undefined ? '' : `<Id><OrgId><Othr>${tag('Id', id)}</Othr></OrgId></Id>`
}

function agent(bankCode: string): string {
  return `<FinInstnId><ClrSysMmbId>${tag('MmbId', bankCode)}</ClrSysMmbId></FinInstnId>`
}

function account(number: string): string {
  return `<Id><Othr>${tag('Id', number)}</Othr></Id>`
}

function sumOf(orders: readonly PayoutInstruction[]): Kobo {
  return kobo(orders.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
}
