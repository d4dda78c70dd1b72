// Setting a client's sign-in provider: who may, what it ends, the way in when it fails, and that it makes
// nobody two people (I155).

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

const refused = (answer: Answer, code: string, status = 401) =>
  assertRefused(answer, 'account', { status, code })

const SETTINGS = {
  issuer: idp.issuer,
  providerClientId: PROVIDER_CLIENT.id,
  clientSecret: PROVIDER_CLIENT.secret,
}

const set = (owner: Browser, more: object = {}) =>
  owner.call({ method: 'PUT', url: PROVIDER, body: { ...SETTINGS, password: PASSWORD, ...more } })

async function clientWithProvider(more: object = {}) {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const answer = await set(owner, more)
  assert.equal(answer.statusCode, 200, answer.body)
  return { clientId, owner }
}

const claimsOf = (email: string): Claims => ({ sub: `of ${email}`, email, email_verified: true })
const cookieIn = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] as string

async function tryToEnter(clientId: string, claims: Claims, more: object = {}) {
  const begun = await bench.call({ url: SIGN_IN, body: { clientId, ...more }, token: null })
  assert.equal(begun.statusCode, 200, begun.body)
  const body = idp.authorize(begun.json().data.url, claims)
  const cookie = cookieIn(begun)
  const url = `${SIGN_IN}/callback`
  return { cookie, answer: await bench.call({ url, body, token: null, headers: { cookie } }) }
}

async function enter(clientId: string, email: string, more: object = {}): Promise<Browser> {
  const { answer } = await tryToEnter(clientId, claimsOf(email), more)
  assert.equal(answer.statusCode, 200, answer.body)
  return browserOf(bench, answer)
}

const codeOf = (secret: Secret) =>
  new TOTP({ secret }).generate({ timestamp: bench.clock().getTime() })

async function addApp(user: Browser, proof: object = { password: PASSWORD }): Promise<Secret> {
  const begun = await user.call({ url: '/dashboard/api/totp', body: proof })
  assert.equal(begun.statusCode, 200, begun.body)
  const secret = Secret.fromBase32(begun.json().data.secret)
  const body = { code: codeOf(secret) }
  const confirmed = await user.call({ url: '/dashboard/api/totp/confirm', body })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  bench.advance(30_000) // A code works once.
  return secret
}

const sendFactor = (cookie: string, body: object) =>
  bench.call({ url: `${SIGN_IN}/second-factor`, body, token: null, headers: { cookie } })

test('owners set the provider after confirming who they are; its secret is sealed', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const none = await owner.call({ url: PROVIDER })
  assert.equal(none.json().data.provider, null)
  refused(await set(owner, { password: undefined }), 'invalid_request', 400)
  refused(await set(owner, { password: 'wrong' }), 'wrong_password', 403)
  const answer = await set(owner)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.match(answer.json().data.redirectUri, /^http.*\/dashboard\/provider$/)
  const found = await owner.call({ url: PROVIDER })
  assert.deepEqual(found.json().data.provider, answer.json().data)
  assert.ok(!found.body.includes(PROVIDER_CLIENT.secret))
  assert.ok(!(await databaseText(bench)).includes(PROVIDER_CLIENT.secret))
  assert.ok(!bench.logText().includes(PROVIDER_CLIENT.secret))
  for (const role of ['developer', 'finance', 'support'] as const) {
    const other = await newBrowser(bench, role, clientId)
    refused(await other.call({ url: PROVIDER }), 'role_not_allowed', 403)
    refused(await set(other), 'role_not_allowed', 403)
    refused(
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
    refused(await set(owner, more), 'invalid_request', 400)
  }
  const mapping = { roleClaim: 'groups', roles: [{ value: 'x', role: 'operator' }] }
  refused(await set(owner, mapping), 'role_not_allowed', 403)
  const found = await owner.call({ url: PROVIDER })
  assert.equal(found.json().data.provider.issuer, idp.issuer)
  assert.deepEqual(found.json().data.provider.roles, [])
})

test('the stored secret stays when another setting changes', async () => {
  const { clientId, owner } = await clientWithProvider()
  bench.advance(1)
  const answer = await set(owner, { clientSecret: undefined, trustsEmail: true })
  assert.equal(answer.statusCode, 200, answer.body)
  const email = await makeUser(bench, { clientId, role: 'finance' })
  await enter(clientId, email)
})

test('nothing of the provider’s choice leads us into our own network', async (t) => {
  const { clientId } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  t.after(() => idp.publish({}))
  idp.publish({ token_endpoint: 'http://169.254.169.254/latest/api/token' })
  const { answer } = await tryToEnter(clientId, claimsOf(email))
  refused(answer, 'provider_unavailable', 503)
})

