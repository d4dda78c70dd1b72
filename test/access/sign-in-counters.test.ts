// Each user has a counter of failed sign-ins, which does not depend on the address they come from, nor on
// other users with the same email address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { LOGIN_LIMITS } from '#access/attempts.ts'
import { hashSecret } from '#access/passwords.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused } from '../support/fixtures.ts'
import {
  actionsOf,
  makeUser,
  newBrowser,
  newClientWithOwner,
  PASSWORD,
  SESSION_URL,
  signIn,
  USERS_URL,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { storedName } from '../support/shown-ids.ts'

const { user: USER, 'user-here': HERE, 'user-code': CODE } = LOGIN_LIMITS
const STEP_MS = 30_000
const bench = closeAfterTests(await startTestService())
const WRONG = { status: 401, code: 'invalid_sign_in' }
let addresses = 0

// Tries to sign in from an address that no earlier attempt used, as a botnet does. The last two numbers of
// the address count the attempts.
function trySignInFromNewAddress(body: object) {
  const at = ++addresses
  return bench.service.app.inject({
    method: 'POST',
    url: SESSION_URL,
    remoteAddress: `198.18.${at >> 8}.${at & 255}`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
}

// Fails to sign in until the user's counter is exhausted. Tests do this rarely, because each attempt costs a
// password hash.
async function exhaust(
  email: string,
  more: object = {},
  attempts: number = USER.attempts,
): Promise<void> {
  for (let round = 0; round < attempts; round++) {
    assertRefused(await trySignInFromNewAddress({ email, password: 'wrong', ...more }), WRONG)
  }
}

test('from however many addresses, only a limited number of passwords is checked at once', async () => {
  const email = await makeUser(bench)
  const body = { email, password: 'wrong' }

  const answers = await Promise.all(
    Array.from({ length: USER.attempts - 10 }, () => trySignInFromNewAddress(body)),
  )
  const more = await Promise.all(Array.from({ length: 12 }, () => trySignInFromNewAddress(body)))

  for (const answer of [...answers, ...more]) assertRefused(answer, WRONG)
  const done = await actionsOf(bench, `user/${email}`)
  assert.deepEqual(done.sort(), [
    'user.locked',
    ...Array(USER.attempts).fill('user.sign_in_failed'),
  ])
})

test('once the limit is used up, a right password is answered like a wrong one for a while', async () => {
  const email = await makeUser(bench)
  await exhaust(email)

  const right = await trySignInFromNewAddress({ email, password: PASSWORD })

  assertRefused(right, WRONG)
  assertAlike(right, await trySignInFromNewAddress({ email, password: 'wrong' }))
  const unknown = { email: 'nobody@people.example', password: PASSWORD }
  assertAlike(right, await trySignInFromNewAddress(unknown))
  bench.advance(USER.lockMs)
  await signIn(bench, email)
})

test('the counter does not change when another client’s user of that name is added or signs in', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const email = await makeUser(bench)
  await exhaust(email, { clientId: 'MAN0000001' })

  const body = { email, role: 'owner' }
  const made = await owner.call({ url: USERS_URL, body })
  assert.equal(made.statusCode, 200, made.body)
  const { id } = made.json().data
  const reset = await owner.call({ url: `${USERS_URL}/${id}/reset-password`, body: {} })
  const { temporaryPassword: password } = reset.json().data
  const named = await trySignInFromNewAddress({ email, password, clientId })
  const unnamed = await trySignInFromNewAddress({ email, password })

  assert.deepEqual([named.statusCode, unnamed.statusCode], [200, 200])
  assertRefused(await trySignInFromNewAddress({ email, password: PASSWORD }), WRONG)
})

test('a password that is right at one client is still a guess at another’s user of that name', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const email = await makeUser(bench)
  await makeUser(bench, { clientId, email })
  const guess = 'a password chosen as a guess'
  await bench.db.query(
    `update users set password_hash = $3
       from clients c where c.id = users.client_id and c.client_id = $1 and email = $2`,
    [clientId, email, await hashSecret(guess, 1024)],
  )
  for (let round = 0; round < USER.attempts; round++) {
    assert.equal((await trySignInFromNewAddress({ email, password: guess })).statusCode, 200)
  }

  const other = { email, password: PASSWORD, clientId: 'MAN0000001' }
  assertRefused(await trySignInFromNewAddress(other), WRONG)
})

test('signing in at another client does not clear the count of this address', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const email = await makeUser(bench)
  await makeUser(bench, { clientId, email })
  const signInFromSameAddress = (body: object) =>
    bench.call({ url: SESSION_URL, body, method: 'POST', token: null })
  for (let round = 0; round < HERE.attempts; round++) {
    assert.equal(
      (await signInFromSameAddress({ email, password: PASSWORD, clientId })).statusCode,
      200,
    )
    assertRefused(await signInFromSameAddress({ email, password: 'wrong' }), WRONG)
  }

  assert.equal((await signInFromSameAddress({ email, password: 'wrong' })).statusCode, 429)
})

