// Array literals arrive in the database unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesArray, numberArray, plainArray, textArray } from '#db/sql.ts'
import { createTestDatabase } from '../support/database.ts'

const nullable = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values), { maxLength: 20 })
const texts = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))

test('an array of any values arrives unchanged', async () => {
  await using database = await createTestDatabase()
  const read = async (type: string, literal: string) =>
    (await database.pool.query(`select $1::${type}[] as back`, [literal])).rows[0].back

  await fc.assert(
    fc.asyncProperty(nullable(texts), nullable(fc.uint8Array()), async (words, bytes) => {
      assert.deepEqual(await read('text', textArray(words)), words)
      const buffers = bytes.map((each) => each && Buffer.from(each))
      assert.deepEqual(await read('bytea', bytesArray(buffers)), buffers)
    }),
    { numRuns: 200 },
  )
  for (const odd of ['NULL', 'null', '', ' ', '{}', '"', '\\', ',', 'a"b\\c', '\n', '₦']) {
    assert.deepEqual(await read('text', textArray([odd, null])), [odd, null])
  }
  const numbers = [0n, -5n, 2n ** 62n, null]
  const back = await read('bigint', numberArray(numbers)) // The driver returns a bigint array as texts.
  assert.deepEqual(back, ['0', '-5', '4611686018427387904', null])
  const ids = ['01a1de38-6400-7635-9f49-2b5578be4b88', null]
  assert.deepEqual(await read('uuid', plainArray(ids)), ids)
})
