// ISO 20022 pain.002 (customer payment status report), version 03 and later: what a bank says of a
// pain.001 that we gave it. A status of the group or of the payment information is one of all its
// orders; the status of an order is its own.

import { moneyOf } from '#banks/iso20022/camt054/amounts.ts'
import { judgeStatus, type Report, type ReportLine, statusOf } from '#banks/payment-files.ts'
import { findDocuments } from './messages.ts'
import { child, children, leafText, readXml, textOf, type XmlElement } from './xml.ts'

const VERSION_MIN = 3
const ELEMENTS_MAX = 600_000 // 10,000 orders of the fullest kind have about 50 each
const REASON_MAX = 500
const REFERENCE_MAX = 100
const NOT_PROVIDED = 'NOTPROVIDED'

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
  const lines = readReport(report).map((line, at) => ({ line: at + 1, ...line }))
  return lines.length === 0 ? { malformed: 'The report states no status.' } : { lines }
}

type Statement = Omit<ReportLine, 'line'>

function readReport(report: XmlElement): Statement[] {
  const group = child(report, 'OrgnlGrpInfAndSts')
  const messageId = referenceOf(group, 'OrgnlMsgId')
  return [
    ...ofFile({ element: group, name: 'GrpSts', fileReference: messageId }),
    ...children(report, 'OrgnlPmtInfAndSts').flatMap((payment) => {
      const fileReference = referenceOf(payment, 'OrgnlPmtInfId') ?? messageId
      return [
        ...ofFile({ element: payment, name: 'PmtInfSts', fileReference, within: [group] }),
        ...children(payment, 'TxInfAndSts').map((element) =>
          ofOrder({ element, fileReference, within: [payment, group] }),
        ),
      ]
    }),
  ]
}

type Stated<Element> = {
  element: Element
  fileReference: string | undefined
  within?: readonly (XmlElement | undefined)[] // What it is part of, the narrowest first.
}

function ofFile({
  element,
  name,
  fileReference,
  within,
}: Stated<XmlElement | undefined> & { name: string }): Statement[] {
  if (element === undefined || children(element, name).length === 0) return []
  return [
    {
      level: 'file',
      fileReference,
      reference: undefined,
      ...statusIn(element, name, within),
      bankReference: undefined,
      reason: reasonOf(element),
    },
  ]
}

// An order without a status of its own is reported all the same: whoever reads the report can tell.
function ofOrder({ element, fileReference, within }: Stated<XmlElement>): Statement {
  return {
    level: 'order',
    fileReference,
    reference: referenceOf(element, 'OrgnlEndToEndId') ?? referenceOf(element, 'OrgnlInstrId'),
    ...statusIn(element, 'TxSts', within),
    bankReference: referenceOf(element, 'AcctSvcrRef') ?? referenceOf(element, 'ClrSysRef'),
    reason: reasonOf(element),
    amount: moneyOf(child(element, 'OrgnlTxRef', 'Amt'), 'InstdAmt'),
  }
}

// What is given no code of its own has that of what it is part of.
function statusIn(element: XmlElement, name: string, within: Stated<XmlElement>['within'] = []) {
  const statusText = (textOf(element, name) ?? '').slice(0, REFERENCE_MAX)
  const given = [element, ...within].map(reasonsIn)
  const coded = given.findIndex((reasons) => reasons.some(({ code }) => code !== undefined))
  const reasons = coded === -1 ? given : given.slice(0, coded + 1)
  const texts = reasons.flat().flatMap(({ code = '', words }) => [code, words])
  return { statusText, ...judgeStatus(statusOf(statusText), texts) }
}

type Reason = { code: string | undefined; words: string }

function reasonsIn(element: XmlElement | undefined): Reason[] {
  if (element === undefined) return []
  return children(element, 'StsRsnInf').map((information) => ({
    code: textOf(information, 'Rsn', 'Cd') ?? textOf(information, 'Rsn', 'Prtry'),
    words: children(information, 'AddtlInf').map(leafText).filter(Boolean).join(' '),
  }))
}

function referenceOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = textOf(element, name)
  return text && text !== NOT_PROVIDED ? text.slice(0, REFERENCE_MAX) : undefined
}

// "AC04: Closed account number", for each reason that is given.
function reasonOf(element: XmlElement): string | undefined {
  const reasons = reasonsIn(element).map(({ code, words }) =>
    [code, words].filter(Boolean).join(': '),
  )
  const text = reasons.filter(Boolean).join('; ').replace(/\s+/g, ' ').slice(0, REASON_MAX)
  return text === '' ? undefined : text
}
