// Starts the service to fuzz: the real src/main.ts as its own process, on its own database, and a bench
// that calls it over HTTP. The role is `api`, so no worker sends webhooks or calls banks.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '#clock.ts'
import { SANDBOX_BANKS, SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadConfig } from '#config/config.ts'
import { createPool } from '#db/pool.ts'
import { addClient, type Bench, type Call, requestOf } from '../test/support/running-service.ts'
import { PARTITIONED, startTestServer, TEMPLATE } from '../test/support/server.ts'
import { SECRETS } from '../test/support/settings.ts'
import { type Door, doorTo } from './doors.ts'

const ROOT = join(import.meta.dirname, '..')
const FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=40']
const UNLIMITED = 'client=0,simulate=0,address=0,initiate=0,login=0,rail=0'
const SHUTDOWN = { signal: 'SIGTERM' } as const
const LOGIN_TRIES = 5

// Starts the service to fuzz: a process of its own on a new database, without rate limits, so that the fuzzer
// sees its logged errors and notices if it ends.
export async function startFuzzedService() {
  const server = await startTestServer()
  const url = server.templateUrl.replace(TEMPLATE, 'postgres')
  const name = `fuzzed_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`create database ${name} template ${PARTITIONED}`)
  await admin.end()
  const connectionString = server.templateUrl.replace(TEMPLATE, name)
  const banksFile = join(server.folder, 'banks.json')
  writeFileSync(banksFile, JSON.stringify(fuzzedBanks()))
  const env = {
    ...SECRETS,
    DATABASE_URL: connectionString,
    PUBLIC_URL: 'http://localhost:8080',
    MANILLA_BANKS_FILE: banksFile,
    MANILLA_RATE_LIMITS: UNLIMITED,
    TEST_BANK_KEY: 'key',
  }
  const child = spawnService(server.folder, env)
  const address = await child.address
  const db = createPool({ connectionString, max: 10, onIdleError: () => {} })
  const door = doorTo(address)
  return {
    address,
    door,
    db,
    bench: httpBench(door, { db, config: loadConfig(env, 'api') } as never),
    hasEnded: child.hasEnded,
    errors: child.errors,
    async [Symbol.asyncDispose]() {
      await db.end()
      await child.stop()
      await server.stop()
    },
  }
}

// The sandbox's banks with settings as if they had an API, so that operations that need one are not refused.
// No worker runs, so the API is never called.
function fuzzedBanks() {
  const askable = {
    settings: { baseUrl: 'http://127.0.0.1' },
    secrets: { apiKey: 'TEST_BANK_KEY' },
  }
  return SANDBOX_BANKS.map((bank) => ({ ...bank, ...askable, railSecrets: [SANDBOX_RAIL_SECRET] }))
}

// Starts the process, finds its address in its output, and collects the errors that it logs.
function spawnService(folder: string, settings: Record<string, string>) {
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    ...settings,
  }
  const args = [...FLAGS, join(ROOT, 'src/main.ts'), 'api']
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const errors: string[] = []
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // Reads the service's output: resolves with the address that it prints, and collects logged errors.
  const address = new Promise<string>((resolve, reject) => {
    void ended.then(() => reject(new Error('the service ended')))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      errors.push(...(text.match(/^.*"level":"(?:error|fatal)".*$/gm) ?? []))
      const [, port] = /http:\/\/localhost:([1-9][0-9]*)/.exec(text) ?? []
      if (port) resolve(`http://127.0.0.1:${port}`)
    })
  })
  const stop = async () => {
    child.kill(SHUTDOWN.signal)
    await ended
  }
  return {
    address,
    errors,
    stop,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  }
}

// Returns a bench, as the fixtures of tests need it, that calls the service over HTTP. `door` sends a request
// and returns the answer; its second argument, false, says that no endless event stream is expected.
function httpBench(door: Door, parts: Pick<Bench, 'db' | 'config'>): Bench {
  let defaultToken: string | undefined
  // Sends a call through the door. The result has json(), which the test fixtures expect.
  const send = async (call: Omit<Call, 'token'>, token?: string | null) => {
    const { method, url, headers, payload } = requestOf(call, token)
    const sent = { method, url, headers, payload } as Parameters<Door>[0]
    const answer = await door(sent, false)
    return { ...answer, json: () => JSON.parse(answer.body) }
  }
  // Logs in, with a few tries, because the service may be busy.
  const login = async (clientId = 'MAN0000001', clientSecret = 'sandbox-secret') => {
    for (let tries = 1; ; tries++) {
      const answer = await send(
        { url: '/api/Account/login', body: { clientId, clientSecret } },
        null,
      )
      if (answer.statusCode === 200) return answer.json().access_token as string
      assert(tries < LOGIN_TRIES, answer.body)
    }
  }
  const bench = {
    ...parts,
    clock: systemClock,
    login,
    async newClient(clientId: string) {
      await addClient(parts.db, systemClock(), { clientId })
      return login(clientId, 's3cret') // The secret that addClient() gives to every client.
    },
    async call({ token, ...call }: Call) {
      // Without a `token`, calls as the sandbox's client. With null, calls without credentials.
      if (token === undefined) defaultToken ??= await login()
      return send(call, token === undefined ? defaultToken : token)
    },
  }
  return bench as never
}
