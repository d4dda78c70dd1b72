// Timelines: everything that happened to a payment, a credit or a collection account, in order, including
// each webhook attempt; and nothing about other clients.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENTRY_KINDS } from '#reports/timeline-entries.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  assertAlike,
  assertRefused,
  createAccount,
  dataOf,
  MINUTE_MS,
  startPayment,
  TIMESTAMP,
} from '../support/fixtures.ts'
import { assign, listItems } from '../support/suspense-desk.ts'
import { credit, listOf, type Row, reverse } from '../support/tracing.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startWebhookBench())
const PAYMENTS = '/api/v1/payments'
const CREDITS = '/api/v1/credits'

// Reads a timeline, which must be complete and in order.
async function timeline(url: string, token?: string): Promise<Row[]> {
  const answer = await bench.call({ url: `${url}/timeline`, ...(token ? { token } : {}) })
  const { entries, isWhole } = dataOf(answer)
  assert.equal(isWhole, true)
  assertInOrder(entries)
  return entries
}

// Entries are in the order of their time and, at the same time, of their kind.
function assertInOrder(entries: readonly Row[]): void {
  const keys = entries.map(({ at, kind }) => {
    assert.match(at, TIMESTAMP)
    return `${at} ${String(ENTRY_KINDS.indexOf(kind)).padStart(2, '0')}`
  })
  assert.deepEqual(keys, keys.toSorted())
}

const kindsOf = (entries: readonly Row[]) => entries.map(({ kind }) => kind)
const typesOf = (entries: readonly Row[]) =>
  entries.filter(({ kind }) => kind === 'event').map(({ detail }) => detail.type)

test('a payment tells of its advice, number, credit, ledger, events and every webhook attempt', async () => {
  let hooked = 0
  await using hooks = await listener((response, { path }) => {
    const isHook = path.endsWith('/mine')
    if (isHook) hooked++
    response.writeHead(isHook && hooked === 2 ? 503 : 200).end('so it is')
  })
  const endpoint = await bench.addEndpoint(`${hooks.url}/mine`)
  bench.advance(MINUTE_MS)
  const { paymentReference, bankAccount, adviceReference } = await startPayment(bench, {
    merchantRef: 'ORDER-1',
    callBackUrl: `${hooks.url}/back`,
  })
  await bench.run()
  bench.advance(MINUTE_MS)
  const sessionId = await credit(bench, bankAccount, '6000.00')
  await bench.run()
  bench.advance(MINUTE_MS)
  await bench.run()

  const whole = await timeline(`${PAYMENTS}/${paymentReference}`)

  const [callback, ...others] = whole.filter(({ detail }) => detail.kind === 'callback')
  assert.match(callback.description, /^Callback payment\.successful: HTTP 200 in \d+ ms\.$/)
  assert.deepEqual(others, [])
  const entries = whole.filter((entry) => entry !== callback)
  assert.deepEqual(kindsOf(entries), [
    ...['advice', 'number', 'event', 'attempt'],
    ...['credit', 'transfer', 'event', 'attempt', 'attempt'],
  ])
  const [advice, number, , notified, money, booked, paid, failed, again] = entries
  assert.deepEqual(
    [advice.reference, advice.amount, advice.currency],
    [adviceReference, 6000, 'NGN'],
  )
  assert.deepEqual(advice.detail, { merchantRef: 'ORDER-1', amountPolicy: 'allow_under' })
  assert.equal(number.description, `Account number ${bankAccount} issued at Wema Bank.`)
  assert.deepEqual(typesOf(entries), ['payment.processing', 'payment.successful'])
  assert.deepEqual([notified.detail.status, notified.detail.attempt], [200, 1])
  assert.deepEqual([money.reference, money.amount], [sessionId, 6000])
  assert.equal(booked.description, 'Ledger transfer from the bank to available funds.')
  assert.equal(failed.reference, paid.reference)
  assert.equal(failed.detail.url, `${hooks.url}/mine`)
  assert.match(failed.description, /^Webhook payment\.successful: HTTP 503 in \d+ ms\.$/)
  assert.deepEqual([failed.detail.status, again.detail.status], [503, 200])
  assert.deepEqual([failed.detail.attempt, again.detail.attempt], [1, 2])
  for (const reference of [adviceReference, 'ORDER-1', sessionId, bankAccount]) {
    assert.deepEqual(await timeline(`${PAYMENTS}/${reference}`), whole)
  }
  await bench.call({ method: 'DELETE', url: `/api/v1/webhook-endpoints/${endpoint.id}` })
})

