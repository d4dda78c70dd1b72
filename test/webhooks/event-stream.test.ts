// The stream of live events: a client gets each of its events once and in order, also after reconnects, and
// never another client's. An open stream does not keep the service from stopping.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { timeOrderedId } from '#ids.ts'
import { readEventsAfter } from '#webhooks/events.ts'
import { HOLDER_LISTENERS_MAX, LISTENERS_MAX } from '#webhooks/stream-routes.ts'
import { closeAfterTests } from '../support/closing.ts'
import { type Block, listenLocally, openStream } from '../support/event-source.ts'
import { assertRefused, createAccount } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const STREAM = '/api/v1/events/stream'

const bench = closeAfterTests(await startTestService())
const address = await listenLocally(bench.service.app)

let clients = 0
async function newClient(): Promise<string> {
  clients += 1
  return bench.newClient(`STREAM${String(clients).padStart(4, '0')}`)
}

function open(token: string, headers: Record<string, string> = {}, query = '') {
  return openStream(`${address}${STREAM}${query}`, { authorization: `Bearer ${token}`, ...headers })
}

async function createAccounts(count: number, token: string): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => createAccount(bench, {}, { token })))
}

test('an event comes with its number, its type and its body as it is listed', async () => {
  const token = await newClient()
  await using stream = await open(token)

  const account = await createAccount(bench, {}, { token })
  const { id, event, data } = await stream.nextEvent()

  const list = await bench.call({ url: '/api/v1/events', token })
  const [{ deliveryState: _, ...listed }] = list.json().data
  assert.deepEqual([id, event], ['1', 'account.created'])
  assert.deepEqual(JSON.parse(data as string), listed)
  assert.equal(listed.data.accountNumber, account.accountNumber)
  assert.match(String(stream.headers.get('content-type')), /^text\/event-stream/)
  assert.equal(stream.headers.get('cache-control'), 'no-store')
})

test('a stream starts with what is new, and says from where it can be resumed', async () => {
  const token = await newClient()
  await createAccounts(3, token)
  await using stream = await open(token)

  const first = await stream.next()
  await createAccount(bench, {}, { token })

  assert.deepEqual(first, { retry: '2000', id: '3' })
  assert.equal((await stream.nextEvent()).id, '4')
})

test('a returning listener resumes by the last number, by header or parameter', async () => {
  const token = await newClient()
  await createAccounts(4, token)

  for (const [headers, query] of [
    [{ 'last-event-id': '1' }, ''],
    [{}, '?lastEventId=1'],
    [{ 'last-event-id': '1' }, '?lastEventId=3'], // A browser keeps its original address.
  ] as const) {
    await using stream = await open(token, headers, query)
    assert.deepEqual(numbersOf(await stream.take(3)), [2, 3, 4])
  }
  await using beyond = await open(token, { 'last-event-id': '999' })
  await createAccount(bench, {}, { token })
  assert.equal((await beyond.nextEvent()).id, '5')
})

test('an event that is committed before the one numbered before it comes after it', async () => {
  const token = await newClient()
  await createAccounts(2, token)
  const name = `STREAM${String(clients).padStart(4, '0')}`
  const { rows } = await bench.db.query('select id from clients where client_id = $1', [name])
  const write = (tx: Transaction, sequence: number) =>
    tx.query(
      `insert into events (id, client_id, sequence, type, facts, created_at)
       values ($1, $2, $3, 'endpoint.test', '{}', $4)`,
      [timeOrderedId(bench.clock()), rows[0].id, sequence, bench.clock()],
    )
  const readAfter = async (sequence: bigint) =>
    (await readEventsAfter(bench.db, rows[0].id, { sequence, limit: 100 })).map(
      (event) => event.sequence,
    )

  await withTransaction(bench.db, async (early) => {
    await write(early, 3)
    await withTransaction(bench.db, (late) => write(late, 4))
    assert.deepEqual([await readAfter(1n), await readAfter(2n)], [[2n], []])
  })

  assert.deepEqual(await readAfter(1n), [2n, 3n, 4n])
})

test('a listener who was away for longer than events are kept resumes with the oldest', async () => {
  const token = await newClient()
  await createAccounts(2, token)
  const name = `STREAM${String(clients).padStart(4, '0')}`
  await bench.db.query(
    `update event_counters k set sequence = 7 from clients c
      where c.id = k.client_id and c.client_id = $1`,
    [name],
  )
  await createAccounts(2, token)
  await bench.db.query('alter table events disable trigger events_append_only')
  await bench.db.query(
    `delete from events e using clients c
      where c.id = e.client_id and c.client_id = $1 and e.sequence < 8`,
    [name],
  )
  await bench.db.query('alter table events enable trigger events_append_only')

  await using stream = await open(token, { 'last-event-id': '1' })

  assert.deepEqual(numbersOf(await stream.take(2)), [8, 9])
})

