// Idempotency-Key on each POST that creates or moves something: a repeated request changes nothing and gets
// the first response, whether it comes at the same time or later, at the same process or another. With
// another body it is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  assertRefused,
  balanceOf,
  createAccount,
  createAdvice,
  databaseText,
  INITIATE,
  MINUTE_MS,
  SIMULATE,
  simulate,
  startPayment,
  UNKNOWN_REFERENCE,
  verify,
} from '../support/fixtures.ts'
import { startFileService } from '../support/payout-desk.ts'
import { newBrowser, USERS_URL } from '../support/people.ts'
import type { Bench, Call } from '../support/running-service.ts'
import { NOBODYS_NUMBER, SUSPENSE, suspend } from '../support/suspense-desk.ts'
import { ENDPOINTS } from '../support/webhook-journeys.ts'
import { BY_PEOPLE } from './keyed-by-people.ts'
import { keyedOperations } from './keyed-operations.ts'

const bench = closeAfterTests(await startFileService())
// The second process's clock differs by a millisecond, because two machines never have exactly the same time:
// with equal times, the table's primary key would hide a missing lock.
const laterBench = { ...bench, clock: () => new Date(bench.clock().getTime() + 1) }
const twin = closeAfterTests(await startTwin(laterBench))
const AT_ONCE = 12

const OPERATIONS = await keyedOperations(bench)

let keys = 0
const newKey = () => ({ 'idempotency-key': `key-${++keys}` })
const post = (to: Bench, call: Omit<Call, 'method'>) => to.call({ method: 'POST', ...call })

for (const { name, ask, others } of OPERATIONS) {
  test(`${name}: sent again it gives the first answer, and nothing is written`, async () => {
    const call = await ask()
    const headers = { ...call.headers, ...newKey() }
    const first = await post(bench, { ...call, headers })
    const before = await databaseText(bench)

    const again = await post(bench, { ...call, headers })
    const token = await bench.login()
    const elsewhere = await post(twin, { body: {}, ...call, headers, token })

    assert.equal(first.statusCode, 200, first.body)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    for (const replay of [again, elsewhere]) {
      assert.deepEqual([replay.statusCode, replay.body], [200, first.body])
      assert.equal(replay.headers['idempotent-replayed'], 'true')
    }
    assert.equal(await databaseText(bench), before)
  })

  test(`${name}: the key on other terms, or for another thing, is refused`, async () => {
    const call = await ask()
    const key = newKey()
    const headers = { ...call.headers, ...key }
    assert.equal((await post(bench, { ...call, headers })).statusCode, 200)
    const before = await databaseText(bench)

    const changed = others
      ? await post(bench, { ...call, body: others(call), headers })
      : await post(bench, { url: `${ENDPOINTS}/${UNKNOWN_REFERENCE}/test`, headers: key })
    const elsewhere = name.startsWith('createAdvice') ? ACCOUNTS : ADVICE
    const body = elsewhere === ADVICE ? adviceBody() : accountBody()
    const another = await post(bench, { url: elsewhere, body, headers: key })

    assert.equal(changed.json().code, 'idempotency_key_reused', changed.body)
    assert([400, 409].includes(changed.statusCode))
    assert.equal(another.json().code, 'idempotency_key_reused', another.body)
    assert.equal(await databaseText(bench), before)
  })
}

