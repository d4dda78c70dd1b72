// Tests the effects of changing a user's role, password or status, and which users cannot be removed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countUsers, LOGIN_LIMITS } from '#access/attempts.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import {
  actionsOf,
  type Browser,
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
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())

test('a changed role applies to the next request', async () => {
  const owner = await newBrowser(bench)
  const other = await newBrowser(bench, 'support')
  const call = { method: 'PATCH', url: `${USERS_URL}/${other.user.id}` } as const

  const answer = await owner.call({ ...call, body: { role: 'owner' } })

  assert.equal(dataOf(answer).role, 'owner')
  assert.equal((await other.call({ url: USERS_URL })).statusCode, 200)
  await owner.call({ ...call, body: { role: 'developer' } })
  assert.equal((await other.call({ url: USERS_URL })).statusCode, 403)
  const { rows } = await bench.db.query(
    `select actor, detail from audit_log where action = 'user.change_role' and subject = $1 order by id`,
    [`user/${other.user.email}`],
  )
  const actor = `user:${owner.user.email}`
  assert.deepEqual(rows, [
    { actor, detail: { from: 'support', to: 'owner' } },
    { actor, detail: { from: 'owner', to: 'developer' } },
  ])
})

test('a user who is disabled, removed or given a new password is signed out at once', async () => {
  const owner = await newBrowser(bench)
  const ways = [
    (url: string) => owner.call({ method: 'PATCH', url, body: { isActive: false } }),
    (url: string) => owner.call({ method: 'DELETE', url }),
    (url: string) => owner.call({ url: `${url}/reset-password`, body: {} }),
  ]

  for (const way of ways) {
    const browser = await newBrowser(bench, 'support')
    assert.equal((await way(`${USERS_URL}/${browser.user.id}`)).statusCode, 200)
    assertRefused(await browser.call({ url: SESSION_URL }), { status: 401 })
    const body = { email: browser.user.email, password: PASSWORD }
    assert.equal((await trySignIn(bench, body)).statusCode, 401)
  }
})

const CHANGES = [
  ['PUT', '/password', { currentPassword: PASSWORD, newPassword: `${PASSWORD} too` }],
  ['POST', '/totp', { password: PASSWORD }],
  ['POST', '/totp/confirm', { code: '123456' }],
  ['POST', '/totp/remove', { password: PASSWORD, code: '123456' }],
  ['POST', '/passkeys', { password: PASSWORD }],
] as const

for (const [method, path, body] of CHANGES) {
  test(`a reset while ${method} ${path} is under way voids what that confirmed`, async () => {
    const browser = await newBrowser(bench)
    const id = await userIdOf(bench, browser.user.email)
    const resetting = await bench.db.connect()
    await resetting.query('begin')
    await resetting.query(`update users set password_hash = 'reset' where id = $1`, [id])
    await resetting.query('delete from sessions where user_id = $1', [id])

    const changing = browser.call({ method, url: `/dashboard/api${path}`, body })
    await untilBlocked(bench.db, 1)
    await resetting.query('commit')
    resetting.release()

    assertRefused(await changing, { status: 401, code: 'session_needed' })
    const { rows } = await bench.db.query(
      `select password_hash, totp_pending_sealed,
              (select count(*)::int from sessions where user_id = users.id) as sessions
         from users where id = $1`,
      [id],
    )
    const unchanged = { passwordHash: 'reset', totpPendingSealed: null, sessions: 0 }
    assert.deepEqual(rows, [unchanged])
  })
}

test('a disabled user comes back when enabled, and has to sign in again', async () => {
  const owner = await newBrowser(bench)
  const browser = await newBrowser(bench, 'support')
  const call = { method: 'PATCH', url: `${USERS_URL}/${browser.user.id}` } as const
  await owner.call({ ...call, body: { isActive: false } })

  await owner.call({ ...call, body: { isActive: true } })

  assertRefused(await browser.call({ url: SESSION_URL }), { status: 401 })
  await signIn(bench, browser.user.email)
  const done = await actionsOf(bench, `user/${browser.user.email}`)
  assert.deepEqual(done.slice(1, 3), ['user.disable', 'user.enable'])
})

test('a new temporary password ends the lock of its user', async () => {
  const owner = await newBrowser(bench)
  const email = await makeUser(bench, { role: 'support' })
  const id = await userIdOf(bench, email)
  for (let round = 0; round < LOGIN_LIMITS.user.attempts; round++) {
    await countUsers(bench.db, bench.clock(), { userIds: [id], email })
  }
  assert.equal((await trySignIn(bench, { email, password: PASSWORD })).statusCode, 401)

  const url = `${USERS_URL}/${id}/reset-password`
  const { temporaryPassword } = dataOf(await owner.call({ url, body: {} }))

  const answer = await trySignIn(bench, { email, password: temporaryPassword })
  assert.equal(dataOf(answer).user.mustChangePassword, true)
})

