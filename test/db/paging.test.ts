// Cursors: they lead on in the list that issued them, and nowhere else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type List, pageOf, readCursor, writeCursor } from '#db/paging.ts'
import { Refusal } from '#errors.ts'
import { Sealer } from '#seal.ts'

const sealer = sealerOf('h')
const LIST: List = { name: 'credits', clientId: 7n, filters: { outcome: 'booked', to: undefined } }

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
    ['client', { ...LIST, clientId: 8n }, sealer],
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
  const cursor = writeCursor(sealer, LIST, ['42', '1000'])
  const [tag] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')

  assert.deepEqual(readCursor(sealer, LIST, forged([tag, '42', '1000'])), ['42', '1000'])
  assertInvalid(forged([tag, '42', '9999']), 'another balance')
  assertInvalid(forged([tag, '42']), 'a part less')
  assertInvalid(forged([tag, '421', '000']), 'shifted')
  assertInvalid(forged(['', '42', '1000']), 'no tag')
  assertInvalid(forged([]), 'nothing')
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

test('what is no cursor at all is refused', () => {
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

test('a page shows as many as asked for, and leads on only when there is more', () => {
  const cursorAfter = (last: number) => `after ${last}`

  assert.deepEqual(pageOf([1, 2, 3], 2, cursorAfter), { rows: [1, 2], nextCursor: 'after 2' })
  assert.deepEqual(pageOf([1, 2], 2, cursorAfter), { rows: [1, 2], nextCursor: null })
  assert.deepEqual(pageOf([], 2, cursorAfter), { rows: [], nextCursor: null })
})

function assertInvalid(cursor: string, what: string) {
  const isInvalid = (error: unknown) => error instanceof Refusal && error.code === 'invalid_cursor'
  assert.throws(() => readCursor(sealer, LIST, cursor), isInvalid, what)
}

function sealerOf(letter: string): Sealer {
  return new Sealer([{ id: 1, key: Buffer.alloc(32, 'd') }], Buffer.alloc(32, letter))
}
