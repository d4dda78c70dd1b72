// The events list: finds every event by any known field, whether or not a webhook arrived; only for the
// client that owns it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import {
  accountBody,
  assertAlike,
  assertRefused,
  createAccount,
  MINUTE_MS,
  refusalFaults,
  SIMULATE,
  TIMESTAMP,
  UNKNOWN_REFERENCE,
  UUID,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { ENDPOINTS, EVENTS, webhookJourneys } from '../support/webhook-journeys.ts'
import { closedPort, httpReceiver } from './receivers.ts'

const bench = closeAfterTests(await startTestService())
const { newClient, list, typesOf, pay, register } = webhookJourneys(bench, 'EVENTS')

test('events are listed newest first, each as it is delivered', async () => {
  const token = await newClient()
  const { bvn: _, ...account } = await createAccount(bench, {}, { token })
  await pay(token)

  const { data, hasMore, nextCursor, isSuccessful } = await list(token)

  assert.deepEqual([isSuccessful, hasMore, nextCursor], [true, false, null])
  assert.deepEqual(
    data.map(({ sequence, type }: { sequence: number; type: string }) => [sequence, type]),
    [
      [3, 'payment.successful'],
      [2, 'payment.processing'],
      [1, 'account.created'],
    ],
  )
  const { id, createdAt, ...created } = data[2]
  assert.match(id, UUID)
  assert.match(createdAt, TIMESTAMP)
  assert.deepEqual(created, {
    type: 'account.created',
    sequence: 1,
    env: 'Test',
    data: account,
    deliveryState: 'pending',
  })
})

test('filters find what they name, alone and together', async () => {
  const token = await newClient()
  const account = await createAccount(bench, {}, { token })
  const other = await createAccount(bench, {}, { token })
  const credit = { virtualAccountNumber: account.accountNumber, amount: '50' }
  await bench.call({ url: SIMULATE, body: credit, token })
  const paid = await pay(token)
  const excess = await pay(token, {}, '7000')

  const about = (query: string) => typesOf(token, query)
  assert.deepEqual(await about('?type=account.created'), ['account.created', 'account.created'])
  assert.deepEqual(await about(`?accountNumber=${account.accountNumber}`), [
    'collection.received',
    'account.created',
  ])
  assert.deepEqual(await about(`?accountNumber=${other.accountNumber}`), ['account.created'])
  const ofPaid = ['payment.successful', 'payment.processing']
  assert.deepEqual(await about(`?accountNumber=${paid.bankAccount}`), ofPaid)
  assert.deepEqual(await about(`?paymentReference=${paid.paymentReference}`), ofPaid)
  const spelt = paid.paymentReference.replaceAll('-', '').toUpperCase()
  assert.deepEqual(await about(`?paymentReference=${spelt}`), ofPaid)
  assert.deepEqual(await about(`?paymentReference=${excess.paymentReference}`), [
    'credit.suspended',
    ...ofPaid,
  ])
  const both = `paymentReference=${excess.paymentReference}&accountNumber=${excess.bankAccount}`
  assert.deepEqual(await about(`?${both}&type=credit.suspended`), ['credit.suspended'])
  const crossed = `paymentReference=${paid.paymentReference}&accountNumber=${account.accountNumber}`
  assert.deepEqual(await about(`?${crossed}`), [])
  assert.deepEqual(await about(`?paymentReference=${UNKNOWN_REFERENCE}`), [])
  assert.deepEqual(await about('?accountNumber=0000000000'), [])
})

test('a window of time holds what happened from its beginning and before its end', async () => {
  const token = await newClient()
  const times: string[] = []
  for (let each = 0; each < 4; each++) {
    await createAccount(bench, {}, { token })
    times.push(bench.clock().toISOString())
    bench.advance(10 * MINUTE_MS)
  }
  const sequences = async (query: string) =>
    (await list(token, query)).data.map(({ sequence }: { sequence: number }) => sequence)

  assert.deepEqual(await sequences(`?from=${times[1]}`), [4, 3, 2])
  assert.deepEqual(await sequences(`?to=${times[1]}`), [1])
  assert.deepEqual(await sequences(`?from=${times[1]}&to=${times[3]}`), [3, 2])
  assert.deepEqual(await sequences('?from=2030-01-01'), [])
  assert.deepEqual(await sequences('?to=2020-01-01'), [])
})

