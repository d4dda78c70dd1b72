// More work than can be done: refused at once and before anything is done for it, in the words of
// its family; what was let in is done, and the next is let in as soon as the queue moves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNTS, accountBody, createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const TRIES_MAX = 250

test('while the queue of credits stands, a credit is refused unread; others are served', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const credit = () => ({ sessionId: newSessionId(), accountNumber, amount: '10.00' })
  const holder = await bench.db.connect()
  await using _ = { [Symbol.asyncDispose]: async () => holder.release(true) }
  await holder.query('begin')
  await holder.query('lock table credits')

  // Batches in flight, and a queue that does not move behind them.
  const taken: ReturnType<typeof postRail>[] = []
  while (bench.service.writers.credits.queued === 0) {
    taken.push(postRail(bench, '058/credits', credit()))
    await holder.query('select pg_sleep(0.02)')
  }
  const unsigned = { url: '/rails/058/credits', body: credit(), token: null }
  let refused = await bench.call(unsigned)
  for (let tries = 1; refused.statusCode !== 503 && tries < TRIES_MAX; tries++) {
    await holder.query('select pg_sleep(0.02)')
    refused = await bench.call(unsigned)
  }
  const published = await bench.call({
    url: '/Payment/process/banktransfer/simulate/payment',
    body: {},
  })
  const account = await bench.call({ url: ACCOUNTS, body: accountBody() })
  await holder.query('commit')
  const answers = await Promise.all(taken)
  const next = await postRail(bench, '058/credits', credit())

  assert.equal(refused.json().responseCode, '03')
  assert.equal(refused.json().code, 'busy')
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(published.statusCode, 503)
  assert.equal(published.json().requestSuccessful, false)
  assert.equal(published.headers['retry-after'], '1')
  assert.equal(account.statusCode, 200, account.body)
  for (const answer of [...answers, next]) assert.equal(answer.json().responseCode, '00')
})
