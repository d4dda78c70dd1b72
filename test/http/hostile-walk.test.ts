// Every operation that the API describes, whoever wrote it, under thousands of hostile requests that
// are made from its own description: none breaks it, none hangs, none learns how it is made, and
// every answer is as described. Afterwards the books balance.
//
// The seed is fixed; HOSTILE_SEED and HOSTILE_REQUESTS try others, and more.

import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { SANDBOX_BANKS } from '#config/bank-settings.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { askAtRandom } from '../support/declared-errors.ts'
import { simulate } from '../support/fixtures.ts'
import {
  type HostileRequest,
  hostileRequests,
  inlineBodies,
  type Operation,
  type Target,
} from '../support/hostile-requests.ts'
import { newBrowser } from '../support/people.ts'
import { signedHeaders } from '../support/rail.ts'
import { seededRandom } from '../support/random.ts'
import { AnswerChecks } from './answer-checks.ts'
import { MOVING, ROTATING, seedWorld } from './hostile-seed.ts'

askAtRandom()

const SEED = Number(process.env.HOSTILE_SEED ?? 20_261_115)
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 6_000) // Shared among the operations.
// Those that hash a password or a secret: every hash costs 50 ms on purpose.
const COSTLY = /login|token|session$|password|users|operator\/clients|totp|passkeys|sandbox\/clock/
const COSTLY_SHARE = 0.3
// Of the operations, at least once; else little was tried of them. Some cannot: they need a passkey,
// or a second person.
const SUCCEEDING_SHARE = 0.75
const AT_ONCE = 16
const COSTLY_AT_ONCE = 2
const HANGS_AFTER_MS = 20_000 // Also on a machine that does much else.
const COSTLY_HANGS_AFTER_MS = 20_000
const FAULTS_SHOWN = 30
const UNLIMITED = 'client=0,simulate=0,address=0,initiate=0,login=0,rail=0'

// Where what is at an address has its list elsewhere.
const LISTED_AT: Record<string, string> = {
  '/api/v1/operator/reconciliation': '/api/v1/operator/reconciliation/differences',
}

type Answer = { statusCode: number; headers: IncomingHttpHeaders; body: string }
type Described = { paths: Record<string, Record<string, Operation>> }
type Sent = { request: HostileRequest; target: Target }

// Banks that could be asked; nobody does, for no worker runs.
const askable = { settings: { baseUrl: 'http://127.0.0.1' }, secrets: { apiKey: 'TEST_BANK_KEY' } }
const bench = closeAfterTests(
  await startWithBanks(
    SANDBOX_BANKS.map((bank) => ({ ...bank, ...askable })),
    { MANILLA_RATE_LIMITS: UNLIMITED, TEST_BANK_KEY: 'key' },
  ),
)
const { app } = bench.service
const token = await bench.login()
const seeded = await seedWorld(bench)
// Whose time moves, and whose data goes, walks alone.
const movingToken = await bench.login(MOVING, 's3cret')
const description: Described = inlineBodies((await bench.call({ url: '/openapi.json' })).json())
const targets = await Promise.all(listTargets(description).map(withKnown))
const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
// A balancer has asked before the first caller comes: so the probe has its connection.
assert.equal((await bench.call({ url: '/ready', token: null })).statusCode, 200)

test(`every operation survives its share of hostile requests (seed ${SEED})`, async () => {
  const checks = new AnswerChecks(description, await namesInside())
  const random = seededRandom(SEED)
  const requests = targets.flatMap((target) =>
    hostileRequests(target, random, countFor(target)).map((request): Sent => ({ request, target })),
  )
  const costly = requests.filter(({ target }) => isCostly(target))
  const others = requests.filter(({ target }) => !isCostly(target))
  const faults: string[] = []
  const seen = new Map<Target, Set<number>>(targets.map((target) => [target, new Set()]))

  await Promise.all([sendAll(costly, COSTLY_AT_ONCE), sendAll(others, AT_ONCE)])

  assert.deepEqual(faults.slice(0, FAULTS_SHOWN), [], `${faults.length} faults of seed ${SEED}`)
  assert(targets.length > 40)
  const succeeded = [...seen.values()].filter((statuses) => statuses.has(200))
  const failing = () =>
    [...seen].flatMap(([{ path }, statuses]) => (statuses.has(200) ? [] : path)).join(', ')
  assert(
    succeeded.length > targets.length * SUCCEEDING_SHARE,
    `only ${succeeded.length} of ${targets.length} succeeded: ${failing()}`,
  )

  // In any order: operations meet each other's leavings.
  async function sendAll(queue: Sent[], atOnce: number): Promise<void> {
    const takeAny = () => queue.splice(random.integer(0, queue.length - 1), 1)[0]
    const lane = async () => {
      for (let sent = takeAny(); sent; sent = takeAny()) await judge(sent)
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
  }

  async function judge({ request, target }: Sent): Promise<void> {
    const answer = await send(request, target)
    seen.get(target)?.add(answer.statusCode)
    const isOwn = request.method === target.method
    const found = checks.faults(answer, isOwn ? target.operation : undefined)
    const said = `${request.what}: ${request.method} ${request.url.slice(0, 200)}`
    const body = String(request.payload ?? '').slice(0, 300)
    const headers = JSON.stringify(request.headers).slice(0, 200)
    const shown = `${said} ${headers} ${body}\n  ${answer.body.slice(0, 300)}`
    faults.push(...found.map((fault) => `${fault}\n  ${shown}`))
  }
})

test('afterwards the books balance, nothing failed unforeseen, and the service is well', async () => {
  assert.deepEqual(await checkIntegrity(bench.db), [])
  const errors = bench.logText().match(/^.*"level":"(?:error|fatal)".*$/gm) ?? []
  assert.deepEqual(errors.slice(0, 3), [])
  assert.equal((await bench.call({ url: '/ready', token: null })).statusCode, 200)
  await simulate(bench, seeded.accountNumber?.[0] as string, '5.00')
})

function countFor(target: Target): number {
  const share = REQUESTS / targets.length
  return Math.ceil(isCostly(target) ? share * COSTLY_SHARE : share)
}

function isCostly({ path, method }: Target): boolean {
  return method !== 'GET' && COSTLY.test(path)
}

function listTargets({ paths }: Described): Omit<Target, 'known'>[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  )
}

