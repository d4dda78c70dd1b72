// Users of a client sign in from the listed addresses only, by whatever way, and their sessions are good
// there only (I171).

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

const at = (address: string) => ({ 'x-forwarded-for': address })

const enterFrom = (address: string, body: object) =>
  bench.call({ url: SESSION_URL, body, token: null, headers: at(address) })

async function ownerInOffice(clientId: string) {
  const email = await makeUser(bench, { clientId })
  const answer = await enterFrom(OFFICE, { email, password: PASSWORD })
  assert.equal(answer.statusCode, 200, answer.body)
  const owner = browserOf(bench, answer)
  const call = (more: Parameters<typeof owner.call>[0]) =>
    owner.call({ ...more, headers: { ...at(OFFICE), ...more.headers } })
  return { ...owner, email, call }
}

type Owner = Awaited<ReturnType<typeof ownerInOffice>>

const set = (owner: Pick<Owner, 'call'>, addresses: readonly string[] | null, more: object = {}) =>
  owner.call({ method: 'PUT', url: ADDRESSES, body: { addresses, password: PASSWORD, ...more } })

async function newOffice() {
  const { clientId } = await newClientWithOwner(bench)
  const owner = await ownerInOffice(clientId)
  const answer = await set(owner, [OFFICE, '2001:db8::/32'])
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().data.addresses, [`${OFFICE}/32`, '2001:db8::/32'])
  return { clientId, owner }
}

const refused = (answer: Awaited<ReturnType<typeof enterFrom>>, code: string, status = 403) =>
  assertRefused(answer, 'account', { status, code })

test('a password is good from the listed addresses only, and the refusal is in the audit log', async () => {
  const { clientId } = await newOffice()
  const email = await makeUser(bench, { clientId, role: 'developer' })
  const body = { email, password: PASSWORD }

  refused(await enterFrom(ELSEWHERE, body), 'address_not_allowed')
  assert((await actionsOf(bench, `user/${email}`)).includes('user.sign_in_failed'))
  for (const address of [OFFICE, '2001:db8::7']) {
    assert.equal((await enterFrom(address, body)).statusCode, 200, address)
  }
  refused(await enterFrom(ELSEWHERE, { email, password: 'wrong' }), 'invalid_sign_in', 401)
})

test('an open session is good there only, at once, and again after it comes back', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const email = await makeUser(bench, { clientId, role: 'developer' })
  const session = browserOf(bench, await enterFrom(ELSEWHERE, { email, password: PASSWORD }))
  const look = (address: string) => session.call({ url: SESSION_URL, headers: at(address) })
  assert.equal((await look(ELSEWHERE)).statusCode, 200)
  assert.equal((await set(await ownerInOffice(clientId), [OFFICE])).statusCode, 200)

  refused(await look(ELSEWHERE), 'session_needed', 401)
  assert.equal((await look(OFFICE)).statusCode, 200)
})

test('a passkey signs in from the listed addresses only', async () => {
  const { owner } = await newOffice()
  const { held } = await register(owner)
  refused(await trySignInWith(bench, held), 'address_not_allowed')
  assert.equal((await set(owner, [OFFICE])).json().code, 'code_needed')
})

test('an invitation and a password reset are used from the listed addresses only', async () => {
  const { owner } = await newOffice()
  const email = `invited@${owner.user.id.slice(0, 8)}.example`
  const made = await owner.call({ url: USERS_URL, body: { email, role: 'support' } })
  assert.equal(made.statusCode, 200, made.body)
  const accept = async (path: string, address: string) =>
    bench.call({
      ...{ url: `/dashboard/api/${path}/accept`, token: null, headers: at(address) },
      body: { token: await tokenMailedTo(bench, email), password: `${PASSWORD} ${path}` },
    })
  refused(await accept('invitation', ELSEWHERE), 'address_not_allowed')
  assert.equal((await accept('invitation', OFFICE)).statusCode, 200)

  await bench.call({ url: '/dashboard/api/password-reset/request', body: { email }, token: null })
  await answerResets(bench)
  refused(await accept('password-reset', ELSEWHERE), 'address_not_allowed')
  assert.equal((await accept('password-reset', OFFICE)).statusCode, 200)
})

test('nobody excludes their own address, and only owners set the list, with their password', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const owner = await ownerInOffice(clientId)
  const excluded = await set(owner, [ELSEWHERE])
  refused(excluded, 'invalid_request', 400)
  assert.match(excluded.body, /Must include your own address, 192\.0\.2\.7\./)
  refused(await set(owner, ['10.1.2.3/8']), 'invalid_request', 400)
  refused(await set(owner, [OFFICE], { password: 'wrong' }), 'wrong_password')
  const developer = await newBrowser(bench, 'developer', clientId)
  refused(await set(developer, [OFFICE]), 'role_not_allowed')
  assert.equal((await owner.call({ url: ADDRESSES })).json().data.addresses, null)
})

test('the command line removes a list that locks everybody out, and the audit log says so', async () => {
  const { clientId, owner } = await newOffice()
  const context = { db: bench.db, env: {}, clock: bench.clock, actor: 'root', showProgress() {} }
  await restrict(context, { usersFromAnywhere: true }, clientId)
  const { email } = owner
  assert.equal((await enterFrom(ELSEWHERE, { email, password: PASSWORD })).statusCode, 200)
  const actions = await actionsOf(bench, `client/${clientId}`)
  assert.equal(actions.filter((each) => each === 'client.set_user_addresses').length, 2)
})
