// Binary arrays arrive in the database unchanged, and equal to their text form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ArrayParameter, int4s, int8s, jsons, texts, uuids } from '#hot-path/copy-rows.ts'
import { createTestDatabase } from '../support/database.ts'

const nullable = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values), { maxLength: 40 })
const itself = <T>(value: T) => value

const text = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 300 }))
  .filter((value) => !value.includes('\0') && value.isWellFormed())
const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
// A type of elements to test. Values are compared by the text that the database makes of them, because the
// driver would read some as imprecise numbers.
type Case<T> = {
  type: string
  values: fc.Arbitrary<T>
  encode: (values: readonly (T | null)[]) => ArrayParameter
  print: (value: T) => string
}

const cases = [
  of({ type: 'bigint', values: int8, encode: (all) => int8s(all, itself), print: String }),
  of({
    type: 'int',
    values: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    encode: (all) => int4s(all, itself),
    print: String,
  }),
  of({ type: 'text', values: text, encode: (all) => texts(all, itself), print: itself }),
  of({
    type: 'json',
    values: fc.json(),
    encode: (all) => jsons(all, itself),
    print: itself,
  }),
  of({ type: 'uuid', values: fc.uuid(), encode: (all) => uuids(all, itself), print: itself }),
]

// Forgets the type of the elements, so that one list can hold cases of different types.
function of<T>(each: Case<T>): Case<unknown> {
  return each as unknown as Case<unknown>
}

for (const { type, values, encode, print } of cases) {
  test(`an array of ${type} arrives unchanged`, async () => {
    await using database = await createTestDatabase()

    await fc.assert(
      fc.asyncProperty(nullable(values), async (all) => {
        const printed = all.map((value) => (value === null ? null : print(value)))
        const { rows } = await database.pool.query(
          `select count(*)::int as count,
                  count(*) filter (where (b.v::text) is distinct from (t.v::${type})::text)::int
                  as wrong
             from unnest($1::${type}[]) with ordinality as b (v, at)
             full join unnest($2::text[]) with ordinality as t (v, at) on t.at = b.at`,
          [encode(all), printed],
        )
        assert.deepEqual(rows, [{ count: all.length, wrong: 0 }])
      }),
      { numRuns: 150 },
    )
  })
}

test('a column without a value is filled up with nulls', async () => {
  await using database = await createTestDatabase()
  const rows = [1n, 2n]

  const { rows: back } = await database.pool.query(
    'select n::int, t from unnest($1::bigint[], $2::text[]) as u (n, t)',
    [int8s(rows, itself), texts(rows, () => null)],
  )

  assert.deepEqual(back, [
    { n: 1, t: null },
    { n: 2, t: null },
  ])
  assert.equal(
    int8s([], () => null),
    '{}',
  )
})

test('a built array does not change while others are built', async () => {
  await using database = await createTestDatabase()
  const long = 'ọ'.repeat(100_000)

  const first = texts(['one', null, long], itself)
  texts(['another', 'of the same', `${long}${long}`], itself)

  const { rows } = await database.pool.query('select $1::text[] as back', [first])
  assert.deepEqual(rows[0].back, ['one', null, long])
})

test('a value that does not fit its type is refused, and the next array is whole', async () => {
  await using database = await createTestDatabase()

  for (const id of ['', 'x', '01a1de38-6400-7635-9f49-2b5578be4b8', `${'0'.repeat(36)}`]) {
    assert.throws(() => uuids([id], itself), /not a UUID/)
  }
  assert.throws(() => int8s([0.5], itself), RangeError)
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n]) {
    assert.throws(() => int8s([value], itself), RangeError)
  }
  for (const value of [2 ** 31, -(2 ** 31) - 1, 0.5]) {
    assert.throws(() => int4s([value], itself), RangeError)
  }

  const { rows } = await database.pool.query('select $1::text[] as back', [texts(['a'], itself)])
  assert.deepEqual(rows[0].back, ['a'])
  await assert.rejects(database.pool.query('select $1::text[]', [texts(['a\0b'], itself)]), {
    code: '22021',
  })
})
