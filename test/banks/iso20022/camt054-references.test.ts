// Tests which references identify a camt.054 transaction: the bank's own references come before the payer's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt054Format } from '#banks/iso20022/camt054.ts'
import { camt } from '../renderings.ts'

const NIP = '000004210301180534806663649508'
const NIP_2 = '000004210301180534806663649509'
const UETR = '8a562c67-ca16-48ba-b074-65581be6f001'
const OWN = { AcctSvcrRef: 'FT26319XK01', TxId: 'TX-1', ClrSysRef: 'CLR-1', UETR }

type Refs = Record<string, string>

test('the bank’s own reference is the identity, in their order of preference', () => {
  const inOrder = Object.entries(OWN)
  for (const [at, [, value]] of inOrder.entries()) {
    const left = Object.fromEntries(inOrder.slice(at).reverse())
    assert.deepEqual(sessionIdsOf(entry([{ ...left, EndToEndId: 'INVOICE-7' }])), [value])
    assert.deepEqual(sessionIdsOf(entry([{ ...left, EndToEndId: NIP, InstrId: NIP_2 }])), [value])
  }
})

test('a payer who uses one EndToEndId twice has sent two transfers', () => {
  const first = sessionIdsOf(entry([{ EndToEndId: NIP, AcctSvcrRef: 'S1' }]))
  const second = sessionIdsOf(entry([{ EndToEndId: NIP, AcctSvcrRef: 'S2' }]))
  assert.deepEqual([first, second], [['S1'], ['S2']])
})

test('a NIP session id wins, wherever among its own references the bank puts it', () => {
  for (const name of Object.keys(OWN)) {
    assert.deepEqual(sessionIdsOf(entry([{ ...OWN, [name]: NIP }])), [NIP], name)
  }
  for (const name of ['InstrId', 'EndToEndId']) {
    assert.deepEqual(sessionIdsOf(entry([{ [name]: NIP }])), [NIP], name)
  }
  assert.deepEqual(sessionIdsOf(entry([{ EndToEndId: NIP, InstrId: NIP_2 }])), [NIP_2])
  assert.deepEqual(sessionIdsOf(entry([{}], { NtryRef: NIP })), [NIP])
})

test('the references of an entry name its one transaction, never one of several', () => {
  assert.deepEqual(sessionIdsOf(entry([{ EndToEndId: 'X' }], { AcctSvcrRef: 'S9' })), ['S9'])
  assert.deepEqual(sessionIdsOf(entry([{ AcctSvcrRef: 'S1' }], { AcctSvcrRef: 'S9' })), ['S1'])
  const two = entry([{ TxId: 'T1' }, { TxId: 'T2' }], { AcctSvcrRef: 'S9', NtryRef: NIP })
  assert.deepEqual(sessionIdsOf(two), ['T1', 'T2'])
})

test('a reference that all transactions of a batch share identifies none of them', () => {
  const batch = entry([
    { AcctSvcrRef: 'S9', TxId: 'T1', EndToEndId: NIP },
    { AcctSvcrRef: 'S9', TxId: 'T2', EndToEndId: NIP },
  ])
  assert.deepEqual(sessionIdsOf(batch), ['T1', 'T2'])
  assert.deepEqual(sessionIdsOf(entry([{ EndToEndId: NIP }, { EndToEndId: NIP }])), [
    'M1/1.1.1',
    'M1/1.1.2',
  ])
})

test('NOTPROVIDED and similar placeholders are no references', () => {
  for (const none of ['NOTPROVIDED', 'notprovided', 'NONREF', 'NONE', 'N/A', '-', '0', '']) {
    const refs = { AcctSvcrRef: none, TxId: none, EndToEndId: none, ClrSysRef: 'CLR-1' }
    assert.deepEqual(sessionIdsOf(entry([refs])), ['CLR-1'], none)
    assert.deepEqual(sessionIdsOf(entry([{ EndToEndId: none, UETR: UETR.toUpperCase() }])), [UETR])
  }
})

test('without a bank’s reference, the position in the message identifies the transfer', () => {
  const nameless = entry([{ EndToEndId: 'INVOICE-7' }]) + entry([{}, {}])
  assert.deepEqual(sessionIdsOf(nameless), ['M1/1.1.1', 'M1/1.2.1', 'M1/1.2.2'])
})

test('without a message id too, the payer’s own reference identifies the transfer', () => {
  const idsWithoutMessageId = (entries: string) =>
    sessionIdsOf(entries, (text) => text.replace(/<MsgId>.*?<\/MsgId>/, ''))
  assert.deepEqual(idsWithoutMessageId(entry([{ EndToEndId: 'INVOICE-7' }])), ['INVOICE-7'])
  assert.deepEqual(idsWithoutMessageId(entry([{}])), ['invalid_session_id'])
})

test('a too long or unprintable reference is stored as its SHA-256', () => {
  const [long] = sessionIdsOf(entry([{ TxId: 'x'.repeat(65) }]))
  assert.match(String(long), /^[0-9a-f]{64}$/)
  assert.deepEqual(sessionIdsOf(entry([{ TxId: 'x'.repeat(65) }])), [long])
  assert.notDeepEqual(sessionIdsOf(entry([{ TxId: 'x'.repeat(66) }])), [long])
  assert.deepEqual(sessionIdsOf(entry([{ TxId: 'x'.repeat(64) }])), ['x'.repeat(64)])
  assert.deepEqual(sessionIdsOf(entry([{ TxId: 'TX 1' }])), ['TX 1'])
  assert.match(String(sessionIdsOf(entry([{ TxId: 'TX\u200b1' }]))), /^[0-9a-f]{64}$/)
})

test('a reference that occurs twice does not count', () => {
  const twice = entry([{ TxId: 'T1' }]).replace('<TxId>T1</TxId>', '$&$&')
  assert.deepEqual(sessionIdsOf(twice), ['M1/1.1.1'])
})

// Returns the session id of each credit, or the code with which it is rejected.
function sessionIdsOf(entries: string, change = (text: string) => text): (string | null)[] {
  const parsed = camt054Format.parse(Buffer.from(change(camt(entries))))
  assert('items' in parsed)
  return parsed.items.map((item) => (item.ok ? item.credit.sessionId : item.code))
}

// Writes an entry with one transaction for each set of references, and with references of the entry itself.
function entry(transactions: readonly Refs[], entryRefs: Refs = {}): string {
  const details = transactions.map(
    (refs) => `<TxDtls><Refs>${tags(refs)}</Refs><Amt Ccy="NGN">5.00</Amt></TxDtls>`,
  )
  return `<Ntry>${tags(entryRefs)}<Amt Ccy="NGN">${5 * transactions.length}.00</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls>${details.join('')}</NtryDtls></Ntry>`
}

// Writes each reference as an XML element.
function tags(values: Refs): string {
  return Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')
}