// What stands in a path after the address of a list is an id of that list.
async function withKnown(target: Omit<Target, 'known'>): Promise<Target> {
  const [, address = '', name = ''] = /^([^{]+)\/\{(\w+)\}/.exec(target.path) ?? []
  const list = LISTED_AT[address] ?? address
  // A reference is of whatever the list has.
  const isSeeded = seeded[name] !== undefined && name !== 'reference'
  if (isSeeded || !description.paths[list]?.get) return { ...target, known: seeded }
  const isPersons = 'session' in (description.paths[list].get.security?.[0] ?? {})
  const viewer = isPersons ? await newBrowser(bench, 'owner') : bench
  const answer = await viewer.call({ url: list })
  const rows: Record<string, unknown>[] = answer.json().data
  const isNamed = rows.some((row) => row[name] !== undefined)
  if (!isNamed && seeded[name]) return { ...target, known: seeded }
  const ids = rows.map((row) => String(row[name] ?? row.id))
  return { ...target, known: { ...seeded, [name]: ids } }
}

async function send(request: HostileRequest, target: Target): Promise<Answer> {
  const headers = {
    ...(await credentialsFor(target)),
    ...signatureFor(request),
    ...request.headers,
  }
  const isStream = 'text/event-stream' in (target.operation.responses['200']?.content ?? {})
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    const what = `hangs: ${request.what} ${request.method} ${request.url} ${request.payload}`
    const afterMs = isCostly(target) ? COSTLY_HANGS_AFTER_MS : HANGS_AFTER_MS
    timer = setTimeout(() => reject(new Error(what.slice(0, 1_000))), afterMs)
  })
  const answered = isStream ? openStream(request, headers) : inject(request, headers)
  return Promise.race([answered, hung]).finally(() => clearTimeout(timer))
}

async function inject({ method, url, payload }: HostileRequest, headers: Record<string, string>) {
  const options = { method, url, headers, ...(payload === undefined ? {} : { payload }) }
  const { statusCode, headers: answered, body } = await app.inject(options as InjectOptions)
  return { statusCode, headers: answered as IncomingHttpHeaders, body }
}

// Over a real socket, and only until it has begun.
function openStream({ method, url, payload }: HostileRequest, headers: Record<string, string>) {
  return new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = address
    const call = httpRequest({
      hostname,
      port,
      method,
      path: url,
      headers: {
        ...headers,
        connection: 'close',
        'content-length': Buffer.byteLength(payload ?? ''),
      },
    })
    call.on('error', reject)
    call.on('response', (response) => {
      const { statusCode = 0, headers: answered } = response
      let body = ''
      const done = () => resolve({ statusCode, headers: answered, body })
      if (String(answered['content-type']).startsWith('text/event-stream')) {
        done()
        return void call.destroy()
      }
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('end', done)
    })
    call.end(payload)
  })
}

const sessionCookies = new Map<Target, Promise<Record<string, string>>>()

// A token, or for what people do a session: one for each operation, since some of them end it.
function credentialsFor(target: Target): Promise<Record<string, string>> | Record<string, string> {
  const [scheme] = target.operation.security ?? []
  if (!scheme) return {}
  const own = /^\/sandbox\/(clock|seed|reset)/.test(target.path) ? movingToken : token
  if (!('session' in scheme)) return { authorization: `Bearer ${own}` }
  const known = sessionCookies.get(target)
  const session =
    known ??
    newBrowser(bench, 'owner', clientOf(target)).then(({ cookie, csrfToken }) => ({
      cookie,
      'x-csrf-token': csrfToken,
    }))
  sessionCookies.set(target, session)
  return session
}

// A secret that is rotated at once ends every token of its client: not of the one that walks.
function clientOf({ operation }: Target): string | undefined {
  return operation.operationId === 'rotateOwnSecret' ? ROTATING : undefined
}

function signatureFor({ isSigned, payload, headers }: HostileRequest): Record<string, string> {
  if (!isSigned || payload === undefined) return {}
  const contentType = headers['content-type'] ?? 'application/json'
  return signedHeaders(bench, payload, { contentType })
}

async function namesInside(): Promise<string[]> {
  const { rows } = await bench.db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
     union select conname from pg_constraint where connamespace = 'public'::regnamespace
     union select attname from pg_attribute join pg_class on pg_class.oid = attrelid
            where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0`,
  )
  return rows.map(({ name }) => name)
}
