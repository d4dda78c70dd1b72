// Owners set their client's sign-in provider. These tests cover who may set it, which sessions that ends,
// how owners sign in when the provider fails, and that nobody counts as two people through it (I155).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, databaseText } from '../support/fixtures.ts'
import { PROVIDER_CLIENT, startIdentityProvider } from '../support/identity-provider.ts'
import { register, trySignInWith } from '../support/passkey-calls.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import {
  type Browser,
  browserOf,
  makeUser,
  newBrowser,
  newClientWithOwner,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  USERS_URL,
} from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const SIGN_IN = '/dashboard/api/session/provider'
const PROVIDER = '/dashboard/api/client/provider'
const HOUR_MS = 3_600_000

const env = { MANILLA_APPROVER_WAIT_HOURS: '24' }
const bench = closeAfterTests(await startTestService({ env }))
const idp = closeAfterTests(await startIdentityProvider(bench.clock))

type Answer = Awaited<ReturnType<Bench['call']>>
type Claims = { sub: string; email: string; email_verified: true }

const assertRefusedWith = (answer: Answer, code: string, status = 401) =>
  assertRefused(answer, { status, code })

const SETTINGS = {
  issuer: idp.issuer,
  providerClientId: PROVIDER_CLIENT.id,
  clientSecret: PROVIDER_CLIENT.secret,
}

// Sets the client’s sign-in provider as this owner, with some fields changed.
const putProvider = (owner: Browser, more: object = {}) =>
  owner.call({ method: 'PUT', url: PROVIDER, body: { ...SETTINGS, password: PASSWORD, ...more } })

// Creates a client with a sign-in provider.
async function clientWithProvider(more: object = {}) {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const answer = await putProvider(owner, more)
  assert.equal(answer.statusCode, 200, answer.body)
  return { clientId, owner }
}

const claimsOf = (email: string): Claims => ({ sub: `of ${email}`, email, email_verified: true })
const cookieIn = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] as string

// Starts a sign-in at the client’s provider, which answers with these claims. Returns the service’s answer
// to the callback, and the cookie of the sign-in.
async function trySignInWithProvider(clientId: string, claims: Claims, more: object = {}) {
  const begun = await bench.call({ url: SIGN_IN, body: { clientId, ...more }, token: null })
  assert.equal(begun.statusCode, 200, begun.body)
  const body = idp.authorize(begun.json().data.url, claims)
  const cookie = cookieIn(begun)
  const url = `${SIGN_IN}/callback`
  return { cookie, answer: await bench.call({ url, body, token: null, headers: { cookie } }) }
}

// Signs a user in with the client's provider.
async function signInWithProvider(
  clientId: string,
  email: string,
  more: object = {},
): Promise<Browser> {
  const { answer } = await trySignInWithProvider(clientId, claimsOf(email), more)
  assert.equal(answer.statusCode, 200, answer.body)
  return browserOf(bench, answer)
}

const codeOf = (secret: Secret) =>
  new TOTP({ secret }).generate({ timestamp: bench.clock().getTime() })

// Adds an authenticator app as the user's second factor.
async function addAuthenticatorApp(
  user: Browser,
  proof: object = { password: PASSWORD },
): Promise<Secret> {
  const begun = await user.call({ url: '/dashboard/api/totp', body: proof })
  assert.equal(begun.statusCode, 200, begun.body)
  const secret = Secret.fromBase32(begun.json().data.secret)
  const body = { code: codeOf(secret) }
  const confirmed = await user.call({ url: '/dashboard/api/totp/confirm', body })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  bench.advance(30_000) // A code works once.
  return secret
}

// Sends the second factor of a sign-in that began with this cookie at the provider.
const sendFactor = (cookie: string, body: object) =>
  bench.call({ url: `${SIGN_IN}/second-factor`, body, token: null, headers: { cookie } })

test('owners set the provider after confirming who they are; its secret is sealed', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const none = await owner.call({ url: PROVIDER })
  assert.equal(none.json().data.provider, null)
  assertRefusedWith(await putProvider(owner, { password: undefined }), 'invalid_request', 400)
  assertRefusedWith(await putProvider(owner, { password: 'wrong' }), 'wrong_password', 403)
  const answer = await putProvider(owner)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.match(answer.json().data.redirectUri, /^http.*\/dashboard\/provider$/)
  const found = await owner.call({ url: PROVIDER })
  assert.deepEqual(found.json().data.provider, answer.json().data)
  assert.ok(!found.body.includes(PROVIDER_CLIENT.secret))
  assert.ok(!(await databaseText(bench)).includes(PROVIDER_CLIENT.secret))
  assert.ok(!bench.logText().includes(PROVIDER_CLIENT.secret))
  for (const role of ['developer', 'finance', 'support'] as const) {
    const other = await newBrowser(bench, role, clientId)
    assertRefusedWith(await other.call({ url: PROVIDER }), 'role_not_allowed', 403)
    assertRefusedWith(await putProvider(other), 'role_not_allowed', 403)
    assertRefusedWith(
      await other.call({ url: `${PROVIDER}/remove`, body: { password: PASSWORD } }),
      'role_not_allowed',
      403,
    )
  }
})

