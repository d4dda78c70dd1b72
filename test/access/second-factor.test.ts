// The second factor: codes from an app and recovery codes, each of which works once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP, URI } from 'otpauth'
import { LOGIN_LIMITS } from '#access/attempts.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused, dataOf } from '../support/fixtures.ts'
import {
  actionsOf,
  type Browser,
  makeUser,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  USERS_URL,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const TOTP_URL = '/dashboard/api/totp'
const STEP_MS = 30_000
const HERE = LOGIN_LIMITS['user-here']
const bench = closeAfterTests(await startTestService())

test('a second factor is begun, confirmed, and asked for from then on', async () => {
  const browser = await newBrowser(bench)
  const { email } = browser.user

  const { secret, uri } = dataOf(await beginTotp(browser))
  await signIn(bench, email) // The second factor is not active yet.
  const answer = await confirmTotp(browser, codeOf(secret))

  const { recoveryCodes } = dataOf(answer)
  assert.equal(new Set(recoveryCodes).size, 10)
  const read = URI.parse(uri) as TOTP
  assert.equal(read.secret.base32, secret)
  assert.equal(read.issuer, 'Manilla')
  assert.equal(read.label, email)
  const without = await trySignIn(bench, { email, password: PASSWORD })
  assertRefused(without, { status: 401, code: 'code_needed' })
  bench.advance(STEP_MS)
  const inside = await signIn(bench, email, { code: codeOf(secret) })
  const session = dataOf(await inside.call({ url: SESSION_URL }))
  assert.equal(session.user.hasTotp, true)
  assert((await actionsOf(bench, `user/${email}`)).includes('user.add_totp'))
})

test('an app is confirmed in the session that began it, and soon', async () => {
  const browser = await newBrowser(bench)
  const other = await signIn(bench, browser.user.email)
  const assertNotBegun = async (by: Browser, code: string) =>
    assertRefused(await confirmTotp(by, code), { status: 409, code: 'totp_not_begun' })

  const { secret } = dataOf(await beginTotp(browser)) as { secret: string }
  await assertNotBegun(other, codeOf(secret))
  bench.advance(600_000)
  await assertNotBegun(browser, codeOf(secret))
})

test('neither the secret nor a recovery code is kept in clear, or logged', async () => {
  const { secret, recoveryCodes } = await newUserWithApp()

  const { rows } = await bench.db.query(
    `select u::text || coalesce(r::text, '') as kept
       from users u left join recovery_codes r on r.user_id = u.id`,
  )

  const text = JSON.stringify(rows) + bench.logText()
  for (const value of [secret, ...recoveryCodes]) assert(!text.includes(value))
  assert(!text.includes(Buffer.from(Secret.fromBase32(secret).bytes).toString('hex')))
})

test('a code is taken once, a step early or late, and no further off', async () => {
  const { email, secret } = await newUserWithApp()
  bench.advance(STEP_MS * 10)
  // The app shows a new code every STEP_MS. Returns the code of the step that is this many steps from now.
  const codeAtStep = (steps: number) => codeOf(secret, bench.clock().getTime() + steps * STEP_MS)

  for (const steps of [-2, 2, 100]) await assertCodeRefused(email, codeAtStep(steps))
  bench.advance(HERE.windowMs) // Failures expire only with time.
  await signIn(bench, email, { code: codeAtStep(-1) })
  await assertCodeRefused(email, codeAtStep(-1))
  await signIn(bench, email, { code: codeAtStep(1) })
  // The reset removed earlier ones.
  for (const steps of [-1, 0, 1]) await assertCodeRefused(email, codeAtStep(steps))
})

test('the code that confirmed the app does not sign in', async () => {
  const { email, confirmedWith } = await newUserWithApp()

  await assertCodeRefused(email, confirmedWith)
})

test('two sign-ins at once with one code, over two processes: one gets in', async () => {
  await using other = await startTwin(bench)
  const { email, secret } = await newUserWithApp()
  for (let round = 0; round < 3; round++) {
    bench.advance(STEP_MS)
    const body = { email, password: PASSWORD, code: codeOf(secret) }

    const answers = await Promise.all(
      [bench, other, bench, other].map((service) =>
        service.call({ method: 'POST', url: SESSION_URL, body, headers: {} }),
      ),
    )

    const statuses = answers.map(({ statusCode }) => statusCode).sort()
    assert.deepEqual(statuses, [200, 401, 401, 401])
  }
})

test('a recovery code signs in once, however it is typed, also when it is tried twice at once', async () => {
  const { email, recoveryCodes } = await newUserWithApp()
  const [first, second] = recoveryCodes as [string, string]

  await signIn(bench, email, { code: first.toUpperCase().replaceAll('-', ' ') })
  await assertCodeRefused(email, first)
  const body = { email, password: PASSWORD, code: second }
  const answers = await Promise.all([1, 2, 3].map(() => trySignIn(bench, body)))

  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401, 401])
  const { rows } = await bench.db.query(
    'select count(*)::int as left from recovery_codes r join users u on u.id = r.user_id where email = $1',
    [email],
  )
  assert.equal(rows[0].left, 8)
  const { rows: how } = await bench.db.query(
    `select detail ->> 'with' as how from audit_log where action = 'user.sign_in' and subject = $1`,
    [`user/${email}`],
  )
  assert.deepEqual(how.map((row) => row.how).sort(), ['password', 'recovery', 'recovery'])
})

