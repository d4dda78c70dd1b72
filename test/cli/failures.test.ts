// Commands that fail print one sentence, end with the right exit code, and leave nothing half done.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCli } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { dataOf } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { httpReceiver } from '../webhooks/receivers.ts'

const LAUNCHER = join(import.meta.dirname, '../../scripts/manilla.mjs')

const bench = closeAfterTests(await startTestService())
const url = await listenLocally(bench.service.app)
const nowhere = 'http://127.0.0.1:2' // Nothing listens here while this runs.
const cli = closeAfterTests(createCli({ MANILLA_URL: url }))
const CREATE = [
  'payments',
  'create',
  '6000',
  '--customer',
  'Ada',
  '--callback-url',
  'https://a.example',
]

type Case = readonly [words: readonly string[], exitCode: number, sentence: RegExp]

const CASES: readonly Case[] = [
  [
    ['acounts'],
    2,
    /^Unknown command 'acounts'.*\(Did you mean accounts\?\)\. See manilla --help\.$/,
  ],
  [
    ['acounts', '--help'],
    2,
    /^Unknown command 'acounts'.*\(Did you mean accounts\?\)\. See manilla --help\.$/,
  ],
  [
    ['accounts', 'lst', '--limit', '5', '-h'],
    2,
    /^Unknown command 'lst'.*Did you mean list\?\)\. See manilla accounts --help\.$/,
  ],
  [['accounts'], 2, /^A command is missing\. See manilla accounts --help\.$/],
  [
    ['accounts', 'list', '--colour'],
    2,
    /^Unknown option '--colour'\. See manilla accounts list --/,
  ],
  [['accounts', 'list', '--limit', '0'], 2, /whole number from 1 to 100000\. See/],
  [['pay', '123', '5'], 2, /Account numbers have 10 digits\. See manilla pay --help\.$/],
  [
    ['pay', '1234567890', '-5'],
    2,
    /^'-5' is not a valid amount\. It is an amount in naira, such as 6000/,
  ],
  [['pay', '1234567890', '1.234'], 2, /amount in naira/],
  [['pay', '1234567890', '0.00'], 2, /amount in naira/],
  [['pay', '1234567890'], 2, /^Missing required argument 'amount'\. See/],
  [['payments', 'get'], 2, /^Missing required argument 'reference'\. See/],
  [['trigger', 'payment.imagined'], 2, /Allowed choices are account\.created, /],
  [['completion', 'tcsh'], 2, /Allowed choices are bash, zsh, fish\. See/],
  [['start', '--port', '1'], 2, /^Unknown option '--port'\. See manilla start --help\.$/],
  [
    ['accounts', 'create', '--data', '/nowhere.json'],
    2,
    /^Cannot read \/nowhere\.json \(ENOENT\)\./,
  ],
  [['doctor', '--url', 'ftp://x'], 2, /^Not the URL of a service: ftp:\/\/x\./],
  [['doctor', '--url', 'https://a:b@x'], 2, /^Not the URL of a service/],
  [[...CREATE, '--url', nowhere], 3, /^Cannot reach \S+ \(connection refused\)\. .* doctor\.$/],
  [['listen', '--url', nowhere], 3, /^Cannot reach http:\S+ \(connection refused\)\. Is the serv/],
  [['login', '--client-id', 'X'], 2, /^No secret was given\. See manilla login --help\.$/],
  [['logout'], 1, /^No credentials are stored for http:/],
  [['accounts', 'get', '1234567890'], 1, /^\S.* \(account_not_found, request [\w-]{36}\)$/],
  [['accounts', 'create', '--name', 'Ada'], 1, /^The request is invalid\. bvn: Required\. /],
  [['pay', '1234567890', '5'], 1, /\(number_not_found, request /],
  [['trace', 'zzzzzzzz'], 1, /^Nothing is known of zzzzzzzz\.$/],
  [['trace', 'PAY-7K3M-Q2X0'], 1, /^This code is mistyped: .* \(mistyped_code, request /],
]

for (const [words, exitCode, sentence] of CASES) {
  test(`manilla ${words.join(' ').slice(0, 60)} ends with ${exitCode} and says why`, async () => {
    const ran = await cli.run(...words)

    assert.deepEqual([ran.exitCode, ran.out], [exitCode, ''], ran.err)
    assert.match(ran.err.trimEnd(), sentence)
    assert.equal(ran.err.trimEnd().split('\n').length, 1)
  })
}

test('wrong and missing credentials end with 4, and with --json as an object', async () => {
  const wrong = { MANILLA_URL: url, MANILLA_CLIENT_ID: 'MAN0000001', MANILLA_CLIENT_SECRET: 'x' }
  const refused = await cli.runOn({ env: wrong }, 'payments', 'list', '--json')
  const half = await cli.runOn({ env: { ...wrong, MANILLA_CLIENT_ID: '' } }, 'payments', 'list')
  const none = await cli.run('payments', 'list', '--url', 'https://pay.example')

  assert.deepEqual([refused.exitCode, half.exitCode, none.exitCode], [4, 4, 4])
  const { error } = JSON.parse(refused.err)
  assert.equal(error.code, 'invalid_credentials')
  assert.match(
    error.message,
    /refused the credentials .* Check the client ID and secret .* manilla login again\.$/,
  )
  assert.match(half.err, /^MANILLA_CLIENT_ID is not set, but MANILLA_CLIENT_SECRET is\. Set both/)
  assert.match(none.err, /^Not signed in to https:\/\/pay\.example\. Run manilla login --url/)
})

test('another server at the address is told apart from a service that does not answer', async () => {
  await using other = await httpReceiver((_, response) => response.end('<h1>Hello</h1>'))
  const place = new URL(other.url).origin

  const ran = await cli.run('payments', 'list', '--url', place)
  const doctor = await cli.run('doctor', '--url', nowhere)

  assert.equal(ran.exitCode, 3, ran.err)
  assert.match(ran.err, /does not answer like Manilla/)
  assert.equal(doctor.exitCode, 3)
  assert.match(
    doctor.out,
    /fail {2}Service +Cannot reach \S+ \(connection refused\)\. Start it with/,
  )
})

const countAdvices = async () =>
  (await bench.db.query('select count(*)::int as count from advices')).rows[0].count as number

// Starts a proxy that forwards requests to the service until a path matches. It then drops the response and
// hangs up. It does not forward the headers that fetch() sets itself, such as `host`.
async function startProxyThatCuts(path: RegExp) {
  // Forwards each request; if its path matches, destroys the connection in place of the answer.
  const proxy = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {}
    const { host: _, connection: _c, 'content-length': _l, ...headers } = request.headers
    const init = { method: request.method as string, headers: headers as never, ...body }
    const answer = await fetch(`${url}${request.url}`, init)
    const text = await answer.text()
    if (path.test(request.url ?? '')) {
      request.socket.destroy()
      proxy.close()
      proxy.closeAllConnections()
    } else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
}

const keyInMessage = (text: string) =>
  /nothing is done twice: --idempotency-key ([\w-]{36})\n$/.exec(text)?.[1]

test('a service lost midway: the key is told, and repeating with it finishes, once', async () => {
  const before = await countAdvices()
  const lost = await cli.run(
    ...CREATE,
    '--url',
    await startProxyThatCuts(/\/process\/banktransfer\//),
  )
  const key = keyInMessage(lost.err) as string
  const finished = await cli.run(...CREATE, '--json', '--idempotency-key', key)
  const repeated = await cli.run(...CREATE, '--json', '--idempotency-key', key)

  assert.deepEqual([lost.exitCode, lost.out], [3, ''])
  assert.match(lost.err, /^Cannot reach .* Part of it may have been done\. Run it again with/)
  assert.equal(finished.exitCode, 0, finished.err)
  assert.deepEqual(JSON.parse(repeated.out), JSON.parse(finished.out))
  assert.equal(await countAdvices(), before + 1)
})

test('Ctrl-C midway: the key is told, and repeating with it finishes, once', async () => {
  const before = await countAdvices()
  const pressed = new AbortController()
  // Presses Ctrl-C as soon as the command sends the request that initiates the payment.
  const fetchAndInterrupt: typeof fetch = (target, init) => {
    if (String(target).includes('/process/banktransfer/')) pressed.abort()
    return fetch(target, init)
  }
  const ran = await cli.runOn({ interrupted: pressed.signal, fetch: fetchAndInterrupt }, ...CREATE)
  const finished = await cli.run(
    ...CREATE,
    '--json',
    '--idempotency-key',
    keyInMessage(ran.err) as string,
  )

  assert.deepEqual([ran.exitCode, ran.out], [130, ''])
  assert.match(ran.err, /^Interrupted\. Part of it may have been done\. /)
  assert.equal(finished.exitCode, 0, finished.err)
  assert.equal(await countAdvices(), before + 1)
  const payment = await bench.call({
    url: `/api/v1/payments/${JSON.parse(finished.out).paymentReference}`,
  })
  assert.equal(dataOf(payment).status, 'Processing')
})

// Runs `manilla` as its own process, through its launcher. `detached` gives the process a group of its own,
// to which a test can send Ctrl-C.
function launch(words: readonly string[], serviceUrl: string) {
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: cli.folder, MANILLA_URL: serviceUrl }
  const child = spawn(process.execPath, [LAUNCHER, ...words], { env, detached: true })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }))
  return { child, output, ended }
}

test('as processes: wrong usage, no service and Ctrl-C end with their codes', async () => {
  const wrong = launch(['payments', 'list', '--nope'], url)
  const away = launch(['payments', 'list'], nowhere)
  const listening = launch(['listen'], url)
  listening.child.stderr.once('data', () => {
    // A terminal sends Ctrl-C to the whole process group.
    process.kill(-(listening.child.pid as number), 'SIGINT')
  })

  assert.deepEqual(await wrong.ended, {
    code: 2,
    out: '',
    err: "Unknown option '--nope'. See manilla payments list --help.\n",
  })
  const { code, err } = await away.ended
  assert.deepEqual([code, err.split('\n').length], [3, 2])
  const stopped = await listening.ended
  assert.equal(stopped.code, 130)
  assert.match(stopped.err, /^Listening at \S+ Ctrl-C stops\.\nStopped after event \d+\.\n$/)
})