test('bad settings are refused and change nothing', async () => {
  const { owner } = await clientWithProvider()
  const roles = [{ value: 'x', role: 'finance' }]
  for (const more of [
    { issuer: '' },
    { issuer: 'not an address' },
    { issuer: 'ftp://login.example.com' },
    { issuer: 'http://169.254.169.254' },
    { issuer: 'http://metadata.google.internal' },
    { issuer: 'https://user:password@login.example.com' },
    { issuer: 'https://login.example.com?x=1' },
    { issuer: `https://login.example.com/${'x'.repeat(3_000)}` },
    { issuer: 'https://login.example.com', clientSecret: undefined },
    { providerClientId: '' },
    { roles },
    { roleClaim: 'groups' },
    { roleClaim: 'groups', roles: [{ value: 'x', role: 'king' }] },
    { roleClaim: 'groups', roles: Array.from({ length: 51 }, () => roles[0]) },
    { createsUsers: 'yes' },
    { unknown: true },
  ]) {
    assertRefusedWith(await putProvider(owner, more), 'invalid_request', 400)
  }
  const mapping = { roleClaim: 'groups', roles: [{ value: 'x', role: 'operator' }] }
  assertRefusedWith(await putProvider(owner, mapping), 'role_not_allowed', 403)
  const found = await owner.call({ url: PROVIDER })
  assert.equal(found.json().data.provider.issuer, idp.issuer)
  assert.deepEqual(found.json().data.provider.roles, [])
})

test('the stored secret stays when another setting changes', async () => {
  const { clientId, owner } = await clientWithProvider()
  bench.advance(1)
  const answer = await putProvider(owner, { clientSecret: undefined, trustsEmail: true })
  assert.equal(answer.statusCode, 200, answer.body)
  const email = await makeUser(bench, { clientId, role: 'finance' })
  await signInWithProvider(clientId, email)
})

test('no address that the provider chooses leads into our own network', async (t) => {
  const { clientId } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  t.after(() => idp.publish({}))
  idp.publish({ token_endpoint: 'http://169.254.169.254/latest/api/token' })
  const { answer } = await trySignInWithProvider(clientId, claimsOf(email))
  assertRefusedWith(answer, 'provider_unavailable', 503)
})

test('with an enforced provider, passwords and passkeys only admit owners with a second factor', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const finance = await signIn(bench, email)
  const { held } = await register(await signIn(bench, email))
  assertRefusedWith(await putProvider(owner, { isEnforced: true }), 'second_factor_needed', 409)
  const secret = await addAuthenticatorApp(owner)
  const code = codeOf(secret)
  const answer = await putProvider(owner, { isEnforced: true, code })
  assert.equal(answer.statusCode, 200, answer.body)

  assertRefusedWith(await finance.call({ url: SESSION_URL }), 'session_needed')
  assert.equal((await owner.call({ url: SESSION_URL })).statusCode, 200)
  const withPassword = await trySignIn(bench, { email, password: PASSWORD })
  assertRefusedWith(withPassword, 'provider_sign_in_needed', 403)
  assert.match(withPassword.body, new RegExp(`"clientId".*One of ${clientId}`))
  assertRefusedWith(await trySignIn(bench, { email, password: 'wrong' }), 'invalid_sign_in')
  assertRefusedWith(await trySignInWith(bench, held), 'provider_sign_in_needed', 403)
  const second = await makeUser(bench, { clientId })
  const withoutFactor = await trySignIn(bench, { email: second, password: PASSWORD })
  assertRefusedWith(withoutFactor, 'provider_sign_in_needed', 403)

  bench.advance(30_000)
  const glass = await signIn(bench, owner.user.email, { code: codeOf(secret) })
  const { rows } = await bench.db.query(
    `select detail from audit_log where action = 'user.sign_in' and subject = $1 order by id desc limit 1`,
    [`user/${owner.user.email}`],
  )
  assert.equal(rows[0].detail.isBreakGlass, true)
  const invited = await glass.call({
    url: USERS_URL,
    body: { email: 'new@people.example', role: 'support' },
  })
  const token = invited.json().data.invitationLink.split('#')[1]
  const body = { token, password: 'a password of my own, 7 words long' }
  const accepted = await bench.call({ url: '/dashboard/api/invitation/accept', body, token: null })
  assert.equal(accepted.json().data.isSignedIn, false)
  assert.equal(accepted.headers['set-cookie'], undefined)
  await signInWithProvider(clientId, 'new@people.example')
})