test('catching up on many while more come misses none and repeats none', async () => {
  const token = await newClient()
  await createAccounts(230, token)
  await using early = await open(token)
  await using late = await open(token, { 'last-event-id': '0' })

  const more = createAccounts(120, token)
  const caughtUp = await late.take(350)
  const live = await early.take(120)
  await more

  assert.deepEqual(numbersOf(caughtUp), count(1, 350))
  assert.deepEqual(numbersOf(live), count(231, 350))
})

test("another client's events are not sent", async () => {
  const [mine, theirs] = [await newClient(), await newClient()]
  await using stream = await open(mine)

  await createAccounts(2, theirs)
  await createAccount(bench, { accountName: 'Mine' }, { token: mine })

  const { id, data } = await stream.nextEvent()
  assert.equal(id, '1')
  assert.equal(JSON.parse(data as string).data.accountName, 'Mine')
})

test('no BVN is ever in the stream', async () => {
  const token = await newClient()
  await using stream = await open(token)

  await createAccount(bench, { bvn: '22299988877' }, { token })

  assert(!JSON.stringify(await stream.nextEvent()).includes('22299988877'))
})

test('a malformed stream request is refused like any other', async () => {
  const token = await newClient()
  const wrong = [
    { url: `${STREAM}?lastEventId=x` },
    { url: `${STREAM}?lastEventId=-1` },
    { url: `${STREAM}?lastEventId=${'9'.repeat(30)}` },
    { url: `${STREAM}?since=1` },
    { url: `${STREAM}?access_token=${token}` },
    { url: STREAM, headers: { 'last-event-id': 'abc' } },
  ]

  for (const call of wrong) assertRefused(await bench.call({ ...call, token }))
  const nobody = await bench.call({ url: `${STREAM}?access_token=${token}`, token: null })
  assertRefused(nobody, { status: 401, code: 'unauthorized' })
  const head = await fetch(`${address}${STREAM}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(head.status, 404)
})

// Several tokens of one new client.
async function tokensOf(count: number): Promise<string[]> {
  const tokens = [await newClient()]
  const clientId = `STREAM${String(clients).padStart(4, '0')}`
  while (tokens.length < count) {
    bench.advance(1_000) // Events of the same second have the same time.
    tokens.push(await bench.login(clientId, 's3cret'))
  }
  assert.equal(new Set(tokens).size, count)
  return tokens
}

test('a token has a bounded number of streams, and leaves the others of its client theirs', async () => {
  const [token = '', other = ''] = await tokensOf(2)
  const streams = await Promise.all(Array.from({ length: HOLDER_LISTENERS_MAX }, () => open(token)))

  const refused = await bench.call({ url: STREAM, token })
  streams.push(await open(other))

  assertRefused(refused, { status: 429, code: 'too_many_streams' })
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
})

test('a client has a bounded number of streams, and a closed one makes room', async () => {
  const tokens = await tokensOf(LISTENERS_MAX / HOLDER_LISTENERS_MAX + 1)
  const token = tokens.pop() as string
  const all = tokens.flatMap((each) => Array.from({ length: HOLDER_LISTENERS_MAX }, () => each))
  const streams = await Promise.all(all.map((each) => open(each)))

  const refused = await bench.call({ url: STREAM, token })
  const closing = Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))

  assertRefused(refused, { status: 429, code: 'too_many_streams' })
  await closing
  await using again = await openWhenThereIsRoom(token)
  assert.equal((await again.next())?.id, '0')
})

test('stopping ends every stream, also of a reader that takes nothing', async () => {
  const own = await startTestService()
  const base = await listenLocally(own.service.app)
  const token = await own.login()
  await using stream = await openStream(`${base}${STREAM}`, { authorization: `Bearer ${token}` })
  const deaf = connect({ host: '127.0.0.1', port: Number(new URL(base).port) })
  deaf.on('error', () => {})
  deaf.pause()
  deaf.write(`GET ${STREAM} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  await stream.next()

  await own[Symbol.asyncDispose]()

  assert.equal(await stream.next(), undefined)
  deaf.destroy()
})

// Retries until the server accepts another stream: it notices a closed connection with a delay.
async function openWhenThereIsRoom(token: string) {
  for (;;) {
    const answer = await fetch(`${address}${STREAM}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await answer.body?.cancel()
    if (answer.status === 200) return open(token)
  }
}

function numbersOf(blocks: readonly Block[]): number[] {
  return blocks.map(({ id }) => Number(id))
}

// The whole numbers from `first` to `last`.
function count(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}