test('every POST takes a key, or is one of those with a reason not to', async () => {
  const reasons: Record<string, RegExp> = {
    'logging in makes nothing but a token': /^\/(api\/Account\/login|oauth\/token)$/,
    'nor does signing in make more than a session': /^\/dashboard\/api\/session(\/passkey)?$/,
    'a challenge works once, and so does what answers it':
      /^\/dashboard\/api\/(passkeys|session\/passkey\/challenge)/,
    'an invitation’s link works once': /^\/dashboard\/api\/invitation(\/accept)?$/,
    'a user gets one link an hour, which works once':
      /^\/dashboard\/api\/password-reset\/(request|open|accept)$/,
    'vouching for a person again changes nothing': /^\/dashboard\/api\/users\/\{id\}\/vouch$/,
    'a second factor replaces itself, and its codes work once': /^\/dashboard\/api\/totp/,
    'a bank’s session id is its key': /^\/rails\/\{bankCode\}\/(credits|reversals|returns)$/,
    'a question to a bank is put once while it is open': /\/requery$/,
    'a statement is taken once, by its content': /^\/api\/v1\/operator\/statements$/,
    'computing a fee stores nothing': /^\/api\/v1\/operator\/fee-rules\/quote$/,
    'a list of names is taken once, by its content': /^\/api\/v1\/operator\/screening\/lists$/,
    'a file is evidence once, by its content': /^\/api\/v1\/operator\/cases\/[^/]+\/evidence$/,
    'a test of the chat changes nothing': /^\/api\/v1\/operator\/chat\/test$/,
    'signing in at a provider makes no more than a session': /^\/dashboard\/api\/session\/provider/,
    'removing a provider again changes nothing': /^\/dashboard\/api\/client\/provider\/remove$/,
    'an empty sandbox is as empty after a second reset': /^\/sandbox\/reset$/,
    'asking a name changes nothing': /^\/rails\/\{bankCode\}\/name-enquiry$/,
  }
  const { paths } = (await bench.call({ url: '/openapi.json', token: null })).json()

  const without: string[] = []
  const taking: string[] = []
  for (const [path, { post: operation }] of Object.entries<Record<string, Described>>(paths)) {
    if (!operation || Object.values(reasons).some((pattern) => pattern.test(path))) continue
    const takes = operation.parameters?.some(
      (each) => each.in === 'header' && each.name === 'idempotency-key',
    )
    if (takes) taking.push(operation.operationId)
    else without.push(`POST ${path}`)
  }

  assert.deepEqual(without, [])
  const tried = OPERATIONS.map(({ name }) => name)
  assert.deepEqual(taking.sort(), [...tried, ...BY_PEOPLE].sort())
})

type Described = { operationId: string; parameters?: { in: string; name: string }[] }

test(`${AT_ONCE} at once, at two processes, do the work once and all get its answer`, async () => {
  const token = await bench.login()
  const secrets = { url: '/api/v1/webhook-secret/rotate' }
  const count = async () => (await bench.db.query('select 1 from signing_secrets')).rowCount
  const { accountNumber } = await createAccount(bench)
  const transfer = { url: SIMULATE, body: { virtualAccountNumber: accountNumber, amount: '10' } }
  const item = await suspend(bench, NOBODYS_NUMBER, '10')
  const back = { url: `${SUSPENSE}/${item.id}/return`, body: {} }
  const before = await count()

  for (const call of [secrets, transfer, back]) {
    const headers = newKey()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        post(at % 2 ? twin : bench, { body: {}, ...call, headers, token }),
      ),
    )
    const other = answers.find(({ statusCode }) => statusCode !== 200)
    assert.equal(other?.body, undefined)
    assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
    const fresh = answers.filter((answer) => !answer.headers['idempotent-replayed'])
    assert.equal(fresh.length, 1)
  }

  assert.equal(await count(), (before ?? 0) + 1)
  const { rows } = await bench.db.query('select 1 from credits where account_number = $1', [
    accountNumber,
  ])
  assert.equal(rows.length, 1)
})

test('a request whose response was not stored gets the same one again, and does nothing twice', async () => {
  const { accountNumber } = await createAccount(bench)
  const transfer = { url: SIMULATE, body: { virtualAccountNumber: accountNumber, amount: '10' } }
  const item = await suspend(bench, NOBODYS_NUMBER, '10')
  const back = { url: `${SUSPENSE}/${item.id}/return`, body: {} }

  for (const call of [transfer, back]) {
    const headers = newKey()
    const first = await post(bench, { ...call, headers })
    await bench.db.query('delete from stored_responses')
    const again = await post(bench, { ...call, headers })
    assert.equal(again.body, first.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
  }

  assert.equal(await balanceOf(bench, accountNumber), 10)
})

test('an answer is of its moment: what happened since does not change it', async () => {
  const payment = await startPayment(bench, { amount: 100 })
  const initiated = { url: `${INITIATE}/${payment.adviceReference}`, body: { bankCode: '058' } }
  const headers = newKey()
  const first = await post(bench, { ...initiated, headers })
  const paid = { virtualAccountNumber: payment.bankAccount, amount: '40' }
  const part = await post(bench, { url: SIMULATE, body: paid, headers: { 'idempotency-key': 'p' } })
  await simulate(bench, payment.bankAccount, '60')
  bench.advance(60 * MINUTE_MS)

  const again = await post(bench, { ...initiated, headers })
  const partAgain = await post(bench, {
    url: SIMULATE,
    body: paid,
    headers: { 'idempotency-key': 'p' },
  })

  assert.equal(again.body, first.body)
  assert.equal(partAgain.body, part.body)
  assert.equal(part.json().responseData.amountPaid, 40)
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'Successful')
  assertRefused(await post(bench, initiated), { code: 'advice_paid' }, 'payment')
})

