// Writes payouts as a pain.001 file for a bank's portal, with the elements that the schema requires, in its
// order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writePain001 } from '#banks/iso20022/pain.ts'
import {
  child,
  children,
  findDocuments,
  readXml,
  textOf,
  type XmlElement,
} from '#banks/iso20022/xml.ts'
import { paymentFile, paymentOrder } from '../../support/payment-files.ts'

// Children of each element in the order of pain.001.001.09; required ones end in "!".
const SCHEMA: Readonly<Record<string, string>> = {
  Document: 'CstmrCdtTrfInitn!',
  CstmrCdtTrfInitn: 'GrpHdr! PmtInf! SplmtryData',
  GrpHdr: 'MsgId! CreDtTm! Authstn NbOfTxs! CtrlSum InitgPty! FwdgAgt InitnSrc',
  InitgPty: 'Nm PstlAdr Id CtryOfRes CtctDtls',
  PmtInf:
    'PmtInfId! PmtMtd! ReqdAdvcTp BtchBookg NbOfTxs CtrlSum PmtTpInf ReqdExctnDt! ' +
    'PoolgAdjstmntDt Dbtr! DbtrAcct! DbtrAgt! DbtrAgtAcct InstrForDbtrAgt UltmtDbtr ChrgBr ' +
    'ChrgsAcct ChrgsAcctAgt CdtTrfTxInf!',
  ReqdExctnDt: 'Dt!',
  Dbtr: 'Nm PstlAdr Id CtryOfRes CtctDtls',
  DbtrAcct: 'Id! Tp Ccy Nm Prxy',
  DbtrAgt: 'FinInstnId! BrnchId',
  FinInstnId: 'BICFI ClrSysMmbId LEI Nm PstlAdr Othr',
  ClrSysMmbId: 'ClrSysId MmbId!',
  CdtTrfTxInf:
    'PmtId! PmtTpInf Amt! XchgRateInf ChrgBr MndtRltdInf ChqInstr UltmtDbtr IntrmyAgt1 ' +
    'IntrmyAgt1Acct IntrmyAgt2 IntrmyAgt2Acct IntrmyAgt3 IntrmyAgt3Acct CdtrAgt CdtrAgtAcct ' +
    'Cdtr CdtrAcct UltmtCdtr InstrForCdtrAgt InstrForDbtrAgt Purp RgltryRptg Tax RltdRmtInf ' +
    'RmtInf SplmtryData',
  PmtId: 'InstrId EndToEndId! UETR',
  Amt: 'InstdAmt EqvtAmt',
  CdtrAgt: 'FinInstnId! BrnchId',
  Cdtr: 'Nm PstlAdr Id CtryOfRes CtctDtls',
  CdtrAcct: 'Id! Tp Ccy Nm Prxy',
  RmtInf: 'Ustrd Strd',
  Id: 'OrgId PrvtId IBAN Othr',
  OrgId: 'AnyBIC LEI Othr',
  Othr: 'Id! SchmeNm Issr',
}

// The greatest lengths of these texts in pain.001.001.09.
const LENGTHS: Readonly<Record<string, number>> = {
  MsgId: 35,
  PmtInfId: 35,
  InstrId: 35,
  EndToEndId: 35,
  Nm: 140,
  Ustrd: 140,
  MmbId: 35,
}

// Asserts, for an element and all below it, that its children are in SCHEMA and in the same order, that none
// of those with "!" is missing, and that its text is not too long.
function checkStructure(element: XmlElement): void {
  if (element.children.length === 0) {
    const lengthMax = LENGTHS[element.name] ?? 500
    assert(element.text.length >= 1 && element.text.length <= lengthMax, element.name)
    return
  }
  const names = (SCHEMA[element.name] ?? '').split(' ')
  const order = names.map((name) => name.replace('!', ''))
  const places = element.children.map(({ name }) => order.indexOf(name))
  assert(!places.includes(-1), `${element.name} holds what it may not`)
  assert.deepEqual(
    places,
    [...places].sort((one, other) => one - other),
    element.name,
  )
  for (const name of names.filter((each) => each.endsWith('!'))) {
    assert(children(element, name.slice(0, -1)).length > 0, `${element.name} lacks ${name}`)
  }
  element.children.forEach(checkStructure)
}

// Parses a payment file and checks its structure.
function readBack(xml: string): XmlElement {
  const read = readXml(Buffer.from(xml), 1_000_000)
  assert('root' in read, JSON.stringify(read))
  const [document] = findDocuments(read.root)
  assert.deepEqual([document?.name, document?.version], ['pain.001', 9])
  checkStructure(read.root)
  return child(read.root, 'CstmrCdtTrfInitn') as XmlElement
}

