// The chart of accounts has default codes, which a file can replace. Each problem of the file is reported
// in one sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_CHART, readChart } from '#config/chart-settings.ts'
import { createTestDatabase } from '../support/database.ts'

// Reads a chart of accounts. Returns it and the problems found.
function read(value: unknown) {
  const problems: string[] = []
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { chart: readChart(text, (sentence) => problems.push(sentence)), problems }
}

test('every kind of ledger account has a default code of its own', async () => {
  await using database = await createTestDatabase()
  const { rows } = await database.pool.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint
      where conname = 'ledger_accounts_kind_known'`,
  )
  const kinds = /'\{(.*)\}'::text\[\]/.exec(rows[0]?.text ?? '')?.[1]?.split(',') ?? []

  assert.deepEqual(Object.keys(DEFAULT_CHART).toSorted(), kinds.toSorted())
  const codes = Object.values(DEFAULT_CHART).map(({ code }) => code)
  assert.equal(new Set(codes).size, codes.length)
})

test('a file renames some kinds, and the rest keep their defaults', () => {
  const clients = { code: '2-100', name: 'Clients’ money' }
  const { chart, problems } = read({ collection: clients, available: clients })

  assert.deepEqual(problems, [])
  assert.deepEqual(chart, { ...DEFAULT_CHART, collection: clients, available: clients })
  assert.deepEqual(read({}).chart, DEFAULT_CHART)
})

test('each problem is reported in a sentence', () => {
  const { chart, problems } = read({
    banks: { code: '1', name: 'Banks' },
    bank: { code: '=1', name: 'Banks' },
    paying: { code: '7', name: ' ' },
    reserve: 'R',
    suspense: { code: '8', name: 'Suspense', type: 'liability' },
    pending: { code: '2000', name: 'Pending' },
    settling: { code: '1'.repeat(21), name: 'x'.repeat(101) },
  })

  assert.equal(chart, undefined)
  assert.deepEqual(
    problems.map((problem) => problem.replace(/; use .*/, '')),
    [
      '"banks": is not a kind of ledger account',
      'bank: code must be 1 to 20 letters, digits, points, slashes or dashes',
      'paying: name must be 1 to 100 characters, not blank, without control characters',
      'reserve: must be an object with code and name',
      'suspense: "type" is not a field: use code and name',
      'settling: code must be 1 to 20 letters, digits, points, slashes or dashes',
      'settling: name must be 1 to 100 characters, not blank, without control characters',
      'code 2000 has two names: use one name for each code',
    ],
  )
  for (const wrong of ['', '[]', 'null', '{', '"bank"']) {
    assert.deepEqual(read(wrong).problems, [
      'must hold a JSON object of {kind: {"code": …, "name": …}}',
    ])
  }
})
