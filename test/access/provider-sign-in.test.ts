// Signing in with a client's OpenID Connect provider: which users it admits, and that every forged, stolen or
// outdated token and callback is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, MINUTE_MS } from '../support/fixtures.ts'
import {
  type Mischief,
  PROVIDER_CLIENT,
  startIdentityProvider,
} from '../support/identity-provider.ts'
import {
  actionsOf,
  type Browser,
  browserOf,
  makeUser,
  newClientWithOwner,
  PASSWORD,
} from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const SIGN_IN = '/dashboard/api/session/provider'
const PROVIDER = '/dashboard/api/client/provider'

const bench = closeAfterTests(await startTestService())
const idp = closeAfterTests(await startIdentityProvider(bench.clock))

type Answer = Awaited<ReturnType<Bench['call']>>
type Claims = Record<string, unknown>

const assertRefusedWith = (answer: Answer, code: string, status = 401) =>
  assertRefused(answer, { status, code })

const settings = { issuer: idp.issuer, providerClientId: PROVIDER_CLIENT.id }
const firstSettings = { ...settings, clientSecret: PROVIDER_CLIENT.secret }

// Sets the client's sign-in provider as an owner, who confirms the change with the password.
async function setProvider(owner: Browser, more: object = {}): Promise<Answer> {
  const body = { ...firstSettings, password: PASSWORD, ...more }
  return owner.call({ method: 'PUT', url: PROVIDER, body })
}

// Creates a client with a sign-in provider. `begin` begins a sign-in; `enter` also returns from the
// provider with these claims.
async function clientWithProvider(more: object = {}) {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const set = await setProvider(owner, more)
  assert.equal(set.statusCode, 200, set.body)
  const begin = (body: object = {}) => beginSignInAt(clientId, body)
  // Signs in with the provider, which makes these claims about the user. Returns the service's answer.
  const enter = async (claims: Claims) => {
    const { url, cookie } = await begin()
    return sendCallback(idp.authorize(url, claims), cookie)
  }
  return { clientId, owner, begin, enter }
}

// Begins a sign-in with the client's provider. Returns the provider's address and the browser's cookie.
async function beginSignInAt(clientId: string, more: object = {}) {
  const answer = await bench.call({ url: SIGN_IN, body: { clientId, ...more }, token: null })
  assert.equal(answer.statusCode, 200, answer.body)
  return { url: answer.json().data.url as string, cookie: cookieIn(answer) }
}

const cookieIn = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] as string

// Returns from the provider to the service with this answer, in the browser with this cookie.
const sendCallback = (body: object, cookie?: string) =>
  bench.call({ url: `${SIGN_IN}/callback`, body, token: null, headers: cookie ? { cookie } : {} })

let members = 0

// Creates an invited user of the client, and the claims that the provider makes about the user.
async function makeMember(clientId: string, role: 'finance' | 'support' = 'finance') {
  const email = await makeUser(bench, {
    clientId,
    role,
    email: `member${++members}@people.example`,
  })
  return { email, claims: { sub: `subject-${members}`, email, email_verified: true } }
}

// Returns the reasons of all failed sign-ins, from the audit log.
const failedSignInReasons = async (clientId: string): Promise<string[]> => {
  const { rows } = await bench.db.query(
    `select detail ->> 'reason' as reason from audit_log
      where action = 'provider.sign_in_failed' and subject = $1 order by id`,
    [`client/${clientId}`],
  )
  return rows.map(({ reason }) => reason)
}

test('an invited user signs in, and is the same user when the address changes', async () => {
  const { clientId, enter } = await clientWithProvider()
  const { email, claims } = await makeMember(clientId)
  const first = await enter(claims)
  assert.equal(first.statusCode, 200, first.body)
  assert.equal(first.json().data.user.email, email)
  assert.equal(first.json().data.throughProvider, true)
  assert.equal((await browserOf(bench, first).call({ url: '/api/v1/payouts' })).statusCode, 200)
  const again = await enter({ ...claims, email: 'other@people.example' })
  assert.equal(again.json().data.user.email, email)
  assert.ok((await actionsOf(bench, `user/${email}`)).includes('user.sign_in'))
})

test('the browser goes to the provider with PKCE, state and nonce, and only there', async () => {
  const { begin } = await clientWithProvider()
  const { url } = await begin()
  const { origin, pathname, searchParams } = new URL(url)
  assert.equal(origin + pathname, `${idp.issuer}/authorize`)
  assert.equal(searchParams.get('code_challenge_method'), 'S256')
  assert.match(searchParams.get('redirect_uri') ?? '', /\/dashboard\/provider$/)
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.match(searchParams.get(name) ?? '', /^[A-Za-z0-9_-]{43}$/, name)
  }
})

