// Reads transfers that an ISO 20022 rail delivers as pacs.008, and writes our answer to each.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iso20022Format } from '#banks/iso20022/connector.ts'
import { readXml } from '#banks/iso20022/xml.ts'
import type { Acknowledgement } from '#banks/notifications.ts'

const NIP = '000013261115090000000000000001'
const UETR = '8a562c67-ca16-48ba-b074-65581be6f001'
const NOW = new Date('2026-11-15T09:00:00Z')
const format = iso20022Format(NOW)

test('a transfer arrives with its payer, its account and all its names', () => {
  const [item] = items(pacs008(transaction()))

  assert(item?.ok)
  assert.deepEqual(item.credit, {
    sessionId: NIP,
    otherIdentifiers: [{ kind: 'uetr', value: UETR, isWeak: true }],
    accountNumber: '0016563228',
    amountKobo: 10_000n,
    currency: 'NGN',
    sourceAccountNumber: '2093566866',
    sourceAccountName: 'SEYI OLUFEMI',
    sourceBankCode: '033',
    narration: 'Invoice 1183',
    transactionTime: new Date('2026-11-15T08:59:58Z'),
  })
})

test('charges that explain the difference leave the payer’s gross', () => {
  const charges =
    '<InstdAmt Ccy="NGN">100.50</InstdAmt><ChrgsInf><Amt Ccy="NGN">0.50</Amt></ChrgsInf>'
  const [charged] = items(pacs008(transaction({ more: charges })))
  assert(charged?.ok)
  assert.equal(charged.credit.amountKobo, 10_050n)
  assert.deepEqual(charged.credit.charges, { feeKobo: 50n, vatKobo: 0n, dutyKobo: 0n })

  const foreign = charges.replace('NGN">100.50', 'USD">100.50')
  const unexplained = charges.replace('0.50</Amt>', '0.40</Amt>')
  for (const more of [foreign, unexplained]) {
    const [item] = items(pacs008(transaction({ more })))
    assert(item?.ok && item.credit.charges === undefined)
    assert.equal(item.credit.amountKobo, 10_000n)
  }
})

test('the bank’s identifiers come first, then the position; the payer’s name never counts', () => {
  // Returns the session id, or the rejection code, of a transfer with these identifiers.
  const id = (ids: string) => {
    const [item] = items(pacs008(transaction({ ids })))
    return item?.ok ? item.credit.sessionId : item?.code
  }
  assert.equal(id(`<EndToEndId>${NIP}</EndToEndId><TxId>T1</TxId>`), 'T1')
  assert.equal(id(`<InstrId>I1</InstrId><EndToEndId>${NIP}</EndToEndId>`), NIP)
  assert.equal(id('<EndToEndId>E1</EndToEndId><TxId>T1</TxId>'), 'T1')
  assert.equal(
    id('<EndToEndId>E1</EndToEndId><TxId>NOTPROVIDED</TxId><ClrSysRef>C1</ClrSysRef>'),
    'C1',
  )
  assert.equal(id(`<EndToEndId>E1</EndToEndId><UETR>${UETR.toUpperCase()}</UETR>`), UETR)
  assert.equal(id('<InstrId>I1</InstrId><EndToEndId>NOTPROVIDED</EndToEndId>'), 'I1')
  for (const ids of [
    '<InstrId>RENT</InstrId><EndToEndId>RENT</EndToEndId>',
    '<InstrId>NONREF</InstrId><EndToEndId>RENT</EndToEndId>',
    '<EndToEndId>NOTPROVIDED</EndToEndId>',
    '',
  ]) {
    assert.equal(id(ids), 'M-1/1', ids)
  }
  const [nameless] = items(pacs008(transaction({ ids: '' })).replace('<MsgId>M-1</MsgId>', ''))
  assert(nameless && !nameless.ok && nameless.code === 'invalid_session_id' && nameless.money)
})

test('a reference that transfers of one message share names none of them', () => {
  const both = `<EndToEndId>${NIP}</EndToEndId>`
  const shared = items(pacs008(transaction({ ids: both }) + transaction({ ids: both })))
  assert.deepEqual(
    shared.map((item) => item.ok && item.credit.sessionId),
    ['M-1/1', 'M-1/2'],
  )
})

