// Public ids correspond one to one to our own ids, without revealing their order or the distances between
// them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encrypt, findId, findName, type IdKind, publicId, publicName, roundKeys } from '#ids.ts'
import { Sealer } from '#seal.ts'
import { asId } from './support/as-id.ts'

const ID_DIGITS_MAX = 15 // The digits of 2^48 - 1.

const KINDS: readonly IdKind[] = ['account', 'action', 'credit', 'request', 'suspense', 'transfer']
const IDS = 2 ** 48
const sealer = sealerOf('h')

const anyKind = fc.constantFrom(...KINDS)
const anyId = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 47n - 1n }),
  // Ids of shared ledger accounts begin at 10^15.
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 15n + 2n ** 47n - 1n }),
)

test('the cipher is Speck48/96: the test vector of its paper', () => {
  const keys = roundKeys([0x020100, 0x0a0908, 0x121110, 0x1a1918])

  assert.equal(encrypt(keys, 0x6d2073_696874), 0x735e10_b6445d)
})

test('every id is shown as a safe integer, and found again by it', () => {
  fc.assert(
    fc.property(anyKind, anyId, (kind, id) => {
      const opaqueId = publicId(sealer, kind, id)
      assert(Number.isSafeInteger(opaqueId) && opaqueId >= 0 && opaqueId < IDS)
      assert(`${opaqueId}`.length <= ID_DIGITS_MAX)
      assert.equal(findId(sealer, kind, `${opaqueId}`), id)
    }),
  )
})

test('every number that can be shown is of exactly one id', () => {
  fc.assert(
    fc.property(anyKind, fc.integer({ min: 0, max: IDS - 1 }), (kind, number) => {
      const id = findId(sealer, kind, `${number}`) as bigint
      assert.equal(publicId(sealer, kind, id), number)
    }),
  )
})

test('a kind has its own numbers, and so has a key', () => {
  const opaqueIds = KINDS.map((kind) => publicId(sealer, kind, 5n))
  opaqueIds.push(publicId(sealerOf('k'), 'credit', asId(5n)))

  assert.equal(new Set(opaqueIds).size, KINDS.length + 1)
})

// Clients store public ids, so these numbers must never change.
test('an id is shown as the same number for ever', () => {
  assert.deepEqual(
    KINDS.map((kind) => publicId(sealer, kind, 1n)),
    [
      90_824_714_084_373, 281_439_406_984_865, 53_330_006_277_068, 229_372_085_661_563,
      103_082_390_851_634, 262_815_747_575_787,
    ],
  )
})

test('neighbours are neither near nor in order', () => {
  const opaqueIds = Array.from({ length: 10_000 }, (_, id) =>
    publicId(sealer, 'credit', asId(BigInt(id))),
  )
  const steps = opaqueIds.slice(1).map((id, at) => id - (opaqueIds[at] as number))

  assert.equal(new Set(opaqueIds).size, opaqueIds.length)
  assert(Math.min(...steps.map(Math.abs)) > 1_000_000)
  const rising = steps.filter((step) => step > 0).length
  assert(rising > 4_700 && rising < 5_300, `${rising} of 9,999 steps rise`)
  for (let bit = 0; bit < 48; bit++) {
    const set = opaqueIds.filter((id) => Math.floor(id / 2 ** bit) % 2 === 1).length
    assert(set > 4_700 && set < 5_300, `bit ${bit} is set in ${set} of 10,000`)
  }
})

test('a malformed id decodes to none', () => {
  const others = ['', '-1', '1.5', '1e3', ' 1', '01', '0x1', `${IDS}`, '9'.repeat(18), 'a', '١']
  for (const text of others) assert.equal(findId(sealer, 'credit', text), undefined, text)
  for (const id of [-1n, 2n ** 47n, 10n ** 15n - 1n, 10n ** 15n + 2n ** 47n]) {
    assert.throws(() => publicId(sealer, 'credit', asId(id)), RangeError)
  }
})

test('names of things are shown with their public ids, and found by them', () => {
  const opaqueId = publicName(sealer, 'suspense/7')

  assert.equal(opaqueId, `suspense/${publicId(sealer, 'suspense', asId(7n))}`)
  assert.equal(findName(sealer, opaqueId), 'suspense/7')
  assert.notEqual(findName(sealer, 'suspense/7'), 'suspense/7')
  assert.equal(findName(sealer, `suspense/${'9'.repeat(18)}`), 'suspense/')
  for (const name of ['user/ada@example.com', 'account/0123456789', 'client/MAN0000001', '']) {
    assert.equal(publicName(sealer, name), name)
    assert.equal(findName(sealer, name), name)
  }
})

// Returns a sealer whose hash key is this letter repeated. Public ids depend on the hash key.
function sealerOf(letter: string): Sealer {
  return new Sealer([{ id: 1, key: Buffer.alloc(32, 'd') }], Buffer.alloc(32, letter))
}