test('nobody is sent to an address of the caller’s choice', async () => {
  const { clientId } = await clientWithProvider()
  for (const more of [
    { redirectUri: 'https://evil.example' },
    { redirect_uri: 'https://evil.example' },
    { returnTo: '//evil.example' },
  ]) {
    const answer = await bench.call({ url: SIGN_IN, body: { clientId, ...more }, token: null })
    assertRefusedWith(answer, 'invalid_request', 400)
  }
})

// Returns a time so many minutes from now, in seconds since 1970 as the claims of a token have it.
const secondsIn = (minutes: number) => Math.floor(bench.clock().getTime() / 1000) + minutes * 60

const FORGED: readonly [string, () => Mischief | Promise<Mischief>][] = [
  ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
  ['for another audience', () => ({ claims: { aud: 'another-client' } })],
  [
    'for two audiences, whose party is another',
    () => ({ claims: { aud: [PROVIDER_CLIENT.id, 'x'], azp: 'x' } }),
  ],
  ['of another sign-in', () => ({ claims: { nonce: 'another-nonce-of-another-sign-in' } })],
  ['without a nonce', () => ({ claims: { nonce: undefined } })],
  ['that has expired', () => ({ claims: { exp: secondsIn(-2) } })],
  ['that is not valid yet', () => ({ claims: { nbf: secondsIn(2) } })],
  ['that was issued in the future', () => ({ claims: { iat: secondsIn(3), exp: secondsIn(9) } })],
  ['that was issued long ago', () => ({ claims: { iat: secondsIn(-20) } })],
  ['without a subject', () => ({ claims: { sub: undefined } })],
  ['with an empty subject', () => ({ claims: { sub: '' } })],
  ['with a subject too long', () => ({ claims: { sub: 'x'.repeat(256) } })],
  ['without a signature', () => ({ alg: 'none' })],
  ['signed with the client secret', () => ({ alg: 'HS256', hmacSecret: PROVIDER_CLIENT.secret })],
  [
    'signed with the public key as a secret',
    () => ({ alg: 'HS256', hmacSecret: String(idp.publicKey().n) }),
  ],
  ['signed with an unknown key', async () => ({ signWith: await idp.newKey() })],
  [
    'signed with another key under a known name',
    async () => ({ signWith: await idp.newKey(), kid: String(idp.publicKey().kid) }),
  ],
]

for (const [name, mischiefOf] of FORGED) {
  test(`an ID token ${name} is refused, and the audit log says why`, async (t) => {
    const { clientId, enter } = await clientWithProvider()
    const { claims } = await makeMember(clientId)
    t.after(() => idp.misbehave({}))
    idp.misbehave(await mischiefOf())
    assertRefusedWith(await enter(claims), 'provider_sign_in_failed')
    const [reason] = await failedSignInReasons(clientId)
    assert.ok(reason && reason.length > 10, reason)
    assert.ok(!reason.includes(PROVIDER_CLIENT.secret))
    idp.misbehave({})
    assert.equal((await enter(claims)).statusCode, 200)
  })
}

test('the clocks may differ by less than a minute', async (t) => {
  const { clientId, enter } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  t.after(() => idp.misbehave({}))
  idp.misbehave({ claims: { iat: secondsIn(0.8), nbf: secondsIn(0.8) } })
  assert.equal((await enter(claims)).statusCode, 200)
})

test('new keys are found within five minutes, and the old ones are refused then', async (t) => {
  const { clientId, enter } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  assert.equal((await enter(claims)).statusCode, 200)
  const fetched = idp.calls.keys
  assert.equal((await enter(claims)).statusCode, 200)
  assert.equal(idp.calls.keys, fetched, 'the keys are cached')
  const old = idp.currentKey()
  await idp.rotateKeys()
  t.after(() => idp.misbehave({}))
  bench.advance(5 * MINUTE_MS)
  assert.equal((await enter(claims)).statusCode, 200)
  assert.ok(idp.calls.keys > fetched)
  idp.misbehave({ signWith: old })
  assertRefusedWith(await enter(claims), 'provider_sign_in_failed')
})

test('a code, a state and a callback work once', async () => {
  const { clientId, begin } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  const { url, cookie } = await begin()
  const back = idp.authorize(url, claims)
  assert.equal((await sendCallback(back, cookie)).statusCode, 200)
  assertRefusedWith(await sendCallback(back, cookie), 'provider_sign_in_expired')
  const second = await begin()
  const { state } = idp.authorize(second.url, claims)
  assertRefusedWith(
    await sendCallback({ ...back, state }, second.cookie),
    'provider_sign_in_failed',
  )
})

test('two callbacks at once open one session', async () => {
  const { clientId, begin } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  const { url, cookie } = await begin()
  const back = idp.authorize(url, claims)
  const answers = await Promise.all([1, 2, 3].map(() => sendCallback(back, cookie)))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401, 401])
})

