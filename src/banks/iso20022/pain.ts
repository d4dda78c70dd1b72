// Payment files in ISO 20022: writes pain.001.001.09 (customer credit transfer initiation), a file of payouts
// for a bank's portal, and reads pain.002, the bank's report. A pain.001 has one group and one payment
// information, both with the file's reference. The reference of each order is its instruction id and its
// end-to-end id, which the bank's report repeats.
//
// Elements are ordered as in the schema, and text is Latin and within the lengths of the schema. The file
// asks the bank to book each order separately, so that its statement shows the orders as our ledger does, and
// to charge us instead of the payees.

import type { PayoutInstruction } from '#banks/connector.ts'
import {
  judgeStatus,
  type PaymentFile,
  type Report,
  type ReportLine,
  statusOf,
} from '#banks/payment-files.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { latinText, moneyOf, tag } from './elements.ts'
import {
  child,
  children,
  findDocuments,
  leafText,
  readXml,
  textOf,
  type XmlElement,
} from './xml.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
const NAME_MAX = 140
const REMITTANCE_MAX = 140
const NOT_PROVIDED = 'NOTPROVIDED' // The standard's word for a mandatory text that is missing.

// Writes the file of the payouts for the bank. TRF stands for credit transfers, BtchBookg false for
// booking each order separately, and DEBT for charges that we bear.
export function writePain001(file: PaymentFile): string {
  const { reference, createdAt, debitAccount, orders } = file
  const name = tag('Nm', latinText(debitAccount.accountName, NAME_MAX) || NOT_PROVIDED)
  const totals = tag('NbOfTxs', `${orders.length}`) + tag('CtrlSum', formatKobo(sumOf(orders)))
  const header =
    `<GrpHdr>${tag('MsgId', reference)}${tag('CreDtTm', createdAt.toISOString())}${totals}` +
    `<InitgPty>${name}${organisationElement(debitAccount.customerId)}</InitgPty></GrpHdr>`
  const debtor =
    `<Dbtr>${name}</Dbtr>` +
    `<DbtrAcct>${accountElement(debitAccount.accountNumber)}${tag('Ccy', CURRENCY)}</DbtrAcct>` +
    `<DbtrAgt>${bankElement(file.bankCode)}</DbtrAgt>`
  const information =
    `<PmtInf>${tag('PmtInfId', reference)}<PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg>` +
    `${totals}<ReqdExctnDt>${tag('Dt', file.executionDate)}</ReqdExctnDt>${debtor}` +
    `<ChrgBr>DEBT</ChrgBr>\n${orders.map(orderElement).join('')}` +
    '</PmtInf>'
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">` +
    `<CstmrCdtTrfInitn>\n${header}\n${information}\n</CstmrCdtTrfInitn></Document>\n`
  )
}

function orderElement(order: PayoutInstruction): string {
  const { reference, amountKobo, currency, to } = order
  const name = latinText(to.accountName, NAME_MAX) || NOT_PROVIDED
  const remittance = latinText(order.narration, REMITTANCE_MAX) || reference
  return (
    `<CdtTrfTxInf><PmtId>${tag('InstrId', reference)}${tag('EndToEndId', reference)}</PmtId>` +
    `<Amt><InstdAmt Ccy="${currency}">${formatKobo(amountKobo)}</InstdAmt></Amt>` +
    `<CdtrAgt>${bankElement(to.bankCode)}</CdtrAgt><Cdtr>${tag('Nm', name)}</Cdtr>` +
    `<CdtrAcct>${accountElement(to.accountNumber)}</CdtrAcct>` +
    `<RmtInf>${tag('Ustrd', remittance)}</RmtInf></CdtTrfTxInf>\n`
  )
}

function organisationElement(id: string | undefined): string {
  return id === undefined ? '' : `<Id><OrgId><Othr>${tag('Id', id)}</Othr></OrgId></Id>`
}

function bankElement(bankCode: string): string {
  return `<FinInstnId><ClrSysMmbId>${tag('MmbId', bankCode)}</ClrSysMmbId></FinInstnId>`
}

function accountElement(number: string): string {
  return `<Id><Othr>${tag('Id', number)}</Othr></Id>`
}