test('another user’s codes are refused', async () => {
  const one = await newUserWithApp()
  const other = await newUserWithApp()
  bench.advance(STEP_MS)

  await assertCodeRefused(one.email, codeOf(other.secret))
  await assertCodeRefused(one.email, other.recoveryCodes[0] as string)
})

test('the password alone does not allow endless codes, not even with other requests in between', async () => {
  const { email, secret } = await newUserWithApp()
  for (let round = 0; round < HERE.attempts; round++) {
    const wrong = await trySignIn(bench, { email, password: PASSWORD, code: 'wrong-code' })
    assert.equal(wrong.statusCode, 401)
    const attempt = await trySignIn(bench, { email, password: PASSWORD })
    assert.equal(attempt.statusCode, round === HERE.attempts - 1 ? 429 : 401)
  }

  bench.advance(STEP_MS)
  const right = await trySignIn(bench, { email, password: PASSWORD, code: codeOf(secret) })
  assertRefused(right, { status: 429, code: 'too_many_attempts' })
  assert((await actionsOf(bench, `user/${email}`)).includes('user.locked'))
})

test('a wrong password is refused before the code is checked', async () => {
  const { email, secret } = await newUserWithApp()
  bench.advance(STEP_MS)

  const wrong = await trySignIn(bench, { email, password: 'wrong', code: codeOf(secret) })

  assertRefused(wrong, { status: 401, code: 'invalid_sign_in' })
  await signIn(bench, email, { code: codeOf(secret) }) // The refused sign-in did not use the code up.
})

test('adding an app requires the password; confirming it requires the right code', async () => {
  const browser = await newBrowser(bench)

  const early = await confirmTotp(browser, '123456')
  const borrowed = await browser.call({ url: TOTP_URL, body: { password: 'wrong' } })
  const { secret } = dataOf(await beginTotp(browser))
  const wrong = await confirmTotp(browser, codeOf(secret, bench.clock().getTime() + 10 * STEP_MS))
  const nonsense = await confirmTotp(browser, 'x')

  assertRefused(early, { status: 409, code: 'totp_not_begun' })
  assertRefused(borrowed, { status: 403, code: 'wrong_password' })
  assertRefused(wrong, { status: 401, code: 'invalid_code' })
  assertRefused(nonsense, { status: 400, code: 'invalid_request' })
  await signIn(bench, browser.user.email)
})

