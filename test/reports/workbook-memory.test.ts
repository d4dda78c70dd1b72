// The service writes a workbook while it reads the rows, so a long workbook needs no more memory than a short
// one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Columns } from '#http/csv.ts'
import { exported } from '../support/workbooks.ts'

test('a workbook of 100,000 rows takes no more memory than one of 10,000', async () => {
  const columns: Columns<number> = Array.from({ length: 8 }, (_, at) => [
    `column${at}`,
    (row) => `text ${row} ${at}`,
  ])
  const small = await exported(columns, 10_000)
  const large = await exported(columns, 100_000)

  assert(large.bytes > 5 * small.bytes)
  const [few, many] = [small.peak, large.peak].map((bytes) => Math.round(bytes / 1e6))
  assert((many as number) < (few as number) + 30, `${few} MB, then ${many} MB`)
})
