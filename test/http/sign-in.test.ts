// Signing in to the dashboard: who gets in, what the browser is given, and when it ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SANDBOX_USER } from '#domain/sandbox-user.ts'
import { IDLE_MS, LIFE_MS } from '#domain/sessions.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused, dataOf, refusalFaults } from '../support/fixtures.ts'
import {
  actionsOf,
  browserOf,
  cookieOf,
  makeUser,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
} from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const MINUTE_MS = 60_000
const bench = closeAfterTests(await startTestService())

test('the documented user of the sandbox signs in and may do everything', async () => {
  const { email, password } = SANDBOX_USER

  const answer = await trySignIn(bench, { email, password })

  const { user, scopes, csrfToken, ...rest } = dataOf(answer, 'account')
  assert.equal(user.email, email)
  assert.deepEqual(rest, {
    role: 'operator',
    client: { clientId: 'MAN0000001', name: 'Sandbox Merchant', mode: 'sandbox' },
  })
  assert(scopes.includes('operator') && scopes.includes('suspense:write'))
  assert.match(csrfToken, /^[\w-]{43}$/)
  const browser = browserOf(bench, answer)
  assert.equal((await browser.call({ url: '/api/v1/suspense' })).statusCode, 200)
})

test('the cookie is for our pages only, and nobody else can read it', async () => {
  const email = await makeUser(bench)

  const answer = await trySignIn(bench, { email, password: PASSWORD })

  const [pair, ...attributes] = String(answer.headers['set-cookie']).split('; ')
  assert.match(pair as string, /^manilla_session=[\w-]{43}$/)
  const expected = ['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict']
  assert.deepEqual(attributes, expected)
  assert.equal(answer.headers['cache-control'], 'no-store')
})

test('behind https the cookie goes over https only', async () => {
  await using secure = await startTestService({ env: { PUBLIC_URL: 'https://pay.example.com' } })
  const email = await makeUser(secure as Bench)

  const answer = await trySignIn(secure, { email, password: PASSWORD })

  assert(String(answer.headers['set-cookie']).endsWith('; Secure'))
})

test('only the hash of a session’s token is kept, and neither it nor a password is logged', async () => {
  const { cookie, csrfToken } = await newBrowser(bench)
  const token = cookie.split('=')[1] as string

  const { rows } = await bench.db.query('select t::text as line from sessions t')

  assert(rows.length > 0)
  assert(!JSON.stringify(rows).includes(token))
  for (const secret of [token, csrfToken, PASSWORD]) assert(!bench.logText().includes(secret))
})

test('an address is the same in any case', async () => {
  const email = await makeUser(bench)

  const browser = await signIn(bench, email.toUpperCase())

  assert.equal(browser.user.email, email)
})

test('a password is the same however its accents are put together', async () => {
  const email = await makeUser(bench)
  const browser = await signIn(bench, email)
  const composed = 'caf\u00e9 cr\u00e8me br\u00fbl\u00e9e'
  const body = { currentPassword: PASSWORD, newPassword: composed }
  await browser.call({ method: 'PUT', url: '/dashboard/api/password', body })

  const answer = await trySignIn(bench, { email, password: composed.normalize('NFD') })

  assert.equal(answer.statusCode, 200)
})

test('a wrong password, an unknown address, and a disabled user get the same answer', async () => {
  const email = await makeUser(bench)
  const disabled = await makeUser(bench)
  await bench.db.query('update users set is_active = false where email = $1', [disabled])

  const wrong = await trySignIn(bench, { email, password: 'wrong' })
  const unknown = await trySignIn(bench, { email: 'nobody@people.example', password: PASSWORD })
  const gone = await trySignIn(bench, { email: disabled, password: PASSWORD })

  assertRefused(wrong, 'account', { status: 401, code: 'invalid_sign_in' })
  assertAlike(wrong, unknown)
  assertAlike(wrong, gone)
  for (const answer of [wrong, unknown, gone]) assert(!answer.headers['set-cookie'])
})

test('an unknown address takes as long to refuse as a wrong password', async () => {
  const { email } = SANDBOX_USER // Whose password is hashed at full cost.
  const wrong = await timeOf({ email, password: 'wrong' })
  const unknown = await timeOf({ email: 'nobody@people.example', password: 'wrong' })

  // Without the same hash an unknown address would be refused some hundred times sooner.
  const ratio = unknown / wrong
  assert(ratio > 1 / 4 && ratio < 4, `unknown takes ${ratio.toFixed(2)} times as long`)
})

test('what is not a sign-in is refused, field by field', async () => {
  const right = { email: 'ada@people.example', password: 'x' }
  const wrong: unknown[] = [
    {},
    [],
    null,
    'text',
    { email: right.email },
    { password: 'x' },
    { ...right, email: '' },
    { ...right, email: 'no-at' },
    { ...right, email: 7 },
    { ...right, email: `${'a'.repeat(250)}@b.co` },
    { ...right, email: 'a\u0000@b.co' },
    { ...right, password: '' },
    { ...right, password: 7 },
    { ...right, password: null },
    { ...right, password: 'x'.repeat(1001) },
    { ...right, code: '' },
    { ...right, code: 123456 },
    { ...right, code: '1'.repeat(41) },
    { ...right, code: "' or 1=1 --" },
    { ...right, clientId: '' },
    { ...right, clientId: 'x\u0000' },
    { ...right, remember: true },
  ]

  const faults: string[] = []
  for (const body of wrong) {
    const answer = await trySignIn(bench, body)
    const found = refusalFaults(answer, 'account', [400])
    faults.push(...found.map((fault) => `${JSON.stringify(body).slice(0, 60)}: ${fault}`))
  }
  assert.deepEqual(faults, [])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assertRefused(await trySignIn(bench, 'email=a', form), 'account', { status: 415 })
})

