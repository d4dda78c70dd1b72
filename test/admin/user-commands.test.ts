// Runs `manilla admin user …` and checks its output and which users can then sign in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countUsers, LOGIN_LIMITS } from '#access/attempts.ts'
import { operate } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { dataOf } from '../support/fixtures.ts'
import {
  actionsOf,
  makeUser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  userIdOf,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
await bench.newClient('SHOP')

type Data = Record<string, unknown> & { temporaryPassword: string }

// Runs `manilla admin user` with these words, in this process.
function admin(...words: string[]): Promise<{ data: Data; text: string }> {
  return operate({ db: bench.db, clock: bench.clock }, ['admin', 'user', ...words])
}

test('the first owner of a client is made here, and signs in with the password shown', async () => {
  const { data, text } = await admin(
    'create',
    'Owner@Shop.example',
    '--client',
    'SHOP',
    '--role',
    'owner',
  )

  const { temporaryPassword } = data
  assert(text.includes(temporaryPassword) && text.includes('owner@shop.example'))
  const answer = await trySignIn(bench, {
    email: 'owner@shop.example',
    password: temporaryPassword,
  })
  const session = dataOf(answer)
  assert.equal(session.role, 'owner')
  assert.equal(session.client.clientId, 'SHOP')
  assert.equal(session.user.mustChangePassword, true)
  const { rows } = await bench.db.query(
    `select actor from audit_log where subject = 'user/owner@shop.example' and action = 'user.create'`,
  )
  assert.deepEqual(rows, [{ actor: 'cli:ada' }])
})

test('users are listed, without their passwords', async () => {
  const email = await makeUser(bench, { clientId: 'SHOP', role: 'finance' })

  const { data, text } = await admin('list', '--client', 'SHOP')

  const entry = (data as unknown as { email: string; role: string }[]).find(
    (user) => user.email === email,
  )
  assert.equal(entry?.role, 'finance')
  assert(text.includes(email))
  assert(!JSON.stringify(data).includes('scrypt'))
})

test('a disabled user is signed out at once, and in again when enabled', async () => {
  const email = await makeUser(bench, { clientId: 'SHOP', role: 'support' })
  const browser = await signIn(bench, email)

  await admin('disable', email, '--client', 'SHOP')
  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 401)
  assert.equal((await trySignIn(bench, { email, password: PASSWORD })).statusCode, 401)
  await admin('enable', email, '--client', 'SHOP')
  await signIn(bench, email)

  const done = await actionsOf(bench, `user/${email}`)
  assert(done.includes('user.disable') && done.includes('user.enable'))
})

test('a password is reset, and with it a lock and, if asked, the second factor', async () => {
  const email = await makeUser(bench, { clientId: 'SHOP', role: 'support' })
  await bench.db.query(`update users set totp_sealed = 'x' where email = $1`, [email])
  const id = await userIdOf(bench, email)
  for (let round = 0; round < LOGIN_LIMITS.user.attempts; round++) {
    await countUsers(bench.db, bench.clock(), { userIds: [id], email })
  }
  const locked = await trySignIn(bench, { email, password: PASSWORD })
  assert.equal(locked.json().code, 'invalid_sign_in')

  const { data } = await admin('reset-password', email, '--client', 'SHOP', '--remove-totp')

  const answer = await trySignIn(bench, { email, password: data.temporaryPassword })
  assert.equal(answer.statusCode, 200)
})

test('unknown users and unknown options are reported as such', async () => {
  const misused = [
    ['create', 'x@shop.example', '--client', 'SHOP'],
    ['create', 'x@shop.example', '--client', 'SHOP', '--role', 'root'],
    ['create', 'x@shop.example', '--role', 'owner'],
    ['create', 'no-address', '--client', 'SHOP', '--role', 'owner'],
    ['list'],
  ]
  for (const words of misused) {
    await assert.rejects(admin(...words), { exitCode: 2 }, words.join(' '))
  }
  const nowhere = admin('list', '--client', 'NOSUCH')
  await assert.rejects(nowhere, { exitCode: 1, message: 'No such client.' })
  const nobody = admin('disable', 'x@shop.example', '--client', 'SHOP')
  await assert.rejects(nobody, { exitCode: 1, message: 'No such user.' })
  const operator = admin('create', 'x@shop.example', '--client', 'SHOP', '--role', 'operator')
  await assert.rejects(operator, { exitCode: 1, message: /operator/ })
})
