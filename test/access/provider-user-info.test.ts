// Providers may leave claims out of the ID token and state them at UserInfo (OpenID Connect Core, section
// 5.4). Signing in asks there for what it needs, and believes only an answer about the same subject.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProviderOf, ProviderConnections, ProviderFailure } from '#access/providers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import {
  PROVIDER_CLIENT,
  startIdentityProvider,
  type UserInfo,
} from '../support/identity-provider.ts'
import { makeUser, newClientWithOwner, PASSWORD } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'

const SIGN_IN = '/dashboard/api/session/provider'
const PROVIDER = '/dashboard/api/client/provider'

const bench = closeAfterTests(await startTestService())
const idp = closeAfterTests(await startIdentityProvider(bench.clock))

// Runs a test whose provider states nothing at UserInfo, until the test says otherwise.
const testUserInfo = (name: string, run: () => Promise<void>) =>
  test(name, async () => {
    idp.userInfo = { claims: {} }
    await run()
  })

let members = 0

// Creates a client with a provider, and an invited user. `enter` signs the user in with an ID token that has
// the subject and these claims.
async function clientWithMember(more: object = {}) {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const body = {
    issuer: idp.issuer,
    providerClientId: PROVIDER_CLIENT.id,
    clientSecret: PROVIDER_CLIENT.secret,
    password: PASSWORD,
    ...more,
  }
  const set = await owner.call({ method: 'PUT', url: PROVIDER, body })
  assert.equal(set.statusCode, 200, set.body)
  const address = `informed${++members}@people.example`
  const email = await makeUser(bench, { clientId, role: 'finance', email: address })
  const sub = `informed-${members}`
  const enter = async (claims: object = {}) => {
    const begun = await bench.call({ url: SIGN_IN, body: { clientId }, token: null })
    assert.equal(begun.statusCode, 200, begun.body)
    const cookie = String(begun.headers['set-cookie']).split(';')[0] as string
    const back = idp.authorize(begun.json().data.url, { sub, ...claims })
    return bench.call({
      url: `${SIGN_IN}/callback`,
      body: back,
      token: null,
      headers: { cookie },
    })
  }
  return { clientId, email, sub, enter }
}

async function lastReason(clientId: string): Promise<string> {
  const { rows } = await bench.db.query(
    `select detail ->> 'reason' as reason from audit_log
      where action = 'provider.sign_in_failed' and subject = $1 order by id desc limit 1`,
    [`client/${clientId}`],
  )
  return rows[0]?.reason
}

for (const form of ['json', 'jwt'] as const) {
  testUserInfo(`an address that only UserInfo names signs its user in (${form})`, async () => {
    const { email, enter } = await clientWithMember()
    idp.userInfo = { form, claims: { email, email_verified: true } }

    const answer = await enter()

    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal(answer.json().data.user.email, email)
  })
}

testUserInfo('UserInfo is not asked for what the ID token has', async () => {
  const { email, enter } = await clientWithMember()
  const before = idp.calls.userInfo

  assert.equal((await enter({ email, email_verified: true })).statusCode, 200)

  assert.equal(idp.calls.userInfo, before)
})

testUserInfo(
  'UserInfo may say that the address of the ID token is verified, but of no other',
  async () => {
    const one = await clientWithMember()
    idp.userInfo = { claims: { email: 'other@people.example', email_verified: true } }
    assertRefused(await one.enter({ email: one.email }), {
      status: 403,
      code: 'provider_email_missing',
    })

    idp.userInfo = { claims: { email: one.email, email_verified: true } }

    assert.equal((await one.enter({ email: one.email })).statusCode, 200)
  },
)

testUserInfo('an address of UserInfo counts as verified only if UserInfo says so', async () => {
  const { clientId, email, enter } = await clientWithMember()
  idp.userInfo = { claims: { email, email_verified: false } }
  assertRefused(await enter({ email_verified: true }), {
    status: 403,
    code: 'provider_email_missing',
  })
  assert.equal(await lastReason(clientId), 'the claim email_verified is not true')
})