test('the callback of another browser, client or time signs nobody in', async () => {
  const { clientId, begin } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  const other = await clientWithProvider()
  const mine = await begin()
  const back = idp.authorize(mine.url, claims)
  assertRefusedWith(await sendCallback(back), 'provider_sign_in_expired')
  assertRefusedWith(await sendCallback(back, (await begin()).cookie), 'provider_sign_in_expired')
  assertRefusedWith(
    await sendCallback(back, (await other.begin()).cookie),
    'provider_sign_in_expired',
  )
  assertRefusedWith(
    await sendCallback({ ...back, state: 'another' }, mine.cookie),
    'provider_sign_in_expired',
  )
  // The refused callbacks did not use up the code and state of the browser that began the sign-in.
  assert.equal((await sendCallback(back, mine.cookie)).statusCode, 200)
  const late = await begin()
  const lateBack = idp.authorize(late.url, claims)
  bench.advance(10 * MINUTE_MS)
  assertRefusedWith(await sendCallback(lateBack, late.cookie), 'provider_sign_in_expired')
})

test('a callback that names another issuer, or an error, is refused', async () => {
  const { clientId, begin } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  const mixedUp = await begin()
  const back = { ...idp.authorize(mixedUp.url, claims), iss: 'https://evil.example' }
  assertRefusedWith(await sendCallback(back, mixedUp.cookie), 'provider_sign_in_failed')
  const denied = await begin()
  const { state, iss } = idp.authorize(denied.url, claims)
  const answer = await sendCallback({ state, iss, error: 'access_denied' }, denied.cookie)
  assertRefusedWith(answer, 'provider_sign_in_failed')
  assert.match((await failedSignInReasons(clientId)).at(-1) ?? '', /access_denied/)
})

test('a change of the provider ends the sign-ins under way', async () => {
  const { clientId, owner, begin } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  const { url, cookie } = await begin()
  bench.advance(1)
  assert.equal((await setProvider(owner, { trustsEmail: true })).statusCode, 200)
  assertRefusedWith(
    await sendCallback(idp.authorize(url, claims), cookie),
    'provider_sign_in_expired',
  )
})

test('an email address that the provider has not verified signs nobody in', async () => {
  const { clientId, owner, enter } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  const { email_verified: _, ...silent } = claims
  assertRefusedWith(
    await enter({ ...claims, email_verified: false }),
    'provider_email_missing',
    403,
  )
  const asText = await enter({ ...claims, email_verified: 'true' })
  assertRefusedWith(asText, 'provider_email_missing', 403)
  assertRefusedWith(await enter(silent), 'provider_email_missing', 403)
  bench.advance(1)
  assert.equal((await setProvider(owner, { trustsEmail: true })).statusCode, 200)
  assertRefusedWith(
    await enter({ ...claims, email_verified: false }),
    'provider_email_missing',
    403,
  )
  assert.equal((await enter(silent)).statusCode, 200)
  assert.deepEqual(await failedSignInReasons(clientId), [
    'the claim email_verified is not true',
    'the claim email_verified is not true',
    'the claim email_verified is in neither the ID token nor UserInfo',
    'the claim email_verified is not true',
  ])
})

test('an address that the provider gives to somebody else does not sign them in as the first', async () => {
  const { clientId, enter } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  assert.equal((await enter(claims)).statusCode, 200)
  assertRefusedWith(await enter({ ...claims, sub: 'the successor' }), 'provider_user_unknown', 403)
})

test('only invited users sign in, unless others are created, with the role of a claim', async () => {
  const invitedOnly = await clientWithProvider()
  const claims = { sub: 'newcomer', email: 'newcomer@people.example', email_verified: true }
  assertRefusedWith(await invitedOnly.enter(claims), 'provider_user_unknown', 403)
  const roles = [
    { value: 'treasury', role: 'finance' },
    { value: 'staff', role: 'developer' },
  ]
  const open = await clientWithProvider({ createsUsers: true, roleClaim: 'groups', roles })
  assertRefusedWith(
    await open.enter({ ...claims, groups: ['visitors'] }),
    'provider_role_missing',
    403,
  )
  assertRefusedWith(await open.enter(claims), 'provider_role_missing', 403)
  const created = await open.enter({ ...claims, groups: ['staff', 'treasury'] })
  assert.equal(created.statusCode, 200, created.body)
  assert.equal(created.json().data.role, 'finance')
  const changed = await open.enter({ ...claims, groups: 'staff' })
  assert.equal(changed.json().data.role, 'developer')
  assertRefusedWith(await open.enter({ ...claims, groups: [] }), 'provider_role_missing', 403)
})

