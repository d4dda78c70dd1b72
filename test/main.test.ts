// Runs the program itself as a process: how it starts, what it prints, what it refuses, and how it stops.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { isMigrated } from '#db/migrate.ts'
import { logIn, spawnChild, startChild } from './support/child-service.ts'
import { closeAfterTests } from './support/closing.ts'
import { createEmptyDatabase, createTestDatabase } from './support/database.ts'
import { isRunning, until } from './support/embedded-bench.ts'
import { accountBody, adviceBody } from './support/fixtures.ts'
import { patience, retryUntilBelow } from './support/patience.ts'
import { SECRETS } from './support/running-service.ts'
import { createTempFolder } from './support/temp-folder.ts'

// A data folder for tests that do not need their own; the first of them creates the database in it.
const shared = closeAfterTests(createTempFolder())

// The minimum of a few tries counts: on a busy machine the same work takes more processor time too.
const TRIES_MAX = 3

// The time is the processor time of all processes, which, unlike the clock, excludes other work of the
// machine. On an idle machine a first start takes about 3 s of it and a later one 1.5 s.
test('the first start takes less than ten seconds', async (t) => {
  await assertStartsWithin(patience(10_000), t, async () => {
    using folder = createTempFolder()
    await using service = await startChild({ folder: folder.path })
    const cpuMs = service.cpuMs()
    await untilReady(service.url)
    assert.equal(await service.stop('SIGINT'), 0)
    return cpuMs
  })
})

test('a later start takes less than three seconds', async (t) => {
  await using first = await startChild({ folder: shared.path })
  assert.equal(await first.stop(), 0)
  await assertStartsWithin(patience(3_000), t, async () => {
    await using service = await startChild({ folder: shared.path })
    const cpuMs = service.cpuMs()
    assert.equal(await service.stop(), 0)
    return cpuMs
  })
})