testUserInfo('the role may be stated by UserInfo; the ID token goes first', async () => {
  const { email, enter } = await clientWithMember({
    roleClaim: 'groups',
    roles: [
      { value: 'finance', role: 'finance' },
      { value: 'desk', role: 'support' },
    ],
  })
  idp.userInfo = { claims: { groups: ['desk'] } }
  const claims = { email, email_verified: true }
  const roleAfter = async (more: object) => {
    assert.equal((await enter({ ...claims, ...more })).statusCode, 200)
    const { rows } = await bench.db.query('select role from users where email = $1', [email])
    return rows[0].role
  }
  assert.equal(await roleAfter({}), 'support')
  assert.equal(await roleAfter({ groups: ['finance'] }), 'finance')
  idp.userInfo = { claims: {} }
  assertRefused(await enter(claims), { status: 403, code: 'provider_role_missing' })
})

testUserInfo('a claim that neither names is named in the refusal and the audit log', async () => {
  const { clientId, enter } = await clientWithMember()

  const answer = await enter()

  assertRefused(answer, { status: 403, code: 'provider_email_missing' })
  assert.match(answer.json().message, /\bemail\b.*\bemail_verified\b/)
  assert.equal(
    await lastReason(clientId),
    'the claim email is in neither the ID token nor UserInfo',
  )
})

testUserInfo('a provider without UserInfo is as before', async () => {
  idp.userInfo = undefined
  const { enter } = await clientWithMember()
  assertRefused(await enter(), { status: 403, code: 'provider_email_missing' })
})

const FAULTS: readonly [string, () => Promise<UserInfo> | UserInfo, RegExp][] = [
  ['another subject', () => ({ claims: { sub: 'somebody else' } }), /^UserInfo: .*"sub"/],
  ['no subject', () => ({ claims: { sub: undefined } }), /^UserInfo: .*"sub"/],
  ['an error', () => ({ status: 500 }), /^UserInfo: .*status code/],
  ['a refusal', () => ({ status: 401 }), /^UserInfo: /],
  ['a redirect', () => ({ status: 302 }), /^UserInfo: .*status code/],
  [
    'a JWT with another signature',
    async () => ({ form: 'jwt', signWith: await idp.newKey() }),
    /^UserInfo: .*signature/,
  ],
  ['a JWT without a signature', () => ({ form: 'unsigned' }), /^UserInfo: /],
  [
    'a JWT for another audience',
    () => ({ form: 'jwt', claims: { aud: 'another' } }),
    /^UserInfo: .*"aud"/,
  ],
  [
    'a JWT of another issuer',
    () => ({ form: 'jwt', claims: { iss: 'https://evil.example' } }),
    /^UserInfo: .*"iss"/,
  ],
]

for (const [what, make, reason] of FAULTS) {
  testUserInfo(
    `UserInfo that answers ${what} signs nobody in, and the audit log says why`,
    async () => {
      const { clientId, email, enter } = await clientWithMember()
      const fault = await make()
      idp.userInfo = { ...fault, claims: { email, email_verified: true, ...fault.claims } }

      assertRefused(await enter(), { status: 401, code: 'provider_sign_in_failed' })

      assert.match(await lastReason(clientId), reason)
      idp.userInfo = { claims: { email, email_verified: true } }
      assert.equal((await enter()).statusCode, 200)
    },
  )
}

testUserInfo(
  'UserInfo that does not answer counts as a provider that is not available',
  async () => {
    const { clientId } = await clientWithMember()
    const provider = await findProviderOf(bench.db, clientId)
    assert(provider)
    const options = { ...sealingOf(bench), clock: bench.clock, timeoutSeconds: 1 }
    const connections = new ProviderConnections(options)
    idp.userInfo = { hangs: true }
    const redirectUri = 'http://localhost/back'
    const request = { state: 's'.repeat(43), nonce: 'n', verifier: 'v'.repeat(43), isFresh: false }

    const url = await connections.authorizationUrl(provider, { ...request, redirectUri })
    const back = new URLSearchParams(idp.authorize(url, { sub: 'slow' }))
    const callback = new URL(`${redirectUri}?${back}`)

    await assert.rejects(connections.exchange(provider, { ...request, callback }), (error) => {
      assert(error instanceof ProviderFailure)
      assert.equal(error.refused, 'provider_unavailable')
      assert.match(error.message, /^UserInfo: /)
      return true
    })
    await connections.close()
  },
)