test('the last owner cannot be removed or demoted in any way; with a second owner they can', async () => {
  const { clientId, browser } = await newClientWithOwner(bench)
  const url = `${USERS_URL}/${browser.user.id}`
  const ways = [
    { method: 'PATCH', url, body: { role: 'developer' } },
    { method: 'PATCH', url, body: { isActive: false } },
    { method: 'DELETE', url },
  ] as const

  for (const way of ways) {
    assertRefused(await browser.call(way), { status: 409, code: 'last_of_role' })
  }
  const disabled = await makeUser(bench, { clientId })
  await bench.db.query('update users set is_active = false where email = $1', [disabled])
  for (const way of ways) assert.equal((await browser.call(way)).statusCode, 409)
  await makeUser(bench, { clientId })
  assert.equal((await browser.call(ways[2])).statusCode, 200)
})

const MEANWHILE = [
  ['disabled', 'update users set is_active = false where id = $1', 'session_needed'],
  ['removed', 'delete from users where id = $1', 'session_needed'],
  ['signed out', 'delete from sessions where user_id = $1', 'session_needed'],
  ['demoted', `update users set role = 'support' where id = $1`, 'role_not_allowed'],
] as const

for (const [what, change, code] of MEANWHILE) {
  test(`an owner who is ${what} while a request is under way changes nobody and no secret`, async () => {
    const { clientId, browser } = await newClientWithOwner(bench)
    const other = await newBrowser(bench, 'support', clientId)
    const [id, otherId] = [await userIdOf(bench, browser.user.email), other.user.id]
    const before = await bench.db.query('select password_hash from users where id = $1', [otherId])
    const hash = before.rows[0].passwordHash
    const calls = [
      { url: USERS_URL, body: { email: `for-${otherId}@people.example`, role: 'owner' } },
      { url: `${USERS_URL}/${otherId}/reset-password`, body: {} },
      { method: 'PATCH', url: `${USERS_URL}/${otherId}`, body: { role: 'owner' } },
      { method: 'DELETE', url: `${USERS_URL}/${otherId}` },
      { url: '/dashboard/api/client/rotate-secret', body: { overlapSeconds: 0 } },
    ] as const
    const changing = await bench.db.connect()
    await changing.query('begin')
    await changing.query('select from users where id = $1 for update', [id])

    const asking = calls.map((call) => browser.call(call))
    await untilBlocked(bench.db, calls.length)
    await changing.query(change, [id])
    await changing.query('commit')
    changing.release()

    for (const answer of await Promise.all(asking)) {
      assertRefused(answer, { status: code === 'session_needed' ? 401 : 403, code })
    }
    const { rows } = await bench.db.query(
      `select email, role, password_hash = $3 as "isSame",
              (select count(*)::int from client_secrets s where s.client_id = c.id) as secrets
         from users join clients c on c.id = users.client_id
        where c.client_id = $1 and users.id <> $2`,
      [clientId, id, hash],
    )
    const unchanged = { email: other.user.email, role: 'support', isSame: true, secrets: 1 }
    assert.deepEqual(rows, [unchanged])
  })
}

test('of two owners who leave at the same moment one stays', async () => {
  assert.deepEqual(await removeAtOnce((owner) => owner), [200, 409])
})

test('two owners who remove each other at once: the first succeeds', async () => {
  assert.deepEqual(await removeAtOnce((_owner, other) => other), [200, 401])
})

// Two owners remove a user at the same moment: `chooseUser` chooses the user for each of them. A lock on
// the rows makes both requests wait, so that they run together. Exactly one owner must remain.
async function removeAtOnce(
  chooseUser: (owner: Browser, other: Browser) => Browser,
): Promise<number[]> {
  const { clientId, browser } = await newClientWithOwner(bench)
  const other = await newBrowser(bench, 'owner', clientId)
  const remove = (by: Browser, { user }: Browser) =>
    by.call({ method: 'DELETE', url: `${USERS_URL}/${user.id}` })
  const holder = await bench.db.connect()
  await holder.query('begin')
  await holder.query('select from users for update')

  const removing = Promise.all([
    remove(browser, chooseUser(browser, other)),
    remove(other, chooseUser(other, browser)),
  ])
  await untilBlocked(bench.db, 2)
  await holder.query('commit')
  holder.release()

  const answers = await removing
  const { rows } = await bench.db.query(
    `select 1 from users u join clients c on c.id = u.client_id
      where c.client_id = $1 and role = 'owner'`,
    [clientId],
  )
  assert.equal(rows.length, 1)
  return answers.map(({ statusCode }) => statusCode).sort()
}
