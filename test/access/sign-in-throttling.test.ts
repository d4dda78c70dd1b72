// Failed logins are counted across processes, and lead to a lock that ends by itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countAttemptFrom, LOGIN_LIMITS } from '#access/attempts.ts'
import { hashSecret } from '#access/passwords.ts'
import { rateLimitKey } from '#http/rate-limits.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused } from '../support/fixtures.ts'
import { actionsOf, makeUser, PASSWORD, SESSION_URL, signIn, trySignIn } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const LOGIN = '/api/Account/login'
const { 'user-here': HERE, client: CLIENT } = LOGIN_LIMITS
const bench = closeAfterTests(await startTestService())
const other = closeAfterTests(await startTwin(bench))

test('after ten failures with a name, that address is refused until the lock ends', async () => {
  const email = await makeUser(bench)
  for (let round = 0; round < HERE.attempts; round++) {
    assertRefused(await failSignIn(email), { status: 401, code: 'invalid_sign_in' })
  }

  const locked = await trySignIn(bench, { email, password: PASSWORD })

  assertRefused(locked, { status: 429, code: 'too_many_attempts' })
  assert.equal(locked.headers['retry-after'], String(HERE.lockMs / 1000))
  bench.advance(HERE.lockMs - 1000)
  const nearly = await trySignIn(bench, { email, password: PASSWORD })
  assert.equal(nearly.statusCode, 429)
  assert.equal(nearly.headers['retry-after'], '1') // A refused attempt does not extend the lock.
  bench.advance(1000)
  await signIn(bench, email)
})

test('a stranger who guesses at one address locks nobody out of another', async () => {
  const email = await makeUser(bench)
  for (let round = 0; round < HERE.attempts * 3; round++) {
    await signInFrom('198.51.100.66', { email, password: 'wrong' })
  }

  assert.equal((await trySignIn(bench, { email, password: PASSWORD })).statusCode, 200)
})

test('failures and the lock are in the audit log, with their IP address', async () => {
  const email = await makeUser(bench)
  for (let round = 0; round <= HERE.attempts; round++) await failSignIn(email)

  const done = await actionsOf(bench, `user/${email}`)

  assert.deepEqual(done, [...Array(HERE.attempts).fill('user.sign_in_failed'), 'user.locked'])
  const { rows } = await bench.db.query('select distinct actor from audit_log where subject = $1', [
    `user/${email}`,
  ])
  assert.deepEqual(rows, [{ actor: 'address:127.0.0.1' }])
})

test('of many tries at once over two processes, exactly ten are checked', async () => {
  const email = await makeUser(bench)
  const body = { email, password: 'wrong' }

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      (at % 2 ? bench : other).call({ method: 'POST', url: SESSION_URL, body, headers: {} }),
    ),
  )

  const counts = countByStatus(answers.map(({ statusCode }) => statusCode))
  assert.deepEqual(counts, { 401: HERE.attempts, 429: 40 - HERE.attempts })
  const { length } = await actionsOf(bench, `user/${email}`)
  assert.equal(length, HERE.attempts + 1)
})

test('a lock applies to one name, known or unknown, and other names can sign in', async () => {
  const email = await makeUser(bench)
  const nobody = 'nobody@people.example'
  assertAlike(await failSignIn(email), await failSignIn(nobody))
  for (let round = 1; round < HERE.attempts; round++) {
    const caller = rateLimitKey('127.0.0.1')
    await countAttemptFrom(bench.db, bench.clock(), { email: nobody, caller })
    await failSignIn(email)
  }

  const [known, unknown] = [await failSignIn(email), await failSignIn(nobody)]

  assertRefused(known, { status: 429 })
  assertAlike(known, unknown)
  assert.equal(known.headers['retry-after'], unknown.headers['retry-after'])
  await signIn(bench, await makeUser(bench))
})

test('failures that are far apart in time never lock', async () => {
  const email = await makeUser(bench)
  for (let round = 0; round < HERE.attempts * 2; round++) {
    assert.equal((await failSignIn(email)).statusCode, 401)
    if (round % (HERE.attempts - 1) === 0) bench.advance(HERE.windowMs)
  }
})

