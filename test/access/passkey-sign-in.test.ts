// Users sign in with a passkey, alone or as second factor (I71). The service accepts only an answer to its
// own challenge, once, by this user, from its own web address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOGIN_LIMITS } from '#access/attempts.ts'
import { CHALLENGE_MS } from '#access/passkeys.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused } from '../support/fixtures.ts'
import {
  begin,
  challengeSignIn,
  confirmWith,
  device,
  PASSKEYS,
  register,
  signInWith,
  trySignInWith,
} from '../support/passkey-calls.ts'
import {
  actionsOf,
  browserOf,
  makeUser,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  userIdOf,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import type { Falsified } from '../support/software-authenticator.ts'

const HERE = LOGIN_LIMITS['user-here']
const bench = closeAfterTests(await startTestService())

// Creates a signed-in user with a passkey. Also returns the passkey as the device holds it (`held`) and the
// recovery codes.
async function newHolder() {
  const email = await makeUser(bench)
  const browser = await signIn(bench, email)
  return { email, browser, ...(await register(browser)) }
}

// Asserts that the passkey was refused and no session began.
function assertPasskeyRefused(answer: Parameters<typeof assertRefused>[0]): void {
  assertRefused(answer, { status: 401, code: 'invalid_passkey' })
  assert.equal(answer.headers['set-cookie'], undefined)
}

test('a passkey signs its user in, without a name or a password', async () => {
  const { email, held } = await newHolder()

  const answer = await trySignInWith(bench, held)

  assert.equal(answer.statusCode, 200, answer.body)
  const browser = browserOf(bench, answer)
  const { data } = (await browser.call({ url: SESSION_URL })).json()
  assert.equal(data.user.email, email)
  const { rows } = await bench.db.query(
    `select detail ->> 'with' as how from audit_log where action = 'user.sign_in' and subject = $1
      order by id desc limit 1`,
    [`user/${email}`],
  )
  assert.equal(rows[0].how, 'passkey')
})

const FALSIFIED: Record<string, Falsified> = {
  'of another origin': { origin: 'https://evil.example' },
  'of another port': { origin: 'http://localhost:8081' },
  'for another site': { rpId: 'evil.example' },
  'that did not verify its user': { isVerified: false },
  'that was made for registering': { type: 'webauthn.create' },
  'in another user’s name': { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' },
}

for (const [name, falsified] of Object.entries(FALSIFIED)) {
  test(`an answer ${name} opens nothing`, async () => {
    const { email, held } = await newHolder()

    assertPasskeyRefused(await trySignInWith(bench, held, falsified))

    assert((await actionsOf(bench, `user/${email}`)).includes('user.sign_in_failed'))
    assert.equal((await trySignInWith(bench, held)).statusCode, 200)
  })
}

test('a challenge works once: not again, not after a failure, not twice at once', async () => {
  await using other = await startTwin(bench)
  const { held } = await newHolder()
  const first = device.sign(held, await challengeSignIn(bench))
  assert.equal((await signInWith(bench, first)).statusCode, 200)

  assertPasskeyRefused(await signInWith(bench, first))
  const challenge = await challengeSignIn(bench)
  assertPasskeyRefused(
    await signInWith(bench, device.sign(held, challenge, { origin: 'https://evil.example' })),
  )
  assertPasskeyRefused(await signInWith(bench, device.sign(held, challenge)))

  const raced = device.sign(held, await challengeSignIn(bench))
  const answers = await Promise.all([bench, other, bench, other].map((s) => signInWith(s, raced)))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401, 401, 401])
})

test('a challenge that is too old, that we never gave, or of a session is none', async () => {
  const { browser, held } = await newHolder()
  const old = await challengeSignIn(bench)
  bench.advance(CHALLENGE_MS)

  assertPasskeyRefused(await signInWith(bench, device.sign(held, old)))
  const ours = { ...old, challenge: Buffer.alloc(32, 7).toString('base64url') }
  assertPasskeyRefused(await signInWith(bench, device.sign(held, ours)))
  const { passkey } = await confirmWith(browser, held)
  assertPasskeyRefused(await signInWith(bench, passkey))
  assert.equal((await trySignInWith(bench, held)).statusCode, 200)
})

test('a cloned passkey with a lower counter is refused, and that is recorded', async () => {
  const { email, held } = await newHolder()
  const copy = { ...held }
  assert.equal((await trySignInWith(bench, held)).statusCode, 200)
  assert.equal((await trySignInWith(bench, held)).statusCode, 200)

  for (const counter of [0, 1, 2])
    assertPasskeyRefused(await trySignInWith(bench, copy, { counter }))

  const { rows } = await bench.db.query(
    `select detail from audit_log where action = 'user.sign_in_failed' and subject = $1 order by id`,
    [`user/${email}`],
  )
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    [0, 1, 2].map((counter) => ({ wrong: 'passkey', passkey: 'Phone', counter })),
  )
})

test('a device without a signature counter keeps the counter 0', async () => {
  const { held } = await newHolder()

  for (let round = 0; round < 2; round++) {
    assert.equal((await trySignInWith(bench, held, { counter: 0 })).statusCode, 200)
  }
})

