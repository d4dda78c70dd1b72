// The API reference says of every operation what it does, what it needs, what it answers with (an
// example that its schema accepts), and which errors to expect.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { REFUSALS } from '#errors.ts'
import { lazySchemas } from '#http/lazy-schemas.ts'
import { TAG_GROUPS } from '#http/reference/tag-groups.ts'
import { validatorOptions } from '#http/validation.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, ADVICE, BY_PAYMENT, UNKNOWN_REFERENCE } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

type Examples = Record<string, { value: unknown }>
type Content = Record<string, { schema?: object; example?: unknown; examples?: Examples }>
type Operation = {
  description?: string
  tags?: string[]
  security?: object[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
  'x-internal'?: true
}

const bench = closeAfterTests(await startTestService())
const answer = await bench.call({ url: '/openapi.json', token: null })
const description = answer.json()
const operations = Object.entries<Record<string, Operation>>(description.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation,
    })),
)
const shown = operations.filter(({ operation }) => !operation['x-internal'])

function jsonOf({ requestBody, responses }: Operation) {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [requestBody?.content, ...answers.map(([, { content }]) => content)].flatMap(
    (content) => content?.['application/json'] ?? [],
  )
}

function briefly({ instancePath, message }: { instancePath?: string; message?: string }): string {
  return `${instancePath} ${message}`
}

// The schema with what it references in place.
function whole(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value?.$ref === 'string'
      ? whole(description.components.schemas[value.$ref.split('/').at(-1)])
      : value,
  )
}

test('every example is accepted by its schema', () => {
  type Validate = ((value: unknown) => boolean) & {
    errors?: { instancePath?: string; message?: string }[]
  }
  const make = lazySchemas('sandbox').factories.buildValidator as (
    ...given: object[]
  ) => (route: object) => Validate
  const compile = make({}, validatorOptions('sandbox'))
  const bodies = operations.flatMap(({ name, operation }) =>
    jsonOf(operation).map((body) => ({ name, ...body })),
  )
  const refused = bodies.flatMap(({ name, schema = {}, example, examples }) => {
    const validate = compile({ schema: whole(schema) })
    const shown = examples ? Object.values(examples).map(({ value }) => value) : [example]
    return shown.flatMap((each) =>
      validate(each) ? [] : [{ name, errors: validate.errors?.map(briefly), example: each }],
    )
  })

  assert.deepEqual(refused, [])
  assert(bodies.length > 150)
})

test('every operation is described, says its scope, and stands in the sidebar', () => {
  const tags = TAG_GROUPS.flatMap((group) => group.tags)
  for (const { name, operation } of shown) {
    const [first = ''] = operation.description?.split('\n\n') ?? []
    assert(first.length > 20 && !first.startsWith('**'), `${name} has no description`)
    assert(
      operation.tags?.every((tag) => tags.includes(tag)),
      `${name}: ${operation.tags}`,
    )
    if (!operation.security?.some((scheme) => 'bearer' in scheme)) continue
    assert.match(operation.description ?? '', /\*\*Scope:\*\* `[a-z]+(?::[a-z]+)?`/, name)
  }
})

test('operations of the dashboard’s own are not shown', () => {
  const internal = operations.filter(({ operation }) => operation['x-internal'])

  assert(internal.length > 10)
  assert(internal.every(({ name }) => name.includes('/dashboard/')))
})

test('the page of errors has each code with its cause and remedy', async () => {
  const page = await bench.call({ url: '/docs/errors', token: null })

  assert.equal(page.statusCode, 200)
  for (const [code, { status }] of Object.entries(REFUSALS)) {
    const row = new RegExp(`<tr id="${code}">.*<td>${status}</td><td>.{5,}</td><td>.{5,}</td></tr>`)
    assert.match(page.body, row)
  }
})

test('the reference names the status that an operation answers with', async () => {
  const statusOf = (path: string, method: string, code: string) => {
    const text: string = description.paths[path][method].description
    return Number(text.match(new RegExp(`#${code}\\) \\((\\d+)\\)`))?.[1])
  }
  const missing = { number: '0000000000', reference: UNKNOWN_REFERENCE }
  const calls = [
    [`${ACCOUNTS}/{accountNumber}`, 'get', missing.number, 'account_not_found'],
    [`${ADVICE}/{adviceReference}`, 'get', missing.reference, 'advice_not_found'],
    [`${BY_PAYMENT}/{reference}`, 'get', missing.reference, 'payment_not_found'],
    ['/api/v1/accounts/static/{accountNumber}', 'patch', missing.number, 'account_not_found'],
    ['/api/v1/events/{id}', 'get', missing.reference, 'event_not_found'],
  ] as const

  for (const [path, method, missed, code] of calls) {
    const url = path.replace(/\{\w+\}/, missed)
    const verb = method.toUpperCase() as 'GET' | 'PATCH'
    const body = method === 'patch' ? { accountName: 'Ada' } : undefined
    const refused = await bench.call({ method: verb, url, body })
    assert.equal(refused.json().code, code)
    assert.equal(statusOf(path, method, code), refused.statusCode, `${method} ${path}`)
  }
})

test('every operation that only the sandbox has says so', () => {
  const sandbox = shown.filter(({ name }) => /\/(?:sandbox|simulate)\/|\/chaos/.test(name))

  assert(sandbox.length >= 12, `${sandbox.length}`)
  for (const { name, operation } of sandbox) {
    assert.match(operation.description ?? '', /#sandbox_only\) \(400\)/, name)
  }
})

test('the reference is at most 1.2 MB to load', async () => {
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  const urls = ['/docs/', '/docs/js/scalar.js', '/openapi.json']
  const answers = await Promise.all(urls.map((url) => bench.call({ url, headers, token: null })))
  const plain = await bench.call({ url: '/openapi.json', token: null })
  const zipped = await bench.call({
    url: '/openapi.json',
    headers: { 'accept-encoding': 'br;q=0, gzip' },
    token: null,
  })

  const bytes = answers.reduce((sum, each) => sum + each.rawPayload.length, 0)
  assert(bytes <= 1_200_000, `${bytes} bytes`)
  assert(answers.every((each) => each.headers['content-encoding'] === 'br'))
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(zipped.headers['content-encoding'], 'gzip')
  const [, , described] = answers
  assert.equal(brotliDecompressSync(described?.rawPayload as Buffer).toString(), plain.body)
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body)
})