test('an address that fails with many names is locked; others are not', async () => {
  bench.advance(LOGIN_LIMITS['user-address'].lockMs)
  const { attempts } = LOGIN_LIMITS['user-address']
  const names = await Promise.all(Array.from({ length: 11 }, () => makeUser(bench)))
  const last = names.at(-1) as string
  for (let round = 0; round < attempts; round++) {
    const answer = await failSignIn(names[round % 10] as string)
    assert.equal(answer.statusCode, 401, `${round}: ${answer.body}`)
  }

  const here = await trySignIn(bench, { email: last, password: PASSWORD })
  const there = await signInFrom('198.51.100.7', { email: last, password: PASSWORD })

  assertRefused(here, { status: 429, code: 'too_many_attempts' })
  assert.equal(there.statusCode, 200)
  bench.advance(LOGIN_LIMITS['user-address'].lockMs)
})

test('a password that confirms an action counts too, so a stolen session finds no way around', async () => {
  const email = await makeUser(bench)
  const browser = await signIn(bench, email)
  const body = { currentPassword: 'wrong', newPassword: 'four words that are long' }
  const changePassword = () => browser.call({ method: 'PUT', url: '/dashboard/api/password', body })
  for (let round = 0; round < HERE.attempts; round++) {
    assertRefused(await changePassword(), { status: 403, code: 'wrong_password' })
  }

  assertRefused(await changePassword(), { status: 429, code: 'too_many_attempts' })
  assert.equal((await failSignIn(email)).statusCode, 429)
  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
})

test('a client’s wrong secrets are counted exactly over two processes, then locked', async () => {
  await newCheapClient('LOCKED')
  const body = { clientId: 'LOCKED', clientSecret: 'wrong' }
  const tries = CLIENT.attempts + 20

  const answers = await Promise.all(
    Array.from({ length: tries }, (_, at) =>
      (at % 2 ? bench : other).call({ method: 'POST', url: LOGIN, body, headers: {} }),
    ),
  )

  const counts = countByStatus(answers.map(({ statusCode }) => statusCode))
  assert.deepEqual(counts, { 401: CLIENT.attempts, 429: 20 })
  const right = { clientId: 'LOCKED', clientSecret: 's3cret' }
  const locked = await bench.call({ url: LOGIN, body: right, token: null })
  assertRefused(locked, { status: 429, code: 'too_many_attempts' })
  assert.equal(locked.headers['retry-after'], String(CLIENT.lockMs / 1000))
  const form = 'grant_type=client_credentials&client_id=LOCKED&client_secret=s3cret'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const oauth = await bench.call({ url: '/oauth/token', body: form, headers, token: null })
  assert.equal(oauth.statusCode, 429)
  assert.equal(oauth.json().error, 'too_many_attempts')
  assert.deepEqual(await actionsOf(bench, 'client/LOCKED'), ['client.login_locked'])
  const elsewhere = await bench.service.app.inject({
    method: 'POST',
    url: LOGIN,
    remoteAddress: '198.51.100.7',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(right),
  })
  assert.equal(elsewhere.statusCode, 200) // The lock does not apply to other addresses.
  bench.advance(CLIENT.lockMs)
  assert(await bench.login('LOCKED', 's3cret'))
})

test('a service that logs in with the right secret is never refused', async () => {
  await newCheapClient('BUSY')
  const bodies = Array.from({ length: CLIENT.attempts * 2 }, () => ({
    clientId: 'BUSY',
    clientSecret: 's3cret',
  }))

  const answers = await Promise.all(
    bodies.map((body) => bench.call({ url: LOGIN, body, token: null })),
  )

  assert.deepEqual(countByStatus(answers.map(({ statusCode }) => statusCode)), {
    200: bodies.length,
  })
})

function failSignIn(email: string) {
  return trySignIn(bench, { email, password: 'wrong' })
}

// Tries to sign in as if the request came from this IP address.
function signInFrom(remoteAddress: string, body: object) {
  return bench.service.app.inject({
    method: 'POST',
    url: SESSION_URL,
    remoteAddress,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
}

// Creates a client whose secret is cheap to verify, so that a test can fail many logins quickly.
async function newCheapClient(clientId: string): Promise<void> {
  await bench.newClient(clientId)
  await bench.db.query(
    `update client_secrets set secret_hash = $2
      where client_id = (select id from clients where client_id = $1)`,
    [clientId, await hashSecret('s3cret', 1024)],
  )
}

// Returns how many answers have each HTTP status.
function countByStatus(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
