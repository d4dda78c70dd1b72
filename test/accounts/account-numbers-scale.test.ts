// When a million live payments use every number of a range, the next request is refused at once, and a
// number that becomes free is found as quickly.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithBanks } from '../support/bank-calls.ts'
import { assertRefused, createAdvice, dataOf, INITIATE } from '../support/fixtures.ts'
import { isNuban } from '../support/nuban.ts'
import { BUSY_FACTOR, patience } from '../support/patience.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import type { Bench } from '../support/running-service.ts'

const SIZE = 1_000_000
const STEP = 100_000 // The server cuts off a statement after half a minute.
const FIRST = 300_000_000
const TOOK_MS_MAX = patience(1_000)

// Fills the number range with leases alone, as if a payment had been initiated for each number. Real
// payments, with their triggers and foreign keys, would take half a minute. `session_replication_role`
// switches the triggers and foreign keys off.
async function leaseAll(bench: Bench): Promise<void> {
  const client = await bench.db.connect()
  try {
    await client.query('set session_replication_role = replica; set statement_timeout = 0')
    for (let from = FIRST; from < FIRST + SIZE; from += STEP) {
      // Computes the check digit of each number. The digits of the bank code 035 contribute 36 to the
      // weighted sum.
      await client.query(
        `insert into numbers (account_number, bank_code, client_id, payment_id, reusable_at)
         select s || ((10 - (36 +
                  s / 100000000 * 3 + s / 10000000 % 10 * 7 + s / 1000000 % 10 * 3 +
                  s / 100000 % 10 * 3 + s / 10000 % 10 * 7 + s / 1000 % 10 * 3 +
                  s / 100 % 10 * 3 + s / 10 % 10 * 7 + s % 10 * 3) % 10) % 10)::text,
                '035', 1, lpad(s::text, 32, '0')::uuid, $1::timestamptz + interval '32 days'
           from generate_series(${from}, ${from + STEP - 1}) as s`,
        [bench.clock()],
      )
    }
    await client.query(
      `update number_ranges set next_index = last_serial - first_serial + 1
        where purpose = 'dynamic'`,
    )
  } finally {
    client.release(true)
  }
}

// Returns the longest time that a request may take: a second, or more on a machine so busy that counting
// the million numbers is slow.
async function longestMs({ db }: Bench): Promise<number> {
  const started = performance.now()
  await db.query('select count(reusable_at) from numbers')
  return Math.max(TOOK_MS_MAX, BUSY_FACTOR * (performance.now() - started))
}

test('with a million live payments the range refuses at once, and finds what is free at once', async () => {
  await using bench = await startWithBanks([
    {
      code: '035',
      static: { from: 100_000_000, to: 100_000_099 },
      dynamic: { from: FIRST, to: FIRST + SIZE - 1 },
    },
  ])
  await leaseAll(bench)
  // The only client may use the whole range.
  await bench.db.query(
    `insert into number_shares (client_id, bank_code, purpose, ceiling, held, counted_at)
     values (1, '035', 'dynamic', ${2 * SIZE}, ${SIZE}, $1)`,
    [bench.clock()],
  )
  const tookMsMax = await longestMs(bench)
  // Initiates a payment, which must be answered in time.
  const tryInitiate = async () => {
    const { adviceReference } = await createAdvice(bench)
    const started = performance.now()
    const url = `${INITIATE}/${adviceReference}`
    const answer = await bench.call({ url, body: { bankCode: '035' }, token: null })
    const tookMs = performance.now() - started
    assert(tookMs < tookMsMax, `${tookMs} ms`)
    return answer
  }

  for (let at = 0; at < 3; at++) {
    assertRefused(await tryInitiate(), { status: 503, code: 'numbers_exhausted' }, 'payment')
  }
  const { rows } = await bench.db.query(
    `update numbers set reusable_at = $1
      where account_number = (select account_number from numbers offset 777777 limit 1)
     returning account_number as free`,
    [bench.clock()],
  )
  const [{ free }] = rows
  const found = dataOf(await tryInitiate(), 'payment')
  assertRefused(await tryInitiate(), { status: 503, code: 'numbers_exhausted' }, 'payment')

  assert.equal(found.bankAccount, free)
  assert(isNuban('035', free))
  const alerts = await bench.db.query(
    `select count(*)::int as count from alerts where kind = 'numbers_exhausted'`,
  )
  assert.deepEqual(alerts.rows, [{ count: 1 }])
  const credit = { sessionId: newSessionId(), accountNumber: free, amount: '6000' }
  const started = performance.now()
  const paid = (await postRail(bench, '035/credits', credit)).json()
  assert.equal(paid.outcome, 'booked')
  assert(performance.now() - started < tookMsMax)
})
