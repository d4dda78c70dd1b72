// Rate limits count an IP address under a key: an IPv4 address itself, or the network of an IPv6 address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { rateLimitKey } from '#http/rate-limits.ts'

test('an IPv4 address counts for itself, however it is written', () => {
  for (const address of [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::FFFF:c000:207',
    '0:0:0:0:0:ffff:c000:0207',
  ]) {
    assert.equal(rateLimitKey(address), '192.0.2.7', address)
  }
})

test('an IPv6 address counts for its network of 64 bits', () => {
  const same = [
    '2001:db8::1',
    '2001:DB8:0:0:ffff:ffff:ffff:ffff',
    '2001:0db8:0000:0000:0000:0000:0000:0002',
    '2001:db8::192.0.2.1',
    '2001:db8::1%eth0',
  ]
  for (const address of same) assert.equal(rateLimitKey(address), '2001:db8:0:0::/64', address)
  assert.equal(rateLimitKey('2001:db8:0:1::1'), '2001:db8:0:1::/64')
  assert.equal(rateLimitKey('::1'), '0:0:0:0::/64')
})

test('any two IPv6 addresses count as one exactly when their networks are one', () => {
  const address = fc.array(fc.constantFrom(0, 0, 1, 0xabcd), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(address, address, (one, other) => {
      const same = one.slice(0, 4).join() === other.slice(0, 4).join()
      const text = (groups: number[]) => new ipaddr.IPv6(groups).toString()
      assert.equal(rateLimitKey(text(one)) === rateLimitKey(text(other)), same)
    }),
    { seed: 7, numRuns: 2_000 },
  )
})

test('callers without an IP address count together as one', () => {
  const texts = [
    undefined,
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    ':',
    ':::',
    '1::2::3',
    '%',
    '::1%%',
  ]
  const strange = texts.map(rateLimitKey)
  assert.deepEqual(new Set(strange.slice(0, -1)), new Set(['unknown']))
})
