// The description of the API (openapi.json) is generated from the routes, committed, complete, and readable
// without internet access.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { lazySchemas, shareSchemaComponents } from '#http/schema-components.ts'
import { validatorOptions } from '#http/validation.ts'
import { renderTypes } from '../../tools/openapi-types/render-types.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  BANKS,
  BY_ADVICE,
  BY_PAYMENT,
  INITIATE,
  SIMULATE,
} from '../support/fixtures.ts'
import { renderOpenApi } from '../support/open-api.ts'
import { startTestService } from '../support/running-service.ts'

type Operation = {
  operationId?: string
  summary?: string
  requestBody?: { content: Record<string, { schema?: object }> }
  responses: Record<string, { content?: Record<string, unknown>; $ref?: string }>
}
type Description = {
  openapi: string
  info: { title?: string; version?: string }
  servers?: { url: string }[]
  paths: Record<string, Record<string, Operation>>
}

const CONTRACT = [
  ['post', '/api/Account/login'],
  ['post', '/oauth/token'],
  ['post', ACCOUNTS],
  ['get', `${ACCOUNTS}/{accountNumber}`],
  ['post', ADVICE],
  ['get', `${ADVICE}/{adviceReference}`],
  ['get', BANKS],
  ['post', `${INITIATE}/{adviceReference}`],
  ['post', SIMULATE],
  ['get', `${BY_PAYMENT}/{reference}`],
  ['get', `${BY_ADVICE}/{reference}`],
  ['get', '/health'],
  ['get', '/ready'],
] as const

const bench = closeAfterTests(await startTestService())
const answer = await bench.call({ url: '/openapi.json', token: null })
const description: Description = answer.json()
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the description is OpenAPI 3.1, for anybody', () => {
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^application\/json\b/)
  assert.match(description.openapi, /^3\.1\.\d$/)
  assert(description.info.title && description.info.version)
})

test('the committed description is what the routes make (npm run generate)', async () => {
  const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')

  assert.equal(await renderOpenApi(bench.database.connectionString), committed)
  assert.deepEqual(description, JSON.parse(committed))
})

test('the pages’ types of the API are what the description makes (npm run generate)', async () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

  assert.equal(await renderTypes(read('openapi.json')), read('sdk/src/api-types.ts'))
})

test('every schema of a request or an answer compiles, which the program sees to as it starts', async () => {
  await bench.service.app.ready()

  bench.service.app.compileSchemas()

  const broken = lazySchemas('sandbox')
  const make = broken.factories.buildValidator as (...args: object[]) => (route: object) => unknown
  const compile = make({}, { customOptions: {} })
  compile({ schema: { type: 'nothing' } })
  assert.throws(() => broken.compileAll(), /schema is invalid/)
})

test('a sandbox and a live app of one process each validate by their own mode', () => {
  // Returns whether a web address with http is valid in this mode.
  const accepts = (mode: 'sandbox' | 'live') => {
    const make = lazySchemas(mode).factories.buildValidator as (
      ...args: object[]
    ) => (route: object) => (value: unknown) => boolean
    const check = make({}, validatorOptions(mode))
    return check({ schema: { type: 'string', 'x-web-address': true } })('http://127.0.0.1/hook')
  }

  assert.deepEqual([accepts('sandbox'), accepts('live')], [true, false])
})

test('every call of the contract is described, with its body', () => {
  for (const [method, path] of CONTRACT) {
    const operation = description.paths[path]?.[method]
    assert(operation, `${method} ${path}`)
    assert.equal('requestBody' in operation, method === 'post', `${method} ${path}`)
  }
})

test('every operation has a name of its own, a summary, and says what it answers', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, operations.length)

  for (const { method, path, operation } of operations) {
    const name = `${method} ${path}`
    assert.match(operation.operationId ?? '', /^[a-z][A-Za-z0-9]*$/, name)
    assert((operation.summary ?? '').length > 3, name)
    const [success] = Object.values(operation.responses['200']?.content ?? {})
    assert(success, `${name} does not describe its success`)
  }
})

