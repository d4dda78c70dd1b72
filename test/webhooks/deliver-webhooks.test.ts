// Deliveries to real HTTP receivers, correct and faulty ones: each is signed and retried by the published
// schedule, and every attempt is logged.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { EndpointId } from '#ids.ts'
import { RETRY_STEPS_MS } from '#webhooks/retry-schedule.ts'
import { RETIRING_MS, rotateSecret } from '#webhooks/secrets.ts'
import { createAccount, simulate, startPayment } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import {
  listener,
  type ReceivedWebhook,
  startWebhookBench,
  verifies,
} from '../support/webhook-bench.ts'
import { closedPort, rawReceiver } from './receivers.ts'

test('deliveries to other addresses than endpoints carry the client’s signature', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const { url } = receiver
  await createAccount(bench, { notificationUrl: url })
  const payment = await startPayment(bench, { notificationUrl: url, callBackUrl: `${url}?shop=1` })
  await simulate(bench, payment.bankAccount, '6000')

  await bench.run()

  const secret = await bench.secret()
  assert.deepEqual(receiver.types().sort(), [
    'account.created',
    'payment.processing',
    'payment.successful',
    'payment.successful',
  ])
  for (const webhook of receiver.received) {
    assert(verifies(secret, webhook), webhook.json.type)
    assert.equal(webhook.headers['webhook-id'], webhook.json.id)
    assert.equal(webhook.headers['webhook-timestamp'], String(bench.clock().getTime() / 1000))
    assert.equal(webhook.headers['content-type'], 'application/json')
  }
  const callback = receiver.received.find(({ path }) => path.includes('shop=1'))
  const { adviceReference, paymentReference } = payment
  const references =
    `adviceReference=${adviceReference}&paymentReference=${paymentReference}` +
    `&advicereference=${adviceReference}&paymentreference=${paymentReference}`
  assert.equal(callback?.path, `/hook?shop=1&${references}`)
  assert((await bench.deliveries()).every(({ state }) => state === 'delivered'))
})

for (const [verb, body, isHeardElsewhere] of [
  ['DELETE', undefined, false],
  ['PATCH', { isActive: false }, false],
  ['PATCH', { url: 'moved' }, true],
] as const) {
  const change = body ? JSON.stringify(body) : 'deleted'
  test(`deliveries to a notificationUrl are sent when its endpoint is ${change}`, async () => {
    await using receiver = await listener()
    await using bench = await startWebhookBench()
    const endpoint = await bench.addEndpoint(`${receiver.url}/both`)
    await createAccount(bench, { notificationUrl: endpoint.url })
    await bench.dispatch()
    const moved = body && 'url' in body ? { url: `${receiver.url}/elsewhere` } : body
    const url = `/api/v1/webhook-endpoints/${endpoint.id}`
    const answer = await bench.call({ method: verb, url, ...(moved && { body: moved }) })
    assert.equal(answer.statusCode, 200, answer.body)

    await bench.run()

    const paths = receiver.received.map(({ path }) => path).sort()
    assert.deepEqual(paths, ['/hook/both', ...(isHeardElsewhere ? ['/hook/elsewhere'] : [])])
    const atUrl = receiver.received.find(({ path }) => path === '/hook/both')
    assert.deepEqual(await signers(bench, atUrl, [null]), [true])
  })
}

test('an endpoint has a secret of its own; with the address of a notificationUrl, both sign', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const own = await bench.addEndpoint(`${receiver.url}/own`)
  const both = await bench.addEndpoint(`${receiver.url}/both`)
  await createAccount(bench, { notificationUrl: both.url })

  await bench.run()

  const [first, second] = receiver.received.toSorted((a, b) => (a.path < b.path ? 1 : -1))
  assert.equal(receiver.received.length, 2)
  assert.deepEqual(await signers(bench, first, [own.id, both.id, null]), [true, false, false])
  assert.deepEqual(await signers(bench, second, [own.id, both.id, null]), [false, true, true])
})

