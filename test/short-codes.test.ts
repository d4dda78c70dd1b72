// Short codes of objects are readable, have a check character, and are computed from references alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newReference, timeOrderedId } from '#ids.ts'
import { codeOf, codeOfCredit, codeOfId, readCode, type ShortCode } from '#short-codes.ts'

const NOW = new Date('2026-11-19T08:00:30Z')
const MINUTE_MS = 60_000
const CYCLE_MINUTES = 2 ** 20
const ALPHABET = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']

// Reads a short code, and fails the test unless it is the code of an id.
function readIdCode(text: string): Extract<ShortCode, { kind: 'id' }> {
  const code = readCode(text)
  assert(typeof code === 'object' && code.kind === 'id', text)
  return code
}

test('the code of an id leads back to its minute and its last characters', () => {
  for (let at = 0; at < 1_000; at++) {
    const now = new Date(NOW.getTime() + at * 3_600_017)
    const id = timeOrderedId(now)
    const { minuteMs, endings } = readIdCode(codeOfId('PAY', id))

    const minutes = Math.floor(now.getTime() / MINUTE_MS) - minuteMs / MINUTE_MS
    assert.equal(minutes % CYCLE_MINUTES, 0)
    assert(endings.includes(id.slice(-4)), id)
  }
})

test('the code of a payout, refund, settlement or return is the start of its reference', () => {
  for (const letters of ['PYT', 'RFD', 'STL', 'RTN']) {
    const reference = newReference(letters)
    assert.deepEqual(readCode(codeOf(reference)), {
      kind: 'number',
      prefix: reference.slice(0, 13),
    })
  }
  assert.equal(codeOf('HLD000000000000001'), 'HLD000000000000001')
})

test('the code of a credit is its whole id, to the largest', () => {
  for (const id of [0, 1, 2 ** 47, 2 ** 48 - 1]) {
    assert.deepEqual(readCode(codeOfCredit(id)), { kind: 'credit', id: `${id}` })
  }
})

test('payments of the same second have codes that look different', () => {
  const codes = Array.from({ length: 200 }, () => codeOfId('PAY', timeOrderedId(NOW)))

  // Compares two codes position by position, after their prefix "PAY-".
  const countEqualCharacters = (one: string, other: string) =>
    [...one].filter((each, at) => at > 3 && each !== '-' && each === other[at]).length
  const equalCounts = codes
    .slice(1)
    .map((code, at) => countEqualCharacters(code, codes[at] as string))
  const average = equalCounts.reduce((sum, each) => sum + each, 0) / equalCounts.length
  assert(average < 2, `${average} of 8 characters are the same`)
})

test('a code is read in any case, without dashes, and with letters for digits', () => {
  assert.equal(readIdCode('PAY-7K3M-Q2XT').endings.length, 2) // The example in the docs.
  const code = 'PAY-01AB-CDE'
  const last = ALPHABET.find((each) => typeof readCode(code + each) === 'object') as string
  const whole = code + last
  const ways = [whole.toLowerCase(), whole.replaceAll('-', ''), ` ${whole} `]
  const typed = [...ways, whole.replaceAll('-', ' '), whole.replace('01', 'Ol'), whole.slice(4)]
  for (const text of typed.slice(0, -1)) assert.deepEqual(readCode(text), readCode(whole), text)
  assert.deepEqual(readIdCode(typed.at(-1) as string).letters, ['PAY', 'REQ'])
})

test('one wrong character, or two that changed places, are mistyped', () => {
  for (const code of [codeOfId('PAY', timeOrderedId(NOW)), codeOf(newReference('RFD'))]) {
    const places = [4, 5, 6, 7, 9, 10, 11, 12]
    const replaceAt = (text: string, at: number, character: string) =>
      text.slice(0, at) + character + text.slice(at + 1)
    for (const at of places) {
      for (const other of ALPHABET.filter((each) => each !== code[at])) {
        assert.equal(readCode(replaceAt(code, at, other)), 'mistyped')
      }
      for (const next of places) {
        if (code[at] === code[next]) continue
        const swapped = replaceAt(
          replaceAt(code, at, code[next] as string),
          next,
          code[at] as string,
        )
        assert.equal(readCode(swapped), 'mistyped')
      }
    }
  }
})

test('other texts are not codes', () => {
  const texts = [
    '',
    'PAY',
    'PAY-',
    'INV-2026-0001',
    'Ada Obi',
    '0123456789',
    'PAY-1234-567',
    'PAYMENTS!',
  ]
  for (const text of [...texts, timeOrderedId(NOW), newReference('PYT')]) {
    assert.equal(readCode(text), undefined, text)
  }
})