test('the timeline shows a webhook that still waits, with its next attempt', async () => {
  await using deaf = await listener((response) => response.writeHead(500).end())
  const endpoint = await bench.addEndpoint(deaf.url)
  const { paymentReference } = await startPayment(bench)
  await bench.run()

  const entries = await timeline(`${PAYMENTS}/${paymentReference}`)

  const waiting = entries.find(({ kind }) => kind === 'waiting')
  assert.match(waiting.detail.nextAttemptAt, TIMESTAMP)
  assert.equal(waiting.description, 'Webhook payment.processing is queued.')
  await bench.call({ method: 'DELETE', url: `/api/v1/webhook-endpoints/${endpoint.id}` })
})

test('manual actions show their actor, and a cancellation its consequences', async () => {
  const { paymentReference, adviceReference, bankAccount } = await startPayment(bench)
  await credit(bench, bankAccount, '2000.00')
  bench.advance(MINUTE_MS)
  await bench.call({ method: 'POST', url: `${ADVICE}/${adviceReference}/cancel` })

  const entries = await timeline(`${PAYMENTS}/${paymentReference}`)

  const cancelled = entries.slice(kindsOf(entries).indexOf('action'))
  assert.deepEqual(kindsOf(cancelled), ['action', 'suspense', 'transfer', 'event', 'event'])
  assert.equal(cancelled[0].description, 'Payment request cancelled by MAN0000001.')
  assert.equal(cancelled[1].description, 'Moved to suspense: underpaid.')
  assert.deepEqual(typesOf(cancelled), ['payment.cancelled', 'credit.suspended'])
})

test('a credit tells of suspense, assignment and reversal, by its id or session id', async () => {
  const paid = await startPayment(bench, { amount: 1000 })
  const account = await createAccount(bench)
  const sessionId = await credit(bench, paid.bankAccount, '1500.00', {
    sourceAccountNumber: '0123456789',
    sourceAccountName: 'ADA OBI',
  })
  bench.advance(MINUTE_MS)
  const item = (await listItems(bench)).find((each) => each.sessionId === sessionId)
  const to = { accountNumber: account.accountNumber, note: 'she called' }
  assert.equal((await assign(bench, item.id, to)).statusCode, 200)
  bench.advance(MINUTE_MS)
  await reverse(bench, sessionId, '1500.00')

  const entries = await timeline(`${CREDITS}/${sessionId}`)

  const list = listOf(await bench.call({ url: `${CREDITS}?sessionId=${sessionId}` }))
  assert.deepEqual(await timeline(`${CREDITS}/${list.data[0].id}`), entries)
  assert(!JSON.stringify(entries).includes('0123456789'), 'the payer’s number is masked')
  assert.equal(entries[0].detail.sourceAccountNumber, '******6789')
  const action = entries.find(({ kind }) => kind === 'action')
  assert.deepEqual([action.detail.action, action.detail.note], ['suspense.assign', 'she called'])
  assert(kindsOf(entries).includes('reversal'))
  assert.deepEqual(typesOf(entries), [
    ...['payment.successful', 'credit.suspended', 'credit.assigned', 'collection.received'],
    ...['payment.reversed', 'collection.reversed'],
  ])
})