test('a sign-in that began before the provider was enforced opens no session after it', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const secret = await addAuthenticatorApp(owner)
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const [, ...answers] = await Promise.all([
    putProvider(owner, { isEnforced: true, code: codeOf(secret) }),
    ...Array.from({ length: 6 }, () => trySignIn(bench, { email, password: PASSWORD })),
  ])
  for (const answer of answers.filter(({ statusCode }) => statusCode === 200)) {
    assertRefusedWith(await browserOf(bench, answer).call({ url: SESSION_URL }), 'session_needed')
  }
})

test('removing the provider, or replacing it, ends the sessions that it opened', async () => {
  const { clientId, owner } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const first = await signInWithProvider(clientId, email)
  const withPassword = await signIn(bench, email)
  const other = closeAfterTests(await startIdentityProvider(bench.clock))
  bench.advance(1)
  assert.equal((await putProvider(owner, { issuer: other.issuer })).statusCode, 200)
  assertRefusedWith(await first.call({ url: SESSION_URL }), 'session_needed')
  assert.equal((await withPassword.call({ url: SESSION_URL })).statusCode, 200)
  bench.advance(1)
  assert.equal((await putProvider(owner)).statusCode, 200)
  const second = await signInWithProvider(clientId, email)
  const body = { password: PASSWORD }
  const removed = await owner.call({ url: `${PROVIDER}/remove`, body })
  assert.equal(removed.statusCode, 200, removed.body)
  assertRefusedWith(await second.call({ url: SESSION_URL }), 'session_needed')
  assertRefusedWith(
    await owner.call({ url: `${PROVIDER}/remove`, body }),
    'provider_not_found',
    404,
  )
})

test('a user with a second factor here enters it after the provider too', async () => {
  const { clientId } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const secret = await addAuthenticatorApp(await signIn(bench, email))
  const { answer, cookie } = await trySignInWithProvider(clientId, claimsOf(email))
  assertRefusedWith(answer, 'code_needed')
  assert.ok(!String(answer.headers['set-cookie'] ?? '').includes('manilla_session='))
  assertRefusedWith(
    await sendFactor('manilla_sign_in=x', { code: codeOf(secret) }),
    'provider_sign_in_expired',
  )
  assertRefusedWith(await sendFactor(cookie, { code: '000000' }), 'invalid_code')
  assertRefusedWith(await sendFactor(cookie, {}), 'invalid_request', 400)
  const code = codeOf(secret)
  const [one, two] = await Promise.all([sendFactor(cookie, { code }), sendFactor(cookie, { code })])
  assert.deepEqual([one.statusCode, two.statusCode].sort(), [200, 401])
  assertRefusedWith(await sendFactor(cookie, { code }), 'provider_sign_in_expired')
})

test('codes after the provider are limited like those after a password', async () => {
  const { clientId } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const secret = await addAuthenticatorApp(await signIn(bench, email))
  const { cookie } = await trySignInWithProvider(clientId, claimsOf(email))
  for (let tries = 0; tries < 10; tries++) {
    assertRefusedWith(await sendFactor(cookie, { code: '000000' }), 'invalid_code')
  }
  assertRefusedWith(await sendFactor(cookie, { code: codeOf(secret) }), 'too_many_attempts', 429)
})

test('a fresh sign-in confirms who you are, for five minutes and in that session', async () => {
  const { clientId } = await clientWithProvider({ createsUsers: true })
  const email = 'created@people.example'
  const stale = await signInWithProvider(clientId, email)
  assertRefusedWith(
    await stale.call({ url: '/dashboard/api/totp', body: {} }),
    'invalid_request',
    400,
  )
  const late = await signInWithProvider(clientId, email, { isFresh: true })
  bench.advance(5 * 60_000)
  assertRefusedWith(
    await late.call({ url: '/dashboard/api/totp', body: {} }),
    'invalid_request',
    400,
  )
  const fresh = await signInWithProvider(clientId, email, { isFresh: true })
  assertRefusedWith(
    await stale.call({ url: '/dashboard/api/totp', body: {} }),
    'invalid_request',
    400,
  )
  await addAuthenticatorApp(fresh, {})
})

