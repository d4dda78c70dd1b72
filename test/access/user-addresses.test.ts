// Users of a client sign in only from the client's listed IP addresses, by any way of signing in, and their
// sessions work only there (I171).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restrict } from '#admin/client-commands.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { register, trySignInWith } from '../support/passkey-calls.ts'
import {
  actionsOf,
  browserOf,
  makeUser,
  newBrowser,
  newClientWithOwner,
  PASSWORD,
  SESSION_URL,
  USERS_URL,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { answerResets, tokenMailedTo } from '../support/user-mails.ts'

const PROXY = '127.0.0.1'
const OFFICE = '192.0.2.7'
const ELSEWHERE = '198.51.100.9'
const ADDRESSES = '/dashboard/api/client/user-addresses'
const env = { MANILLA_TRUSTED_PROXIES: PROXY }
const bench = closeAfterTests(await startTestService({ env }))

const headersFrom = (address: string) => ({ 'x-forwarded-for': address })

const signInFrom = (address: string, body: object) =>
  bench.call({ url: SESSION_URL, body, token: null, headers: headersFrom(address) })

// Creates an owner whose requests come from OFFICE, one of the listed addresses.
async function ownerInOffice(clientId: string) {
  const email = await makeUser(bench, { clientId })
  const answer = await signInFrom(OFFICE, { email, password: PASSWORD })
  assert.equal(answer.statusCode, 200, answer.body)
  const owner = browserOf(bench, answer)
  const call = (more: Parameters<typeof owner.call>[0]) =>
    owner.call({ ...more, headers: { ...headersFrom(OFFICE), ...more.headers } })
  return { ...owner, email, call }
}

type Owner = Awaited<ReturnType<typeof ownerInOffice>>

const setAddresses = (
  owner: Pick<Owner, 'call'>,
  addresses: readonly string[] | null,
  more: object = {},
) => owner.call({ method: 'PUT', url: ADDRESSES, body: { addresses, password: PASSWORD, ...more } })

// Creates a client whose users may sign in only from OFFICE and an IPv6 network.
async function newOffice() {
  const { clientId } = await newClientWithOwner(bench)
  const owner = await ownerInOffice(clientId)
  const answer = await setAddresses(owner, [OFFICE, '2001:db8::/32'])
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().data.addresses, [`${OFFICE}/32`, '2001:db8::/32'])
  return { clientId, owner }
}

const assertRefusedWith = (
  answer: Awaited<ReturnType<typeof signInFrom>>,
  code: string,
  status = 403,
) => assertRefused(answer, { status, code })

test('a password is good from the listed addresses only, and the refusal is in the audit log', async () => {
  const { clientId } = await newOffice()
  const email = await makeUser(bench, { clientId, role: 'developer' })
  const body = { email, password: PASSWORD }

  assertRefusedWith(await signInFrom(ELSEWHERE, body), 'address_not_allowed')
  assert((await actionsOf(bench, `user/${email}`)).includes('user.sign_in_failed'))
  for (const address of [OFFICE, '2001:db8::7']) {
    assert.equal((await signInFrom(address, body)).statusCode, 200, address)
  }
  assertRefusedWith(
    await signInFrom(ELSEWHERE, { email, password: 'wrong' }),
    'invalid_sign_in',
    401,
  )
})

test('an open session is good there only, at once, and again after it comes back', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const email = await makeUser(bench, { clientId, role: 'developer' })
  const session = browserOf(bench, await signInFrom(ELSEWHERE, { email, password: PASSWORD }))
  const readSessionFrom = (address: string) =>
    session.call({ url: SESSION_URL, headers: headersFrom(address) })
  assert.equal((await readSessionFrom(ELSEWHERE)).statusCode, 200)
  assert.equal((await setAddresses(await ownerInOffice(clientId), [OFFICE])).statusCode, 200)

  assertRefusedWith(await readSessionFrom(ELSEWHERE), 'session_needed', 401)
  assert.equal((await readSessionFrom(OFFICE)).statusCode, 200)
})

test('a passkey signs in from the listed addresses only', async () => {
  const { owner } = await newOffice()
  const { held } = await register(owner)
  assertRefusedWith(await trySignInWith(bench, held), 'address_not_allowed')
  assert.equal((await setAddresses(owner, [OFFICE])).json().code, 'code_needed')
})

test('an invitation and a password reset are used from the listed addresses only', async () => {
  const { owner } = await newOffice()
  const email = `invited@${owner.user.id.slice(0, 8)}.example`
  const made = await owner.call({ url: USERS_URL, body: { email, role: 'support' } })
  assert.equal(made.statusCode, 200, made.body)
  const acceptLinkFrom = async (path: string, address: string) =>
    bench.call({
      ...{ url: `/dashboard/api/${path}/accept`, token: null, headers: headersFrom(address) },
      body: { token: await tokenMailedTo(bench, email), password: `${PASSWORD} ${path}` },
    })
  assertRefusedWith(await acceptLinkFrom('invitation', ELSEWHERE), 'address_not_allowed')
  assert.equal((await acceptLinkFrom('invitation', OFFICE)).statusCode, 200)

  await bench.call({ url: '/dashboard/api/password-reset/request', body: { email }, token: null })
  await answerResets(bench)
  assertRefusedWith(await acceptLinkFrom('password-reset', ELSEWHERE), 'address_not_allowed')
  assert.equal((await acceptLinkFrom('password-reset', OFFICE)).statusCode, 200)
})

test('a list never excludes its author’s address; only owners set it, with their password', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const owner = await ownerInOffice(clientId)
  const excluded = await setAddresses(owner, [ELSEWHERE])
  assertRefusedWith(excluded, 'invalid_request', 400)
  assert.match(excluded.body, /Must include your own address, 192\.0\.2\.7\./)
  assertRefusedWith(await setAddresses(owner, ['10.1.2.3/8']), 'invalid_request', 400)
  assertRefusedWith(await setAddresses(owner, [OFFICE], { password: 'wrong' }), 'wrong_password')
  const developer = await newBrowser(bench, 'developer', clientId)
  assertRefusedWith(await setAddresses(developer, [OFFICE]), 'role_not_allowed')
  assert.equal((await owner.call({ url: ADDRESSES })).json().data.addresses, null)
})

test('the command line removes a list that locks everybody out, and the audit log says so', async () => {
  const { clientId, owner } = await newOffice()
  const context = { db: bench.db, env: {}, clock: bench.clock, actor: 'root', showProgress() {} }
  await restrict(context, { usersFromAnywhere: true }, clientId)
  const { email } = owner
  assert.equal((await signInFrom(ELSEWHERE, { email, password: PASSWORD })).statusCode, 200)
  const actions = await actionsOf(bench, `client/${clientId}`)
  assert.equal(actions.filter((each) => each === 'client.set_user_addresses').length, 2)
})
