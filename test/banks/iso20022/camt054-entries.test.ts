// Reads entries of camt.054 as banks really send them: wrappers, amounts, batches, charges, reversals,
// parties.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt054Format } from '#banks/iso20022/camt054.ts'
import type { IncomingCredit } from '#banks/notifications.ts'
import { camt } from '../renderings.ts'

const ID = '000004210301180534806663649508'
const ID_2 = '000004210301180534806663649509'
const NUMBER = '0016563228'

test('a notification is read out of its envelope', () => {
  const bare = camt(entry())
  const [declaration, document] = bare.split('?>\n') as [string, string]
  const header = `<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02">
    <BizMsgIdr>B1</BizMsgIdr><MsgDefIdr>camt.054.001.02</MsgDefIdr></AppHdr>`
  const wrapped = (open: string, close: string) =>
    parse(`${declaration}?>${open}${header}${document}${close}`)
  assert.deepEqual(wrapped('<BusMsg>', '</BusMsg>'), parse(bare))
  assert.deepEqual(wrapped('<b:BusMsg xmlns:b="urn:swift">', '</b:BusMsg>'), parse(bare))
  assert.deepEqual(wrapped('<DataPDU><Body>', '</Body></DataPDU>'), parse(bare))
  assert('malformed' in wrapped('<BusMsg>', `${document}</BusMsg>`))
  assert('malformed' in parse(`<BusMsg>${header}</BusMsg>`))
})

test('the ISO 20022 content type is accepted', () => {
  assert(camt054Format.accepts('application/iso20022+xml; charset=utf-8'))
})

test('the first version is read in its own shape', () => {
  const account = `<PrtryAcct><Id>${NUMBER}</Id></PrtryAcct>`
  const text = camt(entry().replace(/<\/?NtryDtls>/g, ''), { version: '01' })
    .replaceAll('BkToCstmrDbtCdtNtfctn', 'BkToCstmrDbtCdtNtfctnV01')
    .replace(/<Othr><Id>9930000737<\/Id><\/Othr>/, account)
  assert.equal(creditOf(text).accountNumber, NUMBER)
})

test('the booked amount counts where the details of its one transfer say zero', () => {
  const transactionOfAmount = (text: string) => transaction({ more: amountTag(text) })
  for (const text of ['0', '0.00', '000.000']) {
    const credit = creditOf(
      camt(entry({ details: transactionOfAmount(text), amount: '105678.50' })),
    )
    assert.equal(credit.amountKobo, 10_567_850n)
  }
  const counted = `<Btch><NbOfTxs>2</NbOfTxs></Btch>${transactionOfAmount('0')}`
  assert.deepEqual(codesOf(camt(entry({ details: counted }))), ['batch_without_details'])
  const two = transactionOfAmount('0') + transaction({ id: ID_2, more: amountTag('0') })
  assert.deepEqual(codesOf(camt(entry({ details: two }))), ['amount_mismatch', 'amount_mismatch'])
})

const AMOUNTS = [
  ['10.00000', 1_000n],
  ['0010.00', 1_000n],
  ['10.5000', 1_050n],
  ['0.01000', 1n],
  ['10', 1_000n],
] as const
for (const [written, kobo] of AMOUNTS) {
  test(`an amount of ${written} is ${kobo} kobo`, () => {
    assert.equal(creditOf(camt(entry({ amount: written }))).amountKobo, kobo)
  })
}

for (const written of ['10.005', '10.00001', '1<b>5</b>00', '1<b/>500', '10.00 20.00', '1 0', '']) {
  test(`an amount of "${written}" is refused, and kept from being lost`, () => {
    const text = camt(entry({ amount: written }))
    assert.deepEqual(codesOf(text), ['invalid_amount'])
    const own = camt(entry({ details: transaction({ more: amountTag(written) }), amount: '1500' }))
    assert.deepEqual(codesOf(own), ['invalid_amount'])
  })
}

test('24:00:00 is the end of the day', () => {
  const late = entry({ before: '<BookgDt><DtTm>2026-11-14T24:00:00+01:00</DtTm></BookgDt>' })
  assert.equal(creditOf(camt(late)).transactionTime?.toISOString(), '2026-11-14T23:00:00.000Z')
})

test('a day without a time stays a day', () => {
  for (const day of ['2026-11-15', '2026-11-15+01:00', '2026-11-15Z']) {
    const credit = creditOf(camt(entry({ before: `<BookgDt><Dt>${day}</Dt></BookgDt>` })))
    assert.deepEqual([credit.transactionTime, credit.transactionDate], [null, '2026-11-15'])
  }
})