test('a file names who pays whom, how much, when and under which references', () => {
  const customerId = 'CUST-77'
  const file = paymentFile({ debitAccount: { ...paymentFile().debitAccount, customerId } })
  const message = readBack(writePain001(file))

  const header = child(message, 'GrpHdr')
  assert.equal(textOf(header, 'MsgId'), file.reference)
  assert.equal(textOf(header, 'CreDtTm'), '2026-11-16T08:00:00.000Z')
  assert.equal(textOf(header, 'NbOfTxs'), '2')
  assert.equal(textOf(header, 'CtrlSum'), '20217.34')
  assert.equal(textOf(header, 'InitgPty', 'Id', 'OrgId', 'Othr', 'Id'), customerId)
  const payment = child(message, 'PmtInf')
  assert.equal(textOf(payment, 'PmtInfId'), file.reference)
  assert.equal(textOf(payment, 'NbOfTxs'), '2')
  assert.equal(textOf(payment, 'CtrlSum'), '20217.34')
  assert.equal(textOf(payment, 'ReqdExctnDt', 'Dt'), '2026-11-16')
  assert.equal(textOf(payment, 'Dbtr', 'Nm'), 'Manilla Operations')
  assert.equal(textOf(payment, 'DbtrAcct', 'Id', 'Othr', 'Id'), '0123456789')
  assert.equal(textOf(payment, 'DbtrAgt', 'FinInstnId', 'ClrSysMmbId', 'MmbId'), '058')
  const [first] = children(payment, 'CdtTrfTxInf')
  assert.equal(textOf(first, 'PmtId', 'InstrId'), 'PYT000000000000001')
  assert.equal(textOf(first, 'PmtId', 'EndToEndId'), 'PYT000000000000001')
  assert.equal(textOf(first, 'Amt', 'InstdAmt'), '20000.00')
  assert.equal(child(first, 'Amt', 'InstdAmt')?.attributes.get('Ccy'), 'NGN')
  assert.equal(textOf(first, 'CdtrAgt', 'FinInstnId', 'ClrSysMmbId', 'MmbId'), '033')
  assert.equal(textOf(first, 'Cdtr', 'Nm'), 'Okafor + Sons')
  assert.equal(textOf(first, 'CdtrAcct', 'Id', 'Othr', 'Id'), '2093566866')
  assert.equal(textOf(first, 'RmtInf', 'Ustrd'), 'Settlement of 15 November')
})

test('the same file is the same bytes', () => {
  assert.equal(writePain001(paymentFile()), writePain001(paymentFile()))
})

test('no text breaks the XML, its lengths or its mandatory elements', () => {
  const hostile = [
    '</Nm><Nm>',
    ']]>&lt;',
    '\u0000\ud800',
    '张伟',
    'x'.repeat(5_000),
    '<!DOCTYPE a>',
  ]
  const orders = hostile.map((text, at) =>
    paymentOrder({ reference: `PYT${at}`, name: text, narration: text }),
  )
  const message = readBack(writePain001(paymentFile({ orders })))

  const transactions = children(child(message, 'PmtInf'), 'CdtTrfTxInf')
  const names = transactions.map((each) => textOf(each, 'Cdtr', 'Nm'))
  assert.deepEqual(names, [
    '(/Nm)(Nm)',
    'lt,',
    'NOTPROVIDED',
    'NOTPROVIDED',
    'x'.repeat(140),
    '( DOCTYPE a)',
  ])
  const remittances = transactions.map((each) => textOf(each, 'RmtInf', 'Ustrd'))
  assert.equal(remittances[3], 'PYT3')
})

test('ten thousand orders add up to the kobo, each once', () => {
  const orders = Array.from({ length: 10_000 }, (_, at) =>
    paymentOrder({ reference: `PYT${at}`, amountKobo: BigInt(at + 1) }),
  )
  const message = readBack(writePain001(paymentFile({ orders })))

  const transactions = children(child(message, 'PmtInf'), 'CdtTrfTxInf')
  const references = transactions.map((each) => textOf(each, 'PmtId', 'EndToEndId'))
  assert.equal(new Set(references).size, 10_000)
  assert.equal(textOf(message, 'GrpHdr', 'NbOfTxs'), '10000')
  assert.equal(textOf(message, 'GrpHdr', 'CtrlSum'), '500050.00')
})