test('removing the app requires the password and a code; later sign-ins require no code', async () => {
  const { browser, email, secret } = await newUserWithApp()
  bench.advance(STEP_MS)
  const removeTotp = (body: object) => browser.call({ url: `${TOTP_URL}/remove`, body })

  const borrowed = await removeTotp({ password: 'wrong', code: codeOf(secret) })
  const wrong = await removeTotp({ password: PASSWORD, code: 'wrong-code' })
  const without = await removeTotp({ password: PASSWORD })
  const done = await removeTotp({ password: PASSWORD, code: codeOf(secret) })

  assertRefused(borrowed, { status: 403, code: 'wrong_password' })
  assertRefused(wrong, { status: 401, code: 'invalid_code' })
  assertRefused(without, { status: 400, code: 'invalid_request' })
  assert.deepEqual(dataOf(done), { hasTotp: false })
  await signIn(bench, email)
  const { rows } = await bench.db.query(
    'select 1 from recovery_codes r join users u on u.id = r.user_id where email = $1',
    [email],
  )
  assert.equal(rows.length, 0)
})

test('a new app replaces the old one, with new recovery codes', async () => {
  const { browser, email, secret: old, recoveryCodes } = await newUserWithApp()
  bench.advance(STEP_MS)
  const alone = await beginTotp(browser) // A stolen password is not enough.
  assertRefused(alone, { status: 401, code: 'code_needed' })
  const body = { password: PASSWORD, code: recoveryCodes[1] }
  const { secret } = dataOf(await browser.call({ url: TOTP_URL, body }))
  await signIn(bench, email, { code: codeOf(old) }) // The old app works until the new one is confirmed.

  await confirmTotp(browser, codeOf(secret))

  bench.advance(STEP_MS)
  await assertCodeRefused(email, codeOf(old))
  await assertCodeRefused(email, recoveryCodes[0] as string)
  await signIn(bench, email, { code: codeOf(secret) })
})

test('an owner can remove a lost second factor of another user only by resetting the password', async () => {
  const owner = await newBrowser(bench)
  const user = await newUserWithApp()
  const lost = await newUserWithApp()
  // Resets a user's password as the owner. Returns the answer's data, such as the temporary password.
  const resetPassword = async ({ browser }: { browser: Browser }, body: object) => {
    const url = `${USERS_URL}/${browser.user.id}/reset-password`
    return dataOf(await owner.call({ url, body }))
  }

  const one = await resetPassword(user, {})
  const other = await resetPassword(lost, { removeTotp: true })

  assert.deepEqual([one.hasTotp, other.hasTotp], [true, false])
  const attempt = await trySignIn(bench, { email: user.email, password: one.temporaryPassword })
  assertRefused(attempt, { status: 401, code: 'code_needed' })
  const free = await trySignIn(bench, { email: lost.email, password: other.temporaryPassword })
  assert.equal(free.statusCode, 200)
})

test('for a user without a second factor a code is ignored', async () => {
  const email = await makeUser(bench)

  const answer = await trySignIn(bench, { email, password: PASSWORD, code: '123456' })

  assert.equal(answer.statusCode, 200)
})

// Creates a user with an authenticator app as second factor.
async function newUserWithApp() {
  const email = await makeUser(bench)
  const browser = await signIn(bench, email)
  const { secret } = dataOf(await beginTotp(browser)) as { secret: string }
  const confirmedWith = codeOf(secret)
  const { recoveryCodes } = dataOf(await confirmTotp(browser, confirmedWith))
  return { email, browser, secret, confirmedWith, recoveryCodes: recoveryCodes as string[] }
}

// Begins to add an authenticator app as the user’s second factor. The answer has its secret.
function beginTotp(browser: Browser) {
  return browser.call({ url: TOTP_URL, body: { password: PASSWORD } })
}

// Confirms the authenticator app with its first code, after which sign-ins need a code.
function confirmTotp(browser: Browser, code: string) {
  return browser.call({ url: `${TOTP_URL}/confirm`, body: { code } })
}

// Returns the code that the authenticator app shows at this time.
function codeOf(secret: string, timestamp = bench.clock().getTime()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
}

// Asserts that the code is refused exactly like a code that never existed.
async function assertCodeRefused(email: string, code: string): Promise<void> {
  const answer = await trySignIn(bench, { email, password: PASSWORD, code })
  assertRefused(answer, { status: 401, code: 'invalid_code' })
  assertAlike(answer, await trySignIn(bench, { email, password: PASSWORD, code: 'no-such-code' }))
}
