// The banks we know, by each of the ways others name them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BANKS, findBank, findBankByName, findBankByNipCode } from '#banks/directory.ts'
import { isBankCode } from '#banks/nuban.ts'

test('no two banks share a code, a NIP code or a name', () => {
  const codes = BANKS.map((bank) => bank.code)
  const nipCodes = BANKS.flatMap((bank) => bank.nipCode ?? [])
  assert.equal(new Set(codes).size, codes.length)
  assert.equal(new Set(nipCodes).size, nipCodes.length)
  for (const bank of BANKS) {
    for (const name of [bank.name, ...(bank.otherNames ?? [])]) {
      assert.equal(findBankByName(name), bank, name)
    }
  }
})

test('every code has the shape that account numbers are computed from', () => {
  for (const bank of BANKS) {
    assert(isBankCode(bank.code), bank.code)
    assert.match(bank.nipCode ?? '000000', /^[0-9]{6}$/)
  }
})

test('a bank is found by its code and by its NIP code', () => {
  assert.equal(findBank('035')?.name, 'Wema Bank')
  assert.equal(findBank('50515')?.name, 'Moniepoint Microfinance Bank')
  assert.equal(findBankByNipCode('000013')?.code, '058')
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
