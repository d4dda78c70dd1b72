// Users of a client that is no longer an operator lose the operator's rights.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENTS, registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { actionsOf, makeUser, newBrowser, signIn, USERS_URL } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { make } = registerOf(bench)

// Returns a call that invites an operator to this client.
const invitation = (email: string, clientId: string) => ({
  url: USERS_URL,
  body: { email, role: 'operator', clientId },
})

test('operators become owners, who manage their own client’s users alone', async () => {
  const { clientId } = await make({ isOperator: true })
  const email = await makeUser(bench, { role: 'operator', clientId })
  const before = await signIn(bench, email)
  dataOf(await before.call(invitation('first@people.example', clientId)))

  const change = { method: 'PATCH', url: `${CLIENTS}/${clientId}` } as const
  await bench.call({ ...change, body: { isOperator: false } })

  assertRefused(await before.call({ url: USERS_URL }), {
    status: 401,
    code: 'session_needed',
  })
  assert.deepEqual(await actionsOf(bench, `user/${email}`), ['user.sign_in', 'user.change_role'])
  const after = await signIn(bench, email)
  for (const [target, refusal] of [
    ['MAN0000001', { status: 404, code: 'client_not_found' }],
    [clientId, { status: 403, code: 'role_not_allowed' }],
  ] as const) {
    const answer = await after.call(invitation('second@people.example', target))
    assertRefused(answer, refusal)
  }
  const theirs = `${USERS_URL}?clientId=MAN0000001`
  assertRefused(await after.call({ url: theirs }), {
    status: 404,
    code: 'client_not_found',
  })
  const users = (await after.call({ url: USERS_URL })).json().data as { role: string }[]
  assert.deepEqual([...new Set(users.map(({ role }) => role))], ['owner'])
})

test('the operator role at a client that is no operator gives no right over users', async () => {
  const { clientId } = await make()
  const stranger = await newBrowser(bench, 'operator', clientId)
  for (const target of ['MAN0000001', clientId]) {
    const answer = await stranger.call(invitation('nobody@people.example', target))
    assertRefused(answer, { status: 403, code: 'role_not_allowed' })
  }
  const own = await stranger.call({ url: '/dashboard/api/client' })
  assertRefused(own, { status: 403, code: 'role_not_allowed' })
})

test('a user made operator while the client stops being an operator is an owner, or refused', async () => {
  for (let round = 0; round < 5; round++) {
    const { clientId } = await make({ isOperator: true })
    const operator = await newBrowser(bench, 'operator')
    const email = `raced${round}@people.example`
    await Promise.all([
      bench.call({ method: 'PATCH', url: `${CLIENTS}/${clientId}`, body: { isOperator: false } }),
      operator.call(invitation(email, clientId)),
    ])
    const { rows } = await bench.db.query('select role from users where email = $1', [email])
    assert(rows.every(({ role }) => role === 'owner'))
  }
})
