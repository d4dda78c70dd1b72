// Tests the order in which account numbers are issued: each number once, without a visible pattern.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { permute, SIZE_MAX } from '#banks/nuban.ts'

const key = Buffer.from('permutation test key, 32 bytes!!')
const otherKey = Buffer.from('permutation test key, 32 bytes!?')

for (const size of [1, 2, 3, 4, 5, 16, 17, 1000, 4096, 65_537]) {
  test(`all ${size} numbers come exactly once`, () => {
    const seen = new Set(wholeOrder(key, size))
    assert.equal(seen.size, size)
    assert.equal(Math.min(...rangeOf(seen)), 0)
    assert.equal(Math.max(...rangeOf(seen)), size - 1)
  })
}

test('sizes and keys of every kind give each number once', () => {
  const anyKey = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(anyKey, fc.integer({ min: 1, max: 300 }), (someKey, size) => {
      assert.equal(new Set(wholeOrder(someKey, size)).size, size)
    }),
  )
})

test('in the largest range, a hundred thousand indexes meet no number twice', () => {
  const seen = new Set<number>()
  for (let index = 0; index < 100_000; index++) seen.add(permute(key, SIZE_MAX, index))
  assert.equal(seen.size, 100_000)
})

// The order must never change: otherwise numbers that were issued would be issued again.
test('an order never changes', () => {
  assert.deepEqual(
    [0, 1, 2, 999_999_999].map((index) => permute(key, SIZE_MAX, index)),
    [850_450_111, 543_206_750, 136_758_267, 753_421_724],
  )
  assert.deepEqual(wholeOrder(key, 10), [0, 9, 3, 4, 1, 2, 5, 7, 8, 6])
})

test('a different key gives a different order', () => {
  const same = Array.from({ length: 10_000 }, (_, index) => index).filter(
    (index) => permute(key, 1_000_000, index) === permute(otherKey, 1_000_000, index),
  )
  assert(same.length < 5, `${same.length} of 10,000 are the same`)
})

test('consecutive indexes are neighbours no more often than chance has it', () => {
  const size = 10_000
  const order = wholeOrder(key, size)
  const near = order.filter((value, at) => at > 0 && Math.abs(value - (order[at - 1] ?? 0)) <= 50)
  // Chance gives 1 in 100, that is 100 of 10,000 with a deviation of 10.
  assert(near.length > 50 && near.length < 150, `${near.length} of 10,000 are near`)
})

test('the numbers of the first indexes spread evenly over the range', () => {
  const tenths = new Array<number>(10).fill(0)
  for (let index = 0; index < 10_000; index++) {
    const tenth = Math.floor(permute(key, SIZE_MAX, index) / (SIZE_MAX / 10))
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  for (const count of tenths) assert(count > 850 && count < 1_150, tenths.join(' '))
})

test('each bit of the index changes about half the bits of the number', () => {
  const size = 2 ** 28
  for (let bit = 0; bit < 28; bit++) {
    let changed = 0
    for (let index = 0; index < 200; index++) {
      const difference = permute(key, size, index) ^ permute(key, size, index ^ (1 << bit))
      changed += difference.toString(2).replaceAll('0', '').length
    }
    const share = changed / (200 * 28)
    assert(share > 0.45 && share < 0.55, `bit ${bit} changes ${share} of the bits`)
  }
})

test('more orders than are kept in memory still come out the same', () => {
  const before = permute(key, 1_000, 7)
  for (let size = 1; size <= 200; size++) permute(otherKey, size, 0)
  assert.equal(permute(key, 1_000, 7), before)
})

test('an index outside the range is refused', () => {
  for (const size of [0, -1, 1.5, SIZE_MAX + 1, Number.NaN]) {
    assert.throws(() => permute(key, size, 0), RangeError)
  }
  for (const index of [-1, 10, 0.5, Number.NaN]) {
    assert.throws(() => permute(key, 10, index), RangeError)
  }
  assert.throws(() => permute(Buffer.alloc(15), 10, 0), RangeError)
})

function wholeOrder(someKey: Buffer, size: number): number[] {
  return Array.from({ length: size }, (_, index) => permute(someKey, size, index))
}

// Returns the least and the largest number of a set. Math.min and Math.max cannot take 65,537 arguments.
function rangeOf(numbers: Set<number>): number[] {
  const sorted = [...numbers].sort((a, b) => a - b)
  return [sorted.at(0) ?? Number.NaN, sorted.at(-1) ?? Number.NaN]
}
