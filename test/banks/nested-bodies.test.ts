// Money in a notification that cannot be read with certainty is stored for operators, wherever in the body
// the unclear field is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ParsedItem } from '#banks/notifications.ts'
import { CONNECTOR_RENDERINGS } from './connector-renderings.ts'
import { GOOD, goodOf, type NestedRendering } from './renderings.ts'

const UNREADABLE = ['true', '{"naira":5}', '[5]', '6000.5000000000000001', '1e400', '"5\\u0000"']

for (const rendering of CONNECTOR_RENDERINGS) {
  const { format, amountField } = rendering
  const written = goodOf(rendering)
  const good = rendering.render([written])

  test(`${format.name}: an amount that comes twice is kept, with no id echoed`, () => {
    const twice = good.replace(`"${amountField}":`, `"${amountField}":"1","${amountField}":`)
    const item = parse(rendering, twice)
    assert(!item.ok)
    assert.deepEqual([item.code, item.sessionId], ['repeated_field', null])
    assert.equal(item.money?.amount, GOOD.amount)
  })

  test(`${format.name}: a field that is spelt twice, once in escapes, is a field twice`, () => {
    const escaped = `"\\u${amountField.charCodeAt(0).toString(16).padStart(4, '0')}${amountField.slice(1)}"`
    const item = parse(
      rendering,
      good.replace(`"${amountField}":`, `${escaped}:"1","${amountField}":`),
    )
    assert(!item.ok && item.code === 'repeated_field')
  })

  test(`${format.name}: an amount of another type or size is rejected, and kept`, () => {
    for (const unreadable of UNREADABLE) {
      const item = parse(rendering, good.replace(`"${written.amount}"`, unreadable))
      assert(!item.ok, unreadable)
      assert.equal(item.code, 'invalid_amount', unreadable)
      assert(item.money, unreadable)
      assert.equal(item.sessionId, GOOD.sessionId)
    }
  })

  test(`${format.name}: an object of which nothing is known names no money`, () => {
    const item = parse(rendering, '{}')
    assert(!item.ok)
    assert.equal(item.money, null)
  })
}

// Returns the first item that the format reads from a notification, which must be readable.
function parse({ format }: NestedRendering, text: string): ParsedItem {
  const parsed = format.parse(Buffer.from(text))
  assert('items' in parsed && parsed.items[0], 'malformed' in parsed ? parsed.malformed : '')
  return parsed.items[0]
}
