// Users add and remove their own passkeys, after confirming their identity again. A reset of the password
// by an owner removes them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { CHALLENGE_MS } from '#access/passkeys.ts'
import { purgeSessionsRound } from '#access/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused, dataOf } from '../support/fixtures.ts'
import {
  begin,
  challengeSignIn,
  confirmWith,
  device,
  finish,
  PASSKEYS,
  register,
  remove,
  trySignInWith,
} from '../support/passkey-calls.ts'
import {
  actionsOf,
  type Browser,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  USERS_URL,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const STEP_MS = 30_000
const TOTP_URL = '/dashboard/api/totp'
const bench = closeAfterTests(await startTestService())

// Returns the user's passkeys as the dashboard lists them.
const listPasskeys = async (browser: Browser) => {
  const { data } = (await browser.call({ url: PASSKEYS })).json()
  return data as { id: string; name: string; createdAt: string; usedAt: string | null }[]
}
const namesOf = async (browser: Browser) => (await listPasskeys(browser)).map(({ name }) => name)

test('several passkeys are added, listed with names, renamed and removed', async () => {
  const browser = await newBrowser(bench)
  const first = await register(browser, 'Phone')
  bench.advance(1) // The list is in order of creation.
  const second = await register(browser, 'Ключ 🔑', await confirmWith(browser, first.held))

  assert.equal(new Set(first.recoveryCodes).size, 10)
  assert.deepEqual(second.recoveryCodes, [])
  assert.deepEqual(await namesOf(browser), ['Ключ 🔑', 'Phone'])
  const url = `${PASSKEYS}/${first.passkey.id}`
  const renamed = await browser.call({ method: 'PATCH', url, body: { name: 'Old phone' } })
  assert.equal(dataOf(renamed).name, 'Old phone')
  const proof = await confirmWith(browser, second.held)
  assert.equal((await remove(browser, first.passkey.id, proof)).statusCode, 200)

  const [left] = await listPasskeys(browser)
  assert.equal(left?.name, 'Ключ 🔑')
  assert.notEqual(left?.usedAt, null)
  const answer = await trySignInWith(bench, first.held)
  assertRefused(answer, { status: 401, code: 'invalid_passkey' })
  const actions = await actionsOf(bench, `user/${browser.user.email}`)
  for (const verb of ['add', 'rename', 'remove']) assert(actions.includes(`user.${verb}_passkey`))
})

test('a hijacked session alone adds and removes nothing', async () => {
  const browser = await newBrowser(bench)
  const wrong = await begin(browser, { password: 'wrong' })
  assertRefused(wrong, { status: 403, code: 'wrong_password' })
  assertRefused(await begin(browser, { code: '123456' }), { code: 'invalid_request' })
  const { held, passkey, recoveryCodes } = await register(browser)

  // Once the user has a passkey, the password alone no longer confirms a change.
  for (const url of [PASSKEYS, TOTP_URL, `${PASSKEYS}/${passkey.id}/remove`]) {
    const alone = await browser.call({ url, body: { password: PASSWORD } })
    assertRefused(alone, { status: 401, code: 'code_needed' })
    const guessed = await browser.call({ url, body: { password: PASSWORD, code: '123456' } })
    assertRefused(guessed, { status: 401, code: 'invalid_code' })
    const falsified = await confirmWith(browser, held, { isVerified: false })
    const unverified = await browser.call({ url, body: falsified })
    assertRefused(unverified, { status: 401, code: 'invalid_passkey' })
  }
  assert.deepEqual(await namesOf(browser), ['Phone'])
  const failed = await actionsOf(bench, `user/${browser.user.email}`)
  assert(failed.includes('user.confirm_failed'))
  const code = recoveryCodes[0]
  const removed = await remove(browser, passkey.id, { password: PASSWORD, code })
  assert.equal(removed.statusCode, 200, removed.body)
})

test('an app that was begun before the first passkey is not confirmed after it', async () => {
  const browser = await newBrowser(bench)
  const body = { password: PASSWORD }
  const { secret } = dataOf(await browser.call({ url: TOTP_URL, body }))
  await register(browser)

  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = totp.generate({ timestamp: bench.clock().getTime() })
  const late = await browser.call({ url: `${TOTP_URL}/confirm`, body: { code } })

  assert.equal(late.json().code, 'totp_not_begun', late.body)
})

test('a confirmation is of its session, its user, and good once', async () => {
  const browser = await newBrowser(bench)
  const other = await newBrowser(bench)
  const { held } = await register(browser)
  const otherPasskey = await register(other)
  const elsewhere = await signIn(bench, browser.user.email, {
    passkey: device.sign(held, await challengeSignIn(bench)),
  })
  // Asserts that a user cannot begin to add a passkey with this proof of identity.
  const assertRefusesPasskey = async (by: Browser, proof: object) => {
    const answer = await begin(by, proof)
    assertRefused(answer, { status: 401, code: 'invalid_passkey' })
  }

  const proof = await confirmWith(browser, held)
  await assertRefusesPasskey(elsewhere, proof)
  await assertRefusesPasskey(browser, proof) // The refused attempt used the confirmation up.
  await assertRefusesPasskey(browser, await confirmWith(browser, otherPasskey.held))
  const good = await confirmWith(browser, held)
  assert.equal((await begin(browser, good)).statusCode, 200)
  await assertRefusesPasskey(browser, good)
  await assertRefusesPasskey(browser, { passkey: device.sign(held, await challengeSignIn(bench)) })
})

test('a new passkey answers this session’s challenge, in time, once, at our origin', async () => {
  const browser = await newBrowser(bench)
  const other = await newBrowser(bench)
  const beginRegistration = async () => dataOf(await begin(browser))
  // Asserts that the service does not add the passkey of this credential.
  const assertRefusesPasskey = async (by: Browser, credential: object) => {
    const answer = await finish(by, credential)
    assertRefused(answer, { status: 401, code: 'invalid_passkey' })
  }

  const challenge = await beginRegistration()
  assert.deepEqual(challenge.rp, { id: 'localhost', name: 'Manilla' })
  assert(!JSON.stringify(challenge.user.id).includes(browser.user.email))
  await assertRefusesPasskey(
    browser,
    device.create(challenge, { origin: 'https://evil.example' }).credential,
  )
  // The refused attempt used the challenge up.
  await assertRefusesPasskey(browser, device.create(challenge).credential)
  await assertRefusesPasskey(
    browser,
    device.create(await beginRegistration(), { rpId: 'evil.example' }).credential,
  )
  await assertRefusesPasskey(
    browser,
    device.create(await beginRegistration(), { isVerified: false }).credential,
  )
  await assertRefusesPasskey(other, device.create(await beginRegistration()).credential)
  const replaced = await beginRegistration()
  await beginRegistration()
  await assertRefusesPasskey(browser, device.create(replaced).credential)
  const late = await beginRegistration()
  bench.advance(CHALLENGE_MS)
  await assertRefusesPasskey(browser, device.create(late).credential)
  assert.deepEqual(await namesOf(browser), [])
})

test('the same credential is registered once, whoever sends it', async () => {
  const browser = await newBrowser(bench)
  const other = await newBrowser(bench)
  const { held } = await register(browser)
  const options = dataOf(await begin(other))
  const { credential } = device.create(options, {})
  const stolen = held.id.toString('base64url')
  const bytes = Buffer.from(credential.response.attestationObject, 'base64url')
  held.id.copy(bytes, bytes.indexOf(Buffer.from(credential.id, 'base64url')))
  const response = { ...credential.response, attestationObject: bytes.toString('base64url') }

  const answer = await finish(other, { ...credential, id: stolen, rawId: stolen, response })

  assertRefused(answer, { status: 409, code: 'passkey_exists' })
  assert.equal((await trySignInWith(bench, held)).json().data.user.email, browser.user.email)
})

test('a user has at most twenty passkeys', async () => {
  const browser = await newBrowser(bench)
  const { held } = await register(browser)
  await bench.db.query(
    `insert into passkeys select gen_random_uuid(), client_id, user_id, sha256(n::text::bytea),
            public_key, 0, transports, 'Key ' || n, created_at
       from passkeys, generate_series(1, 19) n where user_id = $1`,
    [browser.user.id],
  )
  const options = dataOf(await begin(browser, await confirmWith(browser, held)))

  const answer = await finish(browser, device.create(options).credential)

  assertRefused(answer, { status: 409, code: 'too_many_passkeys' })
})

test('another user’s passkey is not found, just as one that is not there', async () => {
  const browser = await newBrowser(bench)
  const other = await newBrowser(bench)
  const { passkey, held } = await register(browser)
  const own = await register(other)
  const missing = '0199a5c2-6f3e-7b1d-8a55-0c4c9b7a1e22'
  const rename = (id: string) =>
    other.call({ method: 'PATCH', url: `${PASSKEYS}/${id}`, body: { name: 'Mine' } })

  assertAlike(await rename(passkey.id), await rename(missing))
  const theft = await remove(other, passkey.id, await confirmWith(other, own.held))
  assertRefused(theft, { status: 404, code: 'passkey_not_found' })
  assertAlike(theft, await remove(other, missing, await confirmWith(other, own.held)))
  assertRefused(await rename('nonsense'), { status: 404, code: 'passkey_not_found' })
  for (const name of ['', ' ', 'x'.repeat(101), 'a\u0000b', 7]) {
    const url = `${PASSKEYS}/${own.passkey.id}`
    assertRefused(await other.call({ method: 'PATCH', url, body: { name } }))
  }
  assert.equal((await trySignInWith(bench, held)).statusCode, 200)
})

test('a reset by an owner removes passkeys and their recovery codes; sessions end', async () => {
  const owner = await newBrowser(bench)
  const browser = await newBrowser(bench, 'support')
  const { held, recoveryCodes } = await register(browser)
  const begun = dataOf(await begin(browser, await confirmWith(browser, held)))
  const pending = device.create(begun)
  const { email, id } = browser.user

  const reset = await owner.call({ url: `${USERS_URL}/${id}/reset-password`, body: {} })

  const { temporaryPassword, hasPasskey } = dataOf(reset)
  assert.equal(hasPasskey, false)
  assert.equal((await trySignInWith(bench, held)).statusCode, 401)
  assert.equal((await finish(browser, pending.credential)).statusCode, 401)
  const { rows } = await bench.db.query('select from recovery_codes where user_id = $1', [id])
  assert.equal(rows.length, 0)
  assert.equal(recoveryCodes.length, 10)
  const entered = await signIn(bench, email, { password: temporaryPassword })
  const early = await entered.call({ url: PASSKEYS, body: { password: temporaryPassword } })
  assertRefused(early, { status: 403, code: 'password_change_needed' })
})

test('removing a passkey ends the user’s other sessions, but not the current one', async () => {
  const browser = await newBrowser(bench)
  const { held, passkey } = await register(browser)
  const passkeyOf = async () => device.sign(held, await challengeSignIn(bench))
  const elsewhere = await signIn(bench, browser.user.email, { passkey: await passkeyOf() })

  await remove(browser, passkey.id, await confirmWith(browser, held))

  assert.equal((await elsewhere.call({ url: SESSION_URL })).statusCode, 401)
  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
  await signIn(bench, browser.user.email) // Without a passkey, the password alone is enough again.
})

test('app and passkey stand in for one another, and recovery codes stay while either does', async () => {
  const browser = await newBrowser(bench)
  const { email } = browser.user
  const { held, passkey } = await register(browser)
  const proof = await confirmWith(browser, held)
  const { secret } = dataOf(await browser.call({ url: TOTP_URL, body: proof }))
  // Returns the app's next code, because each code works only once.
  const codeNow = () => {
    bench.advance(STEP_MS)
    const timestamp = bench.clock().getTime()
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
  }
  const confirmed = await browser.call({ url: `${TOTP_URL}/confirm`, body: { code: codeNow() } })
  const { recoveryCodes } = dataOf(confirmed)

  await signIn(bench, email, { code: codeNow() })
  await signIn(bench, email, { passkey: device.sign(held, await challengeSignIn(bench)) })
  const body = { password: PASSWORD, code: codeNow() }
  assert.equal((await remove(browser, passkey.id, body)).statusCode, 200)
  await signIn(bench, email, { code: recoveryCodes[0] })
  const alone = await trySignIn(bench, { email, password: PASSWORD })
  assertRefused(alone, { status: 401, code: 'code_needed' })
})

test('expired challenges are deleted', async () => {
  const count = async () =>
    (await bench.db.query('select count(*)::int as n from passkey_challenges')).rows[0].n
  await challengeSignIn(bench)
  bench.advance(CHALLENGE_MS)
  await challengeSignIn(bench)

  await purgeSessionsRound(bench)()

  assert.equal(await count(), 1)
})