test('a refused request does not use up its key', async () => {
  const headers = newKey()
  const { id } = await suspend(bench, NOBODYS_NUMBER, '10')
  const { accountNumber } = await createAccount(bench)
  const url = `${SUSPENSE}/${id}/assign`

  const refused = await post(bench, { url, body: { accountNumber: '0000000001' }, headers })
  const done = await post(bench, { url, body: { accountNumber }, headers })

  assertRefused(refused, { status: 404, code: 'account_not_found' })
  assert.equal(done.statusCode, 200)
  assert.equal(done.headers['idempotent-replayed'], undefined)
})

test('the same fields in another order are the same request', async () => {
  const headers = newKey()
  const { accountNumber } = await createAccount(bench)
  const body = { virtualAccountNumber: accountNumber, amount: '10' }
  const reversed = { amount: '10', virtualAccountNumber: accountNumber }

  const first = await post(bench, { url: SIMULATE, body, headers })
  const again = await post(bench, { url: SIMULATE, body: reversed, headers })

  assert.equal(again.body, first.body)
})

test('a payer’s key is the advice’s, and never stands in the way of its owner', async () => {
  const [one, other] = [await createAdvice(bench), await createAdvice(bench)]
  const headers = newKey()
  const body = { bankCode: '035' }
  const payer = { body, headers, token: null }

  const first = await post(bench, { url: `${INITIATE}/${one.adviceReference}`, ...payer })
  const again = await post(bench, { url: `${INITIATE}/${one.adviceReference}`, ...payer })
  const elsewhere = await post(bench, { url: `${INITIATE}/${other.adviceReference}`, ...payer })
  const owner = await post(bench, { url: ADVICE, body: adviceBody(), headers })
  const unknown = { url: `${INITIATE}/${UNKNOWN_REFERENCE}`, ...payer }

  assert.equal(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(elsewhere.headers['idempotent-replayed'], undefined)
  assert.notEqual(elsewhere.body, first.body)
  assert.equal(owner.statusCode, 200)
  assert.equal(owner.headers['idempotent-replayed'], undefined)
  assertRefused(await post(bench, unknown), { code: 'advice_not_found' }, 'payment')
})

test('another client’s key is its own, and what was answered is never another’s', async () => {
  const token = await bench.newClient('KEYS000001')
  const headers = newKey()
  const rotate = { url: '/api/v1/webhook-secret/rotate', headers }
  const mine = await post(bench, rotate)

  const theirs = await post(bench, { ...rotate, token })

  assert.equal(theirs.headers['idempotent-replayed'], undefined)
  assert.notEqual(theirs.json().data.secret, mine.json().data.secret)
})

test('no secret that was answered is kept in the clear', async () => {
  const rotated = await post(bench, { url: '/api/v1/webhook-secret/rotate', headers: newKey() })
  const { secret } = rotated.json().data

  const text = await databaseText(bench)

  assert(!text.includes(secret))
  const raw = Buffer.from(secret).toString('hex')
  assert(!text.includes(raw))
})

test('a user’s key creates one user with one password, repeated only to the user who sent it', async () => {
  const [owner, another] = [await newBrowser(bench), await newBrowser(bench)]
  const headers = newKey()
  const body = { email: 'new@people.example', role: 'support' }
  const create = { method: 'POST', url: USERS_URL, body, headers } as const
  const made = await owner.call(create)
  const url = `${USERS_URL}/${made.json().data.id}/reset-password`
  const reset = { method: 'POST', url, body: {}, headers: newKey() } as const
  const password = (await owner.call(reset)).json().data.temporaryPassword

  const again = await owner.call(create)
  const resetAgain = await owner.call(reset)
  const elses = await another.call(create)

  assert.equal(made.statusCode, 200, made.body)
  assert.equal(again.body, made.body)
  assert.equal(again.headers['cache-control'], 'no-store')
  assert.equal(resetAgain.json().data.temporaryPassword, password)
  assertRefused(elses, { status: 409, code: 'idempotency_key_reused' })
})

test('a key that is none is refused on our own endpoints too', async () => {
  for (const key of ['x'.repeat(256), '', ' ', 'a b', 'é', '\t']) {
    const call = { url: '/api/v1/webhook-secret/rotate', headers: { 'idempotency-key': key } }
    assertRefused(await post(bench, call), { code: 'invalid_request' })
  }
})
