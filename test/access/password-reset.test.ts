// A user who forgot the password gets a link by e-mail. The answer never reveals who has an account, and
// the link never replaces a second factor.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { LOGIN_LIMITS } from '#access/attempts.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import {
  actionsOf,
  type Browser,
  makeUser,
  newBrowser,
  newClientWithOwner,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  USERS_URL,
  userIdOf,
} from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { answerResets, mailsTo, tokenMailedTo } from '../support/user-mails.ts'

const RESET = '/dashboard/api/password-reset'
const NEW_PASSWORD = 'seven words that nobody else would choose'
const HOUR_MS = 3_600_000
const bench = closeAfterTests(await startTestService())

type Answer = Awaited<ReturnType<Bench['call']>>

const assertRefusedWith = (answer: Answer, code: string, status = 401) =>
  assertRefused(answer, { status, code })

const requestReset = (email: string) =>
  bench.call({ url: `${RESET}/request`, body: { email }, token: null })
const openLink = (token: string) =>
  bench.call({ url: `${RESET}/open`, body: { token }, token: null })
const setPasswordWithToken = (token: string, password = NEW_PASSWORD) =>
  bench.call({ url: `${RESET}/accept`, body: { token, password }, token: null })

// Requests a reset, and returns the token in the mailed link.
async function requestResetToken(email: string): Promise<string> {
  assert.equal((await requestReset(email)).statusCode, 200)
  await answerResets(bench)
  const token = await tokenMailedTo(bench, email)
  assert.match(token, /^[\w-]{43}$/)
  return token
}

// Adds an authenticator app as the user's second factor, and lets 30 seconds pass: each code works only once,
// and after 30 seconds the app has another code.
async function addAuthenticatorApp(user: Browser): Promise<Secret> {
  const begun = await user.call({ url: '/dashboard/api/totp', body: { password: PASSWORD } })
  const secret = Secret.fromBase32(begun.json().data.secret)
  const code = codeOf(secret)
  const confirmed = await user.call({ url: '/dashboard/api/totp/confirm', body: { code } })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  bench.advance(30_000)
  return secret
}

const codeOf = (secret: Secret) =>
  new TOTP({ secret }).generate({ timestamp: bench.clock().getTime() })

test('the link sets the password, ends all sessions, opens none, and says so to the user', async () => {
  const user = await newBrowser(bench, 'developer')
  const { email } = user.user
  const token = await requestResetToken(email.toUpperCase())
  assert.deepEqual((await openLink(token)).json().data.email, email)
  const answer = await setPasswordWithToken(token)

  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.headers['set-cookie'], undefined)
  assert.equal((await user.call({ url: SESSION_URL })).statusCode, 401)
  assertRefusedWith(await trySignIn(bench, { email, password: PASSWORD }), 'invalid_sign_in')
  await signIn(bench, email, { password: NEW_PASSWORD })
  assert.deepEqual(
    (await mailsTo(bench, email)).map(({ kind }) => kind),
    ['user.password_reset', 'user.password_changed', 'user.new_device'],
  )
  const actions = await actionsOf(bench, `user/${email}`)
  assert(actions.includes('user.request_password_reset'))
  assert(actions.includes('user.accept_password_reset'))
})

test('a known address and an unknown one get the same answer, and leave the same row', async () => {
  const email = await makeUser(bench)
  const known = await requestReset(email)
  const unknown = await requestReset('nobody@people.example')

  assert.equal(known.statusCode, 200)
  assert.deepEqual(known.json(), unknown.json())
  const { rows } = await bench.db.query('select email from password_reset_requests order by id')
  assert.deepEqual(
    rows.map((row) => row.email),
    [email, 'nobody@people.example'],
  )
  await answerResets(bench)
  const { rows: left } = await bench.db.query('select from password_reset_requests')
  assert.equal(left.length, 0)
  assert.equal((await mailsTo(bench, email)).length, 1)
})

test('a reset link works once', async () => {
  const token = await requestResetToken(await makeUser(bench))
  assert.equal((await setPasswordWithToken(token)).statusCode, 200)
  assertRefusedWith(await setPasswordWithToken(token), 'reset_invalid')
  assertRefusedWith(await openLink(token), 'reset_invalid')
})

test('of two uses at the same moment one is refused', async () => {
  const email = await makeUser(bench)
  const token = await requestResetToken(email)
  const passwords = [NEW_PASSWORD, `${NEW_PASSWORD} again`]
  const answers = await Promise.all(
    passwords.map((password) => setPasswordWithToken(token, password)),
  )

  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401])
  const won = answers.findIndex(({ statusCode }) => statusCode === 200)
  await signIn(bench, email, { password: passwords[won] })
})

test('a reset link expires after an hour, and a user gets at most one an hour', async () => {
  const email = await makeUser(bench)
  const token = await requestResetToken(email)
  await requestResetToken(email)
  assert.equal((await mailsTo(bench, email)).length, 1)
  bench.advance(HOUR_MS)
  assertRefusedWith(await setPasswordWithToken(token), 'reset_invalid')

  const next = await requestResetToken(email)
  assert.notEqual(next, token)
  assert.equal((await setPasswordWithToken(next)).statusCode, 200)
})