test('once enforced, passwords and passkeys sign in only owners with a second factor', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const finance = await signIn(bench, email)
  const { held } = await register(await signIn(bench, email))
  refused(await set(owner, { isEnforced: true }), 'second_factor_needed', 409)
  const secret = await addApp(owner)
  const code = codeOf(secret)
  const answer = await set(owner, { isEnforced: true, code })
  assert.equal(answer.statusCode, 200, answer.body)

  refused(await finance.call({ url: SESSION_URL }), 'session_needed')
  assert.equal((await owner.call({ url: SESSION_URL })).statusCode, 200)
  const withPassword = await trySignIn(bench, { email, password: PASSWORD })
  refused(withPassword, 'provider_sign_in_needed', 403)
  assert.match(withPassword.body, new RegExp(`"clientId".*One of ${clientId}`))
  refused(await trySignIn(bench, { email, password: 'wrong' }), 'invalid_sign_in')
  refused(await trySignInWith(bench, held), 'provider_sign_in_needed', 403)
  const second = await makeUser(bench, { clientId })
  const withoutFactor = await trySignIn(bench, { email: second, password: PASSWORD })
  refused(withoutFactor, 'provider_sign_in_needed', 403)

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
  await enter(clientId, 'new@people.example')
})

test('a sign-in that began before the provider was enforced opens no session after it', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const secret = await addApp(owner)
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const [, ...answers] = await Promise.all([
    set(owner, { isEnforced: true, code: codeOf(secret) }),
    ...Array.from({ length: 6 }, () => trySignIn(bench, { email, password: PASSWORD })),
  ])
  for (const answer of answers.filter(({ statusCode }) => statusCode === 200)) {
    refused(await browserOf(bench, answer).call({ url: SESSION_URL }), 'session_needed')
  }
})

test('removing the provider, or replacing it, ends the sessions that it opened', async () => {
  const { clientId, owner } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const first = await enter(clientId, email)
  const withPassword = await signIn(bench, email)
  const other = closeAfterTests(await startIdentityProvider(bench.clock))
  bench.advance(1)
  assert.equal((await set(owner, { issuer: other.issuer })).statusCode, 200)
  refused(await first.call({ url: SESSION_URL }), 'session_needed')
  assert.equal((await withPassword.call({ url: SESSION_URL })).statusCode, 200)
  bench.advance(1)
  assert.equal((await set(owner)).statusCode, 200)
  const second = await enter(clientId, email)
  const body = { password: PASSWORD }
  const removed = await owner.call({ url: `${PROVIDER}/remove`, body })
  assert.equal(removed.statusCode, 200, removed.body)
  refused(await second.call({ url: SESSION_URL }), 'session_needed')
  refused(await owner.call({ url: `${PROVIDER}/remove`, body }), 'provider_not_found', 404)
})

test('a user with a second factor here enters it after the provider too', async () => {
  const { clientId } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const secret = await addApp(await signIn(bench, email))
  const { answer, cookie } = await tryToEnter(clientId, claimsOf(email))
  refused(answer, 'code_needed')
  assert.ok(!String(answer.headers['set-cookie'] ?? '').includes('manilla_session='))
  refused(
    await sendFactor('manilla_sign_in=x', { code: codeOf(secret) }),
    'provider_sign_in_expired',
  )
  refused(await sendFactor(cookie, { code: '000000' }), 'invalid_code')
  refused(await sendFactor(cookie, {}), 'invalid_request', 400)
  const code = codeOf(secret)
  const [one, two] = await Promise.all([sendFactor(cookie, { code }), sendFactor(cookie, { code })])
  assert.deepEqual([one.statusCode, two.statusCode].sort(), [200, 401])
  refused(await sendFactor(cookie, { code }), 'provider_sign_in_expired')
})

test('codes after the provider are limited like those after a password', async () => {
  const { clientId } = await clientWithProvider()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const secret = await addApp(await signIn(bench, email))
  const { cookie } = await tryToEnter(clientId, claimsOf(email))
  for (let tries = 0; tries < 10; tries++) {
    refused(await sendFactor(cookie, { code: '000000' }), 'invalid_code')
  }
  refused(await sendFactor(cookie, { code: codeOf(secret) }), 'too_many_attempts', 429)
})

test('a fresh sign-in confirms who you are, for five minutes and in that session', async () => {
  const { clientId } = await clientWithProvider({ createsUsers: true })
  const email = 'created@people.example'
  const stale = await enter(clientId, email)
  refused(await stale.call({ url: '/dashboard/api/totp', body: {} }), 'invalid_request', 400)
  const late = await enter(clientId, email, { isFresh: true })
  bench.advance(5 * 60_000)
  refused(await late.call({ url: '/dashboard/api/totp', body: {} }), 'invalid_request', 400)
  const fresh = await enter(clientId, email, { isFresh: true })
  refused(await stale.call({ url: '/dashboard/api/totp', body: {} }), 'invalid_request', 400)
  await addApp(fresh, {})
})

