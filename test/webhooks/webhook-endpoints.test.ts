// Webhook endpoints: registered, listed, changed and deleted; with a secret that can be read again and
// rotated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS_MAX } from '#webhooks/endpoints.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf, TIMESTAMP, UUID } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { ENDPOINTS, webhookJourneys } from '../support/webhook-journeys.ts'

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/
const URL = 'https://shop.example.com/hooks?a=1'

const bench = closeAfterTests(await startTestService())
const { newClient } = webhookJourneys(bench, 'HOOKS')

async function create(token: string, body: object = { url: URL }) {
  return dataOf(await bench.call({ url: ENDPOINTS, body, token }))
}

test('a new endpoint is active, gets every type, and answers with its secret', async () => {
  const token = await newClient()

  const { id, secret, createdAt, updatedAt, ...rest } = await create(token)

  assert.match(id, UUID)
  assert.match(secret, SECRET)
  assert.match(createdAt, TIMESTAMP)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, { url: URL, eventTypes: null, isActive: true })
})

test('an endpoint reads back with its secret and its health', async () => {
  const token = await newClient()
  const made = await create(token, { url: URL, eventTypes: ['payment.successful'] })

  for (const id of [made.id, made.id.toUpperCase(), made.id.replaceAll('-', '')]) {
    const answer = await bench.call({ url: `${ENDPOINTS}/${id}`, token })
    const { health, ...endpoint } = dataOf(answer)
    assert.deepEqual(endpoint, made)
    assert.deepEqual(health, {
      failures: 0,
      failingSince: null,
      pausedUntil: null,
      disabledWhy: null,
      lastAttempts: [],
    })
  }
})

test('secrets are sealed where they are kept, and not in the log', async () => {
  const { secret } = await create(await newClient())

  const { rows } = await bench.db.query(
    'select encode(secret_sealed, $1) as kept from signing_secrets',
    ['escape'],
  )
  assert(rows.length > 0)
  for (const { kept: stored } of rows) assert(!stored.includes('whsec_'))
  assert(!bench.logText().includes(secret.slice('whsec_'.length)))
})

test('the list shows the endpoints newest first, a page at a time, without secrets', async () => {
  const token = await newClient()
  const ids: string[] = []
  for (const path of ['a', 'b', 'c']) {
    bench.advance(1)
    ids.unshift((await create(token, { url: `https://shop.example.com/${path}` })).id)
  }

  const all = (await bench.call({ url: ENDPOINTS, token })).json()
  const first = (await bench.call({ url: `${ENDPOINTS}?limit=2`, token })).json()
  const next = `${ENDPOINTS}?limit=2&cursor=${first.nextCursor}`
  const second = (await bench.call({ url: next, token })).json()

  assert.deepEqual(idsOf(all), ids)
  assert.deepEqual([all.isSuccessful, all.hasMore, all.nextCursor], [true, false, null])
  assert(all.data.every((each: object) => !('secret' in each)))
  assert.deepEqual([idsOf(first), first.hasMore], [ids.slice(0, 2), true])
  assert.deepEqual([idsOf(second), second.hasMore], [ids.slice(2), false])
})

test('each field can be changed by itself', async () => {
  const token = await newClient()
  const { id, secret: _, ...made } = await create(token)
  const url = `${ENDPOINTS}/${id}`
  const change = async (body: object) =>
    dataOf(await bench.call({ method: 'PATCH', url, body, token }))

  bench.advance(1_000)
  const types = await change({ eventTypes: ['account.created', 'payment.expired'] })
  const moved = await change({ url: 'https://shop.example.com/elsewhere' })
  const off = await change({ isActive: false })
  const on = await change({ isActive: true, eventTypes: null })

  assert.deepEqual(types.eventTypes, ['account.created', 'payment.expired'])
  assert.deepEqual([types.url, types.isActive], [made.url, true])
  assert.equal(types.createdAt, made.createdAt)
  assert.notEqual(types.updatedAt, made.updatedAt)
  assert.equal(moved.url, 'https://shop.example.com/elsewhere')
  assert.deepEqual(moved.eventTypes, types.eventTypes)
  assert.deepEqual([off.isActive, off.url], [false, moved.url])
  assert.deepEqual([on.isActive, on.eventTypes], [true, null])
})