test('a link is of no use once the password was changed in another way', async () => {
  const user = await newBrowser(bench)
  const token = await requestResetToken(user.user.email)
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
  const changed = await user.call({ method: 'PUT', url: '/dashboard/api/password', body })
  assert.equal(changed.statusCode, 200, changed.body)

  assertRefusedWith(
    await setPasswordWithToken(token, 'another password of seven words'),
    'reset_invalid',
  )
  const kinds = (await mailsTo(bench, user.user.email)).map(({ kind }) => kind)
  assert.equal(kinds.at(-1), 'user.password_changed')
})

test('a disabled user gets no link, and a link from before is of no use', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const email = await makeUser(bench, { clientId, role: 'developer' })
  const token = await requestResetToken(email)
  const url = `${USERS_URL}/${await userIdOf(bench, email)}`
  assert.equal(
    (await owner.call({ method: 'PATCH', url, body: { isActive: false } })).statusCode,
    200,
  )
  assertRefusedWith(await openLink(token), 'reset_invalid')
  assertRefusedWith(await setPasswordWithToken(token), 'reset_invalid')

  bench.advance(HOUR_MS)
  await requestReset(email)
  await answerResets(bench)
  assert.equal((await mailsTo(bench, email)).length, 1)
})

test('a reset keeps the second factor, and does not lead past it', async () => {
  const user = await newBrowser(bench)
  const { email } = user.user
  const secret = await addAuthenticatorApp(user)
  const answer = await setPasswordWithToken(await requestResetToken(email))

  assert.equal(answer.statusCode, 200, answer.body)
  assertRefusedWith(await trySignIn(bench, { email, password: NEW_PASSWORD }), 'code_needed')
  await signIn(bench, email, { password: NEW_PASSWORD, code: codeOf(secret) })
})

test('a reset makes nobody independent by a factor from before, and removes such a passkey', async () => {
  const [app, key] = [await newBrowser(bench), await newBrowser(bench)]
  await addAuthenticatorApp(app)
  await bench.db.query('update users set own_from = null where email = any($1)', [
    [app.user.email, key.user.email],
  ])
  await bench.db.query(
    `insert into passkeys (id, client_id, user_id, credential_id, public_key, counter, transports, name,
                           created_at)
     select gen_random_uuid(), client_id, id, '\\x01', '\\x02', 0, '{}', 'planted', now()
       from users where email = $1`,
    [key.user.email],
  )
  // Returns whether the user chose their own password, and the number of their passkeys.
  const stateOf = async ({ user: { email } }: Browser) => {
    const { rows } = await bench.db.query(
      `select own_from is not null as is_own,
              (select count(*)::int from passkeys where user_id = users.id) as passkeys
         from users where email = $1`,
      [email],
    )
    return rows[0]
  }
  for (const { user } of [app, key]) await setPasswordWithToken(await requestResetToken(user.email))

  assert.deepEqual(await stateOf(app), { isOwn: false, passkeys: 0 })
  assert.deepEqual(await stateOf(key), { isOwn: false, passkeys: 0 })
})

test('where a provider is enforced, only an owner with a second factor gets a link', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const secret = await addAuthenticatorApp(owner)
  const others = [
    await makeUser(bench, { clientId, role: 'developer' }),
    await makeUser(bench, { clientId, role: 'owner' }),
  ]
  const before: string[] = []
  for (const email of others) before.push(await requestResetToken(email))
  const provider = {
    ...{ issuer: 'https://login.people.example', providerClientId: 'manilla' },
    ...{ clientSecret: 'provider-secret-of-the-test', isEnforced: true },
    ...{ password: PASSWORD, code: codeOf(secret) },
  }
  const url = '/dashboard/api/client/provider'
  const set = await owner.call({ method: 'PUT', url, body: provider })
  assert.equal(set.statusCode, 200, set.body)
  for (const token of before) assertRefusedWith(await setPasswordWithToken(token), 'reset_invalid')

  bench.advance(HOUR_MS)
  for (const email of [...others, owner.user.email]) await requestReset(email)
  await answerResets(bench)
  for (const email of others) assert.equal((await mailsTo(bench, email)).length, 1)
  assert.equal(
    (await setPasswordWithToken(await tokenMailedTo(bench, owner.user.email))).statusCode,
    200,
  )
})

test('requests are limited for each address that was typed, known or not', async () => {
  for (const email of [await makeUser(bench), 'stranger@people.example']) {
    for (let count = 0; count < LOGIN_LIMITS['reset-email'].attempts; count++) {
      bench.advance(1_000)
      assert.equal((await requestReset(email)).statusCode, 200)
    }
    assertRefusedWith(await requestReset(email), 'too_many_attempts', 429)
    bench.advance(HOUR_MS)
  }
})

test('a bad password changes nothing, and leaves the link', async () => {
  const token = await requestResetToken(await makeUser(bench))
  assertRefusedWith(await setPasswordWithToken(token, 'password1234'), 'invalid_request', 400)
  assertRefusedWith(await setPasswordWithToken('x'.repeat(43)), 'reset_invalid')
  assert.equal((await setPasswordWithToken(token)).statusCode, 200)
})
