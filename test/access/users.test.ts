// Owners and operators add, change and remove the users of a client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROLES, type Role } from '#access/permissions.ts'
import { TEMPORARY_PASSWORD_MS } from '#access/sign-in.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  dataOf,
  refusalFaults,
  TIMESTAMP,
  UUID,
} from '../support/fixtures.ts'
import {
  actionsOf,
  browserOf,
  cookieOf,
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
import { startTestService } from '../support/running-service.ts'

const OWN_PASSWORD = '/dashboard/api/password'
const bench = closeAfterTests(await startTestService())

test('an owner adds a user, who must first choose their own password', async () => {
  const owner = await newBrowser(bench)
  const body = { email: 'Ada@People.Example', role: 'developer' }

  const {
    id,
    createdAt,
    temporaryPassword,
    invitationLink,
    invitationExpiresAt,
    isMailed,
    ...rest
  } = dataOf(await owner.call({ url: USERS_URL, body }))
  assert.equal(isMailed, true)
  assert.match(invitationLink, /^http:.*\/dashboard\/invitation#[\w-]{43}$/)
  assert.match(invitationExpiresAt, TIMESTAMP)
  assert.match(id, UUID)
  assert.match(createdAt, TIMESTAMP)
  assert.match(temporaryPassword, /^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
  assert.deepEqual(rest, {
    email: 'ada@people.example',
    role: 'developer',
    isActive: true,
    isPasswordTemporary: true,
    hasTotp: false,
    hasPasskey: false,
    countsFrom: null,
    signedInAt: null,
    mailProblem: null,
  })
  const answer = await trySignIn(bench, { email: body.email, password: temporaryPassword })
  assert.equal(dataOf(answer).user.mustChangePassword, true)
  const ada = browserOf(bench, answer)
  for (const url of ['/api/v1/credits', USERS_URL, '/dashboard/api/sessions']) {
    const refused = await ada.call({ url })
    assertRefused(refused, { status: 403, code: 'password_change_needed' })
  }
  const change = { currentPassword: temporaryPassword, newPassword: 'four words that are long' }
  const changed = await ada.call({ method: 'PUT', url: OWN_PASSWORD, body: change })
  const { csrfToken } = dataOf(changed)
  assertRefused(await ada.call({ url: SESSION_URL }), { status: 401 })
  const headers = { cookie: cookieOf(changed), 'x-csrf-token': csrfToken }
  assert.equal((await ada.call({ url: '/api/v1/credits', headers })).statusCode, 200)
  assert.deepEqual(await actionsOf(bench, 'user/ada@people.example'), [
    'user.create',
    'user.sign_in',
    'user.change_password',
  ])
})

test('a temporary password lasts three days, and then says so', async () => {
  const owner = await newBrowser(bench)
  const body = { email: 'late@people.example', role: 'support' }
  const { temporaryPassword } = dataOf(await owner.call({ url: USERS_URL, body }))

  bench.advance(TEMPORARY_PASSWORD_MS + 1)

  const late = await trySignIn(bench, { email: body.email, password: temporaryPassword })
  assertRefused(late, { status: 401, code: 'password_expired' })
})

test('a new password must be new, long enough, and not the address', async () => {
  const browser = await newBrowser(bench)
  const { email } = browser.user
  for (const newPassword of [PASSWORD, 'short', 'Password1234', email, '', 7, null, ['x']]) {
    const body = { currentPassword: PASSWORD, newPassword }
    const answer = await browser.call({ method: 'PUT', url: OWN_PASSWORD, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.equal(answer.json().errors[0].field, 'newPassword')
  }
  await signIn(bench, email)
})

test('users are listed newest first, page by page, and only those of the caller’s client', async () => {
  const { clientId, browser } = await newClientWithOwner(bench)
  const emails = [browser.user.email]
  for (let round = 0; round < 4; round++) {
    bench.advance(1)
    emails.unshift(await makeUser(bench, { clientId, role: 'support' }))
  }

  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `${USERS_URL}?limit=2${cursor && `&cursor=${cursor}`}`
    const answer: { data: { email: string }[]; nextCursor: string | null } = (
      await browser.call({ url })
    ).json()
    seen.push(...answer.data.map(({ email }) => email))
    cursor = answer.nextCursor
  }
  assert.deepEqual(seen, emails)
  const foreign = (await browser.call({ url: `${USERS_URL}?limit=2` })).json().nextCursor
  const other = await newClientWithOwner(bench)
  const stolen = await other.browser.call({ url: `${USERS_URL}?limit=2&cursor=${foreign}` })
  assertRefused(stolen, { status: 400, code: 'invalid_cursor' })
})

test('only owners and operators manage users', async () => {
  const target = await makeUser(bench, { role: 'support' })
  const id = await userIdOf(bench, target)
  for (const role of ['developer', 'finance', 'support'] as const) {
    const browser = await newBrowser(bench, role)
    for (const call of managementCalls(id)) {
      const answer = await browser.call(call)
      assertRefused(answer, { status: 403, code: 'role_not_allowed' })
    }
  }
  await signIn(bench, target)
})

test('another client’s users cannot be told from users that are not there', async () => {
  const id = await userIdOf(bench, await makeUser(bench))
  const { browser } = await newClientWithOwner(bench)
  const [, ...calls] = managementCalls(id)
  const [, ...missing] = managementCalls('6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10')

  for (const [at, call] of calls.entries()) {
    const foreign = await browser.call(call)
    assertRefused(foreign, { status: 404, code: 'user_not_found' })
    assertAlike(foreign, await browser.call(missing[at] as (typeof calls)[0]))
  }
  for (const clientId of ['MAN0000001', 'NOSUCH']) {
    const body = { email: 'spy@people.example', role: 'owner', clientId }
    const made = await browser.call({ url: USERS_URL, body })
    assertRefused(made, { status: 404, code: 'client_not_found' })
    const listed = await browser.call({ url: `${USERS_URL}?clientId=${clientId}` })
    assertRefused(listed, { status: 404, code: 'client_not_found' })
  }
})

test('an email address of another client’s user can be added, so nobody learns of that user', async () => {
  const email = await makeUser(bench)
  const { browser } = await newClientWithOwner(bench)

  const made = await browser.call({ url: USERS_URL, body: { email, role: 'support' } })
  const again = await browser.call({ url: USERS_URL, body: { email, role: 'support' } })

  const { temporaryPassword } = dataOf(made)
  assertRefused(again, { status: 409, code: 'user_exists' })
  const there = await trySignIn(bench, { email, password: PASSWORD })
  const here = await trySignIn(bench, { email, password: temporaryPassword })
  assert.equal(dataOf(there).client.clientId, 'MAN0000001')
  assert.notEqual(dataOf(here).client.clientId, 'MAN0000001')
})

test('an operator manages every client’s users; owners make no operators, nor touch one', async () => {
  const operator = await newBrowser(bench, 'operator')
  const owner = await newBrowser(bench, 'owner')
  const { clientId, browser } = await newClientWithOwner(bench)
  const url = `${USERS_URL}/${operator.user.id}`

  const body = { email: 'first@people.example', role: 'owner', clientId }
  assert.equal((await operator.call({ url: USERS_URL, body })).statusCode, 200)
  const listed = await operator.call({ url: `${USERS_URL}?clientId=${clientId}` })
  assert.equal(listed.json().data.length, 2)
  const changed = { method: 'PATCH', url: `${USERS_URL}/${browser.user.id}` } as const
  assert.equal((await operator.call({ ...changed, body: { isActive: false } })).statusCode, 200)
  const wrong = { email: 'op@people.example', role: 'operator', clientId }
  const notThere = await operator.call({ url: USERS_URL, body: wrong })
  assertRefused(notThere, { status: 409, code: 'operators_only' })
  const byOwner = [
    owner.call({ url: USERS_URL, body: { email: 'op@people.example', role: 'operator' } }),
    owner.call({ method: 'PATCH', url, body: { role: 'support' } }),
    owner.call({ url: `${url}/reset-password`, body: {} }),
    owner.call({ method: 'DELETE', url }),
    owner.call({
      method: 'PATCH',
      url: `${USERS_URL}/${owner.user.id}`,
      body: { role: 'operator' },
    }),
  ]
  for (const answer of await Promise.all(byOwner)) {
    assertRefused(answer, { status: 403, code: 'role_not_allowed' })
  }
})

test('a client’s audit log says that an operator acted; only the operator’s says which one', async () => {
  const operator = await newBrowser(bench, 'operator')
  const { clientId, browser } = await newClientWithOwner(bench)
  const email = 'invited@people.example'
  const body = { email, role: 'owner', clientId }
  assert.equal((await operator.call({ url: USERS_URL, body })).statusCode, 200)

  const url = `/api/v1/audit-log?action=user.create&subject=user/${email}`
  const readUser = async (by: typeof browser) => (await by.call({ url })).json().data

  const [ofMerchant, ofOperator] = [await readUser(browser), await readUser(operator)]
  assert.deepEqual([ofMerchant.length, ofOperator.length], [1, 1])
  assert.equal(ofMerchant[0].actor, 'operator')
  assert.deepEqual(ofMerchant[0].detail, { role: 'owner' })
  assert.equal(ofOperator[0].actor, `user:${operator.user.email}`)
  assert.deepEqual(ofOperator[0].detail, { role: 'owner', clientId })
  const whole = await browser.call({ url: '/api/v1/audit-log' })
  assert(!whole.body.includes(operator.user.email))
})

test('one email address is added once, even by several requests at once', async () => {
  const owner = await newBrowser(bench)
  const body = { email: 'once@people.example', role: 'support' }

  const answers = await Promise.all([1, 2].map(() => owner.call({ url: USERS_URL, body })))

  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409])
})

test('a malformed user is refused, field by field', async () => {
  const owner = await newBrowser(bench)
  const right = { email: 'x@people.example', role: 'support' }
  const id = owner.user.id
  const wrong = [
    { url: USERS_URL, body: {} },
    { url: USERS_URL, body: [] },
    { url: USERS_URL, body: { ...right, email: 'x' } },
    { url: USERS_URL, body: { ...right, email: ' x@y.co ' } },
    { url: USERS_URL, body: { ...right, role: 'root' } },
    { url: USERS_URL, body: { ...right, role: ['owner'] } },
    { url: USERS_URL, body: { ...right, password: 'mine' } },
    { url: USERS_URL, body: { ...right, clientId: 1 } },
    { method: 'PATCH', url: `${USERS_URL}/${id}`, body: {} },
    { method: 'PATCH', url: `${USERS_URL}/${id}`, body: { isActive: 'no' } },
    { method: 'PATCH', url: `${USERS_URL}/${id}`, body: { email: 'other@people.example' } },
    { url: `${USERS_URL}/${id}/reset-password`, body: { removeTotp: 'yes' } },
    { url: `${USERS_URL}?role=owner` },
    { url: `${USERS_URL}?limit=0` },
    { url: `${USERS_URL}?cursor=x` },
  ] as const

  const faults: string[] = []
  for (const call of wrong) {
    const found = refusalFaults(await owner.call(call), 'account', [400])
    faults.push(...found.map((fault) => `${JSON.stringify(call)}: ${fault}`))
  }
  for (const bad of ['x', '%00', "'", '1'.repeat(150)]) {
    const answer = await owner.call({ method: 'DELETE', url: `${USERS_URL}/${bad}` })
    faults.push(...refusalFaults(answer, 'account', [400, 404]))
  }
  assert.deepEqual(faults, [])
})

test('the database knows the roles, and one user of an address per client', async () => {
  for (const role of ROLES) await makeUser(bench, { role })
  await assert.rejects(makeUser(bench, { role: 'root' as Role }), /users_role_known/)
  await assert.rejects(makeUser(bench, { email: 'Upper@people.example' }), /in_lower_case/)
  const email = await makeUser(bench)
  await assert.rejects(makeUser(bench, { email }), /users_email_once_per_client/)
})

// Returns each call that manages the users of a client, for the user with this id.
function managementCalls(id: string) {
  return [
    { url: USERS_URL },
    { method: 'PATCH', url: `${USERS_URL}/${id}`, body: { role: 'developer' } },
    { method: 'PATCH', url: `${USERS_URL}/${id}`, body: { isActive: false } },
    { url: `${USERS_URL}/${id}/reset-password`, body: { removeTotp: true } },
    { method: 'DELETE', url: `${USERS_URL}/${id}` },
  ] as const
}