test('an unknown passkey and a signature with another user’s key get the same refusal', async () => {
  const [one, other] = [await newHolder(), await newHolder()]
  const stranger = { ...one.held, id: Buffer.alloc(32, 1) }
  const impostor = { ...one.held, id: other.held.id, userHandle: other.held.userHandle }

  const unknown = await trySignInWith(bench, stranger)
  const wrong = await trySignInWith(bench, impostor)

  assertPasskeyRefused(unknown)
  assertAlike(unknown, wrong)
})

test('a disabled user, and a user of a suspended client, stay out', async () => {
  await bench.newClient('HOLDERS')
  const email = await makeUser(bench, { clientId: 'HOLDERS' })
  const { held } = await register(await signIn(bench, email))
  const setActive = (table: string, condition: string, isActive: boolean) =>
    bench.db.query(`update ${table} set is_active = $1 where ${condition}`, [isActive])

  await setActive('users', `email = '${email}'`, false)
  assertPasskeyRefused(await trySignInWith(bench, held))
  await setActive('users', `email = '${email}'`, true)
  await setActive('clients', `client_id = 'HOLDERS'`, false)
  assertPasskeyRefused(await trySignInWith(bench, held))
  await setActive('clients', `client_id = 'HOLDERS'`, true)
  assert.equal((await trySignInWith(bench, held)).statusCode, 200)
})

test('failures count before the signature is checked, and lock the passkey for that address', async () => {
  const { email, held } = await newHolder()
  for (let round = 0; round < HERE.attempts; round++) {
    assertPasskeyRefused(await trySignInWith(bench, held, { isVerified: false }))
  }

  const right = await trySignInWith(bench, held)

  assertRefused(right, { status: 429, code: 'too_many_attempts' })
  assert((await actionsOf(bench, `user/${email}`)).includes('user.locked'))
  bench.advance(HERE.lockMs)
  assert.equal((await trySignInWith(bench, held)).statusCode, 200)
})

test('guessing passwords does not lock out the holder of a passkey', async () => {
  const { email, held } = await newHolder()
  await bench.db.query(
    `insert into login_attempts (kind, key_hash, attempts, ends_at)
     values ('user', sha256(convert_to('user', 'utf8') || '\\x00' || convert_to($1, 'utf8')), 51, $2)
     on conflict (kind, key_hash) do update set attempts = 51, ends_at = $2`,
    [await userIdOf(bench, email), new Date(bench.clock().getTime() + 60_000)],
  )
  const guessed = await trySignIn(bench, { email, password: PASSWORD })
  assertRefused(guessed, { status: 401, code: 'invalid_sign_in' })

  assert.equal((await trySignInWith(bench, held)).statusCode, 200)
})

test('with a passkey the password alone no longer signs in, only with it or a recovery code', async () => {
  const { email, held, recoveryCodes } = await newHolder()
  const password = { email, password: PASSWORD }
  const alone = await trySignIn(bench, password)
  assertRefused(alone, { status: 401, code: 'passkey_needed' })

  const passkey = device.sign(held, await challengeSignIn(bench))
  await signIn(bench, email, { passkey })
  assertPasskeyRefused(await trySignIn(bench, { ...password, passkey })) // The same answer a second time.
  await signIn(bench, email, { code: recoveryCodes[0] })

  const unverified = device.sign(held, await challengeSignIn(bench), { isVerified: false })
  assertPasskeyRefused(await trySignIn(bench, { ...password, passkey: unverified }))
  const right = device.sign(held, await challengeSignIn(bench))
  const wrong = await trySignIn(bench, { email, password: 'wrong', passkey: right })
  assertRefused(wrong, { status: 401, code: 'invalid_sign_in' })
})

test('somebody else’s passkey is no second factor', async () => {
  const [one, other] = [await newHolder(), await newHolder()]
  const passkey = device.sign(other.held, await challengeSignIn(bench))

  assertPasskeyRefused(await trySignIn(bench, { email: one.email, password: PASSWORD, passkey }))
})

test('a malformed credential is refused with a reason, and nothing breaks', async () => {
  const browser = await newBrowser(bench)
  const good = device.sign((await newHolder()).held, await challengeSignIn(bench))
  const { response } = good

  for (const passkey of [
    {},
    null,
    'text',
    { ...good, type: 'password' },
    { ...good, id: 'not base64url!' },
    { ...good, id: 'A'.repeat(1_401) },
    { ...good, response: { ...response, signature: '' } },
    { ...good, response: { ...response, clientDataJSON: 7 } },
  ]) {
    assertRefused(await signInWith(bench, passkey as object), { status: 400 })
  }
  for (const clientDataJSON of [
    'AAAA',
    asBase64Url([]),
    asBase64Url(null),
    asBase64Url({ challenge: 7 }),
  ]) {
    assertPasskeyRefused(
      await signInWith(bench, { ...good, response: { ...response, clientDataJSON } }),
    )
  }
  assertRefused(await begin(browser, {}), { status: 400, code: 'invalid_request' })
  assertRefused(await browser.call({ url: PASSKEYS, body: { passkey: {} } }))
})

function asBase64Url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
