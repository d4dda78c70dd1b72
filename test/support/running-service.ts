// Starts a whole service on a private database, with a clock that the test moves and a log that it can read.
// `call` sends HTTP requests without a socket.

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { hashSecret } from '#access/passwords.ts'
import { createClient } from '#access/secrets.ts'
import { registerRanges } from '#accounts/numbers.ts'
import { type Config, loadConfig } from '#config/config.ts'
import type { Queryable } from '#db/pool.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { createLogger } from '#log.ts'
import { createService, prepareDatabase } from '#wiring.ts'
import './cheap-hashing.ts'
import { createPartitionedDatabase, createPreparedDatabase, type TestDatabase } from './database.ts'
import './declared-errors.ts'
import { BUSY_FACTOR } from './patience.ts'
import { readingFirst } from './reading-first.ts'
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

export type ServiceOptions = {
  env?: Record<string, string>
  database?: TestDatabase
  patience?: number
}

// Starts the service; disposing the returned bench closes it and drops its database. `patience` multiplies
// the service's time limits, since test machines are busy.
export async function startTestService(options: ServiceOptions = {}) {
  const { env = {}, database: existing, patience = BUSY_FACTOR } = options
  const template = existing ? undefined : findTemplate(env)
  const database =
    existing ?? (await (template ? createPrepared(template) : createPartitionedDatabase()))
  const { lines, destination } = memoryLog()
  let nowMs = START.getTime()
  const clock = () => new Date(nowMs)
  const { connectionString } = database
  const config = configOf(connectionString, env)
  const log = createLogger({ level: 'trace', destination })
  const monotonic = () => nowMs
  const starting = { config, connectionString, clock, monotonic, log, patience }
  if (!template) await prepareDatabase(starting)
  else if (template === BANKLESS) await registerRanges(database.pool, config.banks)
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

  async function callOnce({ token, ...call }: Call): Promise<LightMyRequestResponse> {
    if (token === undefined) sandboxToken ??= await login()
    return send(requestOf(call, token === undefined ? sandboxToken : token))
  }

  return {
    config,
    service,
    database,
    db: database.pool,
    clock,
    sharedAccounts: new SharedAccounts(database.pool, { clock }),
    advance: (ms: number) => {
      nowMs += ms
      // The same clock checks tokens, so the token may have expired: the next call logs in again.
      sandboxToken = undefined
    },
    logText: () => lines.join(''),
    login,
    tryLogin,
    // Creates another client, as an operator would; returns its token.
    async newClient(clientId: string): Promise<string> {
      await addClient(database.pool, clock(), { clientId })
      return login(clientId, 's3cret')
    },
    // Sends a request, by default with the sandbox client's token. Reads a request before approving it.
    async call(call: Call) {
      return callOnce(await readingFirst(callOnce, call))
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await database[Symbol.asyncDispose]()
      releaseMemory(service)
    },
  }
}

// Empties a closed service. The modules of a test file stay loaded after its tests, and with them the bench
// that the tests share. With its service, a bench would hold six megabytes instead of some hundred kilobytes,
// and each later garbage collection of the process would have to mark them.
function releaseMemory(service: object): void {
  for (const key of Object.keys(service)) Reflect.deleteProperty(service, key)
}

function configOf(connectionString: string, env: Record<string, string>): Config {
  return loadConfig(
    { ...SECRETS, DATABASE_URL: connectionString, PUBLIC_URL: 'http://localhost:8080', ...env },
    'serve',
  )
}

// Databases that a service of the sandbox has prepared: with the banks of the default settings, or with none.
const WITH_DEFAULT_BANKS = 'manilla_prepared'
const BANKLESS = 'manilla_bankless'

// The template for a service with these settings. Undefined if it needs other rows than both templates have.
function findTemplate(env: Record<string, string>): string | undefined {
  const [config, defaults] = [configOf(NOWHERE, env), configOf(NOWHERE, {})]
  const isSame = (key: 'mode' | 'secrets' | 'banks') =>
    isDeepStrictEqual(config[key], defaults[key])
  if (!isSame('mode') || !isSame('secrets')) return undefined
  return isSame('banks') ? WITH_DEFAULT_BANKS : BANKLESS
}

// Clones a database that a service has prepared, because preparing takes a third of the time of a service's
// start.
function createPrepared(template: string): Promise<TestDatabase> {
  return createPreparedDatabase(template, async (connectionString) => {
    const log = createLogger({ level: 'silent' })
    const defaults = configOf(connectionString, {})
    const config = template === BANKLESS ? { ...defaults, banks: [] } : defaults
    await prepareDatabase({
      ...{ config, connectionString, log, patience: BUSY_FACTOR },
      clock: () => START,
    })
  })
}

const HASH_COST = 1024
const NOWHERE = 'postgres://nobody@localhost:5432/none'
type NewClient = { clientId: string; secret?: string; isOperator?: boolean }

// Inserts a client whose secret is hashed cheaply. Unlike other new clients of live mode, it takes one person
// for everything, as in the sandbox.
export async function addClient(
  db: Queryable,
  now: Date,
  { clientId, secret = 's3cret', isOperator = false }: NewClient,
): Promise<void> {
  const secretHash = await hashSecret(secret, HASH_COST)
  await createClient(db, now, { clientId, secretHash, name: clientId, isOperator })
  await db.query('update clients set has_maker_checker = false where client_id = $1', [clientId])
  await db.query(
    `update payout_settings set approval_above_kobo = null
      where client_id = (select id from clients where client_id = $1)`,
    [clientId],
  )
}

function loginRequest(clientId: string, clientSecret: string): InjectOptions {
  return {
    method: 'POST',
    url: '/api/Account/login',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ clientId, clientSecret }),
  }
}

// The request as Fastify's `inject` takes it: a POST if there is a body, else a GET.
export function requestOf(
  { method, url, body, headers = {} }: Omit<Call, 'token'>,
  bearer: string | null | undefined,
): InjectOptions {
  const content = body === undefined ? undefined : { payload: payloadOf(body) }
  return {
    method: method ?? (content ? 'POST' : 'GET'),
    url,
    headers: {
      ...(content ? { 'content-type': 'application/json' } : {}),
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...headers,
    },
    ...content,
  }
}

function payloadOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}

// A log destination that keeps the lines in memory.
function memoryLog() {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { lines, destination }
}