test('the status report answers each transfer under its own names, in order', () => {
  const message = pacs008(transaction() + transaction({ ids: '<EndToEndId>a&amp;b</EndToEndId>' }))
  const parsed = format.parse(Buffer.from(message))
  assert('items' in parsed)
  const { contentType, body } = format.acknowledge(
    [answer('00'), { ...answer('02'), code: 'session_reused', responseMessage: 'Used <before>' }],
    parsed,
  )

  assert.match(contentType, /^application\/xml/)
  assert('root' in readXml(Buffer.from(body)))
  assert.match(body, /<OrgnlMsgId>M-1<\/OrgnlMsgId><OrgnlMsgNmId>pacs\.008\.001\.08</)
  assert.match(body, new RegExp(`<OrgnlTxId>${NIP}</OrgnlTxId><TxSts>ACSC</TxSts></TxInfAndSts>`))
  assert.match(body, /<OrgnlEndToEndId>a&amp;b<\/OrgnlEndToEndId><TxSts>RJCT<\/TxSts>/)
  assert.match(body, /<Prtry>session_reused<\/Prtry>.*<AddtlInf>Used &lt;before&gt;<\/AddtlInf>/)
})

test('codes become the statuses that a rail knows', () => {
  const parsed = format.parse(Buffer.from(pacs008(transaction())))
  assert('items' in parsed)
  const statusFor = (code: Acknowledgement['responseCode']) =>
    /<TxSts>(.*)<\/TxSts>/.exec(format.acknowledge([answer(code)], parsed).body)?.[1]
  assert.deepEqual((['00', '01', '02', '03'] as const).map(statusFor), [
    'ACSC',
    'ACSC',
    'RJCT',
    'PDNG',
  ])
})

test('versions 02 to 13 are read, and what is no credit transfer is said to be none', () => {
  const read = (text: string) => format.parse(Buffer.from(text))
  for (const version of ['02', '08', '13']) {
    assert('items' in read(pacs008(transaction(), version)), version)
  }
  for (const text of [
    pacs008(transaction(), '01'),
    pacs008(transaction(), '14'),
    pacs008(''),
    pacs008(transaction()).replaceAll('pacs.008', 'pacs.009'),
  ]) {
    assert('malformed' in read(text))
  }
})

// Writes one transfer.
function transaction({ ids, more = '' }: { ids?: string; more?: string } = {}): string {
  const named = `<EndToEndId>E1</EndToEndId><TxId>${NIP}</TxId><UETR>${UETR}</UETR>`
  return `<CdtTrfTxInf><PmtId>${ids ?? named}</PmtId>
    <IntrBkSttlmAmt Ccy="NGN">100.00</IntrBkSttlmAmt><AccptncDtTm>2026-11-15T09:59:58+01:00</AccptncDtTm>
    ${more}<Dbtr><Nm>SEYI OLUFEMI</Nm></Dbtr><DbtrAcct><Id><Othr><Id>2093566866</Id></Othr></Id></DbtrAcct>
    <DbtrAgt><FinInstnId><ClrSysMmbId><MmbId>000004</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt>
    <CdtrAcct><Id><Othr><Id>0016563228</Id></Othr></Id></CdtrAcct>
    <RmtInf><Ustrd>Invoice 1183</Ustrd></RmtInf></CdtTrfTxInf>`
}

// Wraps transfers in a pacs.008 message.
function pacs008(transactions: string, version = '08'): string {
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.${version}"><FIToFICstmrCdtTrf>
    <GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-11-15T10:00:00+01:00</CreDtTm></GrpHdr>
    ${transactions}</FIToFICstmrCdtTrf></Document>`
}

// Parses a message into its items.
function items(text: string) {
  const parsed = format.parse(Buffer.from(text))
  assert('items' in parsed, 'malformed' in parsed ? parsed.malformed : '')
  return parsed.items
}

function answer(responseCode: Acknowledgement['responseCode']): Acknowledgement {
  return { sessionId: NIP, responseCode, responseMessage: 'Accepted', outcome: 'booked' }
}
