// The SDK as a published package, in Node 20 and 24: it installs without a registry, compiles, runs and stays
// small. Its examples run with a service that really sends webhooks.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { maintainPartitions } from '#db/migrate.ts'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import { listenLocally } from '../support/event-source.ts'
import { createAdvice, initiate, simulate } from '../support/fixtures.ts'
import { installSdk, packSdk } from '../support/installed-package.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { listener } from '../support/webhook-bench.ts'

const SIZE_MAX = 12_000
const ENDPOINTS = '/api/v1/webhook-endpoints'
const run = promisify(execFile)

const temp = closeAfterTests(createTempFolder())
const bench = closeAfterTests(await startTestService())
const setToNow = () => bench.advance(Date.now() - bench.clock().getTime())
setToNow()
await maintainPartitions(bench.db, bench.clock())
const url = await listenLocally(bench.service.app)
const packed = await packSdk(temp.path)
const [in20, in24] = await Promise.all([
  installSdk(packed, 20, join(temp.path, 'in-20')),
  installSdk(packed, 24, join(temp.path, 'in-24')),
])
type Project = typeof in20
type Order = { status: string }

// Delivers due webhooks at the real time, because receivers refuse old signatures.
async function deliverNow(): Promise<void> {
  setToNow()
  await deliverDue(bench)
}

test('the package holds its code, its types and its README, and needs nothing else', () => {
  const { folder } = in24
  const stray = packed.files.filter((path) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(path))
  const about = JSON.parse(
    readFileSync(join(folder, 'node_modules/@manilla/sdk/package.json'), 'utf8'),
  )

  assert.deepEqual(stray, ['README.md', 'package.json'])
  assert.deepEqual(readdirSync(join(folder, 'node_modules/@manilla')), ['sdk'])
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bin']) {
    assert.equal(about[kind], undefined)
  }
  assert.equal(about.engines.node, '>=20')
})

test('all of it, minified and compressed, is at most 12 kB', async () => {
  const made = (await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry: join(in24.folder, 'node_modules/@manilla/sdk/dist/sdk.js'), formats: ['es'] },
    },
  })) as unknown as { output: { code: string }[] }[]

  const code = made.flatMap(({ output }) => output).map((chunk) => chunk.code)
  const size = gzipSync(code.join('')).length

  assert(size > 2_000 && size <= SIZE_MAX, `${size} bytes`)
})

test('a shop and a receiver hear of a payment; forged and repeated webhooks change nothing', async () => {
  const shopHook = await addEndpoint()
  const receiverHook = await addEndpoint()
  await using shop = await start(in20, 'express-shop.js', shopHook.secret)
  await using receiver = await start(in24, 'fastify-receiver.js', receiverHook.secret)
  await pointAt(shopHook.id, `${shop.url}/hook`)
  await pointAt(receiverHook.id, `${receiver.url}/hook`)
  const order = { id: 'ORDER-1', amount: 6000, name: 'Adé Ọkọ', email: 'ade@example.com' }

  const placed = await post(`${shop.url}/orders`, order)
  const again = await post(`${shop.url}/orders`, order)
  await simulate(bench, placed.json.bankAccount, '6000.00')
  assert.equal((await get<Order>(`${shop.url}/orders/ORDER-1`)).status, 'pending')
  await deliverNow()
  await bench.call({ method: 'POST', url: `/api/WebHook/push/${placed.json.paymentReference}` })
  await deliverNow()

  assert.deepEqual([placed.status, again.status], [201, 201])
  assert.equal(again.json.paymentReference, placed.json.paymentReference)
  assert.equal((await get<Order>(`${shop.url}/orders/ORDER-1`)).status, 'paid')
  assert.deepEqual(await get(`${receiver.url}/handled`), ['ORDER-1 is paid: 6000'])
  for (const hook of [`${shop.url}/hook`, `${receiver.url}/hook`]) {
    assert.equal((await post(hook, { type: 'payment.successful' })).status, 400)
  }
  const refused = await post(`${shop.url}/orders`, { ...order, id: 'ORDER-2', amount: -1 })
  assert.deepEqual([refused.status, refused.json.code], [400, 'invalid_request'])
})

test('a program and a handler for edge runtimes, compiled against the types, run in both', async () => {
  await using hook = await listener()
  const { secret, id } = await addEndpoint(['payment.successful'])
  await pointAt(id, hook.url)
  const advice = await createAdvice(bench, { amount: 99.5, merchantRef: 'ORDER-3' })
  const { bankAccount } = await initiate(bench, advice.adviceReference)
  await simulate(bench, bankAccount, '99.50')
  await deliverNow()
  const [webhook] = hook.received
  assert(webhook)

  const input = JSON.stringify({
    url,
    secret,
    webhook: { body: webhook.body, headers: webhook.headers },
  })
  const outputs = await Promise.all(
    [in20, in24].map(({ node, folder }) => run(node, [join(folder, 'program.js'), input])),
  )

  const own = process.versions.node.split('.')[0]
  const versions = [process.platform === 'linux' ? '20' : own, own]
  for (const [at, node] of versions.entries()) {
    assert.deepEqual(JSON.parse(outputs[at]?.stdout ?? ''), {
      node,
      isListed: true,
      outcome: 'booked',
      code: 404,
      currency: 'NGN',
      statuses: [204, 400],
      paid: [['ORDER-3', 99.5]],
      type: 'payment.successful',
    })
  }
})

// Starts an example as a process; the first line that it prints is its address.
async function start({ node, folder }: Project, example: string, secret: string) {
  const child = spawn(node, [join(folder, example)], {
    env: {
      MANILLA_URL: url,
      MANILLA_CLIENT_ID: 'MAN0000001',
      MANILLA_CLIENT_SECRET: 'sandbox-secret',
      MANILLA_WEBHOOK_SECRET: secret,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  assert.match(String(value), /^http:/)
  return {
    url: String(value),
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

// Creates an endpoint, whose secret the example needs, before the example listens.
async function addEndpoint(eventTypes?: string[]) {
  const body = { url: 'http://127.0.0.1:9/hook', ...(eventTypes ? { eventTypes } : {}) }
  const answer = await bench.call({ url: ENDPOINTS, body })
  return answer.json().data as { id: string; secret: string }
}

// Changes the endpoint's address.
async function pointAt(id: string, hook: string): Promise<void> {
  const answer = await bench.call({
    method: 'PATCH',
    url: `${ENDPOINTS}/${id}`,
    body: { url: hook },
  })
  assert.equal(answer.statusCode, 200, answer.body)
}

async function post(to: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(to, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  return { status: answer.status, json: JSON.parse(text || '{}') }
}

async function get<Body>(from: string) {
  return (await fetch(from)).json() as Promise<Body>
}
