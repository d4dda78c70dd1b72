// The API reference documents every operation: its effect, its requirements, its answer (an example
// that its schema accepts), and its errors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { REFUSALS } from '#errors.ts'
import { TAG_GROUPS } from '#http/reference/open-api.ts'
import { type Entry, sectionsOf } from '#http/reference/outline.ts'
import { lazySchemas } from '#http/schema-components.ts'
import { validatorOptions } from '#http/validation.ts'
import { startLiveService } from '../support/bank-calls.ts'
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
const sections = sectionsOf(description)
const visible = operations.filter(({ operation }) => !operation['x-internal'])

// Returns the JSON bodies of an operation's request and successful responses.
function jsonOf({ requestBody, responses }: Operation) {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [requestBody?.content, ...answers.map(([, { content }]) => content)].flatMap(
    (content) => content?.['application/json'] ?? [],
  )
}

function briefly({ instancePath, message }: { instancePath?: string; message?: string }): string {
  return `${instancePath} ${message}`
}

// Returns the schema with its references inlined.
function inlineReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value?.$ref === 'string'
      ? inlineReferences(description.components.schemas[value.$ref.split('/').at(-1)])
      : value,
  )
}

test('every example is accepted by its schema', () => {
  type Validate = ((value: unknown) => boolean) & {
    errors?: { instancePath?: string; message?: string }[]
  }
  const make = lazySchemas('sandbox').factories.buildValidator as (
    ...args: object[]
  ) => (route: object) => Validate
  const compile = make({}, validatorOptions('sandbox'))
  const bodies = operations.flatMap(({ name, operation }) =>
    jsonOf(operation).map((body) => ({ name, ...body })),
  )
  // Collects the examples that their schemas refuse, each with the reasons.
  const refused = bodies.flatMap(({ name, schema = {}, example, examples }) => {
    const validate = compile({ schema: inlineReferences(schema) })
    const values = examples ? Object.values(examples).map(({ value }) => value) : [example]
    return values.flatMap((each) =>
      validate(each) ? [] : [{ name, errors: validate.errors?.map(briefly), example: each }],
    )
  })

  assert.deepEqual(refused, [])
  assert(bodies.length > 150)
})

test('every operation is described, says its scope, and has a page in the reference', () => {
  const tags = TAG_GROUPS.flatMap((group) => group.tags)
  for (const { name, operation } of visible) {
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

test('the dashboard’s own operations are not documented', () => {
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
  // Returns the HTTP status that the description of an operation names for an error code.
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
  const sandbox = visible.filter(({ name }) => /\/(?:sandbox|simulate)\/|\/chaos/.test(name))

  assert(sandbox.length >= 12, `${sandbox.length}`)
  for (const { name, operation } of sandbox) {
    assert.match(operation.description ?? '', /#sandbox_only\) \(400\)/, name)
  }
})

test('pages and files of the reference are compressed as the browser asks', async () => {
  const plain = await bench.call({ url: '/openapi.json', token: null })
  for (const url of ['/docs', '/docs/payments', '/docs/search.json', '/openapi.json']) {
    const headers = { 'accept-encoding': 'gzip, deflate, br' }
    const answered = await bench.call({ url, headers, token: null })
    assert.equal(answered.headers['content-encoding'], 'br', url)
  }
  const brotli = { 'accept-encoding': 'br' }
  const described = await bench.call({ url: '/openapi.json', headers: brotli, token: null })
  const zipped = await bench.call({
    url: '/openapi.json',
    headers: { 'accept-encoding': 'br;q=0, gzip' },
    token: null,
  })

  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(zipped.headers['content-encoding'], 'gzip')
  assert.equal(brotliDecompressSync(described.rawPayload).toString(), plain.body)
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body)
})

test('no page of the reference takes more than 80 kB to load', async () => {
  const headers = { 'accept-encoding': 'br' }
  for (const { slug } of sections) {
    const { rawPayload } = await bench.call({ url: `/docs/${slug}`, headers, token: null })
    assert(rawPayload.length <= 80_000, `${slug}: ${rawPayload.length} bytes`)
  }
})

test('each operation is on the page of its tag, with its examples', async () => {
  const missing: string[] = []
  for (const { slug, entries } of sections) {
    const { body } = await bench.call({ url: `/docs/${slug}`, token: null })
    for (const { operation } of entries) {
      const start = body.indexOf(`id="${operation.operationId}" aria-labelledby`)
      const own = body.slice(start, body.indexOf('</section>', start))
      if (start < 0 || !own.includes('data-kind="curl"')) missing.push(operation.operationId)
    }
  }

  assert.deepEqual(missing, [])
  const listed = sections.flatMap(({ entries }) => entries)
  assert.equal(listed.length, visible.length)
})

test('a page begins with what one creates, and ends with what cannot be undone', () => {
  const idsOf = (slug: string) =>
    sections.find((section) => section.slug === slug)?.entries.map(idOf) ?? []
  const first = [
    'createAdvice',
    'createCollectionAccount',
    'createWebhookEndpoint',
    'createSubaccount',
  ]
  const pages = ['payments', 'collection-accounts', 'webhooks', 'splits']

  assert.deepEqual(
    pages.map((slug) => idsOf(slug)[0]),
    first,
  )
  assert.equal(idsOf('collection-accounts').at(-1), 'eraseCollectionAccount')
  const payments = idsOf('payments')
  const places = [
    'createAdvice',
    'initiateBankTransfer',
    'listAdvices',
    'findAdvice',
    'eraseAdvice',
  ]
  const found = places.map((id) => payments.indexOf(id))
  assert.deepEqual(
    found,
    found.toSorted((one, other) => one - other),
  )
})

test('an unknown page of the reference is refused, and live names no secret', async () => {
  const unknown = await bench.call({ url: '/docs/nowhere', token: null })
  assert.equal(unknown.json().code, 'route_not_found')
  assert.match((await bench.call({ url: '/docs', token: null })).body, /data-secret=/)
  await using live = await startLiveService()
  for (const url of ['/docs', '/docs/authentication']) {
    const { body } = await live.call({ url, token: null })
    assert.doesNotMatch(body, /data-secret=|class="fold try"/)
  }
})

function idOf({ operation }: Entry): string {
  return operation.operationId
}
