// Webhooks stay out of our own network: by the spelling of a target, by the addresses of its name, and by
// the socket's remote address.

import assert from 'node:assert/strict'
import { connect as connectSocket, Socket } from 'node:net'
import { test } from 'node:test'
import { Agent, type buildConnector } from 'undici'
import type { Address, Lookup } from '#ssrf-guard.ts'
import {
  checkTargetUrl,
  createGuardedAgent,
  ForbiddenTarget,
  guardConnector,
  isAllowedAddress,
} from '#ssrf-guard.ts'
import { attemptDelivery } from '#webhooks/send.ts'
import { patience } from '../support/patience.ts'
import { httpReceiver, httpsReceiver } from './receivers.ts'

const PUBLIC = ['1.1.1.1', '41.58.0.1', '102.89.0.1', '172.15.0.1', '172.32.0.1', '2606:4700::1']
const LOOPBACK = ['127.0.0.1', '127.255.255.254', '::1']
const PRIVATE = ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1']
const NEVER = [
  ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'], // link-local
  ['fd00:ec2::254', 'fd00:0ec2:0:0:0:0:0:254', 'fd20:ce::254', '168.63.129.16', '192.0.0.192'],
  ['100.64.0.1', '100.100.100.200', '100.127.255.255'], // CGNAT
  ['0.0.0.0', '0.1.2.3', '::', '255.255.255.255', '240.0.0.1'],
  ['224.0.0.1', '239.255.255.255', 'ff02::1'], // multicast
  ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '3fff::1'],
  ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:1.1.1.1', '::ffff:7f00:1'], // v4-mapped
  ['::127.0.0.1', '::7f00:1', '::1.1.1.1'], // v4-compatible
  ['64:ff9b::7f00:1', '64:ff9b::1.1.1.1', '64:ff9b:1::1'], // NAT64
  ['2002:7f00:1::', '2002:a00:1::1', '2001::1', '2001:0:7f00:1::'], // 6to4, Teredo
  ['4000::1', '8000::1', '100::1', '5f00::1'], // unassigned, discard, segment routing
  ['', 'localhost', '127.0.0.1:80', '[::1]', '1.1.1.1/8'],
].flat()

test('live reaches public addresses only; the sandbox loopback and private ones too', () => {
  const allowed = (addresses: string[], mode: 'live' | 'sandbox') =>
    addresses.filter((address) => isAllowedAddress(address, mode))
  assert.deepEqual(allowed([...PUBLIC, ...LOOPBACK, ...PRIVATE, ...NEVER], 'live'), PUBLIC)
  const sandbox = [...PUBLIC, ...LOOPBACK, ...PRIVATE]
  assert.deepEqual(allowed([...sandbox, ...NEVER], 'sandbox'), sandbox)
})

test('loopback is refused in live however it is spelt', () => {
  const dotted = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f.1',
    '127.0.0.1.',
  ]
  const whole = ['2130706433', '0x7f000001', '017700000001', '%31%32%37.0.0.1', '１２７.0.0.1']
  const v6 = [
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ]
  const names = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'app.internal.',
    'db',
    'x.lan',
  ]
  const zoned = ['[fe80::1%25eth0]', '[::1%25lo]']
  for (const host of [...dotted, ...whole, ...v6, ...names, ...zoned]) {
    assert.notEqual(checkTargetUrl(`https://${host}/hook`, { mode: 'live' }), null, host)
  }
})

test('metadata is refused in both modes however it is spelt', () => {
  const v4 = ['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518']
  const v6 = ['[fd00:ec2::254]', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]']
  for (const host of [...v4, ...v6, 'metadata.google.internal', 'METADATA.google.internal.']) {
    for (const mode of ['live', 'sandbox'] as const) {
      assert.notEqual(checkTargetUrl(`https://${host}/`, { mode }), null, `${mode} ${host}`)
    }
  }
})

test('a good target passes in its mode', () => {
  const live = ['https://shop.example.ng/hook?a=b', 'https://1.1.1.1:8443/', 'HTTPS://A.ng:443']
  const local = [
    'http://localhost:3000/hook',
    'http://127.0.0.1',
    'http://app:3000',
    'http://[::1]:9',
  ]
  const network = ['http://172.17.0.2/', 'http://host.docker.internal:3000/', 'http://a.ng:25/']
  for (const url of live) assert.equal(checkTargetUrl(url, { mode: 'live' }), null, url)
  for (const url of [...live, ...local, ...network]) {
    assert.equal(checkTargetUrl(url, { mode: 'sandbox' }), null, url)
  }
})

