// Users sign in to the dashboard with a password. Tests who is admitted, and the cookie that the browser
// gets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '#log.ts'
import { createSandboxUser, SANDBOX_USER } from '#sandbox/setup.ts'
import { prepareDatabase } from '#wiring.ts'
import { startLiveService } from '../support/bank-calls.ts'
import { costsOf } from '../support/cheap-hashing.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertAlike, assertRefused, dataOf, refusalFaults } from '../support/fixtures.ts'
import {
  browserOf,
  makeUser,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
} from '../support/people.ts'
import { addClient, type Bench, startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())

test('the documented user of the sandbox signs in and may do everything', async () => {
  const { email, password } = SANDBOX_USER

  const answer = await trySignIn(bench, { email, password })

  const { user, scopes, csrfToken, ...rest } = dataOf(answer)
  assert.equal(user.email, email)
  assert.deepEqual(rest, {
    role: 'operator',
    throughProvider: false,
    client: {
      clientId: 'MAN0000001',
      name: 'Sandbox Merchant',
      isOperator: true,
      mode: 'sandbox',
    },
  })
  assert(scopes.includes('operator') && scopes.includes('suspense:write'))
  assert.match(csrfToken, /^[\w-]{43}$/)
  const browser = browserOf(bench, answer)
  assert.equal((await browser.call({ url: '/api/v1/suspense' })).statusCode, 200)
})

test('the cookie is for our pages only, and nobody else can read it', async () => {
  const email = await makeUser(bench)

  const answer = await trySignIn(bench, { email, password: PASSWORD })

  const [session] = [answer.headers['set-cookie']].flat()
  const [pair, ...attributes] = String(session).split('; ')
  assert.match(pair as string, /^manilla_session=[\w-]{43}$/)
  const expected = ['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict']
  assert.deepEqual(attributes, expected)
  assert.equal(answer.headers['cache-control'], 'no-store')
})

test('behind https the cookie is bound to this very host, and no other name is accepted', async () => {
  await using secure = await startTestService({ env: { PUBLIC_URL: 'https://pay.example.com' } })
  const email = await makeUser(secure as Bench)

  const answer = await trySignIn(secure, { email, password: PASSWORD })

  const [session] = [answer.headers['set-cookie']].flat()
  const [pair, ...attributes] = String(session).split('; ')
  assert.match(pair as string, /^__Host-manilla_session=[\w-]{43}$/)
  const expected = ['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']
  assert.deepEqual(attributes, expected)
  const browser = browserOf(secure, answer)
  assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
  const unprefixed = { cookie: browser.cookie.replace('__Host-', '') }
  for (const url of [SESSION_URL, '/api/v1/suspense']) {
    assert.equal((await browser.call({ url, headers: unprefixed })).statusCode, 401, url)
  }
  const planted = { cookie: `${unprefixed.cookie.slice(0, -1)}A; ${browser.cookie}` }
  assert.equal((await browser.call({ url: SESSION_URL, headers: planted })).statusCode, 200)
  const forged = { ...planted, 'x-csrf-token': '' }
  const out = await browser.call({ method: 'DELETE', url: SESSION_URL, headers: forged })
  assertRefused(out, { status: 403, code: 'csrf_token_wrong' })
  const signedOut = await browser.call({ method: 'DELETE', url: SESSION_URL })
  assert.match(String(signedOut.headers['set-cookie']), /^__Host-manilla_session=; Max-Age=0; /)
})

test('over plain http a cookie with the prefix of https is not accepted', async () => {
  const browser = await newBrowser(bench)

  const headers = { cookie: `__Host-${browser.cookie}` }

  assert.equal((await browser.call({ url: SESSION_URL, headers })).statusCode, 401)
})

test('only the hash of a session’s token is stored, and neither token nor password is logged', async () => {
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

  assertRefused(wrong, { status: 401, code: 'invalid_sign_in' })
  assertAlike(wrong, unknown)
  assertAlike(wrong, gone)
  for (const answer of [wrong, unknown, gone]) assert(!answer.headers['set-cookie'])
})

test('an unknown address takes as long to refuse as a wrong password', async () => {
  const { email } = SANDBOX_USER // The hash of this password has its full cost.
  const refuse = async (body: object) =>
    assert.equal((await trySignIn(bench, body)).statusCode, 401)
  const wrong = await costsOf(() => refuse({ email, password: 'wrong' }))
  const unknown = await costsOf(() => refuse({ email: 'nobody@people.example', password: 'wrong' }))

  assert.deepEqual(wrong, [2 ** 17])
  assert.deepEqual(unknown, wrong)
})

test('a malformed sign-in is refused, field by field', async () => {
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
    { ...right, storeKeys: true },
  ]

  const faults: string[] = []
  for (const body of wrong) {
    const answer = await trySignIn(bench, body)
    const found = refusalFaults(answer, 'account', [400])
    faults.push(...found.map((fault) => `${JSON.stringify(body).slice(0, 60)}: ${fault}`))
  }
  assert.deepEqual(faults, [])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assertRefused(await trySignIn(bench, 'email=a', form), { status: 415 })
})

test('the same address at two clients: each password opens its own, one for both asks which', async () => {
  await bench.newClient('TWIN1')
  await bench.newClient('TWIN2')
  const email = 'twin@people.example'
  for (const clientId of ['TWIN1', 'TWIN2']) await makeUser(bench, { clientId, email })

  const unclear = await trySignIn(bench, { email, password: PASSWORD })
  const clear = await trySignIn(bench, { email, password: PASSWORD, clientId: 'TWIN2' })
  const neither = await trySignIn(bench, { email, password: PASSWORD, clientId: 'TWIN3' })

  assertRefused(unclear, { status: 409, code: 'client_id_needed' })
  assert.deepEqual(unclear.json().errors, [{ field: 'clientId', message: 'One of TWIN1, TWIN2.' }])
  assert.equal(dataOf(clear).client.clientId, 'TWIN2')
  assertRefused(neither, { status: 401, code: 'invalid_sign_in' })
})

test('a password that is changed while somebody signs in with it opens nothing', async () => {
  const email = await makeUser(bench)
  const holder = await bench.db.connect()
  await holder.query('begin')
  await holder.query(`update users set password_hash = 'scrypt$1024$AA==$AA==' where email = $1`, [
    email,
  ])

  const signingIn = trySignIn(bench, { email, password: PASSWORD })
  await untilBlocked(bench.db, 1)
  await holder.query('commit')
  holder.release()

  assertRefused(await signingIn, { status: 401, code: 'invalid_sign_in' })
})

test('live refuses to start while the documented user has the documented password', async () => {
  await using live = await startLiveService()
  const options = {
    config: live.config,
    connectionString: live.database.connectionString,
    clock: live.clock,
    log: createLogger({ level: 'silent' }),
  }
  const client = { clientId: 'MAN0000001', secret: 'another', isOperator: true }
  await addClient(live.db, live.clock(), client)
  await createSandboxUser(live.db, live.clock())

  await assert.rejects(
    prepareDatabase(options),
    /demo@sandbox\.example still has the documented sandbox password/,
  )
  await live.db.query(`update users set password_hash = 'scrypt$1024$AA==$AA=='`)
  await prepareDatabase(options)
})

test('an unknown address below the dashboard’s is no page', async () => {
  const answer = await bench.call({ url: '/dashboard/api/nothing', token: null })

  assertRefused(answer, { status: 404, code: 'route_not_found' })
})
