// Pushing: sends the latest state of a payment again to all of its receivers, on the merchant's request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import {
  assertAlike,
  assertRefused,
  dataOf,
  refusalFaults,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { webhookJourneys } from '../support/webhook-journeys.ts'
import { httpReceiver } from './receivers.ts'

const PUSH = '/api/WebHook/push'

const bench = closeAfterTests(await startTestService())
const { newClient, list, pay, register } = webhookJourneys(bench, 'PUSH')

function push(reference: string, token: string | null, url = PUSH) {
  return bench.call({ method: 'POST', url: `${url}/${reference}`, token })
}

// Starts a receiver that records each delivery as its path, the event's id and the payment's status.
async function startReceiver() {
  const received: string[] = []
  const receiver = await httpReceiver((request, answer) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { id, data } = JSON.parse(Buffer.concat(chunks).toString())
      const path = new URL(request.url as string, 'http://x').pathname
      received.push(`${path} ${id} ${data.status}`)
      answer.end()
    })
  })
  return Object.assign(receiver, {
    received,
    at: (path: string) => `http://127.0.0.1:${receiver.port}/${path}`,
  })
}

test('a push sends a paid payment again to its addresses and endpoints, as the same event', async () => {
  await using receiver = await startReceiver()
  const token = await newClient()
  const { paymentReference } = await pay(token, {
    notificationUrl: receiver.at('note'),
    callBackUrl: receiver.at('done?x=1'),
  })
  await deliverDue(bench)
  await register(token, receiver.at('hook'), ['payment.successful'])
  const [{ id }] = (await list(token)).data
  receiver.received.length = 0

  const answer = await push(paymentReference, token)
  await deliverDue(bench)

  assert.deepEqual(dataOf(answer, 'payment'), { paymentReference, eventId: id, queued: 3 })
  const expected = ['/done', '/hook', '/note'].map((path) => `${path} ${id} Successful`)
  assert.deepEqual(receiver.received.sort(), expected)
})

test('a push of a payment that waits for money sends its state, but not to the callBackUrl', async () => {
  await using receiver = await startReceiver()
  const token = await newClient()
  const addresses = { notificationUrl: receiver.at('note'), callBackUrl: receiver.at('done') }
  const waiting = await pay(token, addresses, '0')
  const part = await pay(token, addresses, '1000')
  await deliverDue(bench)
  receiver.received.length = 0

  for (const { paymentReference } of [waiting, part]) {
    assert.equal(dataOf(await push(paymentReference, token), 'payment').queued, 1)
    await deliverDue(bench)
  }

  const expected = receiver.received.map((each) => each.replace(/ .* /, ' '))
  assert.deepEqual(expected, ['/note Processing', '/note PartPayment'])
})

test('the reference and the path may be written in any way', async () => {
  const token = await newClient()
  const { paymentReference } = await pay(token, { callBackUrl: 'http://127.0.0.1:9/' })
  const undashed = paymentReference.replaceAll('-', '')

  for (const reference of [paymentReference, undashed, paymentReference.toUpperCase()]) {
    for (const url of [PUSH, '/api/webhook/push', '/API/WEBHOOK/PUSH']) {
      const data = dataOf(await push(reference, token, url), 'payment')
      assert.equal(data.paymentReference, paymentReference)
    }
  }
  const withBody = { url: `${PUSH}/${paymentReference}`, body: { any: 'thing' }, token }
  assert.equal((await bench.call(withBody)).statusCode, 200)
})

test('pushing a payment without any address or endpoint says so', async () => {
  const token = await newClient()
  const { paymentReference } = await pay(token, {}, '0')

  const answer = await push(paymentReference, token)

  assertRefused(answer, { code: 'nowhere_to_send' }, 'payment')
})

test('an unknown payment of the client gets the same refusal in every case', async () => {
  const [owner, token] = [await newClient(), await newClient()]
  const { paymentReference } = await pay(owner)

  const foreign = await push(paymentReference, token)

  assertRefused(foreign, { code: 'payment_not_found' }, 'payment')
  for (const reference of [UNKNOWN_REFERENCE, 'x', '..%2f', '%00', '0'.repeat(199)]) {
    assertAlike(foreign, await push(reference, token))
  }
  const malformed = await push('%ff', token)
  assert.deepEqual(refusalFaults(malformed, 'payment', [400]), [])
  assertRefused(await push(paymentReference, null), { status: 401 }, 'payment')
  const read = await bench.call({ url: `${PUSH}/${paymentReference}`, token: owner })
  assertRefused(read, { status: 405, code: 'method_not_allowed' }, 'payment')
})