test('signing in clears the count of failures of that user', async () => {
  const email = await makeUser(bench)
  const wrong = { email, password: 'wrong' }
  for (let round = 0; round < USER.attempts - 1; round++) await trySignInFromNewAddress(wrong)
  assert.equal((await trySignInFromNewAddress({ email, password: PASSWORD })).statusCode, 200)

  for (let round = 0; round < USER.attempts - 1; round++) await trySignInFromNewAddress(wrong)
  assert.equal((await trySignInFromNewAddress({ email, password: PASSWORD })).statusCode, 200)
})

test('after the limit, password and code sign in together; a refusal hides which is wrong', async () => {
  const { email, codeNow } = await newUserWithApp()
  await exhaust(email)
  const half = await trySignInFromNewAddress({ email, password: PASSWORD })
  const wrongCode = await trySignInFromNewAddress({ email, password: PASSWORD, code: '000000' })
  const wrongBoth = await trySignInFromNewAddress({ email, password: 'wrong', code: '000000' })
  const wrongPassword = await trySignInFromNewAddress({ email, password: 'wrong', code: codeNow() })

  assertRefused(half, WRONG)
  for (const answer of [wrongCode, wrongBoth, wrongPassword]) assertAlike(half, answer)
  const right = await trySignInFromNewAddress({ email, password: PASSWORD, code: codeNow() })
  assert.equal(right.statusCode, 200, right.body)
})

test('only callers with the password use up codes, and they get few, from anywhere', async () => {
  const { email, codeNow } = await newUserWithApp()
  const wrong = CODE.attempts + 1
  for (let round = 0; round < wrong; round++) {
    await trySignInFromNewAddress({ email, password: 'wrong', code: '000000' })
  }
  for (let round = 0; round < CODE.attempts; round++) {
    const answer = await trySignInFromNewAddress({ email, password: PASSWORD, code: '000000' })
    assertRefused(answer, { status: 401, code: 'invalid_code' })
  }

  const late = await trySignInFromNewAddress({ email, password: PASSWORD, code: codeNow() })
  assertRefused(late, { status: 429, code: 'too_many_attempts' })
  assert.equal(late.headers['retry-after'], String(CODE.lockMs / 1000))
  await exhaust(email, {}, USER.attempts - wrong)
  const hidden = await trySignInFromNewAddress({ email, password: PASSWORD, code: codeNow() })
  assertRefused(hidden, WRONG)
  bench.advance(CODE.lockMs)
  await signIn(bench, email, { code: codeNow() })
})

test('a wrong code is recorded for the user whose password was right, and at no other client', async () => {
  const { email } = await newUserWithApp()
  const { clientId } = await newClientWithOwner(bench)
  await makeUser(bench, { clientId, email })
  await bench.db.query(
    `update users set password_hash = $3
       from clients c where c.id = users.client_id and c.client_id = $1 and email = $2`,
    [clientId, email, await hashSecret('the password at the other client', 1024)],
  )

  const answer = await trySignInFromNewAddress({ email, password: PASSWORD, code: '000000' })

  assertRefused(answer, { status: 401, code: 'invalid_code' })
  const { rows } = await bench.db.query<{ clientId: string; action: string }>(
    `select c.client_id, a.action from audit_log a join clients c on c.id = a.client_id
      where a.subject = $1 and a.action = 'user.sign_in_failed'`,
    [storedName(`user/${email}`)],
  )
  assert.deepEqual(rows, [{ clientId: 'MAN0000001', action: 'user.sign_in_failed' }])
})

// Creates a user with an authenticator app, and a function that returns its current code.
async function newUserWithApp() {
  const browser = await newBrowser(bench)
  const url = '/dashboard/api/totp'
  const begun = await browser.call({ url, body: { password: PASSWORD } })
  const secret = Secret.fromBase32(begun.json().data.secret)
  const codeNow = () => new TOTP({ secret }).generate({ timestamp: bench.clock().getTime() })
  const confirmed = await browser.call({ url: `${url}/confirm`, body: { code: codeNow() } })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  bench.advance(STEP_MS * 2)
  return { email: browser.user.email, codeNow }
}
