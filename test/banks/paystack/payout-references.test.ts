// Our references at Paystack: no two become the same, each can be read back, and none ever changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ourReference, paystackReference } from '#banks/paystack/notifications.ts'

const TAKEN = /^[a-z0-9_-]{16,50}$/

test('the Paystack reference of a payout, refund or return never changes', () => {
  for (const [ours, theirs] of [
    ['PYT000000000000042', 'manilla-payout-pyt000000000000042'],
    ['RFD281474976710654', 'manilla-payout-rfd281474976710654'],
    ['p-1', 'manilla-payout-_p-1'],
    ['a_B', 'manilla-payout-_a__b'],
  ] as const) {
    assert.equal(paystackReference(ours), theirs)
    assert.equal(ourReference(theirs), ours)
  }
})

test('each reference that can be sent is valid at Paystack and can be read back', () => {
  const unit = fc.constantFrom(...'abyzABYZ019-_')
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 40 }), (ours) => {
      const theirs = paystackReference(ours)
      if (theirs === undefined) return assert(ours.length > 17, ours)
      assert.match(theirs, TAKEN)
      assert.equal(ourReference(theirs), ours)
    }),
  )
})

test('references that differ in case only stay apart', () => {
  const all = ['PO-1', 'po-1', 'Po-1', '_PO-1', '__po-1', 'PO1'].map(paystackReference)
  assert.equal(new Set(all).size, all.length)
  assert(!all.includes(undefined))
})

test('a reference that Paystack cannot take is not sent', () => {
  for (const ours of ['', ' ', 'A B', 'A|B', 'É', '\u212a', 'A\n', 'X'.repeat(36)]) {
    assert.equal(paystackReference(ours), undefined, ours)
  }
})

test('a transfer that is not ours has no reference of ours', () => {
  for (const theirs of [
    'acv_00000000-0000-4000-8000-000000000001',
    'manilla-payout-',
    'manilla-payout-PYT1',
    'manilla-payout-_1',
    'manilla-payout-a_',
    'manilla-payout-é',
    null,
    7,
  ]) {
    assert.equal(ourReference(theirs), undefined, String(theirs))
  }
})
