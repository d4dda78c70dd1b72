// Names and narrations in payment files use only the characters that every bank can read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { latinText } from '#banks/iso20022/elements.ts'

const VECTORS: readonly [text: string, written: string][] = [
  ['ADÉBÁYỌ̀ ỌLÚWAṢEUN', 'ADEBAYO OLUWASEUN'],
  ['Ƙasimu Ɗanjuma Ɓaure', 'Kasimu Danjuma Baure'],
  ['Straße Æsir Łódź', 'Strasse AEsir Lodz'],
  ['Okafor & Sons <Ltd>', 'Okafor + Sons (Ltd)'],
  ['“Mama’s” Kitchen_Lagos', "Mama's' Kitchen-Lagos"],
  ['=HYPERLINK("http://x")', "HYPERLINK('http:/x')"],
  ['+234 803', '234 803'],
  ['//ref//7//', 'ref/7'],
  ['₦5,000 – rent; June', 'NGN5,000 - rent, June'],
  ['a\u0000b\tc\r\nd\u202ee', 'a b c d e'],
  ['ＦＵＬＬ ①', 'FULL 1'],
  ['张伟', ''],
  ['🚀', ''],
]

for (const [text, written] of VECTORS) {
  test(`${JSON.stringify(text)} is written ${JSON.stringify(written)}`, () => {
    assert.equal(latinText(text, 140), written)
  })
}

test('any input becomes Latin text, within its length, and no formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, max) => {
      const written = latinText(text, max)
      assert.match(written, /^(?:[A-Za-z0-9(][A-Za-z0-9/\-?:().,'+ ]*)?$/)
      assert(written.length <= max)
      assert(written.trim() === written && !written.includes('//'))
    }),
  )
})

test('a long text is cut, and what was cut leaves no space behind', () => {
  assert.equal(latinText('ADEBAYO OLUWASEUN', 8), 'ADEBAYO')
})