test('a bad address is answered with the sentence that helps', () => {
  const problem = (url: string) => checkTargetUrl(url, { mode: 'live' })
  for (const url of [
    '',
    'shop.ng',
    '/hook',
    '//shop.ng',
    'ftp://shop.ng',
    'https:shop.ng',
    'https://',
  ]) {
    assert.equal(problem(url), 'Must be an absolute http or https address.', url)
  }
  assert.equal(problem('http://shop.ng'), 'Must start with https://.')
  assert.match(problem('https://me:pw@shop.ng') as string, /password/)
  assert.match(problem('https://shop.ng/#') as string, /fragment/)
  assert.match(problem('https://shop.ng:22/') as string, /port 443/)
  assert.match(problem('https://shop.ng\\@127.0.0.1/') as string, /backslash/)
  for (const url of [
    ' https://shop.ng',
    'https://shop.ng/\n',
    'https://sh\top.ng',
    'https://a b.ng',
  ]) {
    assert.match(problem(url) as string, /spaces/)
  }
  assert.match(problem(`https://shop.ng/${'a'.repeat(2_048)}`) as string, /2048 characters/)
  assert.equal(problem(`https://shop.ng/${'a'.repeat(2_032)}`), null)
})

test('a literal loopback is not dialled in live, though it never reaches a lookup', async () => {
  await using receiver = await httpsReceiver((_, response) => response.end())
  await using agent = guardedAgent('live', [])
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]']) {
    const result = await send(agent.agent, `https://${host}:${receiver.port}/`)
    assert.equal(result.error, 'the target address is not allowed', host)
  }
  assert.deepEqual([agent.lookups, receiver.connections], [0, 0])
})

test('a name that resolves to loopback, or to it among others, is not dialled in live', async () => {
  await using receiver = await httpsReceiver((_, response) => response.end())
  const mixed = [...addresses('1.1.1.1'), ...addresses('127.0.0.1')]
  await using agent = guardedAgent('live', [addresses('127.0.0.1'), mixed, addresses('::1')])
  for (let turn = 0; turn < 3; turn++) {
    const result = await send(agent.agent, `https://rebound.example:${receiver.port}/`)
    assert.equal(result.error, 'the target address is not allowed')
  }
  assert.deepEqual([agent.lookups, receiver.connections], [3, 0])
})

test('a name is checked at every dial: good once does not mean good again', async () => {
  await using receiver = await httpReceiver((_, response) => {
    response.setHeader('connection', 'close')
    response.end('reached')
  })
  await using agent = guardedAgent('sandbox', [
    addresses('127.0.0.1'),
    addresses('169.254.169.254'),
  ])
  const url = `http://rebound.example:${receiver.port}/`
  assert.equal((await send(agent.agent, url)).responseStart, 'reached')
  assert.equal((await send(agent.agent, url)).error, 'the target address is not allowed')
  assert.deepEqual([agent.lookups, receiver.requests], [2, 1])
})

test('a socket connected to another address than the lookup gave is closed unused', async () => {
  await using receiver = await httpReceiver((_, response) => response.end())
  // This connector ignores the address that it is given and connects to our receiver, like anything that
  // redirects a connection after the lookup.
  const elsewhere: buildConnector.connector = (_, callback) => {
    const socket = connectSocket(receiver.port, '127.0.0.1', () => callback(null, socket))
  }
  const agent = new Agent({ connect: guardConnector(elsewhere, 'live') })
  const result = await send(agent, 'https://shop.example.ng/')
  await agent.close()
  assert.equal(result.error, 'the target address is not allowed')
  assert.deepEqual([receiver.connections, receiver.requests], [1, 0])
})

test('a socket that closed while we looked is a closed connection, not a forbidden target', async () => {
  const closed: buildConnector.connector = (_, callback) => callback(null, new Socket())
  const options = { hostname: 'shop.ng', protocol: 'https:', port: '443' }
  const error = await new Promise((resolve) =>
    guardConnector(closed, 'live')(options, (...[thrown]) => resolve(thrown)),
  )
  assert.equal((error as { code: string }).code, 'ECONNRESET')
  assert(!(error instanceof ForbiddenTarget))
})

test('plain http is not dialled in live, whatever was stored', async () => {
  await using agent = guardedAgent('live', [])
  const result = await send(agent.agent, 'http://shop.example.ng/')
  assert.equal(result.error, 'plain http is not allowed')
  assert.equal(agent.lookups, 0)
})

function addresses(address: string): Address[] {
  return [{ address, family: address.includes(':') ? 6 : 4 }]
}

// An agent whose lookups are answered from the list, in order; it counts them.
function guardedAgent(mode: 'live' | 'sandbox', answers: Address[][]) {
  const guarded = { lookups: 0 }
  const lookup: Lookup = async () => answers[guarded.lookups++] as Address[]
  const agent = createGuardedAgent({ mode, lookup })
  return Object.assign(guarded, { agent, [Symbol.asyncDispose]: () => agent.close() })
}

function send(agent: Agent, url: string) {
  return attemptDelivery(agent, { url, headers: {}, body: '{}', timeoutMs: patience(3_000) })
}