test('while a secret is rotated both sign, for a day', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const old = await bench.secret()
  const clientId = await bench.clientId()
  const fresh = await withTransaction(bench.db, (tx) =>
    rotateSecret(tx, { sealer: bench.sealer, now: bench.clock() }, { clientId, endpointId: null }),
  )
  assert.equal(await bench.secret(), fresh)

  await createAccount(bench, { notificationUrl: receiver.url })
  await bench.run()
  bench.advance(RETIRING_MS)
  await createAccount(bench, { notificationUrl: receiver.url })
  await bench.run()

  const [during, after] = receiver.received as [ReceivedWebhook, ReceivedWebhook]
  assert.deepEqual([verifies(fresh, during), verifies(old, during)], [true, true])
  assert.equal(String(during.headers['webhook-signature']).split(' ').length, 2)
  assert.deepEqual([verifies(fresh, after), verifies(old, after)], [true, false])
})

test('a failed delivery is sent again by the ladder, with the same id, and then given up', async () => {
  await using receiver = await listener((response) => response.writeHead(500).end('no'))
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })

  const waits: number[] = []
  for (const waitMs of RETRY_STEPS_MS) {
    if (waitMs > 0) {
      bench.advance(waitMs - 1)
      await bench.run()
      bench.advance(1)
    }
    await bench.run()
    waits.push(receiver.received.length)
  }
  bench.advance(7 * 86_400_000)
  await bench.run()

  assert.deepEqual(waits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  assert.equal(receiver.received.length, 10)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
  assert.equal((await bench.deliveries())[0]?.state, 'failed')
  assert.deepEqual((await bench.attempts()).at(-1), {
    attempt: 10,
    status: 500,
    error: 'the receiver answered 500',
    responseStart: 'no',
  })
})

test('Retry-After puts the next attempt off', async () => {
  const headers = { 'retry-after': '3600' }
  await using receiver = await listener((response) => response.writeHead(503, headers).end())
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })

  await bench.run()

  const [delivery] = await bench.deliveries()
  assert.equal(delivery.nextAttemptAt.getTime(), bench.clock().getTime() + 3_600_000)
})

// The timeout in milliseconds for each receiver that must time out.
const TIMEOUTS: Record<string, number> = { silence: 1_000, 'headers, then a drip': 3_000 }

// Each row is a receiver's name, its behaviour and the expected entry in the log of attempts.
const ANSWERS: readonly (readonly [string, (r: ServerResponse) => void, object])[] = [
  ['204', (r) => r.writeHead(204).end(), { status: 204, error: null }],
  [
    'a redirect',
    (r) => r.writeHead(302, { location: 'https://else.example.ng/' }).end(),
    { status: 302, error: 'redirected to https://else.example.ng/ (redirects are not followed)' },
  ],
  ['404', (r) => r.writeHead(404).end(), { status: 404, error: 'the receiver answered 404' }],
  ['silence', () => {}, { status: null, error: 'no answer within 1 s' }],
  [
    'headers, then a drip',
    (r) => {
      r.writeHead(500)
      const drip = setInterval(() => r.write('x'), 10)
      r.on('close', () => clearInterval(drip))
    },
    { status: 500, error: 'the receiver answered 500' },
  ],
  [
    '100 MB',
    (r) => {
      const megabyte = Buffer.alloc(1_048_576, 'x')
      let sent = 0
      // Writes a hundred times a megabyte, and pauses while the connection takes no more.
      const writeMore = () => {
        while (sent < 100 && r.writable) {
          sent++
          if (!r.write(megabyte)) return
        }
        r.end()
      }
      r.on('drain', writeMore)
      writeMore()
    },
    { status: 200, error: null },
  ],
]

