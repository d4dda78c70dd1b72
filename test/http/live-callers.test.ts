// I222: every write checks in its transaction that its caller is still signed in. Each writing operation that
// a person may call is called while their session is being ended: the request passes its authentication, then
// waits for the end of the session, and is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOperatorScope } from '#access/permissions.ts'
import { type ApiRoute, listRoutes } from '../../scripts/documents.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { assertRefused } from '../support/fixtures.ts'
import { CREATING_RECIPES, RECIPES, type Recipe } from '../support/isolation-recipes.ts'
import { fillWorld } from '../support/isolation-world.ts'
import { addBankAccount, fund, PAYOUTS } from '../support/payouts.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { type Call, startTestService } from '../support/running-service.ts'
import { answersIn, openSocket } from './raw-sockets.ts'

const UNLIMITED = 'client=0,simulate=0,address=0,initiate=0,login=0,rail=0'
const BLOCKED = `
  select exists (select from pg_stat_activity
                  where datname = current_database() and $1 = any(pg_blocking_pids(pid))) as is_blocked`

const bench = closeAfterTests(await startTestService({ env: { MANILLA_RATE_LIMITS: UNLIMITED } }))
const address = await bench.service.app.listen({ port: 0, host: '127.0.0.1' })
const world = await fillWorld(bench, 'OWNER')
const owner = await newBrowser(bench, 'owner', world.clientId)
const operator = await newBrowser(bench, 'operator')
const description = (await bench.call({ url: '/openapi.json', token: null })).json()
const writing = listRoutes(description).filter(
  ({ method, credentials }) => method !== 'GET' && ['token', 'session'].includes(credentials ?? ''),
)
const recipes: Record<string, Recipe> = { ...RECIPES, ...CREATING_RECIPES }

// Returns a call of the operation with the caller's own things, or at least with its path.
function callOf({ operationId, method, path }: ApiRoute): Call {
  const named = recipes[operationId]?.(world).find((call) => call.method === method)
  return named ?? { method, url: path.replace(/\{\w+\}/g, world.paymentReference), body: {} }
}

// Calls the operation while another transaction ends the caller's sessions. Returns whether the call waited
// for that, and its answer. Afterwards the caller is signed in as before.
async function callWhileEnding(by: Browser, call: Call) {
  const holder = await bench.db.connect()
  const { rows: sessions } = await holder.query(
    'select to_jsonb(s) as session from sessions s where user_id = $1',
    [by.user.id],
  )
  await holder.query('begin')
  const { rows: pids } = await holder.query('select pg_backend_pid() as pid')
  await holder.query('delete from sessions where user_id = $1', [by.user.id])
  let isAnswered = false
  const answering = by.call(call).finally(() => {
    isAnswered = true
  })
  let hasWaited = false
  while (!isAnswered && !hasWaited) {
    const { rows } = await bench.db.query(BLOCKED, [pids[0].pid])
    hasWaited = rows[0].isBlocked
  }
  await holder.query('commit')
  const answer = await answering
  for (const { session } of sessions) {
    await holder.query(
      'insert into sessions select * from jsonb_populate_record(null::sessions, $1)',
      [JSON.stringify(session)],
    )
  }
  holder.release()
  return { answer, hasWaited }
}

test('no operation writes for a person whose session ends while the request is under way', async () => {
  const faults: string[] = []
  const waited: string[] = []
  for (const route of writing) {
    const by = route.scope && isOperatorScope(route.scope) ? operator : owner
    const { answer, hasWaited } = await callWhileEnding(by, callOf(route))
    const isRefused = hasWaited
      ? answer.statusCode === 401 && answer.body.includes('session_needed')
      : answer.statusCode >= 400 && answer.statusCode < 500
    if (hasWaited) waited.push(route.operationId)
    if (!isRefused) faults.push(`${route.operationId}: ${answer.statusCode} ${answer.body}`)
  }
  assert.deepEqual(faults, [])
  // The others refuse what these calls say before they begin a transaction.
  assert(waited.length > 100, `${waited.length} of ${writing.length}: ${waited}`)
  for (const id of [
    'createPayout',
    'rotateClientSecret',
    'createCollectionAccount',
    'createCollectionAccounts',
    'createAdvice',
    'closeSettlement',
  ]) {
    assert(waited.includes(id), `${id} did not get to its transaction`)
  }
})

// Sends the headers of a request and half of its body, then calls `meanwhile`, and then sends the rest.
async function sendInHalves(by: Browser, { url, body }: Call, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body)
  // A session that was idle for a while is touched when a request is authenticated.
  const idle =
    "update sessions set seen_at = seen_at - interval '10 minutes' where user_id = $1 returning seen_at"
  const [{ seenAt }] = (await bench.db.query(idle, [by.user.id])).rows
  const isTouched = 'select from sessions where user_id = $1 and seen_at > $2'
  using socket = await openSocket(address)
  socket.send(
    `POST ${url} HTTP/1.1\r\nhost: manilla.example\r\ncookie: ${by.cookie}\r\n` +
      `x-csrf-token: ${by.csrfToken}\r\ncontent-type: application/json\r\n` +
      `content-length: ${text.length}\r\nconnection: close\r\n\r\n` +
      text.slice(0, 10),
  )
  await until('the request is authenticated', async () => {
    return (await bench.db.query(isTouched, [by.user.id, seenAt])).rowCount === 1
  })
  await meanwhile()
  socket.send(text.slice(10))
  return answersIn(await socket.rest())[0]
}

test('a helper who is removed while the body arrives requests nothing', async () => {
  const token = await bench.newClient('HELPED')
  const boss = await newBrowser(bench, 'owner', 'HELPED')
  const helper = await newBrowser(bench, 'finance', 'HELPED')
  await fund(bench, '100', { token })
  const { reference: bankAccount } = await addBankAccount(boss)
  const body = { amount: 1, narration: 'Mine', bankAccount }
  const answer = await sendInHalves(helper, { url: PAYOUTS, body }, async () => {
    const url = `/dashboard/api/users/${helper.user.id}`
    assert.equal((await boss.call({ method: 'DELETE', url })).statusCode, 200)
  })
  assert.equal(answer?.status, 401, answer?.body)
  const { rows } = await bench.db.query('select from payouts where requested_by = $1', [
    `user:${helper.user.email}`,
  ])
  assert.equal(rows.length, 0)
})

test('a token that is revoked while a request is under way writes nothing', async () => {
  const token = await bench.newClient('REVOKED')
  const boss = await newBrowser(bench, 'owner', 'REVOKED')
  const holder = await bench.db.connect()
  await holder.query('begin')
  const { rows } = await holder.query('select pg_backend_pid() as pid')
  await holder.query(
    `delete from client_secrets where client_id = (select id from clients where client_id = 'REVOKED')`,
  )
  await holder.query(
    `update clients set token_generation = token_generation + 1 where client_id = 'REVOKED'`,
  )
  const body = { url: 'https://shop.example.com/hooks' }
  const writing = bench.call({ url: '/api/v1/webhook-endpoints', body, token })
  for (;;) {
    const blocked = await bench.db.query(BLOCKED, [rows[0].pid])
    if (blocked.rows[0].isBlocked) break
  }
  await holder.query('commit')
  holder.release()
  assertRefused(await writing, { status: 401, code: 'unauthorized' })
  const { data } = (await boss.call({ url: '/api/v1/webhook-endpoints' })).json()
  assert.deepEqual(data, [])
})