test('a disabled user, and a user of a suspended client, are refused', async () => {
  const { clientId, begin, enter } = await clientWithProvider()
  const { email, claims } = await makeMember(clientId)
  await bench.db.query('update users set is_active = false where email = $1', [email])
  assertRefusedWith(await enter(claims), 'provider_user_unknown', 403)
  await bench.db.query('update users set is_active = true where email = $1', [email])
  const { url, cookie } = await begin()
  await bench.db.query('update clients set is_active = false where client_id = $1', [clientId])
  assertRefusedWith(
    await sendCallback(idp.authorize(url, claims), cookie),
    'provider_sign_in_expired',
  )
  const answer = await bench.call({ url: SIGN_IN, body: { clientId }, token: null })
  assertRefusedWith(answer, 'provider_not_found', 404)
})

test('a password that is reset during the sign-in refuses it, and the audit log says so', async () => {
  const { clientId, enter } = await clientWithProvider()
  const { email, claims } = await makeMember(clientId)
  const setTemporary = (isTemporary: boolean, db: Pick<typeof bench.db, 'query'> = bench.db) =>
    db.query('update users set is_password_temporary = $2 where email = $1', [email, isTemporary])
  await setTemporary(false)
  const lock = await bench.db.connect()
  try {
    await lock.query('begin')
    await lock.query(
      `select from sign_in_providers p join clients c on c.id = p.client_id
        where c.client_id = $1 for update of p`,
      [clientId],
    )
    const entered = enter(claims)
    await untilBlocked(bench.db, 1) // The sign-in has found that the user chose a password.
    await setTemporary(true, lock)
    await lock.query('commit')
    assertRefusedWith(await entered, 'try_again', 503)
  } finally {
    lock.release()
  }
  assert.deepEqual(await failedSignInReasons(clientId), [
    `the password of ${email} was reset meanwhile`,
  ])
  assert.equal((await enter(claims)).statusCode, 200)
})

test('a client with too many users gets no new one, and the audit log says so', async () => {
  const { clientId, enter } = await clientWithProvider({ createsUsers: true })
  await bench.db.query(
    `insert into users (id, client_id, email, role, password_hash, password_set_at,
                        is_password_temporary, created_at)
     select gen_random_uuid(), c.id, 'crowd' || n || '@people.example', 'support', 'x', $2, true, $2
       from clients c, generate_series(1, 500) n where c.client_id = $1`,
    [clientId, bench.clock()],
  )
  const claims = { sub: 'late', email: 'late@people.example', email_verified: true }
  assertRefusedWith(await enter(claims), 'too_many_users', 409)
  assert.deepEqual(await failedSignInReasons(clientId), [
    'Limit of 500 users reached. Delete one first.',
  ])
})

test('a user of one client cannot sign in with the provider of another', async () => {
  const one = await clientWithProvider()
  const other = await clientWithProvider()
  const { claims } = await makeMember(one.clientId)
  assertRefusedWith(await other.enter(claims), 'provider_user_unknown', 403)
  assert.equal((await one.enter(claims)).statusCode, 200)
})

test('a provider that is down or answers nonsense signs nobody in, and works again later', async (t) => {
  const { clientId, enter, begin } = await clientWithProvider()
  const { claims } = await makeMember(clientId)
  t.after(() => idp.misbehave({}))
  for (const mischief of [
    { status: 500 },
    { status: 200, body: { access_token: 'x' } },
    { status: 302 },
  ]) {
    const { url, cookie } = await begin()
    idp.misbehave(mischief)
    assertRefusedWith(
      await sendCallback(idp.authorize(url, claims), cookie),
      'provider_sign_in_failed',
    )
    idp.misbehave({})
  }
  const { browser: owner, clientId: elsewhere } = await newClientWithOwner(bench)
  const nobody = { issuer: 'http://127.0.0.1:9' }
  assert.equal((await setProvider(owner, nobody)).statusCode, 200)
  const answer = await bench.call({ url: SIGN_IN, body: { clientId: elsewhere }, token: null })
  assertRefusedWith(answer, 'provider_unavailable', 503)
  assert.equal((await enter(claims)).statusCode, 200)
})

test('discovery that names another issuer is refused', async (t) => {
  const { clientId } = await clientWithProvider()
  t.after(() => idp.publish({}))
  idp.publish({ issuer: 'https://evil.example' })
  const answer = await bench.call({ url: SIGN_IN, body: { clientId }, token: null })
  assertRefusedWith(answer, 'provider_unavailable', 503)
})

test('a sign-in page that is no web page is refused: a browser would run its code', async (t) => {
  t.after(() => idp.publish({}))
  for (const endpoint of ['javascript:alert(1)//', 'data:text/html,hello']) {
    const { clientId } = await clientWithProvider()
    idp.publish({ authorization_endpoint: endpoint })
    const answer = await bench.call({ url: SIGN_IN, body: { clientId }, token: null })
    assertRefusedWith(answer, 'provider_unavailable', 503)
  }
})
