// Idempotency-Key when creating collection accounts: one key creates one account, however often and to
// whichever process the request is sent. The key never works for another body or another client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { createLogger } from '#log.ts'
import { createService } from '#wiring.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  MINUTE_MS,
} from '../support/fixtures.ts'
import { BUSY_FACTOR } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'

const AT_ONCE = 20
const DAY_MS = 24 * 60 * MINUTE_MS

const bench = closeAfterTests(await startTestService())

test('the same key and body give the same account', async () => {
  const headers = { 'idempotency-key': 'same' }

  const first = await bench.call({ url: ACCOUNTS, body: accountBody(), headers })
  const second = await bench.call({ url: ACCOUNTS, body: accountBody(), headers })

  assert.equal(first.statusCode, 200)
  assert.equal(second.statusCode, 200)
  assert.equal(second.body, first.body)
})

test('without a key, or with another one, the same body gives another account', async () => {
  const one = await createAccount(bench)
  const other = await createAccount(bench)
  const keyed = await createAccount(bench, {}, { headers: { 'idempotency-key': 'a' } })
  const keyedOther = await createAccount(bench, {}, { headers: { 'idempotency-key': 'A' } })

  const numbers = [one, other, keyed, keyedOther].map(({ accountNumber }) => accountNumber)
  assert.equal(new Set(numbers).size, 4)
})

test('the same key with another body is refused, and the first account stays', async () => {
  const headers = { 'idempotency-key': 'changed' }
  const made = await createAccount(bench, {}, { headers })
  const before = await countAccounts()

  for (const field of Object.keys(accountBody()).filter((name) => name !== 'bvn')) {
    const value = { email: 'b@c.ng', phoneNumber: '7654321', notificationUrl: 'https://b.ng' }[
      field
    ]
    const body = accountBody({ [field]: value ?? 'Other' })
    const answer = await bench.call({ url: ACCOUNTS, body, headers })
    assertRefused(answer, { code: 'idempotency_key_reused' })
  }
  const otherBvn = accountBody({ bvn: '22212345655' })
  const answer = await bench.call({ url: ACCOUNTS, body: otherBvn, headers })
  assertRefused(answer, { code: 'idempotency_key_reused' })
  assert.equal(await countAccounts(), before)
  assert.deepEqual(await createAccount(bench, {}, { headers }), made)
})

test('the same body written differently never makes a second account', async () => {
  const headers = { 'idempotency-key': 'spelling' }
  await createAccount(bench, {}, { headers })
  const before = await countAccounts()

  const reversed = Object.fromEntries(Object.entries(accountBody()).reverse())
  const spaced = JSON.stringify(accountBody(), null, 2)
  const answers = [
    await bench.call({ url: ACCOUNTS, body: reversed, headers }),
    await bench.call({ url: ACCOUNTS, body: spaced, headers }),
  ]

  for (const { statusCode } of answers) assert(statusCode === 200 || statusCode === 400)
  assert.equal(await countAccounts(), before)
})

test(`${AT_ONCE} requests at once with one key make one account`, async () => {
  const headers = { 'idempotency-key': 'at-once' }
  const before = await countAccounts()

  const requests = Array.from({ length: AT_ONCE }, () =>
    bench.call({ url: ACCOUNTS, body: accountBody(), headers }),
  )
  const answers = await Promise.all(requests)

  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
  assert.equal(await countAccounts(), before + 1)
})

test('one of two simultaneous bodies under one key wins and the other is refused', async () => {
  const headers = { 'idempotency-key': 'race' }
  const before = await countAccounts()

  const requests = Array.from({ length: AT_ONCE }, (_, at) =>
    bench.call({ url: ACCOUNTS, body: accountBody({ channel: `C${at % 2}` }), headers }),
  )
  const answers = await Promise.all(requests)

  const winners = answers.filter(({ statusCode }) => statusCode === 200)
  assert.equal(winners.length, AT_ONCE / 2)
  assert.equal(new Set(winners.map(({ body }) => body)).size, 1)
  for (const answer of answers.filter((each) => !winners.includes(each))) {
    assertRefused(answer, { code: 'idempotency_key_reused' })
  }
  assert.equal(await countAccounts(), before + 1)
})

