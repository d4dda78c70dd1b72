// Secrets never appear in a log, however they are passed.

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createLogger, prettyStream } from '#log.ts'

const BVN = '22212345654'
const PAYER = '0123456789'
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJNQU4ifQ.c2lnbmF0dXJl'

test('a line is one JSON object: level, time and what was said, no more', () => {
  const { logger, lines } = createLogBench()

  logger.info({ port: 8080 }, 'listening')

  const { time, ...rest } = lines()[0] ?? {}
  assert.deepEqual(rest, { level: 'info', port: 8080, msg: 'listening' })
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a terminal gets one readable line, with lists counted and secrets hidden', () => {
  const lines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  })
  const logger = createLogger({ level: 'info', destination: prettyStream(destination) })

  logger.info({ applied: ['1', '2', '3', '4'], token: TOKEN, dataDir: '/data' }, 'migrated')

  assert.match(
    lines.join(''),
    /INFO: migrated \(applied: 4, token: \[hidden\], dataDir: \/data\)\n$/,
  )
  assert.equal(lines.join('').split('\n').length, 2)
})

test('lines below the level are not written', () => {
  const { logger, text } = createLogBench('warn')
  logger.info('quiet')
  assert.equal(text(), '')
})

for (const name of [
  'bvn',
  'customerBvn',
  'token',
  'access_token',
  'accessToken',
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'secret',
  'clientSecret',
  'client_secret',
  'railSecrets',
  'MANILLA_TOKEN_SECRETS',
  'password',
  'sourceAccountNumber',
  'source_account_number',
  'databaseUrl',
]) {
  test(`a field named ${name} is hidden at every depth and in every form`, () => {
    const { logger, lines, text } = createLogBench()
    const value = 'quoted "and quoted" ]} and \\quoted\\'

    logger.info({ [name]: value })
    logger.info({ a: { b: [{ c: { d: { e: { [name]: value, kept: 'kept' } } } }] } })
    logger.info({ [name]: [value, value], kept: 'kept' })
    logger.info({ [name]: 22212345654, kept: 'kept' })
    logger.child({ [name]: value, child: { [name]: value } }).info('kept')
    logger.info('kept %j', { [name]: value, after: 'kept' })
    logger.info(`kept ${JSON.stringify({ [name]: value, after: 'kept' })}`)

    assert.equal(lines().length, 7)
    assert.doesNotMatch(text(), /quoted|22212345654/)
    assert.equal(text().match(/kept/g)?.length, 11)
  })
}

test('credentials are known by their look, in messages and addresses too', () => {
  const { logger, lines, text } = createLogBench()

  logger.info(`got ${TOKEN} from a header`)
  logger.info({ header: 'Bearer c2VjcmV0LXRva2Vu', other: 'Basic TUFOOnNlY3JldA==' })
  logger.info(
    { url: 'postgres://manilla:hunter2@db/manilla' },
    'signed with whsec_c2VjcmV0LXJhaWw=',
  )

  assert.equal(lines()[0]?.msg, 'got [hidden] from a header')
  assert.doesNotMatch(text(), /eyJ|c2Vj|TUFO|hunter2/)
})

test('a text made to confuse the log is written whole, as one line of JSON', () => {
  const { logger, lines } = createLogBench()
  const opened = '"token":['.repeat(20_000)

  logger.info({ narration: opened, after: ['kept'] }, '"bvn": "never closed')

  assert.deepEqual(lines()[0]?.narration, opened)
  assert.deepEqual(lines()[0]?.after, ['kept'])
})

test('key bytes are hidden, and a logger given them does not throw', () => {
  const { logger, lines } = createLogBench()
  const key = Buffer.alloc(32, 7)

  logger.info({ key, deep: { hash: key, list: [key] } }, 'kept %j', { key })

  assert.doesNotMatch(JSON.stringify(lines()), /7,7/)
  assert.deepEqual(lines()[0]?.deep, { hash: '[hidden]', list: ['[hidden]'] })
})

test('an error of the database keeps its name and code, and loses the row it is about', () => {
  const { logger, lines, text } = createLogBench()
  const error = databaseError()

  logger.error(error)
  logger.error({ err: error }, 'failed')
  logger.error({ reason: error }, 'failed')
  logger.error({ err: new Error('outer', { cause: error }) })
  logger.error({ err: new AggregateError([error], 'several') })
  logger.child({ err: error }).error('failed')

  assert.doesNotMatch(text(), new RegExp(`${BVN}|${PAYER}`))
  assert.equal(text().match(/"code":"23505"/g)?.length, 6)
  const { stack, ...err } = (lines()[0]?.err ?? {}) as Record<string, unknown>
  assert.deepEqual(err, {
    name: 'Error',
    message: 'duplicate key value violates unique constraint "holders_bvn_once"',
    code: '23505',
    constraint: 'holders_bvn_once',
  })
  assert.match(String(stack), /log\.test\.ts/)
})

test('an error that is its own cause is written all the same', () => {
  const { logger, lines } = createLogBench()
  const error = new Error('round')
  error.cause = error

  logger.error(error)

  assert.equal(lines()[0]?.msg, 'round')
})

test('the log of a server that fails a request gives nothing away', async () => {
  const { logger, text } = createLogBench('trace')
  const app = Fastify({ loggerInstance: logger })
  app.post('/fail', (request) => {
    request.log.info({ body: request.body, headers: request.headers }, 'failing')
    throw databaseError()
  })

  const response = await app.inject({
    method: 'POST',
    url: '/fail',
    headers: { authorization: `Bearer ${TOKEN}`, cookie: 'session=hunter2' },
    payload: { bvn: BVN, holder: { sourceAccountNumber: PAYER }, clientSecret: 'hunter2' },
  })
  await app.close()

  assert.equal(response.statusCode, 500)
  assert.match(text(), /"failing"/)
  assert.match(text(), /"constraint":"holders_bvn_once"/)
  assert.doesNotMatch(text(), new RegExp(`${BVN}|${PAYER}|eyJ|hunter2`))
})

// Returns an error as the database driver throws it: the data are in its fields, not in its message.
function databaseError(): Error {
  return Object.assign(
    new Error('duplicate key value violates unique constraint "holders_bvn_once"'),
    {
      code: '23505',
      constraint: 'holders_bvn_once',
      detail: `Key (bvn)=(${BVN}) already exists.`,
      where: `COPY holders, line 1: "${BVN}"`,
      query: `insert into holders values ('${BVN}')`,
      parameters: [BVN, PAYER],
    },
  )
}

// Returns a logger and functions to read its lines.
function createLogBench(level = 'info') {
  const written: string[] = []
  const logger = createLogger({ level, destination: { write: (line) => written.push(line) } })
  const text = () => written.join('')
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { logger, text, lines }
}