for (const [name, answer, expected] of ANSWERS) {
  test(`a receiver that answers ${name} is on record as it was`, async () => {
    await using receiver = await listener(answer)
    await using bench = await startWebhookBench()
    await createAccount(bench, { notificationUrl: receiver.url })
    await bench.dispatch()

    const timeoutMs = TIMEOUTS[name] ?? patience(3_000)
    await bench.deliver(bench.newDeliverer({ timeoutMs }))

    const [seen] = await bench.attempts()
    const { responseStart } = seen
    assert.deepEqual(seen, { attempt: 1, responseStart, ...expected })
    assert(responseStart.length <= 4096)
    const isOk = (expected as { error: string | null }).error === null
    assert.equal((await bench.deliveries())[0]?.state, isOk ? 'delivered' : 'pending')
  })
}

test('garbage, a closed connection and a closed port are failures in plain words', async () => {
  await using garbage = await rawReceiver((socket) => socket.end('hello\r\n\r\n'))
  await using half = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'))
  await using bench = await startWebhookBench()
  const urls = [garbage.url, half.url, `http://127.0.0.1:${await closedPort()}/`]
  for (const notificationUrl of urls) await createAccount(bench, { notificationUrl })

  await bench.run()

  assert.deepEqual((await bench.attempts()).map(({ error }) => error).sort(), [
    'the answer is not HTTP',
    'the connection was closed before an answer came',
    'the connection was refused',
  ])
})

test('410 is final: the delivery fails, and the destination gets no further deliveries', async () => {
  await using receiver = await listener((response) => response.writeHead(410).end())
  await using other = await listener()
  await using account = await listener()
  await using bench = await startWebhookBench()
  const notificationUrl = account.url
  const endpoint = await bench.addEndpoint(receiver.url)
  await bench.addEndpoint(other.url, ['endpoint.disabled'])
  await createAccount(bench, { notificationUrl })
  await bench.run()

  bench.advance(60_000)
  await createAccount(bench, { notificationUrl })
  await bench.run()

  assert.deepEqual(receiver.types(), ['account.created'])
  const queued = (await bench.deliveries()).filter(({ url }) => url === receiver.url)
  assert.deepEqual(
    queued.map(({ state }) => state),
    ['failed'],
  )
  assert.deepEqual(other.types(), ['endpoint.disabled'])
  assert.deepEqual(other.received[0]?.json.data, {
    id: endpoint.id,
    url: receiver.url,
    isActive: false,
    reason: 'its receiver answered 410 Gone',
    failingSince: other.received[0]?.json.data.failingSince,
  })
})

// For each owner, whether its secret verifies this webhook. The owner null stands for the client's own
// secret.
async function signers(
  bench: { secret(id: EndpointId | null): Promise<string> },
  webhook: ReceivedWebhook | undefined,
  owners: (EndpointId | null)[],
): Promise<boolean[]> {
  const secrets = await Promise.all(owners.map((owner) => bench.secret(owner)))
  return secrets.map((secret) => webhook !== undefined && verifies(secret, webhook))
}

test('in the sandbox, nothing goes to an example host, and its destination is not failing', async () => {
  await using bench = await startWebhookBench()
  const callBackUrl = 'https://shop.example/thanks'
  const { bankAccount } = await startPayment(bench, { callBackUrl })
  await simulate(bench, bankAccount, '6000')

  await bench.run()

  const { rows } = await bench.db.query(
    `select v.state, v.attempts, a.error, a.status, d.failures, d.failing_since
       from deliveries v join destinations d on d.id = v.destination_id
       join delivery_attempts a on a.event_id = v.event_id`,
  )
  const error = 'not sent: this host is reserved for examples (RFC 2606)'
  const health = { failures: 0, failingSince: null }
  assert.deepEqual(rows, [{ state: 'failed', attempts: 1, error, status: null, ...health }])
  const overview = (await bench.call({ url: '/api/v1/overview' })).json().data
  assert.equal(overview.failingWebhooks, 0)
})