test('two processes on one database make one account from one key', async () => {
  const ROUNDS = 10
  await using second = await startAgain()
  // Each process serves one request before the race, because the first request of a process is slow.
  await createAccount(bench)
  await second.create(accountBody(), {})
  const before = await countAccounts()

  for (let round = 0; round < ROUNDS; round++) {
    const headers = { 'idempotency-key': `two-processes-${round}` }
    const [one, other] = await Promise.all([
      bench.call({ url: ACCOUNTS, body: accountBody(), headers }),
      second.create(accountBody(), headers),
    ])
    assert.equal(one.statusCode, 200)
    assert.equal(other.body, one.body)
  }

  assert.equal(await countAccounts(), before + ROUNDS)
})

test("another client's same key is its own", async () => {
  const headers = { 'idempotency-key': 'shared' }
  const token = await bench.newClient('OTHER00001')
  const mine = await createAccount(bench, {}, { headers })

  const theirs = await createAccount(bench, { channel: 'WEB' }, { headers, token })

  assert.notEqual(theirs.accountNumber, mine.accountNumber)
  assert.equal(theirs.channel, 'WEB')
  assert.deepEqual(await createAccount(bench, { channel: 'WEB' }, { headers, token }), theirs)
})

test('a refused request does not use up its key', async () => {
  const headers = { 'idempotency-key': 'mistyped' }

  const refused = await bench.call({ url: ACCOUNTS, body: accountBody({ bvn: '1' }), headers })
  const made = await createAccount(bench, {}, { headers })

  assertRefused(refused, { code: 'invalid_request' })
  assert.equal(made.bvn, accountBody().bvn)
})

test('a key no sane client sends is refused or works, but never breaks', async () => {
  const keys = [
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(8000),
    '',
    ' ',
    'a b',
    '"q"',
    'é',
    '\t',
  ]

  for (const key of keys) {
    const headers = { 'idempotency-key': key }
    const answer = await bench.call({ url: ACCOUNTS, body: accountBody(), headers })
    if (answer.statusCode === 200) continue
    assertRefused(answer, { code: 'invalid_request' })
  }
})

test('a key is remembered for a day, also by a service that started meanwhile', async () => {
  const headers = { 'idempotency-key': 'a-day' }
  const made = await createAccount(bench, {}, { headers })

  bench.advance(DAY_MS - MINUTE_MS)
  const later = await createAccount(bench, {}, { headers })
  const changed = accountBody({ channel: 'WEB' })
  const refused = await bench.call({ url: ACCOUNTS, body: changed, headers })
  await using second = await startAgain()
  const restarted = await second.create(accountBody(), headers)

  assert.deepEqual(later, made)
  assertRefused(refused, { code: 'idempotency_key_reused' })
  assert.deepEqual(restarted.json().data, made)
})

async function countAccounts(): Promise<number> {
  const { rows } = await bench.db.query('select count(*)::int as n from collection_accounts')
  return rows[0].n
}

// Starts another service on the same database, as after a restart or as a second process. Its clock differs
// by a millisecond, because with equal times the table's primary key would hide a missing lock.
async function startAgain() {
  const { config, database } = bench
  const { connectionString } = database
  const clock = () => new Date(bench.clock().getTime() + 1)
  const log = createLogger({ level: 'silent' })
  const service = await createService({
    config,
    connectionString,
    clock,
    log,
    patience: BUSY_FACTOR,
  })
  const authorization = `Bearer ${await bench.login()}`
  return {
    create(payload: object, headers: Record<string, string>): Promise<LightMyRequestResponse> {
      const url = ACCOUNTS
      return service.app.inject({
        method: 'POST',
        url,
        headers: { ...headers, authorization },
        payload,
      })
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}
