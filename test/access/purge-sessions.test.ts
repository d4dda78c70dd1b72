// The worker deletes expired sessions, failures and challenges, and no other rows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOGIN_LIMITS } from '#access/attempts.ts'
import { IDLE_MS } from '#access/sessions.ts'
import { purgeSessionsRound } from '#access/workers.ts'
import { makeUser, SESSION_URL, signIn, trySignIn } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

test('expired sessions and old failures are deleted; current ones stay', async () => {
  await using bench = await startTestService()
  const round = purgeSessionsRound(bench)
  const email = await makeUser(bench)
  const old = await signIn(bench, email)
  await trySignIn(bench, { email, password: 'wrong' })
  bench.advance(Math.max(IDLE_MS, LOGIN_LIMITS.user.windowMs))
  const other = await makeUser(bench)
  const live = await signIn(bench, other)
  await trySignIn(bench, { email: other, password: 'wrong' })

  await round()

  const count = async (table: string) =>
    (await bench.db.query(`select count(*)::int as n from ${table}`)).rows[0].n
  assert.equal(await count('sessions'), 1)
  // Counters of the user, of the address, and of the user at this address.
  assert.equal(await count('login_attempts'), 3)
  assert.equal((await live.call({ url: SESSION_URL })).statusCode, 200)
  assert.equal((await old.call({ url: SESSION_URL })).statusCode, 401)
})
