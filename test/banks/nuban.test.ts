// Checks NUBAN account numbers: the published examples, and the properties of the check digit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAccountNumber, isBankCode, nuban, nubanCheckDigit, SERIAL_MAX } from '#banks/nuban.ts'
import { isNuban } from '../support/nuban.ts'

const VECTORS = [
  { code: '011', account: '0000014579', valid: true },
  { code: '011', account: '0000000220', valid: true },
  { code: '058', account: '0016563228', valid: true },
  { code: '232', account: '8952095784', valid: true },
  { code: '035', account: '9930000737', valid: true },
  { code: '011', account: '0000012345', valid: false },
] as const

for (const { code, account, valid } of VECTORS) {
  test(`${account} is ${valid ? 'a' : 'no'} number of bank ${code}`, () => {
    assert.equal(isNuban(code, account), valid)
    assert.equal(nuban(code, Number(account.slice(0, 9))) === account, valid)
  })
}

test('the check digit of 011 000001234 is 8', () => {
  assert.equal(nubanCheckDigit('011', '000001234'), '8')
})

// Computed by hand: 9·3 + 5·7 + 0·3 + 2·3 + 1·7 + 1·3 = 78. Serial 1 adds 1·3 in the last place: 81. So the
// check digit is 9.
test('a 5-digit institution enters the check with a 9 in front', () => {
  assert.equal(nuban('50211', 1), '0000000019')
})

const bankCode = fc.oneof(digits(3), digits(5))
const serial = fc.nat(SERIAL_MAX)

test('every issued number passes the check, has 10 digits and begins with its serial', () => {
  fc.assert(
    fc.property(bankCode, serial, (code, number) => {
      const account = nuban(code, number)
      assert.match(account, /^[0-9]{10}$/)
      assert.equal(Number(account.slice(0, 9)), number)
      assert(isNuban(code, account))
      assert.equal(nuban(code, BigInt(number)), account)
    }),
  )
})

// The weights 3 and 7 have no factor in common with 10.
test('a single changed digit never passes', () => {
  fc.assert(
    fc.property(bankCode, serial, fc.nat(9), fc.integer({ min: 1, max: 9 }), (code, n, at, by) => {
      const account = nuban(code, n)
      const changed = (Number(account[at]) + by) % 10
      assert(!isNuban(code, account.slice(0, at) + changed + account.slice(at + 1)))
    }),
  )
})

test('a number of one bank is not taken for one of another bank', () => {
  assert(!isNuban('058', '0000014579'))
  assert(isNuban('011', '0000014579'))
})

for (const text of ['', '123456789', '12345678901', '000001457٩', ' 000014579', '0000014579\n']) {
  test(`${JSON.stringify(text)} is no number at all`, () => {
    assert.equal(isAccountNumber(text), false)
  })
}

test('an unknown shape of bank code has no numbers', () => {
  for (const code of ['', '1', '0011', '000011', 'abc', '01١']) {
    assert.equal(isBankCode(code), false)
    assert.throws(() => nuban(code, 1), RangeError)
  }
})

test('a serial outside its nine digits is refused', () => {
  for (const number of [-1, 1e9, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -1n, 10n ** 9n]) {
    assert.throws(() => nuban('011', number), RangeError)
  }
  assert.throws(() => nubanCheckDigit('011', '12345678'), RangeError)
})

function digits(length: number) {
  return fc.nat(10 ** length - 1).map((number) => String(number).padStart(length, '0'))
}