test('a fresh sign-in that the provider answers from memory is refused', async (t) => {
  const { clientId } = await clientWithProvider({ createsUsers: true })
  t.after(() => idp.misbehave({}))
  const anHourAgo = Math.floor(bench.clock().getTime() / 1000) - 3_600
  idp.misbehave({ claims: { auth_time: anHourAgo } })
  const claims = claimsOf('sleepy@people.example')
  assertRefusedWith(
    (await trySignInWithProvider(clientId, claims, { isFresh: true })).answer,
    'provider_sign_in_failed',
  )
  assert.equal((await trySignInWithProvider(clientId, claims)).answer.statusCode, 200)
})

type ClientWithPayouts = { clientId: string; owner: Browser; other: Browser }

// Creates a client with money, a bank account that an independent user added, approval of all payouts, and a
// provider that creates users with roles by their job.
async function newClientWithPayouts(): Promise<ClientWithPayouts> {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const other = await newBrowser(bench, 'owner', clientId)
  await fund(bench, '1000', { token: await bench.login(clientId, await rotateSecret(owner)) })
  await addBankAccount(await newBrowser(bench, 'finance', clientId))
  const body = { payoutApproval: 'all' }
  const answer = await other.call({ method: 'PUT', url: '/api/v1/payout-settings', body })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(
    (await putProvider(owner, { createsUsers: true, roleClaim: 'job', roles: JOBS })).statusCode,
    200,
  )
  return { clientId, owner, other }
}

const JOBS = [{ value: 'money', role: 'finance' }]

// Rotates the client's secret and returns the new one.
async function rotateSecret(owner: Browser): Promise<string> {
  const url = '/dashboard/api/client/rotate-secret'
  const answer = await owner.call({ url, body: { overlapSeconds: 0 } })
  return answer.json().data.secret
}

// Signs in with the provider as a user whose job gives the finance role.
async function signInAsFinance(
  clientId: string,
  email: string,
  more: object = {},
): Promise<Browser> {
  const { answer } = await trySignInWithProvider(
    clientId,
    { ...claimsOf(email), job: 'money' } as Claims,
    more,
  )
  assert.equal(answer.statusCode, 200, answer.body)
  return browserOf(bench, answer)
}

const approve = (by: Browser, reference: string) =>
  by.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })

const signInAgain = (user: Browser) => signIn(bench, user.user.email)

test('the user who set the provider does not approve for users whom it signs in', async () => {
  const { clientId, owner, other } = await newClientWithPayouts()
  const created = await signInAsFinance(clientId, 'puppet@people.example')
  const { reference } = await createPayout(created, { amount: 1 })
  assertRefusedWith(await approve(owner, reference), 'maker_counts_as_you', 409)
  assert.equal((await approve(other, reference)).statusCode, 200)
  // The same applies to a user who had a password of their own before they signed in with the provider.
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const member = await signInAsFinance(clientId, email)
  const second = await createPayout(member, { amount: 1 })
  assertRefusedWith(await approve(owner, second.reference), 'maker_counts_as_you', 409)
})

test('nor does such a user approve what they requested', async () => {
  const { clientId, owner } = await newClientWithPayouts()
  const puppet = await signInAsFinance(clientId, 'checker@people.example')
  const { reference } = await createPayout(owner, { amount: 1 })
  bench.advance(25 * HOUR_MS)
  const later = await signInAsFinance(clientId, puppet.user.email)
  assertRefusedWith(await approve(later, reference), 'approver_not_independent', 409)
})

test('after adding a second factor and the wait, such a user counts as an independent person', async () => {
  const { clientId, owner } = await newClientWithPayouts()
  const email = 'person@people.example'
  const person = await signInAsFinance(clientId, email, { isFresh: true })
  const secret = await addAuthenticatorApp(person, {})
  bench.advance(25 * HOUR_MS)
  const claims = { ...claimsOf(email), job: 'money' } as Claims
  const { cookie } = await trySignInWithProvider(clientId, claims)
  const later = browserOf(bench, await sendFactor(cookie, { code: codeOf(secret) }))
  const { reference } = await createPayout(later, { amount: 1 })
  assert.equal((await approve(await signInAgain(owner), reference)).statusCode, 200)
})

test('a user with a second factor stays independent when the provider signs them in', async () => {
  const { clientId, owner } = await newClientWithPayouts()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const secret = await addAuthenticatorApp(await signIn(bench, email))
  const { cookie } = await trySignInWithProvider(clientId, {
    ...claimsOf(email),
    job: 'money',
  } as Claims)
  const browser = browserOf(bench, await sendFactor(cookie, { code: codeOf(secret) }))
  const { reference } = await createPayout(browser, { amount: 1 })
  assert.equal((await approve(owner, reference)).statusCode, 200)
})