test('when the transfer was accepted counts before when it was booked', () => {
  const more = '<RltdDts><AccptncDtTm>2026-11-15T08:00:00+01:00</AccptncDtTm></RltdDts>'
  const before = '<BookgDt><Dt>2026-11-16</Dt></BookgDt>'
  const credit = creditOf(camt(entry({ details: transaction({ more }), before })))
  assert.equal(credit.transactionTime?.toISOString(), '2026-11-15T07:00:00.000Z')
})

test('several transfers in one sum, without details, are not booked to any account', () => {
  const codesOfBatch = (count: string, details = '') =>
    codesOf(camt(entry({ details: `<Btch><NbOfTxs>${count}</NbOfTxs></Btch>${details}` })))
  assert.deepEqual(codesOfBatch('3'), ['batch_without_details'])
  assert.deepEqual(codesOfBatch('3', transaction()), ['batch_without_details'])
  assert.deepEqual(codesOfBatch('many'), ['batch_without_details'])
  assert.deepEqual(codesOfBatch('1'), [undefined])
  assert.deepEqual(codesOfBatch('1', transaction()), [undefined])
  const [item] = parseItems(camt(entry({ details: '<Btch><NbOfTxs>3</NbOfTxs></Btch>' })))
  assert(item && !item.ok)
  assert.equal(item.money?.amount, '100.00')
})

test('an entry net of charges is the payer’s gross, and what the bank withheld', () => {
  const charges = '<Chrgs><Rcrd><Amt Ccy="NGN">0.50</Amt></Rcrd></Chrgs>'
  const gross = amountTag('100.00')
  const net = entry({ amount: '99.50', details: transaction({ more: gross + charges }) })
  assert.deepEqual(amountsOf(camt(net)), [[10_000n, 50n, 0n]])
  const withCharges = entry({ amount: '100.00', details: transaction({ more: gross + charges }) })
  assert.deepEqual(amountsOf(camt(withCharges)), [[10_000n]])
  const unlike = entry({ amount: '99.40', details: transaction({ more: gross + charges }) })
  assert.deepEqual(codesOf(camt(unlike)), ['net_of_charges'])
  const unexplained = entry({ amount: '99.50', details: transaction({ more: gross }) })
  assert.deepEqual(codesOf(camt(unexplained)), ['amount_mismatch'])
})

test('tax on charges is withheld apart from them, beside them or within them', () => {
  const taxed = '<Tax><Amt Ccy="NGN">0.04</Amt></Tax>'
  const charges = `<Chrgs><Rcrd><Amt Ccy="NGN">0.50</Amt>${taxed}</Rcrd></Chrgs>`
  const details = transaction({ more: amountTag('100.00') + charges })
  assert.deepEqual(amountsOf(camt(entry({ amount: '99.46', details }))), [[10_000n, 50n, 4n]])
  assert.deepEqual(amountsOf(camt(entry({ amount: '99.50', details }))), [[10_000n, 46n, 4n]])
})

test('a fee among the parts of an entry is withheld from the first credit that can bear it', () => {
  const fee = transaction({ id: ID_2, more: `${amountTag('0.50')}<CdtDbtInd>DBIT</CdtDbtInd>` })
  const small = transaction({ id: 'SMALL', more: amountTag('0.50') })
  const details = small + transaction({ more: amountTag('100.00') }) + fee
  const batch = camt(entry({ amount: '100.00', details }))
  assert.deepEqual(amountsOf(batch), [[50n], [10_000n, 50n, 0n], undefined])
  assert.deepEqual(codesOf(batch), [undefined, undefined, 'not_a_credit'])
  const unlike = entry({
    amount: '100.50',
    details: transaction({ more: amountTag('100.00') }) + fee,
  })
  assert.deepEqual(codesOf(camt(unlike)), ['amount_mismatch', 'not_a_credit'])
})

test('a debit marked as a reversal takes a credit back, by any of its names', () => {
  const readReversed = (text: string) =>
    parseItems(text.replace('CRDT', 'DBIT').replace('<Sts>', '<RvslInd>true</RvslInd><Sts>'))
  const more = '<Refs><AcctSvcrRef>S2</AcctSvcrRef><EndToEndId>E1</EndToEndId></Refs>'
  const [item] = readReversed(camt(entry({ details: `<TxDtls>${more}</TxDtls>` })))
  assert(item && !item.ok)
  assert.deepEqual(item.reversal, {
    sessionId: 'S2',
    place: 'M1/1.1.1',
    originals: ['S2', 'E1'],
    accountNumber: '9930000737',
    amountKobo: 10_000n,
    currency: 'NGN',
  })
  const [pending] = readReversed(camt(entry()).replace('BOOK', 'PDNG'))
  assert(pending && !pending.ok && !pending.reversal && pending.code === 'not_booked')
  const [unsure] = parseItems(camt(entry()).replace('CRDT', 'DBIT'))
  assert(unsure && !unsure.ok && !unsure.reversal && unsure.code === 'not_a_credit')
})

