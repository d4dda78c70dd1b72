// The directory of banks finds each bank by every name and code that others use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BANKS,
  findBank,
  findBankByName,
  findBankByNipCode,
  KINDS,
  providerCode,
} from '#banks/directory.ts'
import { isBankCode } from '#banks/nuban.ts'

test('no two institutions share a code', () => {
  const codes = BANKS.flatMap(({ code, cbnCode, nipCode, aliases }) => [
    ...new Set([code, cbnCode, nipCode, ...(aliases ?? [])].filter((each) => each !== undefined)),
  ])
  assert.equal(new Set(codes).size, codes.length)
  for (const bank of BANKS) {
    assert.equal(findBank(bank.code), bank)
    assert(KINDS.includes(bank.kind), bank.kind)
  }
})

test('every code has three, five or six digits, and ours is the CBN code if there is one', () => {
  for (const { code, cbnCode, nipCode, aliases } of BANKS) {
    for (const each of [code, ...(aliases ?? [])]) assert.match(each, /^[0-9]{3}(?:[0-9]{2,3})?$/)
    assert(cbnCode === undefined || isBankCode(cbnCode), cbnCode)
    assert.match(nipCode ?? '000000', /^[0-9]{6}$/)
    if (cbnCode ?? nipCode) assert.equal(code, cbnCode ?? nipCode)
  }
})

test('a name that two institutions share is that of the commercial bank, or of neither', () => {
  assert.equal(findBankByName('Access Bank')?.code, '044')
  for (const bank of BANKS.filter(({ kind }) => kind === 'commercial')) {
    assert.equal(findBankByName(bank.name), bank, bank.name)
  }
  const shared = BANKS.filter(({ name }) => name === 'Platinum Mortgage Bank')
  assert.equal(shared.length, 2)
  assert.equal(findBankByName('Platinum Mortgage Bank'), undefined)
})

test('a connector names an institution by the code that its provider expects', () => {
  assert.equal(providerCode('058', 'nip'), '000013')
  assert.equal(providerCode('000013', 'cbn'), '058')
  assert.equal(providerCode('50211', 'nip'), '090267')
  assert.equal(providerCode('999992', 'nip'), '100004', 'by an alias')
  assert.equal(providerCode('100004', 'cbn'), '100004', 'it has no CBN code')
  assert.equal(providerCode('100004', 'cbn', 'paystack'), '999992')
  assert.equal(providerCode('100004', 'cbn', 'nomba'), '305')
  assert.equal(providerCode('058', 'cbn', 'constructor'), '058')
  assert.equal(providerCode('997', 'nip'), '997', 'not listed')
})

test('a bank is found by its code and by its NIP code', () => {
  assert.equal(findBank('035')?.name, 'Wema Bank')
  assert.equal(findBank('50515')?.name, 'Moniepoint Microfinance Bank')
  assert.equal(findBankByNipCode('000013')?.code, '058')
  assert.equal(findBank('999992')?.name, 'OPay Digital Services')
  assert.equal(findBank('566')?.name, 'VFD Microfinance Bank')
  assert.equal(findBank('999'), undefined)
  assert.equal(findBank('__proto__'), undefined)
  assert.equal(findBankByNipCode('058'), undefined)
})

const NAMES = [
  ['UNITED BANK FOR AFRICA', '033'],
  ['GTBANK PLC', '058'],
  ['Guaranty Trust Bank Plc.', '058'],
  ['FIRST BANK OF NIGERIA LTD', '011'],
  ['FIRST CITY MONUMENT BANK', '214'],
  ['KUDA MFB', '50211'],
  ['Zenith', '057'],
] as const

for (const [name, code] of NAMES) {
  test(`"${name}" is bank ${code}`, () => {
    assert.equal(findBankByName(name)?.code, code)
  })
}

test('a name of nothing but filler is no bank', () => {
  for (const name of ['', 'Bank', 'Bank of the Nigeria Ltd', '???']) {
    assert.equal(findBankByName(name), undefined)
  }
})
