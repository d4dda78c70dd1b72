// A whole service on a private database, with a clock that the test moves and a readable log. `call`
// sends HTTP requests without a socket.

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { hashSecret } from '#access/passwords.ts'
import { createClient } from '#access/secrets.ts'
import { type Config, loadConfig } from '#config/config.ts'
import type { Queryable } from '#db/pool.ts'
import { createLogger } from '#log.ts'
import { createService, prepareDatabase } from '#wiring.ts'
import './cheap-hashing.ts'
import { createPartitionedDatabase, createPreparedDatabase, type TestDatabase } from './database.ts'
import './declared-errors.ts'
import { BUSY_FACTOR } from './patience.ts'
import { SECRETS, START } from './settings.ts'

export { SECRETS, START }

export type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body?: unknown // Sent as JSON, unless it is text or bytes.
  headers?: Record<string, string>
  token?: string | null // Default: the sandbox client's. Null: none.
}

export type Bench = Awaited<ReturnType<typeof startTestService>>

export type Given = { env?: Record<string, string>; database?: TestDatabase; patience?: number }

export async function startTestService(options: Given = {}) {
  const { env = {}, database: existing, patience = BUSY_FACTOR } = options
  const isPlain = !existing && isPreparedAlike(env)
  const database = existing ?? (await (isPlain ? createPrepared() : createPartitionedDatabase()))
  const { lines, destination } = keptLog()
  let nowMs = START.getTime()
  const clock = () => new Date(nowMs)
  const { connectionString } = database
  const config = configOf(connectionString, env)
  const log = createLogger({ level: 'trace', destination })
  const monotonic = () => nowMs
  const starting = { config, connectionString, clock, monotonic, log, patience }
  if (!isPlain) await prepareDatabase(starting)
  const service = await createService(starting)
  let sandboxToken: string | undefined

  const tryLogin = (clientId: string, clientSecret: string) =>
    send(loginRequest(clientId, clientSecret))

  async function login(clientId = 'MAN0000001', clientSecret = 'sandbox-secret'): Promise<string> {
    const answer = await tryLogin(clientId, clientSecret)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json().access_token
  }

  function send(request: InjectOptions): Promise<LightMyRequestResponse> {
    return service.app.inject(request)
  }

  return {
    config,
    service,
    database,
    db: database.pool,
    clock,
    advance: (ms: number) => {
      nowMs += ms
      // The same clock checks tokens, so a long step outlives them.
      sandboxToken = undefined
    },
    logText: () => lines.join(''),
    login,
    tryLogin,
    // A second client, created like an operator's; returns its token.
    async newClient(clientId: string): Promise<string> {
      await addClient(database.pool, clock(), { clientId })
      return login(clientId, 's3cret')
    },
    async call({ token, ...call }: Call) {
      if (token === undefined) sandboxToken ??= await login()
      return send(requestOf(call, token === undefined ? sandboxToken : token))
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await database[Symbol.asyncDispose]()
      release(service)
    },
  }
}

// A file's module stays loaded, and so does the bench that its tests share. Without its service it holds
// hundreds of kilobytes instead of six megabytes, which each later collection of the process would mark.
function release(service: object): void {
  for (const key of Object.keys(service)) Reflect.deleteProperty(service, key)
}

function configOf(connectionString: string, env: Record<string, string>): Config {
  return loadConfig(
    { ...SECRETS, DATABASE_URL: connectionString, PUBLIC_URL: 'http://localhost:8080', ...env },
    'serve',
  )
}

// Whether these settings prepare the database like the defaults.
function isPreparedAlike(env: Record<string, string>): boolean {
  const preparing = ({ banks, mode, secrets }: Config) => ({ banks, mode, secrets })
  const [own, plain] = [env, {}].map((each) => preparing(configOf(NOWHERE, each)))
  return isDeepStrictEqual(own, plain)
}

// Preparing takes a third of a service's start.
function createPrepared(): Promise<TestDatabase> {
  return createPreparedDatabase(async (connectionString) => {
    const log = createLogger({ level: 'silent' })
    const config = configOf(connectionString, {})
    await prepareDatabase({
      ...{ config, connectionString, log, patience: BUSY_FACTOR },
      clock: () => START,
    })
  })
}

const HASH_COST = 1024
const NOWHERE = 'postgres://nobody@localhost:5432/none'
type NewClient = { clientId: string; secret?: string; isOperator?: boolean }

export async function addClient(
  db: Queryable,
  now: Date,
  { clientId, secret = 's3cret', isOperator = false }: NewClient,
): Promise<void> {
  const secretHash = await hashSecret(secret, HASH_COST)
  await createClient(db, now, { clientId, secretHash, name: clientId, isOperator })
}

function loginRequest(clientId: string, clientSecret: string): InjectOptions {
  return {
    method: 'POST',
    url: '/api/Account/login',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ clientId, clientSecret }),
  }
}

export function requestOf(
  { method, url, body, headers = {} }: Omit<Call, 'token'>,
  bearer: string | null | undefined,
): InjectOptions {
  const sent = body === undefined ? undefined : { payload: payloadOf(body) }
  return {
    method: method ?? (sent ? 'POST' : 'GET'),
    url,
    headers: {
      ...(sent ? { 'content-type': 'application/json' } : {}),
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...headers,
    },
    ...sent,
  }
}

function payloadOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}

function keptLog() {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { lines, destination }
}