test('every operation describes each failure it may answer with, in the envelope of its family', () => {
  const refusalsOf = (method: string, path: string) =>
    Object.entries(description.paths[path]?.[method]?.responses ?? {}).filter(
      ([status]) => status !== '200',
    )
  const refusalStatuses = (method: string, path: string) =>
    refusalsOf(method, path).map(([status]) => Number(status))

  assert.deepEqual(refusalStatuses('post', ACCOUNTS), [400, 401, 403, 413, 415, 429, 503])
  assert.deepEqual(refusalStatuses('get', `${ACCOUNTS}/{accountNumber}`), [400, 401, 403, 429, 503])
  assert.deepEqual(
    refusalStatuses('patch', `${ACCOUNTS}/{accountNumber}`),
    [400, 401, 403, 404, 409, 412, 413, 415, 429, 503],
  )
  assert.deepEqual(refusalStatuses('get', BANKS), [429, 503])
  assert.deepEqual(refusalStatuses('get', '/health'), [])
  const envelopes = [SIMULATE, ACCOUNTS, '/oauth/token', '/rails/{bankCode}/returns'].map((path) =>
    refusalsOf('post', path).map(
      ([, { $ref = '' }]) => /responses\/(Payment|Api|Oauth|Rail)/.exec($ref)?.[1],
    ),
  )
  assert.deepEqual(
    envelopes.map((each) => [...new Set(each)]),
    [['Payment'], ['Api'], ['Oauth'], ['Rail']],
  )
})

test('every reference inside the description leads somewhere', () => {
  const references = JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)

  for (const [, reference = ''] of references) {
    assert(reference.startsWith('#/'), reference)
    const found = reference
      .slice(2)
      .split('/')
      .reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], description)
    assert(found, reference)
  }
})

test('every schema of some size is written once, under a name of its own', () => {
  const places = new Map<string, string[]>()
  // Notes where each object schema with at least three properties stands in the description.
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const { properties } = value as { properties?: object }
    if (Object.keys(properties ?? {}).length >= 3) {
      const text = JSON.stringify(value)
      places.set(text, [...(places.get(text) ?? []), path])
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`)
  }

  walk(description, '#')

  assert(places.size > 100)
  assert.deepEqual(
    [...places.values()].filter((found) => found.length > 1),
    [],
  )
})

test('every success answers with a named schema', () => {
  for (const { method, path, operation } of operations) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      const json = content['application/json']
      if (!status.startsWith('2') || !json) continue
      assert.match(JSON.stringify(json), /"#\/components\/schemas\/[A-Z]/, `${method} ${path}`)
    }
  }
})

test('two schemas with one name are refused', () => {
  const describeMoneyTwice = (second: object) => ({
    openapiObject: {
      paths: { a: { $id: 'Money', type: 'number' }, b: { $id: 'Money', ...second } },
    },
  })

  assert.throws(
    () => shareSchemaComponents(describeMoneyTwice({ type: 'string' })),
    /two schemas are named Money/,
  )
  assert.deepEqual(shareSchemaComponents(describeMoneyTwice({ type: 'number' })).components, {
    schemas: { Money: { type: 'number', format: 'double' } },
  })
})

test('the reference page asks no other host for anything', async () => {
  const page = await bench.call({ url: '/docs', token: null })

  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-type']), /^text\/html\b/)
  const loaded = [
    ...page.body.matchAll(/<(?:script|link|img|iframe)\b[^>]*(?:src|href)="([^"]*)"/g),
  ].filter(([, address = '']) => !address.startsWith('data:'))
  assert(loaded.length > 1)
  for (const [, address = ''] of loaded) {
    assert.match(address, /^\/docs\//)
    const part = await bench.call({ url: address, token: null })
    assert.equal(part.statusCode, 200, address)
  }
  assert.match(page.body, /href="\/openapi\.json"/)
})
