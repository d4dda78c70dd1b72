// Requests for payouts: invalid ones are refused and move no money, and valid ones are paid once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, startTwin, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  addBankAccount,
  createPayout,
  fund,
  ledger,
  PAYOUTS,
  payoutBody,
} from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const ask = (changes: object, more: object = {}) =>
  bench.call({ url: PAYOUTS, body: payoutBody(changes), ...more })

test('amounts, narrations and accounts are checked', async () => {
  await fund(bench, '100')
  const before = await ledger(bench)
  for (const changes of [
    { amount: undefined },
    { amount: 0 },
    { amount: -1 },
    { amount: '1.001' },
    { amount: '1e3' },
    { amount: '' },
    { amount: null },
    { amount: true },
    { amount: [1] },
    { amount: '10000000000000.01' },
    { amount: '９９' },
    { narration: undefined },
    { narration: '' },
    { narration: 'x'.repeat(101) },
    { narration: 'a\u0007b' },
    { narration: 7 },
    { currency: 'naira' },
    { bankAccount: '' },
    { bankAccount: 7 },
    { bankaccount: 'BAC000000000000001' },
  ]) {
    const answer = await ask(changes)
    assert.equal(answer.statusCode, 400, JSON.stringify(changes))
    assert.equal(answer.json().code, 'invalid_request')
  }
  const missing = await bench.call({ method: 'POST', url: PAYOUTS })
  assert.equal(missing.statusCode, 400)
  for (const bankAccount of ['BAC000000000000001', 'BAC\u{1f600}', "BAC' or 1=1 --"]) {
    assert.equal((await ask({ bankAccount })).json().code, 'bank_account_not_found')
  }
  assert.equal((await ask({ amount: '1', currency: 'USD' })).json().code, 'insufficient_balance')
  assert.equal((await ask({ amount: '100.01' })).json().code, 'insufficient_balance')
  assert.deepEqual(await ledger(bench), before)
})

test('narrations are stored unchanged, whatever the alphabet', async () => {
  await fund(bench, '1')
  const narration = 'Owó oṣù Àdá, ₦ 支払い 😀'

  assert.equal((await createPayout(bench, { amount: 1, narration })).narration, narration)
})

test('another client’s bank account is not found, nor are its payouts', async () => {
  const token = await bench.newClient('PAYEE')
  const { reference } = await addBankAccount(bench, { token })
  await fund(bench, '5', { token })
  const theirs = await createPayout(bench, { amount: 5 }, { token })

  assert.equal((await ask({ bankAccount: reference })).json().code, 'bank_account_not_found')
  for (const url of ['', '/cancel'].map((verb) => `${PAYOUTS}/${theirs.reference}${verb}`)) {
    const call = url.endsWith('cancel') ? { url, body: {} } : { url }
    assert.equal((await bench.call(call)).json().code, 'payout_not_found')
  }
  const { data } = (await bench.call({ url: `${PAYOUTS}?limit=100` })).json()
  assert(!data.some(({ reference }: { reference: string }) => reference === theirs.reference))
})

test('requests with one key pay once, however often and to whichever process they are sent', async () => {
  await fund(bench, '100')
  const token = await bench.login()
  await using twin = await startTwin(bench)
  const call = {
    url: PAYOUTS,
    body: payoutBody({ amount: 60 }),
    headers: { 'idempotency-key': 'pay-once' },
    token,
  }

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? twin : bench).call(call)),
  )

  const references = answers.map((answer) => answer.json().data.reference)
  assert.equal(new Set(references).size, 1)
  const changed = await bench.call({ ...call, body: payoutBody({ amount: 40 }) })
  assert.equal(changed.json().code, 'idempotency_key_reused')
})

test('simultaneous payouts never exceed the available balance', async () => {
  const token = await bench.newClient('RACER')
  await fund(bench, '100', { token })
  await fund(bench, '50', { token })
  await addBankAccount(bench, { token })
  await using twin = await startTwin(bench)
  const call = { url: PAYOUTS, body: payoutBody({ amount: 40 }), token }

  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => (at % 2 ? twin : bench).call(call)),
  )

  assert.deepEqual(tally(answers.map((answer) => answer.json().code ?? 'paid')), {
    paid: 3,
    insufficient_balance: 9,
  })
  await assertCleanBooks(bench)
})

test('payouts are listed newest first, by cursor and by filter', async () => {
  const token = await bench.newClient('LISTER')
  await fund(bench, '30', { token })
  await addBankAccount(bench, { token })
  const made = []
  for (const amount of [1, 2, 3]) {
    made.push((await createPayout(bench, { amount }, { token })).reference)
    bench.advance(1_000)
  }
  await bench.call({ url: `${PAYOUTS}/${made[1]}/cancel`, body: {}, token })
  const read = async (query: string) => (await bench.call({ url: PAYOUTS + query, token })).json()
  const references = ({ data }: { data: { reference: string }[] }) =>
    data.map(({ reference }) => reference)

  const first = await read('?limit=2')
  const second = await read(`?limit=2&cursor=${first.nextCursor}`)

  assert.deepEqual([...references(first), ...references(second)], made.toReversed())
  assert.equal(second.hasMore, false)
  assert.deepEqual(references(await read('?status=cancelled')), [made[1]])
  assert.deepEqual(references(await read('?status=queued&purpose=payout')), [made[2], made[0]])
  const from = encodeURIComponent(new Date(bench.clock().getTime() - 1_500).toISOString())
  assert.deepEqual(references(await read(`?from=${from}`)), [made[2]])
  for (const bad of ['?status=lost', '?from=x', '?limit=0', '?state=queued']) {
    assert.equal((await read(bad)).code, 'invalid_request', bad)
  }
})

test('a client restricted to merchant codes pays nothing out', async () => {
  const token = await bench.newClient('RESTRICTED')
  await bench.db.query(`update clients set merchant_codes = '{A}' where client_id = 'RESTRICTED'`)
  bench.advance(10_000)

  const answer = await ask({}, { token: await bench.login('RESTRICTED', 's3cret') })

  assert.equal(answer.json().code, 'merchants_restricted', token)
})
