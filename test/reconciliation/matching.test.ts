// The rules of matching, each on the smallest books that show it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BANK, setUpMatching } from './books.ts'

const DAY = '2026-11-10'
const AT = `${DAY}T09:00`

test('a line is matched to the credit with its session id', async () => {
  await using bench = await setUpMatching()
  await bench.writeBooks({
    credits: [{ id: 1, sessionId: 'S1', amountKobo: 100_000, at: AT }],
  })
  await bench.importStatement({
    fromDay: DAY,
    toDay: DAY,
    openingKobo: 0,
    lines: [{ amountKobo: 100_000, day: DAY, sessionId: 'S1' }],
  })

  assert.deepEqual(await bench.match('2026-11-11T08:00'), { matched: 1, differences: 0 })

  assert.deepEqual(
    await bench.read(`select item_kind, item_id, amount_kobo, rule, bank_code
                        from statement_matches`),
    [
      {
        item_kind: 'credit',
        item_id: 1n,
        amount_kobo: 100_000n,
        rule: 'session_id',
        bank_code: BANK,
      },
    ],
  )
})
