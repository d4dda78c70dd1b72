// The identifiers of a camt.054 transaction: the bank's own references before the payer's.

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
    assert.deepEqual(ids(entry([{ ...left, EndToEndId: 'INVOICE-7' }])), [value])
    assert.deepEqual(ids(entry([{ ...left, EndToEndId: NIP, InstrId: NIP_2 }])), [value])
  }
})

test('a payer who uses one EndToEndId twice has sent two transfers', () => {
  const first = ids(entry([{ EndToEndId: NIP, AcctSvcrRef: 'S1' }]))
  const second = ids(entry([{ EndToEndId: NIP, AcctSvcrRef: 'S2' }]))
  assert.deepEqual([first, second], [['S1'], ['S2']])
})

test('a NIP session id wins, wherever among its own references the bank puts it', () => {
  for (const name of Object.keys(OWN)) {
    assert.deepEqual(ids(entry([{ ...OWN, [name]: NIP }])), [NIP], name)
  }
  for (const name of ['InstrId', 'EndToEndId']) {
    assert.deepEqual(ids(entry([{ [name]: NIP }])), [NIP], name)
  }
  assert.deepEqual(ids(entry([{ EndToEndId: NIP, InstrId: NIP_2 }])), [NIP_2])
  assert.deepEqual(ids(entry([{}], { NtryRef: NIP })), [NIP])
})

test('the references of an entry name its one transaction, never one of several', () => {
  assert.deepEqual(ids(entry([{ EndToEndId: 'X' }], { AcctSvcrRef: 'S9' })), ['S9'])
  assert.deepEqual(ids(entry([{ AcctSvcrRef: 'S1' }], { AcctSvcrRef: 'S9' })), ['S1'])
  const two = entry([{ TxId: 'T1' }, { TxId: 'T2' }], { AcctSvcrRef: 'S9', NtryRef: NIP })
  assert.deepEqual(ids(two), ['T1', 'T2'])
})

test('a reference that all transactions of a batch share identifies none of them', () => {
  const batch = entry([
    { AcctSvcrRef: 'S9', TxId: 'T1', EndToEndId: NIP },
    { AcctSvcrRef: 'S9', TxId: 'T2', EndToEndId: NIP },
  ])
  assert.deepEqual(ids(batch), ['T1', 'T2'])
  assert.deepEqual(ids(entry([{ EndToEndId: NIP }, { EndToEndId: NIP }])), ['M1/1.1.1', 'M1/1.1.2'])
})

test('NOTPROVIDED and its like are no references', () => {
  for (const none of ['NOTPROVIDED', 'notprovided', 'NONREF', 'NONE', 'N/A', '-', '0', '']) {
    const refs = { AcctSvcrRef: none, TxId: none, EndToEndId: none, ClrSysRef: 'CLR-1' }
    assert.deepEqual(ids(entry([refs])), ['CLR-1'], none)
    assert.deepEqual(ids(entry([{ EndToEndId: none, UETR: UETR.toUpperCase() }])), [UETR])
  }
})

test('without any, it is the place in the message that names it', () => {
  const nameless = entry([{ EndToEndId: 'INVOICE-7' }]) + entry([{}, {}])
  assert.deepEqual(ids(nameless), ['M1/1.1.1', 'M1/1.2.1', 'M1/1.2.2'])
})

test('only without a message id either, the payer’s own reference has to do', () => {
  const without = (entries: string) =>
    ids(entries, (text) => text.replace(/<MsgId>.*?<\/MsgId>/, ''))
  assert.deepEqual(without(entry([{ EndToEndId: 'INVOICE-7' }])), ['INVOICE-7'])
  assert.deepEqual(without(entry([{}])), ['invalid_session_id'])
})

test('a reference that is too long or unprintable is kept as its SHA-256, always the same', () => {
  const [long] = ids(entry([{ TxId: 'x'.repeat(65) }]))
  assert.match(String(long), /^[0-9a-f]{64}$/)
  assert.deepEqual(ids(entry([{ TxId: 'x'.repeat(65) }])), [long])
  assert.notDeepEqual(ids(entry([{ TxId: 'x'.repeat(66) }])), [long])
  assert.deepEqual(ids(entry([{ TxId: 'x'.repeat(64) }])), ['x'.repeat(64)])
  assert.deepEqual(ids(entry([{ TxId: 'TX 1' }])), ['TX 1'])
  assert.match(String(ids(entry([{ TxId: 'TX\u200b1' }]))), /^[0-9a-f]{64}$/)
})

test('a reference that occurs twice does not count', () => {
  const twice = entry([{ TxId: 'T1' }]).replace('<TxId>T1</TxId>', '$&$&')
  assert.deepEqual(ids(twice), ['M1/1.1.1'])
})

function ids(entries: string, change = (text: string) => text): (string | null)[] {
  const parsed = camt054Format.parse(Buffer.from(change(camt(entries))))
  assert('items' in parsed)
  return parsed.items.map((item) => (item.ok ? item.credit.sessionId : item.code))
}

function entry(transactions: readonly Refs[], own: Refs = {}): string {
  const details = transactions.map(
    (refs) => `<TxDtls><Refs>${tags(refs)}</Refs><Amt Ccy="NGN">5.00</Amt></TxDtls>`,
  )
  return `<Ntry>${tags(own)}<Amt Ccy="NGN">${5 * transactions.length}.00</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls>${details.join('')}</NtryDtls></Ntry>`
}

function tags(values: Refs): string {
  return Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')
}
