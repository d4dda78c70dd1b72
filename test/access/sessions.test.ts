// Tests what a session shows of its user, and everything that ends it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDLE_MS, LIFE_MS, lookUpSession } from '#access/sessions.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally, openStream } from '../support/event-source.ts'
import { assertAlike, assertRefused, dataOf } from '../support/fixtures.ts'
import {
  actionsOf,
  cookieOf,
  makeUser,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const MINUTE_MS = 60_000
const bench = closeAfterTests(await startTestService())
const address = await listenLocally(bench.service.app)

test('a session shows who is signed in; without one, or with a made-up one, nobody is', async () => {
  const browser = await newBrowser(bench, 'finance')

  const session = dataOf(await browser.call({ url: SESSION_URL }))
  assert.equal(session.role, 'finance')
  assert.equal(session.csrfToken, browser.csrfToken)
  assert.equal(session.user.mustChangePassword, false)
  const made = ['', 'manilla_session=', `manilla_session=${'A'.repeat(43)}`, `x${browser.cookie}`]
  for (const cookie of [...made, `${browser.cookie}A`, browser.cookie.toUpperCase()]) {
    const answer = await browser.call({ url: SESSION_URL, headers: { cookie } })
    assertRefused(answer, { status: 401, code: 'session_needed' })
  }
  const among = { cookie: `theme=dark; ${browser.cookie}; other=1` }
  assert.equal((await browser.call({ url: SESSION_URL, headers: among })).statusCode, 200)
})

test('a new sign-in ends the session that it came with, and has another token', async () => {
  const email = await makeUser(bench)
  const old = await signIn(bench, email)
  const body = { email, password: PASSWORD }

  const answer = await trySignIn(bench, body, { cookie: old.cookie })

  assert.notEqual(cookieOf(answer), old.cookie)
  assertRefused(await old.call({ url: SESSION_URL }), { status: 401 })
})

test('signing out ends the session at once, and nothing else', async () => {
  const email = await makeUser(bench)
  const [here, there] = [await signIn(bench, email), await signIn(bench, email)]

  const answer = await here.call({ method: 'DELETE', url: SESSION_URL })

  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['set-cookie']), /^manilla_session=; Max-Age=0; /)
  assertRefused(await here.call({ url: SESSION_URL }), { status: 401 })
  assert.equal((await there.call({ url: SESSION_URL })).statusCode, 200)
  const done = await actionsOf(bench, `user/${email}`)
  assert.deepEqual(done, ['user.sign_in', 'user.sign_in', 'user.sign_out'])
})

test('signing out everywhere ends all sessions of the user, and nobody else’s', async () => {
  const email = await makeUser(bench)
  const [here, there] = [await signIn(bench, email), await signIn(bench, email)]
  const other = await newBrowser(bench)

  const answer = await here.call({ method: 'DELETE', url: '/dashboard/api/sessions' })

  assert.deepEqual(dataOf(answer), { ended: 2 })
  for (const browser of [here, there]) {
    assertRefused(await browser.call({ url: SESSION_URL }), { status: 401 })
  }
  assert.equal((await other.call({ url: SESSION_URL })).statusCode, 200)
})

test('users list and end their own sessions one by one, and never see those of others', async () => {
  const email = await makeUser(bench)
  const here = await signIn(bench, email)
  const there = await signIn(bench, email)
  const stranger = await newBrowser(bench)

  const { data } = (await here.call({ url: '/dashboard/api/sessions' })).json()
  assert.equal(data.length, 2)
  const elsewhere = data.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
  const url = `/dashboard/api/sessions/${elsewhere.id}`
  const foreign = await stranger.call({ method: 'DELETE', url })
  const ended = await here.call({ method: 'DELETE', url })
  const again = await here.call({ method: 'DELETE', url })
  const nonsense = await here.call({ method: 'DELETE', url: '/dashboard/api/sessions/x' })

  assert.equal(ended.statusCode, 200)
  assertRefused(foreign, { status: 404, code: 'session_not_found' })
  assertAlike(foreign, again)
  assertAlike(foreign, nonsense)
  assertRefused(await there.call({ url: SESSION_URL }), { status: 401 })
})

test('an idle session ends early, and an active one at its maximum age', async () => {
  const idle = await newBrowser(bench)
  const busy = await newBrowser(bench)
  bench.advance(IDLE_MS - MINUTE_MS)
  assert.equal((await busy.call({ url: SESSION_URL })).statusCode, 200)
  bench.advance(MINUTE_MS)

  assertRefused(await idle.call({ url: SESSION_URL }), { status: 401 })
  for (let spent = IDLE_MS; spent < LIFE_MS; spent += IDLE_MS / 2) {
    assert.equal((await busy.call({ url: SESSION_URL })).statusCode, 200)
    bench.advance(IDLE_MS / 2)
  }
  assertRefused(await busy.call({ url: SESSION_URL }), { status: 401 })
})

test('background requests do not keep an idle session alive', async () => {
  const browser = await newBrowser(bench)
  const { cookie } = browser
  const token = cookie.split('=')[1] as string
  const visit = { token, address: '127.0.0.1' }
  const isLive = async () => (await lookUpSession(bench.db, bench.clock(), visit)) !== undefined

  const headers = { 'x-idle': '1' }
  for (let spent = 0; spent < IDLE_MS; spent += 10 * MINUTE_MS) {
    assert(await isLive())
    for (const url of [SESSION_URL, '/api/v1/credits']) {
      assert.equal((await browser.call({ url, headers })).statusCode, 200)
    }
    await using _stream = await openStream(`${address}/api/v1/events/stream`, { cookie })
    bench.advance(10 * MINUTE_MS)
  }

  assert(!(await isLive()))
  assertRefused(await browser.call({ url: SESSION_URL }), { status: 401 })
})

test('a request that changes data prolongs the session even if it says that the user is idle', async () => {
  const browser = await newBrowser(bench)
  const headers = { 'x-idle': '1' }
  bench.advance(IDLE_MS - MINUTE_MS)
  const body = { url: 'https://hooks.example.com' }
  const answer = await browser.call({ url: '/api/v1/webhook-endpoints', body, headers })
  assert.equal(answer.statusCode, 200)

  bench.advance(MINUTE_MS)

  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
})

test('users of a suspended client are signed out at once, and can return when it is resumed', async () => {
  await bench.newClient('SUSPENDED')
  const browser = await newBrowser(bench, 'owner', 'SUSPENDED')
  const setActive = (isActive: boolean) =>
    bench.db.query(`update clients set is_active = $1 where client_id = 'SUSPENDED'`, [isActive])

  await setActive(false)
  assertRefused(await browser.call({ url: SESSION_URL }), { status: 401 })
  const body = { email: browser.user.email, password: PASSWORD }
  assertRefused(await trySignIn(bench, body), { status: 401, code: 'invalid_sign_in' })
  await setActive(true)
  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
})
