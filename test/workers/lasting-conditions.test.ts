// Work that cannot be done now, for example because its bank is paused, must not make the service look for
// work four times a second. It must be found again once it can be done.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HAS_LACKING_HOLDS } from '#holds/hold.ts'
import { fillHoldsRound } from '#holds/workers.ts'
import { HAS_PAYOUTS_TO_MOVE, hasPayoutsToSend } from '#payouts/send.ts'
import { hasDueRequeries } from '#requery/ask.ts'
import { putRequery } from '#requery/requery.ts'
import { closeAfterTests } from '../support/closing.ts'
import { dataOf } from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const MINUTE_MS = 60_000

const bench = await startTestService()
closeAfterTests(bench)
await fund(bench, '5000')
const { reference: bankAccount } = await addBankAccount(bench)

// Whether the SQL condition of a worker is true now.
async function holds(condition: string): Promise<boolean> {
  const { rows } = await bench.db.query<{ isDue: boolean }>(
    `select ${condition} as is_due
       from (values ($1::timestamptz, $1::timestamptz)) as clock (now, real_now)`,
    [bench.clock()],
  )
  return rows[0]?.isDue === true
}

const inAMinute = () => new Date(bench.clock().getTime() + MINUTE_MS)

test('a payout of a suspended client is not due, and is due once the client is active', async () => {
  const { reference } = await createPayout(bench, { amount: '100', bankAccount })
  const bankCode = await bankOf(reference)
  assert.equal(await holds(hasPayoutsToSend([bankCode])), true)
  assert.equal(await holds(hasPayoutsToSend(['999'])), false)
  await bench.db.query('update clients set is_active = false')
  assert.equal(await holds(hasPayoutsToSend([bankCode])), false)
  await bench.db.query('update clients set is_active = true')
  assert.equal(await holds(hasPayoutsToSend([bankCode])), true)
})

test('a payout at a bank whose orders fail is due again when a trial is', async () => {
  const { reference } = await createPayout(bench, { amount: '100', bankAccount })
  const bankCode = await bankOf(reference)
  await stopUsingBank(bankCode, inAMinute())
  assert.equal(await holds(hasPayoutsToSend([bankCode])), false)
  assert.equal(await holds(HAS_PAYOUTS_TO_MOVE), true)
  await stopUsingBank(bankCode, bench.clock())
  assert.equal(await holds(hasPayoutsToSend([bankCode])), true)
  await bench.db.query('delete from bank_routes')
})

test('a bank whose orders fail leaves nothing to move when no payout waits there', async () => {
  await stopUsingBank('999', inAMinute())
  assert.equal(await holds(HAS_PAYOUTS_TO_MOVE), false)
  await bench.db.query('delete from bank_routes')
})

test('a requery of a paused bank is due when the pause ends', async () => {
  const now = bench.clock()
  const nobody = { clientId: null, paymentId: null, collectionAccountId: null }
  const open = { identifier: null, accountNumber: null, repeatUntil: null, ...nobody }
  const asking = { bankCode: '058', reason: 'silence', subject: 'test' } as const
  await putRequery(bench.db, now, { ...asking, fromAt: now, dueAt: now, ...open })
  await pauseBank('058', inAMinute())
  assert.equal(await holds(hasDueRequeries(['058'])), false)
  await pauseBank('058', now)
  assert.equal(await holds(hasDueRequeries(['058'])), true)
})

test('a hold without an amount always lacks money, and its worker reports that it found none', async () => {
  const operator = await newBrowser(bench, 'operator')
  const body = { clientId: 'MAN0000001', target: 'client', reason: 'Reported as fraud' }
  dataOf(await operator.call({ url: '/api/v1/operator/holds', body }))
  const { more } = await fillHoldsRound(bench)(new AbortController().signal)
  assert.equal(more, false)
  assert.equal(await holds(HAS_LACKING_HOLDS), true)
})

// The code of the bank that sends this payout.
async function bankOf(reference: string): Promise<string> {
  const { rows } = await bench.db.query('select bank_code from payouts where reference = $1', [
    reference,
  ])
  return rows[0].bankCode
}

// Stops payouts through a bank until a trial at `retryAt`.
function stopUsingBank(bankCode: string, retryAt: Date) {
  return bench.db.query(
    `insert into bank_routes (bank_code, direction, state, since, reason, retry_at)
     values ($1, 'out', 'left', $2, 'failing', $3)
     on conflict (bank_code, direction) do update set retry_at = excluded.retry_at`,
    [bankCode, bench.clock(), retryAt],
  )
}

// Pauses requeries to a bank until this time.
function pauseBank(bankCode: string, until: Date) {
  return bench.db.query(
    `insert into bank_health (bank_code, paused_until) values ($1, $2)
     on conflict (bank_code) do update set paused_until = excluded.paused_until`,
    [bankCode, until],
  )
}
