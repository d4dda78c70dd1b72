// Tests camt.054 notifications, beyond the promises that test/banks/conformance.test.ts checks for every
// format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt054Format } from '#banks/iso20022/camt054.ts'
import { camt } from '../renderings.ts'

const ID = '000004210301180534806663649508'
const ID_2 = '000004210301180534806663649509'

for (let number = 1; number <= 13; number++) {
  const version = String(number).padStart(2, '0')
  test(`version ${version} is read`, () => {
    assert.equal(readCredit(entry(), { version })?.sessionId, ID)
  })
}

test('other versions, other messages and other roots are malformed', () => {
  const good = camt(entry())
  assert('malformed' in parse(camt(entry(), { version: '00' })))
  assert('malformed' in parse(camt(entry(), { version: '14' })))
  assert('malformed' in parse(good.replace('camt.054', 'camt.053')))
  assert('malformed' in parse(good.replaceAll('BkToCstmrDbtCdtNtfctn', 'BkToCstmrStmt')))
  assert('malformed' in parse(good.replaceAll('Document', 'Dokument')))
  assert('malformed' in parse(good.replace(/xmlns="[^"]+"/, '')))
  assert('malformed' in parse(good.replaceAll('Ntfctn>', 'Stmt>')))
})

test('a notification without entries is valid, and contains no credits', () => {
  assert.deepEqual(parse(camt('')), { items: [], batch: true })
})

test('a prefix for the namespace changes nothing, a foreign namespace does', () => {
  const prefixed = camt(entry())
    .replace('xmlns=', 'xmlns:n=')
    .replace(/<(\/?)(?=[A-Z])/g, '<$1n:')
  assert.deepEqual(parse(prefixed), parse(camt(entry())))
  const foreign = camt(entry()).replace('<Amt ', '<Amt xmlns="urn:other" ')
  assert.equal(codes(parse(foreign))[0], 'invalid_amount')
})

test("the transaction's own account wins over the notification's", () => {
  const own = entry({ details: tx({ account: '0016563228' }) })
  assert.equal(readCredit(own, { account: '9930000737' })?.accountNumber, '0016563228')
  assert.equal(readCredit(entry(), { account: '9930000737' })?.accountNumber, '9930000737')
})

test('an entry without details is a credit by itself, named by its own references', () => {
  const bare = entry({ details: '', before: `<NtryRef>${ID}</NtryRef>` })
  assert.equal(readCredit(bare)?.sessionId, ID)
  const both = `<NtryRef>${ID}</NtryRef><AcctSvcrRef>${ID_2}</AcctSvcrRef>`
  assert.equal(readCredit(entry({ details: '', before: both }))?.sessionId, ID_2)
})

test('only booked credits are money in', () => {
  const codeAfterReplacing = (from: string, to: string) =>
    codes(parse(camt(entry().replace(from, to))))[0]
  assert.equal(codeAfterReplacing('CRDT', 'DBIT'), 'not_a_credit')
  assert.equal(codeAfterReplacing('BOOK', 'INFO'), 'not_booked')
  assert.equal(codeAfterReplacing('<CdtDbtInd>CRDT</CdtDbtInd>', ''), 'not_a_credit')
  assert.equal(codeAfterReplacing('<Sts>', '<RvslInd>true</RvslInd><Sts>'), 'not_a_credit')
  assert.equal(codeAfterReplacing('<Sts>', '<RvslInd>false</RvslInd><Sts>'), undefined)
  assert.equal(
    codeAfterReplacing('<TxDtls>', '<TxDtls><CdtDbtInd>DBIT</CdtDbtInd>'),
    'not_a_credit',
  )
  assert.equal(codeAfterReplacing('BOOK', 'PDNG'), 'not_booked')
  assert.equal(codeAfterReplacing('BOOK', '<Cd>PDNG</Cd>'), 'not_booked')
  assert.equal(codeAfterReplacing('BOOK', '<Cd>BOOK</Cd>'), undefined)
  assert.equal(codeAfterReplacing('<Sts>BOOK</Sts>', ''), 'not_booked')
})

test('several transactions of one entry are several credits', () => {
  const details =
    tx({ amount: '4000.00' }) + tx({ refs: ref('EndToEndId', ID_2), amount: '2000.5' })
  const { items } = parseList(camt(entry({ details })))
  assert.deepEqual(
    items.map((item) => item.ok && [item.credit.sessionId, item.credit.amountKobo]),
    [
      [ID, 400_000n],
      [ID_2, 200_050n],
    ],
  )
})

test('the older place of a transaction amount is read too', () => {
  const old = '<AmtDtls><TxAmt><Amt Ccy="NGN">6000.50</Amt></TxAmt></AmtDtls>'
  assert.equal(readCredit(entry({ details: tx({ more: old }) }))?.amountKobo, 600_050n)
})

test('no more is taken from an entry than the bank booked', () => {
  const second = ref('EndToEndId', ID_2)
  const codesOfAmounts = (one: string, two: string) =>
    codes(parse(camt(entry({ details: tx({ amount: one }) + tx({ refs: second, amount: two }) }))))
  assert.deepEqual(codesOfAmounts('6000.50', '6000.50'), ['amount_mismatch', 'amount_mismatch'])
  assert.deepEqual(codesOfAmounts('4000.00', '2000.49'), ['amount_mismatch', 'amount_mismatch'])
  assert.deepEqual(codesOfAmounts('4000.00', '-1'), [undefined, 'invalid_amount'])
  assert.deepEqual(codesOfAmounts('6000.51', 'x'), ['amount_mismatch', 'amount_mismatch'])
  assert.deepEqual(codes(parse(camt(entry({ details: tx({ amount: '1.00' }) })))), [
    'amount_mismatch',
  ])
})

test('transactions without amounts of their own are rejected', () => {
  const silent = entry({ details: tx({}) + tx({ refs: ref('EndToEndId', ID_2) }) })
  assert.deepEqual(codes(parse(camt(silent))), ['invalid_amount', 'invalid_amount'])
})

test('an amount instructed in another currency is not the amount booked', () => {
  const details = tx({ more: '<Amt Ccy="USD">4.00</Amt>' })
  assert.equal(readCredit(entry({ details }))?.amountKobo, 600_050n)
})

test('an amount without its currency is not read as naira', () => {
  const bare = camt(entry().replace(' Ccy="NGN"', ''))
  assert.deepEqual(codes(parse(bare)), ['invalid_currency'])
})

test('an element that should occur once and occurs twice is ignored', () => {
  const codesOfDoubled = (text: string) => codes(parse(camt(entry().replace(text, text + text))))
  assert.deepEqual(codesOfDoubled('<Amt Ccy="NGN">6000.50</Amt>'), ['invalid_amount'])
  assert.deepEqual(codesOfDoubled('<CdtDbtInd>CRDT</CdtDbtInd>'), ['not_a_credit'])
  assert.deepEqual(codesOfDoubled('<Sts>BOOK</Sts>'), ['not_booked'])
})

test('the payer is read from both shapes of the debtor, and from an IBAN', () => {
  const newer = `<RltdPties><Dbtr><Pty><Nm>ADE</Nm></Pty></Dbtr>
    <DbtrAcct><Id><IBAN>GB33BUKB20201555555555</IBAN></Id></DbtrAcct></RltdPties>`
  const credit = readCredit(entry({ details: tx({ more: newer }) }))
  assert.equal(credit?.sourceAccountName, 'ADE')
  assert.equal(credit?.sourceAccountNumber, 'GB33BUKB20201555555555')
})

test('the lines of a narration are joined, character data included', () => {
  const more = '<RmtInf><Ustrd>one</Ustrd><Ustrd><![CDATA[<two>]]> &amp; </Ustrd></RmtInf>'
  assert.equal(readCredit(entry({ details: tx({ more }) }))?.narration, 'one <two> &')
})

test('the booking date counts, else the value date', () => {
  // Returns the time, or else the day, that is read from an entry with these date elements.
  const readTime = (dates: string) => {
    const { transactionTime, transactionDate } = readCredit(entry({ before: dates }))
    return transactionDate ?? transactionTime?.toISOString()
  }
  const booked = '<BookgDt><Dt>2026-11-15</Dt></BookgDt>'
  const valued = '<ValDt><DtTm>2026-11-16T10:00:00Z</DtTm></ValDt>'
  assert.equal(readTime(valued + booked), '2026-11-15')
  assert.equal(readTime(valued), '2026-11-16T10:00:00.000Z')
  assert.equal(readTime(''), undefined)
  assert.equal(readTime(`<BookgDt><Dt>someday</Dt></BookgDt>${valued}`), '2026-11-16T10:00:00.000Z')
  const wrong = camt(entry({ before: '<BookgDt><Dt>15/11/2026</Dt></BookgDt>' }))
  assert.deepEqual(codes(parse(wrong)), ['invalid_transaction_time'])
})

type Details = { refs?: string; amount?: string; account?: string; more?: string }

// Writes a transaction of an entry.
function tx({ refs = ref('EndToEndId', ID), amount, account, more = '' }: Details): string {
  const own = amount === undefined ? '' : `<Amt Ccy="NGN">${amount}</Amt>`
  const creditor =
    account === undefined ? '' : `<CdtrAcct><Id><Othr>${ref('Id', account)}</Othr></Id></CdtrAcct>`
  const parties = creditor && ref('RltdPties', creditor)
  return `<TxDtls><Refs>${refs}</Refs>${own}${parties}${more}</TxDtls>`
}

// Writes an entry. `details` are its transactions, `before` stands before its amount.
function entry({ details = tx({}), before = '' } = {}): string {
  return `<Ntry>${before}<Amt Ccy="NGN">6000.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    <NtryDtls>${details}</NtryDtls></Ntry>`
}

function ref(name: string, value: string): string {
  return `<${name}>${value}</${name}>`
}

function parse(text: string) {
  return camt054Format.parse(Buffer.from(text))
}

// Parses a notification. Checks that `batch` is true even for one transaction: the acknowledgement of a
// camt.054 is always a list.
function parseList(text: string) {
  const parsed = parse(text)
  assert('items' in parsed)
  assert.equal(parsed.batch, true)
  return parsed
}

// Returns the rejection code of each item; undefined for a credit.
function codes(parsed: ReturnType<typeof parse>): (string | undefined)[] {
  assert('items' in parsed)
  return parsed.items.map((item) => (item.ok ? undefined : item.code))
}

// Parses a notification with one credit and returns it.
function readCredit(entries: string, options = {}) {
  const [item] = parseList(camt(entries, options)).items
  assert(item?.ok)
  return item.credit
}
