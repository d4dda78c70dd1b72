// An extension at the same time as an expiry, a payment or a cancellation: locks decide the order, each
// operation takes effect at most once, and an extension that comes too late is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertCleanBooks,
  closeExpired,
  countDeadlocks,
  startTwin,
  tally,
} from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, MINUTE_MS, startPayment, verify } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const twin = closeAfterTests(await startTwin(bench))

test('a transfer and the expiry worker that wait for an extension find the new time', async () => {
  const payment = await startPayment(bench, { expiresInSeconds: 60, graceSeconds: 60 })
  const held = await hold(`payments where id = '${payment.paymentReference}'`)
  const url = `/api/v1/advices/${payment.adviceReference}/extend`
  const extending = bench.call({ url, body: { seconds: 3600 } })
  await held.waiting(1)
  bench.advance(3 * MINUTE_MS)
  const sessionId = newSessionId()
  const transfer = { sessionId, accountNumber: payment.bankAccount, amount: '6000' }
  const paying = postRail(bench, '035/credits', transfer)
  await held.waiting(2)
  await held.letGo()

  assert.equal((await extending).statusCode, 200)
  await closeExpired(bench)

  assert.equal((await paying).json().outcome, 'booked')
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'Successful')
})

test('an extension that waits for a transfer finds it paid, and is refused', async () => {
  const payment = await startPayment(bench)
  const held = await hold('event_counters') // The place where its event is numbered.
  const sessionId = newSessionId()
  const transfer = { sessionId, accountNumber: payment.bankAccount, amount: '6000' }
  const paying = postRail(bench, '035/credits', transfer)
  await held.waiting(1)
  const url = `/api/v1/advices/${payment.adviceReference}/extend`
  const extending = bench.call({ url, body: { seconds: 3600 } })
  await held.waiting(2)
  await held.letGo()

  assert.equal((await paying).json().outcome, 'booked')
  assertRefused(await extending, { status: 409, code: 'advice_paid' })
  assert.equal((await readExtended(payment.paymentReference)).extended, 0)
})

// Locks the rows of a table or, with a `where` clause, some of them. `waiting` resolves when that many
// sessions wait for a lock; `letGo` unlocks the rows.
async function hold(rows: string) {
  const holder = await bench.db.connect()
  await holder.query(`begin; select from ${rows} for update`)
  return {
    waiting: (count: number) => untilBlocked(bench.db, count),
    async letGo(): Promise<void> {
      await holder.query('rollback')
      holder.release()
    },
  }
}

test('extending, paying, cancelling and expiring at once: each is decided once', async () => {
  const token = await bench.login()
  const deadlocks = await countDeadlocks(bench)
  for (let round = 0; round < 8; round++) {
    const payment = await startPayment(bench, { expiresInSeconds: 60, graceSeconds: 0 })
    const url = `/api/v1/advices/${payment.adviceReference}`
    const body = { seconds: 60 }
    const transfer = {
      sessionId: newSessionId(),
      accountNumber: payment.bankAccount,
      amount: '6000',
    }
    const extending = Array.from({ length: 4 }, (_, n) =>
      (n % 2 ? twin : bench).call({ method: 'POST', url: `${url}/extend`, body, token }),
    )
    const others = [
      postRail(bench, '035/credits', transfer),
      round % 2
        ? twin.call({ method: 'POST', url: `${url}/cancel`, body: {}, token })
        : closeExpired(bench),
    ]
    const answers = await Promise.all(extending)
    await Promise.all(others)

    const words = tally(answers.map((answer) => answer.json().code ?? 'done'))
    const row = await readExtended(payment.paymentReference)
    assert.equal(row.extended, 60 * (words.done ?? 0))
    assert.equal(row.expires.getTime(), Date.parse(payment.expiresAt) + row.extended * 1000)
    assert.equal(row.told, words.done ?? 0)
    const known = ['done', 'advice_paid', 'advice_cancelled']
    assert.deepEqual(
      Object.keys(words).filter((word) => !known.includes(word)),
      [],
    )
  }
  assert.equal(await countDeadlocks(bench), deadlocks)
  await assertCleanBooks(bench)
})

// The stored expiry of a payment, by how much it was extended, and how many events report an extension
// (`told`).
async function readExtended(paymentReference: string) {
  const { rows } = await bench.db.query(
    `select p.expires_at as expires, a.extended_seconds as extended,
            (select count(*)::int from events
              where payment_id = p.id and type = 'payment.extended') as told
       from payments p join advices a on a.id = p.advice_id where p.id = $1`,
    [paymentReference],
  )
  return rows[0]
}