test('a running service', async (t) => {
  await using service = await startChild({ folder: shared.path })

  await t.test('says where it is, how to get in and what to type next', async () => {
    const screen = service.output.out
    assert.match(service.url, /^http:\/\/localhost:\d+$/)
    assert(screen.includes(`Reference     ${service.url}/docs`))
    assert(screen.includes('Client id     MAN0000001'))
    assert.equal((await fetch(`${service.url}/docs`)).status, 200)
    const [, url = '', header = '', body = ''] =
      /curl -s (\S+) -H '(\S+: \S+)' \\\n +-d '(\{.*\})'/.exec(screen) ?? []
    const [name = '', value = ''] = header.split(': ')
    const login = await fetch(url, { method: 'POST', headers: { [name]: value }, body })
    assert.equal(login.status, 200, await login.text())
  })

  await t.test('tells payers the port that it got, when it was to take any', async () => {
    // Sends JSON to the service with this token. Returns the JSON of the answer, whatever its status.
    const post = async (path: string, body: object, token: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const answer = await fetch(service.url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a JSON answer.
      return (await answer.json()) as any
    }
    const token = await logIn(service.url)

    const { responseData } = await post('/Payment/advice', adviceBody(), token)
    const described = await (await fetch(`${service.url}/openapi.json`)).text()

    assert.equal(new URL(responseData.paymentUrl).origin, service.url)
    assert.deepEqual(JSON.parse(described).servers, [{ url: service.url }])
  })

  await t.test('is left alone by a second start on its data folder, which says so', async () => {
    await using second = spawnChild({ folder: shared.path })

    assert.equal(await second.closed, 1)

    assert.match(second.output.err, /already in use \(process \d+, server \d+\)/)
    assert.doesNotMatch(second.output.err, /\n\s+at /)
    await untilReady(service.url)
  })

  await t.test('told to stop finishes the request in flight, and leaves nothing', async () => {
    const request = await beginRequest(service.url)

    service.child.kill('SIGTERM')
    await service.says('"msg":"shutting down"')
    const answer = await request.finish()
    const code = await service.closed

    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.match(answer, /"isSuccessful":true/)
    assert.equal(code, 0)
    // First requests may be slow, which the service logs.
    const lines = service.output.out.split('\n').filter((line) => !line.includes('"msg":"request"'))
    assert.doesNotMatch(lines.join('\n'), /"level":"(warn|error|fatal)"/)
    assert(service.processes.length > 2)
    await until('no process is left', () => !service.processes.some(isRunning))
  })
})

test('bad settings are told all at once, and nothing is started', async () => {
  using folder = createTempFolder()
  const env = { PORT: 'eighty', MANILLA_MODE: 'real', LOG_LEVEL: 'loud', MANILLA_DATADIR: '/x' }
  await using refused = spawnChild({ folder: folder.path, env })

  assert.equal(await refused.closed, 1)

  const { out, err } = refused.output
  assert.equal(out, '')
  for (const name of Object.keys(env)) assert.match(err, new RegExp(`^- ${name} `, 'm'))
  assert.doesNotMatch(err, /\n\s+at /)
  assert.deepEqual(readdirSync(folder.path), [])
})

test('an unknown role is refused with the ones there are', async () => {
  using folder = createTempFolder()
  await using refused = spawnChild({ folder: folder.path, role: 'server' })

  assert.equal(await refused.closed, 1)

  assert.match(refused.output.err, /must be one of: serve, api, worker, migrate/)
})

test('a port that is taken is told in plain words, and the database is stopped again', async () => {
  await using busy = await takePort()
  await using refused = spawnChild({ folder: shared.path, env: { PORT: `${busy.port}` } })

  assert.equal(await refused.closed, 1)

  assert.match(refused.output.err, new RegExp(`Port ${busy.port} is already in use. Set PORT`))
  assert.doesNotMatch(refused.output.err, /\n\s+at /)
  assert.doesNotMatch(refused.output.out, /"level":"(warn|error|fatal)"/)
})

test('a database that cannot be reached is told in plain words, without its password', async () => {
  using folder = createTempFolder()
  const env = { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/books' }
  await using refused = spawnChild({ folder: folder.path, env })

  assert.equal(await refused.closed, 1)

  assert.match(refused.output.err, /Cannot connect to the database.*ECONNREFUSED/)
  assert.doesNotMatch(refused.output.err, /hush|\n\s+at /)
})

test('a worker works and answers probes alone; an api listens and leaves the work', async () => {
  using folder = createTempFolder()
  await using database = await createTestDatabase()
  await using busy = await takePort()
  const env = { ...SECRETS, DATABASE_URL: database.connectionString }
  const checks = async () => (await database.pool.query('select from integrity_checks')).rows.length

  await using api = await startChild({ folder: folder.path, role: 'api', env })
  await untilReady(api.url)
  assert.equal(await api.stop(), 0)
  assert.equal(await checks(), 0)

  const worker = { role: 'worker', env: { ...env, PORT: `${busy.port}`, MANILLA_WORKER_PORT: '0' } }
  await using working = spawnChild({ folder: folder.path, ...worker })
  await working.says('integrity check passed')
  await working.says('Server listening at')
  const [, url] = /Server listening at (http:[^"]+)/.exec(working.output.out) ?? []
  await until('it tells of its work', async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    const hasRun = /manilla_worker_round_seconds_count\{worker="audit-books"\} [1-9]/.test(metrics)
    return hasRun && /^manilla_integrity_ok 1$/m.test(metrics)
  })
  assert.equal((await fetch(`${url}/api/v1/events`)).status, 404)
  working.child.kill('SIGTERM')
  assert.equal(await working.closed, 0)
  assert.equal(await checks(), 1)
})

// Signals npm alone, because a supervisor knows no other process of the service.
test('npm start told to stop takes the service and its database with it', async () => {
  using folder = createTempFolder()
  await using service = await startChild({ folder: folder.path, command: ['npm', 'start'] })
  assert(service.processes.length > 3)

  service.child.kill('SIGTERM')
  await service.says('"msg":"shutting down"')
  await service.closed

  await until('no process is left', () => !service.processes.some(isRunning))
})

test('the documented commands run on the Node that npm brought, whatever Node is first', async () => {
  using folder = createTempFolder()
  await using database = await createEmptyDatabase()
  const env = { ...SECRETS, DATABASE_URL: database.connectionString, PATH: pathWithoutPackages() }

  await using migrating = spawnChild({
    folder: folder.path,
    command: ['npx', 'manilla', 'migrate'],
    env,
  })

  assert.equal(await migrating.closed, 0, migrating.output.err)
  assert.equal(await isMigrated(database.pool), true)
})

// Returns PATH without node_modules, as an operator's shell has it.
function pathWithoutPackages(): string {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.filter((each) => !each.includes('node_modules')).join(':')
}

// Asserts that the best of a few starts takes less processor time than this.
async function assertStartsWithin(maxMs: number, t: TestContext, start: () => Promise<number>) {
  const took = await retryUntilBelow(maxMs, TRIES_MAX, start)
  t.diagnostic(`ready after ${took.join(', ')} ms of processor time`)
  assert(took.some((ms) => ms < maxMs && ms > 0))
}

// Listens on a port, so that the service finds it taken.
async function takePort() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      if (server.listening) await new Promise((closed) => server.close(closed))
    },
  }
}

// Waits until the service is ready, which takes up to a second and a half after the database answers again.
async function untilReady(url: string): Promise<void> {
  await until('it is ready', async () => (await fetch(`${url}/ready`)).status === 200)
}

// Sends the head of a request and waits until the server asks for the body, so that the request has
// certainly begun. `finish` sends the body and returns the answer.
async function beginRequest(url: string) {
  const token = await logIn(url)
  const body = JSON.stringify(accountBody())
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text
  })
  const ended = once(socket, 'close')
  socket.write(
    `POST /api/v1/accounts/static HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n` +
      `content-type: application/json\r\nauthorization: Bearer ${token}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
  )
  await until('the server asks for the body', () => answer.startsWith('HTTP/1.1 100 Continue'))
  return {
    async finish(): Promise<string> {
      answer = ''
      socket.write(body)
      await ended
      return answer
    },
  }
}