test('pages follow one another without gap or repetition, while new events come', async () => {
  const token = await newClient()
  for (let each = 0; each < 7; each++) await createAccount(bench, {}, { token })

  const seen: number[] = []
  let cursor = ''
  for (;;) {
    const page = await list(token, `?limit=3${cursor}`)
    seen.push(...page.data.map(({ sequence }: { sequence: number }) => sequence))
    await createAccount(bench, {}, { token })
    if (!page.hasMore) break
    cursor = `&cursor=${page.nextCursor}`
  }

  assert.deepEqual(seen, [7, 6, 5, 4, 3, 2, 1])
  const { nextCursor } = await list(token, '?limit=3')
  const elsewhere = [
    { url: `${EVENTS}?limit=3&type=account.created&cursor=${nextCursor}`, token },
    { url: `${EVENTS}?limit=3&cursor=${nextCursor}`, token: await newClient() },
    { url: `${EVENTS}?cursor=x${nextCursor}`, token },
  ]
  for (const call of elsewhere) {
    assertRefused(await bench.call(call), { code: 'invalid_cursor' })
  }
})

test('the list shows which events arrived, are on their way or had no address', async () => {
  await using good = await httpReceiver((_, answer) => answer.end())
  const dead = `http://127.0.0.1:${await closedPort()}/hook`
  const token = await newClient()
  await createAccount(bench, { notificationUrl: good.url }, { token })
  await createAccount(bench, { notificationUrl: dead }, { token })
  await pay(token, { callBackUrl: good.url })
  await deliverDue(bench)
  await createAccount(bench, { notificationUrl: good.url }, { token }) // Not dispatched yet.

  const states = async (query: string) =>
    (await list(token, query)).data.map(
      ({ sequence, deliveryState }: { sequence: number; deliveryState: string }) =>
        `${sequence} ${deliveryState}`,
    )
  assert.deepEqual(await states(''), [
    '5 pending',
    '4 delivered',
    '3 none',
    '2 pending',
    '1 delivered',
  ])
  assert.deepEqual(await states('?delivered=false'), ['5 pending', '2 pending'])
  assert.deepEqual(await states('?delivered=true'), ['4 delivered', '1 delivered'])
  await bench.db.query(`update deliveries set state = 'failed' where state = 'pending'`)
  assert.deepEqual(await states('?delivered=false'), ['5 pending', '2 failed'])
})

test("another client's event answers like one that does not exist", async () => {
  const [owner, token] = [await newClient(), await newClient()]
  const account = await createAccount(bench, accountBody(), { token: owner })
  const payment = await pay(owner)
  const [{ id }] = (await list(owner)).data

  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['POST', '/redeliver'],
  ] as const) {
    const at = (each: string) => ({ method, url: `${EVENTS}/${each}${path}`, token })
    const foreign = await bench.call(at(id))
    assertRefused(foreign, { status: 404, code: 'event_not_found' })
    assertAlike(foreign, await bench.call(at(UNKNOWN_REFERENCE)))
    assertAlike(foreign, await bench.call(at('..%2f')))
  }
  const endpoint = await register(owner, 'http://127.0.0.1:9/')
  await createAccount(bench, {}, { token })
  const [own] = (await list(token)).data
  const mixed = { url: `${EVENTS}/${own.id}/redeliver`, body: { endpointId: endpoint.id }, token }
  assertRefused(await bench.call(mixed), { status: 404, code: 'endpoint_not_found' })
  assert.deepEqual(await typesOf(token, ''), ['account.created'])
  assert.deepEqual(await typesOf(token, `?accountNumber=${account.accountNumber}`), [])
  assert.deepEqual(await typesOf(token, `?paymentReference=${payment.paymentReference}`), [])
})

