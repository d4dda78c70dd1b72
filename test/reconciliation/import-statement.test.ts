// I64: a statement adds up, and the same file, and the same line in another file, is taken once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestService } from '../support/running-service.ts'
import { gtbankCsv, imported, manyLines, readStored, upload } from '../support/statements.ts'

test('a statement is stored with its balances, days and lines', async () => {
  await using bench = await startTestService()
  const lines = [
    { kobo: 100_000n, reference: 'FT1', narration: 'one' },
    { kobo: -2_500n, day: '2026-11-15', reference: 'FT2', narration: 'COMMISSION, "two"\tthree' },
  ]

  const answer = await imported(bench, gtbankCsv({ openingKobo: 50_000n, lines }))

  assert.equal(answer.isUnchanged, false)
  assert.equal(answer.lines, 2)
  assert.equal(answer.newLines, 2)
  assert.equal(answer.opening, 500)
  assert.equal(answer.closing, 1475)
  const { statements, lines: stored } = await readStored(bench)
  assert.equal(statements.length, 1)
  assert.equal(statements[0].from_day, '2026-11-14')
  assert.equal(statements[0].to_day, '2026-11-15')
  assert.equal(statements[0].account_number, '0123456789')
  assert.deepEqual(
    stored.map((line: { amount_kobo: bigint }) => line.amount_kobo),
    [100_000n, -2_500n],
  )
  assert.equal(stored[1].kind, 'fee')
})
