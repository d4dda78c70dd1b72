// The test clock with several advances at once, requests at the same time, two processes, and a process that
// dies during an advance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrity } from '#integrity/checks.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, dataOf, simulate, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { listener } from '../support/webhook-bench.ts'

const CLOCK = '/sandbox/clock'
const bench = closeAfterTests(await startTestService())
const advance = async (body: object) => dataOf(await bench.call({ url: `${CLOCK}/advance`, body }))

test('advances at once add up, in two processes and beside payments', async () => {
  await using quiet = await listener()
  await using twin = await startTwin(bench)
  const token = await bench.login()
  const begun = await advance({ to: '2026-11-16T09:00:00+01:00' })
  const { accountNumber } = await createAccount(bench, { notificationUrl: quiet.url })
  await twin.service.db.query('select 1')
  const call = { url: `${CLOCK}/advance`, body: { seconds: 60 } }
  const moves = [1, 2, 3].flatMap(() => [bench.call(call), twin.call({ ...call, token })])
  const paid = Array.from({ length: 20 }, () => simulate(bench, accountNumber, '10.00'))
  for (const moved of await Promise.all(moves)) assert.equal(moved.statusCode, 200, moved.body)
  await Promise.all(paid)
  const after = await advance({ seconds: 1 })

  assert.equal(Date.parse(after.now) - Date.parse(begun.now), 6 * 60_000 + 1_000)
  const { rows } = await bench.db.query(
    `select count(*)::int as credits, min(received_at) >= $1 and max(received_at) <= $2 as within
       from credits where account_number = $3`,
    [begun.now, after.now, accountNumber],
  )
  assert.deepEqual(rows, [{ credits: 20, within: true }])
  const received = quiet.received.filter(({ json }) => json.type === 'collection.received')
  assert.deepEqual([received.length, new Set(received.map(({ json }) => json.id)).size], [20, 20])
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('a process that dies in an advance leaves the rest to the next', async () => {
  const { promise: isSending, resolve: sending } = Promise.withResolvers<void>()
  let isDead = false
  const hanging: { destroy(): unknown }[] = []
  await using shop = await listener((response) => {
    if (isDead) return response.end()
    hanging.push(response)
    sending()
  })
  const endpoint = { url: shop.url, eventTypes: ['payment.expired'] }
  dataOf(await bench.call({ url: '/api/v1/webhook-endpoints', body: endpoint }))
  const first = await startPayment(bench, { callBackUrl: shop.url })
  await advance({ seconds: 60 })
  const second = await startPayment(bench, { callBackUrl: shop.url, merchantRef: 'later' })
  const twin = await startTwin(bench)
  const token = await bench.login()
  const call = { url: `${CLOCK}/advance`, body: { seconds: 3_600 } }
  const cut = twin.call({ ...call, token })
  await isSending
  const { rows: stored } = await bench.db.query('select frozen_at from sandbox_clock')
  const { rows: held } = await bench.db.query(
    `select pid from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
  )
  for (const { pid } of held) await bench.db.query('select pg_terminate_backend($1)', [pid])
  isDead = true
  for (const response of hanging) response.destroy()
  const whole = await advance({ seconds: 3_600 })

  assert.equal(Date.parse(whole.now) - stored[0].frozenAt.getTime(), 3_600_000)
  const status = async (reference: string) =>
    (await bench.db.query('select status from payments where id = $1', [reference])).rows[0].status
  assert.deepEqual(
    [await status(first.paymentReference), await status(second.paymentReference)],
    ['Expired', 'Expired'],
  )
  const events = shop.received.filter(({ json }) => json.type === 'payment.expired')
  const ids = new Set(events.map(({ json }) => json.id))
  assert.equal(ids.size, 2)
  assert.deepEqual(await checkIntegrity(bench.db), [])
  assert.equal((await cut).statusCode, 503) // The cut request has lost its lock, and moves nothing more.
  await twin[Symbol.asyncDispose]()
})

test('a transfer that the sandbox bank delays is reported at its time, not before', async () => {
  await using quiet = await listener()
  const { accountNumber } = await createAccount(bench, { notificationUrl: quiet.url })
  const body = { accountNumber, kind: 'delayed', amount: 30, afterSeconds: 90 }
  const sent = await bench.call({ url: '/sandbox/transfers', body })
  assert.equal(sent.statusCode, 200, sent.body)
  const early = await advance({ seconds: 89 })
  assert.equal(await balanceOf(bench, accountNumber), 0)
  const due = await advance({ seconds: 1 })

  const reported = (moved: { ran: { kind: string; at: string }[] }) =>
    moved.ran.filter(({ kind }) => kind === 'report_transfers').map(({ at }) => at)
  assert.deepEqual([reported(early), reported(due)], [[], [due.now]])
  assert.equal(await balanceOf(bench, accountNumber), 30)
  assert(quiet.types().includes('collection.received'))
})