test('a session shows who is signed in; without one, or with a made-up one, nobody is', async () => {
  const browser = await newBrowser(bench, 'finance')

  const session = dataOf(await browser.call({ url: SESSION_URL }), 'account')
  assert.equal(session.role, 'finance')
  assert.equal(session.csrfToken, browser.csrfToken)
  assert.equal(session.user.mustChangePassword, false)
  const made = ['', 'manilla_session=', `manilla_session=${'A'.repeat(43)}`, `x${browser.cookie}`]
  for (const cookie of [...made, `${browser.cookie}A`, browser.cookie.toUpperCase()]) {
    const answer = await browser.call({ url: SESSION_URL, headers: { cookie } })
    assertRefused(answer, 'account', { status: 401, code: 'session_needed' })
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
  assertRefused(await old.call({ url: SESSION_URL }), 'account', { status: 401 })
})

test('signing out ends the session at once, and nothing else', async () => {
  const email = await makeUser(bench)
  const [here, there] = [await signIn(bench, email), await signIn(bench, email)]

  const answer = await here.call({ method: 'DELETE', url: SESSION_URL })

  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['set-cookie']), /^manilla_session=; Max-Age=0; /)
  assertRefused(await here.call({ url: SESSION_URL }), 'account', { status: 401 })
  assert.equal((await there.call({ url: SESSION_URL })).statusCode, 200)
  const done = await actionsOf(bench, `user/${email}`)
  assert.deepEqual(done, ['user.sign_in', 'user.sign_in', 'user.sign_out'])
})

test('signing out everywhere ends all sessions of the user, and nobody else’s', async () => {
  const email = await makeUser(bench)
  const [here, there] = [await signIn(bench, email), await signIn(bench, email)]
  const other = await newBrowser(bench)

  const answer = await here.call({ method: 'DELETE', url: '/dashboard/api/sessions' })

  assert.deepEqual(dataOf(answer, 'account'), { ended: 2 })
  for (const browser of [here, there]) {
    assertRefused(await browser.call({ url: SESSION_URL }), 'account', { status: 401 })
  }
  assert.equal((await other.call({ url: SESSION_URL })).statusCode, 200)
})

test('one’s sessions are listed and can be ended one by one; others’ are not there', async () => {
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
  assertRefused(foreign, 'account', { status: 404, code: 'session_not_found' })
  assertAlike(foreign, again)
  assertAlike(foreign, nonsense)
  assertRefused(await there.call({ url: SESSION_URL }), 'account', { status: 401 })
})

test('an idle session ends, a busy one goes on until its last hour is over', async () => {
  const idle = await newBrowser(bench)
  const busy = await newBrowser(bench)
  bench.advance(IDLE_MS - MINUTE_MS)
  assert.equal((await busy.call({ url: SESSION_URL })).statusCode, 200)
  bench.advance(MINUTE_MS)

  assertRefused(await idle.call({ url: SESSION_URL }), 'account', { status: 401 })
  for (let spent = IDLE_MS; spent < LIFE_MS; spent += IDLE_MS / 2) {
    assert.equal((await busy.call({ url: SESSION_URL })).statusCode, 200)
    bench.advance(IDLE_MS / 2)
  }
  assertRefused(await busy.call({ url: SESSION_URL }), 'account', { status: 401 })
})

test('a suspended client’s people are out at once, and back when it is', async () => {
  await bench.newClient('SUSPENDED')
  const browser = await newBrowser(bench, 'owner', 'SUSPENDED')
  const setActive = (isActive: boolean) =>
    bench.db.query(`update clients set is_active = $1 where client_id = 'SUSPENDED'`, [isActive])

  await setActive(false)
  assertRefused(await browser.call({ url: SESSION_URL }), 'account', { status: 401 })
  const body = { email: browser.user.email, password: PASSWORD }
  assertRefused(await trySignIn(bench, body), 'account', { status: 401, code: 'invalid_sign_in' })
  await setActive(true)
  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
})

test('the same address at two clients: each password opens its own, one for both asks which', async () => {
  await bench.newClient('TWIN1')
  await bench.newClient('TWIN2')
  const email = 'twin@people.example'
  for (const clientId of ['TWIN1', 'TWIN2']) await makeUser(bench, { clientId, email })

  const unclear = await trySignIn(bench, { email, password: PASSWORD })
  const clear = await trySignIn(bench, { email, password: PASSWORD, clientId: 'TWIN2' })
  const neither = await trySignIn(bench, { email, password: PASSWORD, clientId: 'TWIN3' })

  assertRefused(unclear, 'account', { status: 409, code: 'client_id_needed' })
  assert.deepEqual(unclear.json().errors, [{ field: 'clientId', message: 'One of TWIN1, TWIN2.' }])
  assert.equal(dataOf(clear, 'account').client.clientId, 'TWIN2')
  assertRefused(neither, 'account', { status: 401, code: 'invalid_sign_in' })
})

test('an unknown address below the dashboard’s is no page', async () => {
  const answer = await bench.call({ url: '/dashboard/api/nothing', token: null })

  assertRefused(answer, 'account', { status: 404, code: 'route_not_found' })
})

async function timeOf(body: object): Promise<number> {
  const start = performance.now()
  assert.equal((await trySignIn(bench, body)).statusCode, 401)
  return performance.now() - start
}