test('the timeline of an account goes back in time page by page, with each entry once', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessions: string[] = []
  for (let at = 0; at < 7; at++) {
    bench.advance(MINUTE_MS)
    sessions.push(await credit(bench, accountNumber, `${100 + at}.00`))
  }
  const late = await startPayment(bench, { amount: 50 })
  const elsewhere = await credit(bench, late.bankAccount, '80.00')
  const item = (await listItems(bench)).find((each) => each.sessionId === elsewhere)
  bench.advance(MINUTE_MS)
  await assign(bench, item.id, { accountNumber })

  const pages: Row[][] = []
  let cursor = ''
  do {
    const answer = await bench.call({
      url: `${ACCOUNTS}/${accountNumber}/timeline?limit=3${cursor && `&cursor=${cursor}`}`,
    })
    const { data, nextCursor } = listOf(answer)
    assertInOrder(data)
    pages.push(data)
    cursor = nextCursor ?? ''
  } while (cursor)

  const whole = listOf(await bench.call({ url: `${ACCOUNTS}/${accountNumber}/timeline?limit=100` }))
  assert.deepEqual(pages.reverse().flat(), whole.data)
  const came = whole.data.filter(({ kind }) => kind === 'credit')
  assert.deepEqual(
    came.map(({ reference }) => reference),
    sessions,
  )
  assert.deepEqual(kindsOf(whole.data.slice(0, 2)), ['account', 'event'])
  assert.deepEqual(typesOf(whole.data).slice(-2), ['credit.assigned', 'collection.received'])
})

test('another client’s object and a missing one are the same 404', async () => {
  const token = await bench.newClient('TIMELINE01')
  const { paymentReference, bankAccount } = await startPayment(bench)
  const sessionId = await credit(bench, bankAccount, '10.00')
  const { accountNumber } = await createAccount(bench)
  const unknown = {
    [`${PAYMENTS}/${paymentReference}`]: `${PAYMENTS}/6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10`,
    [`${CREDITS}/${sessionId}`]: `${CREDITS}/${'9'.repeat(30)}`,
    [`${ACCOUNTS}/${accountNumber}`]: `${ACCOUNTS}/0000000000`,
  }

  for (const [mine, nobodys] of Object.entries(unknown)) {
    const foreign = await bench.call({ url: `${mine}/timeline`, token })
    const missing = await bench.call({ url: `${nobodys}/timeline`, token })
    assertRefused(foreign, { status: 404 })
    assertAlike(foreign, missing)
    assertRefused(await bench.call({ url: `${mine}/timeline`, token: null }), {
      status: 401,
    })
    assertRefused(await bench.call({ url: `${mine}/timeline?x=1` }))
  }
})

test('a malformed reference is the same 404', async () => {
  for (const odd of ['%00', 'x'.repeat(199), '-1', '1e3', '%F0%9F%92%A9', "'; select 1"]) {
    for (const family of [PAYMENTS, CREDITS, ACCOUNTS]) {
      const answer = await bench.call({ url: `${family}/${encodeURI(odd)}/timeline` })
      assert([400, 404].includes(answer.statusCode), `${family}/${odd}: ${answer.body}`)
    }
  }
  const { accountNumber } = await createAccount(bench)
  for (const wrong of ['limit=0', 'limit=101', 'cursor=abc', 'cursor=']) {
    assertRefused(await bench.call({ url: `${ACCOUNTS}/${accountNumber}/timeline?${wrong}` }))
  }
})

test('a caller who may not see webhooks sees no attempts', async () => {
  const { paymentReference } = await startPayment(bench)
  await bench.db.query(
    `update clients set scopes = array_remove(scopes, 'webhooks:read') where client_id = 'MAN0000001'`,
  )
  bench.advance(MINUTE_MS) // Clients are read again every few seconds.
  const entries = await timeline(`${PAYMENTS}/${paymentReference}`)

  assert(!kindsOf(entries).some((kind) => kind === 'attempt' || kind === 'waiting'))
  assert(kindsOf(entries).includes('event'))
})