test('an endpoint disabled by the service shows this and the reason until its owner enables it', async () => {
  const token = await newClient()
  const { id } = await create(token)
  await bench.db.query(
    `update destinations set disabled_at = $2, disabled_why = 'the receiver answered 410',
            failures = 1, failing_since = $2, paused_until = $2 where endpoint_id = $1`,
    [id, bench.clock()],
  )
  const url = `${ENDPOINTS}/${id}`

  const before = dataOf(await bench.call({ url, token }))
  const listed = (await bench.call({ url: ENDPOINTS, token })).json()
  const body = { isActive: true }
  const on = dataOf(await bench.call({ method: 'PATCH', url, body, token }))
  const after = dataOf(await bench.call({ url, token }))

  assert.equal(before.isActive, false)
  assert.equal(before.health.disabledWhy, 'the receiver answered 410')
  assert.match(before.health.failingSince, TIMESTAMP)
  assert.match(before.health.pausedUntil, TIMESTAMP)
  const { lastAttempts: _, ...condition } = before.health
  assert.deepEqual(listed.data[0].health, condition)
  assert.equal(on.isActive, true)
  assert.deepEqual([after.health.failures, after.health.disabledWhy], [0, null])
})

test('a deleted endpoint is gone, and makes room', async () => {
  const token = await newClient()
  const { id } = await create(token)
  const url = `${ENDPOINTS}/${id}`

  const deleted = await bench.call({ method: 'DELETE', url, token })
  const again = await bench.call({ method: 'DELETE', url, token })

  assert.deepEqual(dataOf(deleted), { id })
  assertRefused(again, { status: 404, code: 'endpoint_not_found' })
  assertRefused(await bench.call({ url, token }), { status: 404 })
  assert.deepEqual((await bench.call({ url: ENDPOINTS, token })).json().data, [])
})

test(`a client has at most ${ENDPOINTS_MAX}, also when it asks for many at once`, async () => {
  const token = await newClient()
  const requests = Array.from({ length: ENDPOINTS_MAX + 5 }, () =>
    bench.call({ url: ENDPOINTS, body: { url: URL }, token }),
  )

  const answers = await Promise.all(requests)

  const refused = answers.filter(({ statusCode }) => statusCode !== 200)
  assert.equal(refused.length, 5)
  for (const answer of refused) {
    assertRefused(answer, { status: 409, code: 'too_many_endpoints' })
  }
  const [winner] = answers.filter(({ statusCode }) => statusCode === 200)
  const id = winner?.json().data.id
  await bench.call({ method: 'DELETE', url: `${ENDPOINTS}/${id}`, token })
  await create(token)
})

test('rotating replaces the secret; the old one signs for a day more', async () => {
  const token = await newClient()
  const { id, secret } = await create(token)
  const url = `${ENDPOINTS}/${id}`

  const rotated = await bench.call({ method: 'POST', url: `${url}/rotate-secret`, token })
  const read = await bench.call({ url, token })

  const { secret: fresh, ...rest } = dataOf(rotated)
  assert.deepEqual(rest, {})
  assert.match(fresh, SECRET)
  assert.notEqual(fresh, secret)
  assert.equal(dataOf(read).secret, fresh)
  const { rows } = await bench.db.query<{ retires: Date | null }>(
    'select retires_at as retires from signing_secrets where endpoint_id = $1 order by id',
    [id],
  )
  const dayLater = new Date(bench.clock().getTime() + 24 * 3_600_000)
  assert.deepEqual(rows, [{ retires: dayLater }, { retires: null }])
})

test("the client's own secret is the same every time, its own, and rotates", async () => {
  const [token, other] = [await newClient(), await newClient()]
  const read = async (as: string) =>
    dataOf(await bench.call({ url: '/api/v1/webhook-secret', token: as })).secret

  const [first, second, theirs] = [await read(token), await read(token), await read(other)]
  const url = '/api/v1/webhook-secret/rotate'
  const rotated = dataOf(await bench.call({ method: 'POST', url, token })).secret

  assert.match(first, SECRET)
  assert.equal(second, first)
  assert.notEqual(theirs, first)
  assert.notEqual(rotated, first)
  assert.equal(await read(token), rotated)
  assert.equal(await read(other), theirs)
})

function idsOf({ data }: { data: { id: string }[] }): string[] {
  return data.map(({ id }) => id)
}