test('our number is found in an IBAN of Nigeria and in a proxy', () => {
  // Returns the account number that is read from an entry with this account element.
  const accountNumberOf = (account: string) => {
    const parties = `<RltdPties><CdtrAcct>${account}</CdtrAcct></RltdPties>`
    return creditOf(camt(entry({ details: transaction({ more: parties }) }))).accountNumber
  }
  const iban = (text: string) => `<Id><IBAN>${text}</IBAN></Id>`
  assert.equal(accountNumberOf(iban(`NG51058152010${NUMBER}`)), NUMBER)
  assert.equal(accountNumberOf(iban(`NG51 0581 5201 ${NUMBER}`)), NUMBER)
  assert.equal(accountNumberOf(iban(`GB51BUKB202015${NUMBER}`)), '9930000737')
  const proxy = (text: string) => `<Prxy><Tp><Cd>CINC</Cd></Tp><Id>${text}</Id></Prxy>`
  assert.equal(accountNumberOf(proxy(NUMBER)), NUMBER)
  assert.equal(accountNumberOf(proxy('+2348031234567')), '9930000737')
  assert.equal(
    accountNumberOf(`<Id><Othr><Id>${NUMBER}</Id></Othr></Id>${proxy('0123456789')}`),
    NUMBER,
  )
})

test('the payer’s bank is known by its BIC where it has no other code', () => {
  const agent = (id: string) =>
    transaction({ more: `<RltdAgts><DbtrAgt><FinInstnId>${id}</FinInstnId></DbtrAgt></RltdAgts>` })
  const bankCodeOf = (id: string) => creditOf(camt(entry({ details: agent(id) }))).sourceBankCode
  assert.equal(bankCodeOf('<BICFI>GTBINGLA</BICFI>'), 'GTBINGLA')
  assert.equal(bankCodeOf('<BIC>GTBINGLA</BIC>'), 'GTBINGLA')
  const both = '<BICFI>GTBINGLA</BICFI><ClrSysMmbId><MmbId>000013</MmbId></ClrSysMmbId>'
  assert.equal(bankCodeOf(both), '058')
})

test('structured remittance is part of the narration', () => {
  const remittance = (text: string) =>
    creditOf(camt(entry({ details: transaction({ more: `<RmtInf>${text}</RmtInf>` }) }))).narration
  const structured = `<Strd><RfrdDocInf><Nb>INV-7</Nb></RfrdDocInf>
    <CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf><AddtlRmtInf>May</AddtlRmtInf></Strd>`
  assert.equal(remittance(structured), 'RF18539007547034 INV-7 May')
  assert.equal(remittance(`<Ustrd>Rent</Ustrd>${structured}`), 'Rent RF18539007547034 INV-7 May')
})

type Entry = { details?: string; amount?: string; before?: string }

// Writes an entry. `details` are its transactions, `before` stands before its amount.
function entry({ details = transaction(), amount = '100.00', before = '' }: Entry = {}): string {
  return `<Ntry>${before}${amountTag(amount)}<CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    <NtryDtls>${details}</NtryDtls></Ntry>`
}

// Writes a transaction of an entry. `more` stands after its references.
function transaction({ id = ID, more = '' } = {}): string {
  return `<TxDtls><Refs><AcctSvcrRef>${id}</AcctSvcrRef></Refs>${more}</TxDtls>`
}

function amountTag(amount: string): string {
  return `<Amt Ccy="NGN">${amount}</Amt>`
}

function parse(text: string) {
  return camt054Format.parse(Buffer.from(text))
}

// Parses a notification into its items.
function parseItems(text: string) {
  const parsed = parse(text)
  assert('items' in parsed, 'malformed' in parsed ? parsed.malformed : '')
  return parsed.items
}

// Returns the rejection code of each item; undefined for a credit.
function codesOf(text: string): (string | undefined)[] {
  return parseItems(text).map((item) => (item.ok ? undefined : item.code))
}

// Returns the first credit of a notification.
function creditOf(text: string): IncomingCredit {
  const [item] = parseItems(text)
  assert(item?.ok, item && !item.ok ? item.code : '')
  return item.credit
}

// Returns the amount, fee and VAT of each credit; undefined for a rejected one. All amounts are in kobo.
function amountsOf(text: string) {
  return parseItems(text).map((item) => {
    if (!item.ok) return undefined
    const { amountKobo, charges } = item.credit
    return charges ? [amountKobo, charges.feeKobo, charges.vatKobo] : [amountKobo]
  })
}