function sumOf(orders: readonly PayoutInstruction[]): Kobo {
  return kobo(orders.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
}

// A bank reports on our pain.001 with a pain.002 (customer payment status report), which is read from version
// 03 on. A status of the group or of the payment information applies to all its orders. A status of an order
// applies to that order only.

const VERSION_MIN = 3
const ELEMENTS_MAX = 600_000 // A report on 10,000 orders has at most about 50 elements for each.
const REASON_MAX = 500
const REFERENCE_MAX = 100
const ABSENT_TEXT = 'NOTPROVIDED'

// Reads the bank's report. Each line is the status of the whole file or of one order.
export function readPain002(rawBody: Buffer): Report {
  const read = readXml(rawBody, ELEMENTS_MAX)
  if ('malformed' in read) return read
  const documents = findDocuments(read.root)
  if (documents.length > 1) return { malformed: 'The envelope must hold one document.' }
  const [document] = documents
  const report = child(document?.root, 'CstmrPmtStsRpt')
  if (document?.name !== 'pain.002' || document.version < VERSION_MIN || !report) {
    return { malformed: 'The XML is not a pain.002 status report of version 03 or later.' }
  }
  const lines = readReport(report).map((line, index) => ({ line: index + 1, ...line }))
  return lines.length === 0 ? { malformed: 'The report states no status.' } : { lines }
}

type Statement = Omit<ReportLine, 'line'>

// Reads the statuses of the group, of each payment information and of each order.
function readReport(report: XmlElement): Statement[] {
  const group = child(report, 'OrgnlGrpInfAndSts')
  const messageId = referenceOf(group, 'OrgnlMsgId')
  const groupReasons = [reasonsIn(group)]
  return [
    ...readFileStatus({ element: group, name: 'GrpSts', fileReference: messageId, inherited: [] }),
    ...children(report, 'OrgnlPmtInfAndSts').flatMap((payment) => {
      const fileReference = referenceOf(payment, 'OrgnlPmtInfId') ?? messageId
      const inherited = [reasonsIn(payment), ...groupReasons] // Read once, not again for each order.
      return [
        ...readFileStatus({
          element: payment,
          name: 'PmtInfSts',
          fileReference,
          inherited: groupReasons,
        }),
        ...children(payment, 'TxInfAndSts').map((element) =>
          readOrderStatus({ element, fileReference, inherited }),
        ),
      ]
    }),
  ]
}

// A status to read, with the references and reasons that it may take from the elements around it.
type Stated<Element> = {
  element: Element
  fileReference: string | undefined
  inherited: readonly Reason[][] // The reasons of the elements that contain it, the innermost first.
}

// Reads the status of the whole file; none if the element has no status.
function readFileStatus({
  element,
  name,
  fileReference,
  inherited,
}: Stated<XmlElement | undefined> & { name: string }): Statement[] {
  if (element === undefined || children(element, name).length === 0) return []
  return [
    {
      level: 'file',
      fileReference,
      reference: undefined,
      ...statusIn(element, name, inherited),
      bankReference: undefined,
      reason: reasonOf(element),
    },
  ]
}

// Reads the status of one order. Orders without a status are included; the caller decides about them.
function readOrderStatus({ element, fileReference, inherited }: Stated<XmlElement>): Statement {
  return {
    level: 'order',
    fileReference,
    reference: referenceOf(element, 'OrgnlEndToEndId') ?? referenceOf(element, 'OrgnlInstrId'),
    ...statusIn(element, 'TxSts', inherited),
    bankReference: referenceOf(element, 'AcctSvcrRef') ?? referenceOf(element, 'ClrSysRef'),
    reason: reasonOf(element),
    amount: moneyOf(child(element, 'OrgnlTxRef', 'Amt'), 'InstdAmt'),
  }
}

// Reads a status and its reasons. An order without a reason code has the code of its payment information or
// group.
function statusIn(element: XmlElement, name: string, inherited: readonly Reason[][]) {
  const statusText = (textOf(element, name) ?? '').slice(0, REFERENCE_MAX)
  const reasonLists = [reasonsIn(element), ...inherited]
  const firstWithCode = reasonLists.findIndex((reasons) =>
    reasons.some(({ code }) => code !== undefined),
  )
  const reasons = firstWithCode === -1 ? reasonLists : reasonLists.slice(0, firstWithCode + 1)
  const texts = reasons.flat().flatMap(({ code = '', words }) => [code, words])
  return { statusText, ...judgeStatus(statusOf(statusText), texts) }
}

type Reason = { code: string | undefined; words: string }

// Returns the reasons that an element gives for its status.
function reasonsIn(element: XmlElement | undefined): Reason[] {
  if (element === undefined) return []
  return children(element, 'StsRsnInf').map((information) => ({
    code: textOf(information, 'Rsn', 'Cd') ?? textOf(information, 'Rsn', 'Prtry'),
    words: children(information, 'AddtlInf').map(leafText).filter(Boolean).join(' '),
  }))
}

// Returns a reference, or undefined if the bank wrote that it was not provided.
function referenceOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = textOf(element, name)
  return text && text !== ABSENT_TEXT ? text.slice(0, REFERENCE_MAX) : undefined
}

// Returns a text such as "AC04: Closed account number", with all reasons of the element.
function reasonOf(element: XmlElement): string | undefined {
  const reasons = reasonsIn(element).map(({ code, words }) =>
    [code, words].filter(Boolean).join(': '),
  )
  const text = reasons.filter(Boolean).join('; ').replace(/\s+/g, ' ').slice(0, REASON_MAX)
  return text === '' ? undefined : text
}
