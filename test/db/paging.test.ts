// A cursor continues the list that issued it, and is refused by every other list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { Refusal } from '#errors.ts'
import { Sealer } from '#seal.ts'
import { asId } from '../support/as-id.ts'

const sealer = sealerOf('h')
const LIST: List = {
  name: 'credits',
  clientId: asId(7n),
  filters: { outcome: 'booked', to: undefined },
}

test('a cursor gives back the position it was made of, whatever text that holds', () => {
  for (const position of [['42'], ['1', '-500'], ['', 'é 🏦 "\\', 'NGN'], []]) {
    const cursor = writeCursor(sealer, LIST, position)

    assert.match(cursor, /^[A-Za-z0-9_-]+$/)
    assert.deepEqual(readCursor(sealer, LIST, cursor), position)
  }
  assert.equal(readCursor(sealer, LIST, undefined), undefined)
})

test('the order of the filters and those left out make no difference', () => {
  const one = { ...LIST, filters: { a: '1', b: '2' } }
  const other = { ...LIST, filters: { c: undefined, b: '2', a: '1' } }

  assert.deepEqual(readCursor(sealer, other, writeCursor(sealer, one, ['9'])), ['9'])
})

test('a cursor of another list, client, filter or key is refused', () => {
  const others: [string, List, Sealer][] = [
    ['name', { ...LIST, name: 'events' }, sealer],
    ['client', { ...LIST, clientId: asId(8n) }, sealer],
    ['filter', { ...LIST, filters: { outcome: 'reversed' } }, sealer],
    ['no filter', { ...LIST, filters: {} }, sealer],
    ['more filters', { ...LIST, filters: { outcome: 'booked', from: 'x' } }, sealer],
    ['key', LIST, sealerOf('k')],
  ]
  for (const [what, list, by] of others) {
    assertInvalid(writeCursor(by, list, ['42']), what)
  }
})

test('an altered cursor is refused', () => {
  const bytes = Buffer.from(writeCursor(sealer, LIST, ['42', '1000']), 'base64url')
  const text = (altered: Uint8Array) => Buffer.from(altered).toString('base64url')

  assert.deepEqual(readCursor(sealer, LIST, text(bytes)), ['42', '1000'])
  for (const [at, byte] of bytes.entries()) {
    // Flips one bit, and also those bits that turn a digit into another one or a space into a tab.
    for (const bits of [1, 0x29]) {
      assertInvalid(text(bytes.with(at, byte ^ bits)), `byte ${at} altered by ${bits}`)
    }
  }
  const tag = bytes.subarray(0, 16)
  const other = Buffer.from(writeCursor(sealer, LIST, ['43', '1000']), 'base64url')
  assertInvalid(text(Buffer.concat([tag, other.subarray(16)])), 'the position of another')
  assertInvalid(text(tag), 'a tag alone')
  assertInvalid(text(bytes.subarray(0, -1)), 'a byte less')
})

test('a cursor shows nothing of its position, not even how long an id is', () => {
  const cursors = ['7', '42', '1234567890123', '9223372036854775807'].map((id) =>
    writeCursor(sealer, LIST, [id]),
  )

  assert.equal(new Set(cursors.map((cursor) => cursor.length)).size, 1)
  for (const cursor of cursors) {
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1')
    assert.doesNotMatch(bytes, /42|12345|922337/)
  }
  assert.equal(writeCursor(sealer, LIST, ['42']), cursors[1])
})

test('a cursor with anything after it is refused, whatever its length', () => {
  for (const position of [['1'], ['12'], ['123']]) {
    const cursor = writeCursor(sealer, LIST, position)
    for (const more of ['A', '_', 'AA', '=', cursor]) assertInvalid(`${cursor}${more}`, more)
    const last = cursor.at(-1) as string
    for (const other of 'ABCDabcd0123-_') {
      if (other !== last) assertInvalid(`${cursor.slice(0, -1)}${other}`, `ends in ${other}`)
    }
  }
})

test('a text that is no cursor is refused', () => {
  const hostile = [
    '',
    'x',
    '\0',
    '../../etc/passwd',
    'null',
    'e30', // {}
    'W10', // []
    'bnVsbA', // null
    'WzFd', // [1]
    Buffer.from('[["a"]]').toString('base64url'),
    'A'.repeat(100_000),
    '🏦',
  ]
  for (const text of hostile) assertInvalid(text, text.slice(0, 20))
})

test('a page has as many rows as requested, and a cursor only if there are more', () => {
  const cursorAfter = (last: number) => `after ${last}`

  assert.deepEqual(toPage([1, 2, 3], 2, cursorAfter), { rows: [1, 2], nextCursor: 'after 2' })
  assert.deepEqual(toPage([1, 2], 2, cursorAfter), { rows: [1, 2], nextCursor: null })
  assert.deepEqual(toPage([], 2, cursorAfter), { rows: [], nextCursor: null })
})

// Asserts that the cursor is refused as invalid. `what` is the message if it is not.
function assertInvalid(cursor: string, what: string) {
  const isInvalid = (error: unknown) => error instanceof Refusal && error.code === 'invalid_cursor'
  assert.throws(() => readCursor(sealer, LIST, cursor), isInvalid, what)
}

function sealerOf(letter: string): Sealer {
  return new Sealer([{ id: 1, key: Buffer.alloc(32, 'd') }], Buffer.alloc(32, letter))
}