test('a fresh sign-in that the provider answers from memory is refused', async (t) => {
  const { clientId } = await clientWithProvider({ createsUsers: true })
  t.after(() => idp.misbehave({}))
  const anHourAgo = Math.floor(bench.clock().getTime() / 1000) - 3_600
  idp.misbehave({ claims: { auth_time: anHourAgo } })
  const claims = claimsOf('sleepy@people.example')
  refused((await tryToEnter(clientId, claims, { isFresh: true })).answer, 'provider_sign_in_failed')
  assert.equal((await tryToEnter(clientId, claims)).answer.statusCode, 200)
})

type Desk = { clientId: string; owner: Browser; other: Browser }

// A client with money, an independent bank account and approval of all payouts.
async function newDesk(): Promise<Desk> {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const other = await newBrowser(bench, 'owner', clientId)
  await fund(bench, '1000', { token: await bench.login(clientId, await secretOf(owner)) })
  await addBankAccount(await newBrowser(bench, 'finance', clientId))
  const body = { payoutApproval: 'all' }
  const answer = await other.call({ method: 'PUT', url: '/api/v1/payout-settings', body })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(
    (await set(owner, { createsUsers: true, roleClaim: 'job', roles: JOBS })).statusCode,
    200,
  )
  return { clientId, owner, other }
}

const JOBS = [{ value: 'money', role: 'finance' }]

async function secretOf(owner: Browser): Promise<string> {
  const url = '/dashboard/api/client/rotate-secret'
  const answer = await owner.call({ url, body: { overlapSeconds: 0 } })
  return answer.json().data.secret
}

async function enterForMoney(clientId: string, email: string, more: object = {}): Promise<Browser> {
  const { answer } = await tryToEnter(
    clientId,
    { ...claimsOf(email), job: 'money' } as Claims,
    more,
  )
  assert.equal(answer.statusCode, 200, answer.body)
  return browserOf(bench, answer)
}

const approve = (by: Browser, reference: string) =>
  by.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })

const again = (user: Browser) => signIn(bench, user.user.email)

test('the user who set the provider does not approve for users whom it signs in', async () => {
  const { clientId, owner, other } = await newDesk()
  const created = await enterForMoney(clientId, 'puppet@people.example')
  const { reference } = await createPayout(created, { amount: 1 })
  refused(await approve(owner, reference), 'maker_counts_as_you', 409)
  assert.equal((await approve(other, reference)).statusCode, 200)
  // Nor a user who counted as themselves by their password.
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const member = await enterForMoney(clientId, email)
  const second = await createPayout(member, { amount: 1 })
  refused(await approve(owner, second.reference), 'maker_counts_as_you', 409)
})

test('nor does such a user approve what they requested', async () => {
  const { clientId, owner } = await newDesk()
  const puppet = await enterForMoney(clientId, 'checker@people.example')
  const { reference } = await createPayout(owner, { amount: 1 })
  bench.advance(25 * HOUR_MS)
  const later = await enterForMoney(clientId, puppet.user.email)
  refused(await approve(later, reference), 'approver_not_independent', 409)
})

test('with a second factor of their own and after the wait, such a user counts as themselves', async () => {
  const { clientId, owner } = await newDesk()
  const email = 'person@people.example'
  const person = await enterForMoney(clientId, email, { isFresh: true })
  const secret = await addApp(person, {})
  bench.advance(25 * HOUR_MS)
  const claims = { ...claimsOf(email), job: 'money' } as Claims
  const { cookie } = await tryToEnter(clientId, claims)
  const later = browserOf(bench, await sendFactor(cookie, { code: codeOf(secret) }))
  const { reference } = await createPayout(later, { amount: 1 })
  assert.equal((await approve(await again(owner), reference)).statusCode, 200)
})

test('a user with a second factor stays a person of their own when the provider signs them in', async () => {
  const { clientId, owner } = await newDesk()
  const email = await makeUser(bench, { clientId, role: 'finance' })
  const secret = await addApp(await signIn(bench, email))
  const { cookie } = await tryToEnter(clientId, { ...claimsOf(email), job: 'money' } as Claims)
  const browser = browserOf(bench, await sendFactor(cookie, { code: codeOf(secret) }))
  const { reference } = await createPayout(browser, { amount: 1 })
  assert.equal((await approve(owner, reference)).statusCode, 200)
})
