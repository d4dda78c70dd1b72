// `manilla admin user …`: who is let in, and what it says.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommand, UsageProblem } from '#admin/command-line.ts'
import { COMMANDS } from '#admin/commands.ts'
import { LOGIN_LIMITS } from '#domain/access/login-limits.ts'
import { countUsers } from '#domain/access/sign-in-attempts.ts'
import { Refusal } from '#errors.ts'
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

async function admin(...words: string[]): Promise<{ data: Data; text: string }> {
  const chosen = parseCommand(COMMANDS, ['user', ...words])
  assert('command' in chosen)
  const context = { db: bench.db, env: {}, clock: bench.clock, actor: 'cli:ada' }
  const { data, text } = await chosen.command.run(context as never, chosen.args)
  return { data: data as Data, text }
}

const isRefused = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code

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
  const session = dataOf(answer, 'account')
  assert.equal(session.role, 'owner')
  assert.equal(session.client.clientId, 'SHOP')
  assert.equal(session.user.mustChangePassword, true)
  const { rows } = await bench.db.query(
    `select actor from actions where subject = 'user/owner@shop.example' and action = 'user.create'`,
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

test('what is not understood, or not there, is said so', async () => {
  const misused = [
    ['create', 'x@shop.example', '--client', 'SHOP'],
    ['create', 'x@shop.example', '--client', 'SHOP', '--role', 'root'],
    ['create', 'x@shop.example', '--role', 'owner'],
    ['create', 'no-address', '--client', 'SHOP', '--role', 'owner'],
    ['list'],
  ]
  for (const words of misused) await assert.rejects(admin(...words), UsageProblem, words.join(' '))
  const nowhere = admin('list', '--client', 'NOSUCH')
  await assert.rejects(nowhere, isRefused('client_not_found'))
  const nobody = admin('disable', 'x@shop.example', '--client', 'SHOP')
  await assert.rejects(nobody, isRefused('user_not_found'))
  const operator = admin('create', 'x@shop.example', '--client', 'SHOP', '--role', 'operator')
  await assert.rejects(operator, isRefused('operators_only'))
})
