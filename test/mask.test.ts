// The visible digits of masked numbers: identity numbers show their first and last three, account numbers
// their last four.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskAccountNumber, maskIdentityNumber } from '#seal.ts'

test('a BVN or NIN shows its first and last three digits', () => {
  assert.equal(maskIdentityNumber('22212345654'), '222*****654')
})

test('an account number shows its last four digits', () => {
  assert.equal(maskAccountNumber('0123456789'), '******6789')
  assert.equal(maskAccountNumber('012345678901'), '********8901')
})

test('a number of unexpected length is masked whole', () => {
  assert.equal(maskIdentityNumber(''), '')
  assert.equal(maskIdentityNumber('222123'), '******')
  assert.equal(maskIdentityNumber('222123456547'), '************')
  assert.equal(maskAccountNumber('123456789'), '*********')
})