test('wrong filters, unknown parameters and fields are refused', async () => {
  const token = await newClient()
  await createAccount(bench, {}, { token })
  const [{ id }] = (await list(token)).data
  const endpoint = await register(token, 'http://127.0.0.1:9/')
  const queries = [
    'type=payment.paid',
    'type=',
    'type=account.created&type=payment.expired',
    'accountNumber=123',
    'accountNumber=%D9%A1%D9%A2%D9%A3%D9%A4%D9%A5%D9%A6%D9%A7%D9%A8%D9%A9%D9%A0',
    'paymentReference=x',
    'delivered=maybe',
    'delivered=',
    'from=yesterday',
    'from=2026-11-15&to=2026-11-15',
    'limit=1e1',
    'cursor=',
    'cursor=%00',
    'page=2',
    '__proto__=1',
  ]
  const replay = `${ENDPOINTS}/${endpoint.id}/replay`
  const calls = [
    ...queries.map((query) => ({ url: `${EVENTS}?${query}` })),
    { url: `${EVENTS}/${id}?x=1` },
    { url: `${EVENTS}/${id}/deliveries?x=1` },
    { url: `${EVENTS}/${id}/redeliver`, body: { endpoint: 'x' } },
    { url: `${EVENTS}/${id}/redeliver`, body: { endpointId: 5 } },
    { url: `${EVENTS}/${id}/redeliver`, body: [] },
    { url: replay, body: {} },
    { url: replay, body: { from: '2026-11-15' } },
    { url: replay, body: { from: '2026-11-15', to: 'x' } },
    { url: replay, body: { from: '2026-11-15', to: '2026-11-14' } },
    { url: replay, body: { from: '2026-11-14', to: '2026-11-15', x: 1 } },
    { url: replay, body: { from: 1, to: 2 } },
  ]

  const faults: string[] = []
  for (const call of calls) {
    const found = refusalFaults(await bench.call({ ...call, token }), 'account', [400])
    faults.push(...found.map((fault) => `${JSON.stringify(call)}: ${fault}`))
  }
  assert.deepEqual(faults, [])
})

test('a filter that finds little goes on from page to page, each of bounded work', async () => {
  const token = await bench.newClient('SCANNED001')
  const { paymentReference } = await pay(token, {}, '0')
  await fillWithOthers('SCANNED001', 2, 45_000)
  const late = await bench.newClient('SCANNED002')
  await fillWithOthers('SCANNED002', 100_001, 145_000) // Earlier events are no longer stored.

  const faults = await walkPages(token, `?paymentReference=${paymentReference}`)
  const none = await walkPages(late, '?type=payment.expired')

  assert.deepEqual(faults, [[], [], [1]])
  assert.deepEqual(none, [[], [], []])
})

// Inserts other events of the client, with the sequence numbers from `first` to `last`.
async function fillWithOthers(clientId: string, first: number, last: number): Promise<void> {
  await bench.db.query(
    `with renumbered as (
       update event_counters k set sequence = $3 from clients c
        where c.id = k.client_id and c.client_id = $1 returning k.client_id
     )
     insert into events (id, client_id, sequence, type, facts, created_at)
     select gen_random_uuid(), client_id, n, 'account.created', '{}', $4
       from renumbered, generate_series($2::int, $3::int) n`,
    [clientId, first, last, bench.clock()],
  )
}

// The sequence numbers on each page of the list.
async function walkPages(token: string, query: string): Promise<number[][]> {
  const pages: number[][] = []
  for (let cursor = ''; ; ) {
    const { data, hasMore, nextCursor } = await list(token, `${query}${cursor}`)
    assert.equal(hasMore, nextCursor !== null)
    pages.push(data.map(({ sequence }: { sequence: number }) => sequence))
    if (nextCursor === null) return pages
    cursor = `&cursor=${nextCursor}`
  }
}
