// Hostile requests to one operation of the API, made from what its description says of it. Each is
// right but for one thing, so that it gets as far as that.

import {
  BODIES,
  boundaries,
  CONTENT_TYPES,
  HEADER_TEXTS,
  JSON_VALUES,
  PATH_TEXTS,
  TEXTS,
} from './hostile-values.ts'
import { type Known, type Random, rightValue, type Schema } from './right-values.ts'

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema?: Schema
}

export type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
  security?: Record<string, unknown>[]
}

export type Target = { method: string; path: string; operation: Operation; known: Known }

export type HostileRequest = {
  what: string
  method: string
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
  isSigned: boolean // On the rails: signed as the bank would.
}

type Change = {
  params?: Record<string, string>
  query?: string
  headers?: Record<string, string>
  payload?: string | Buffer | ((right: Fields) => string) // Made of a body that is right.
  method?: string
}

type Fields = Record<string, unknown>

const HOLE = '\u2603hole\u2603'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const AUTHORIZATIONS = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Bearer x y',
  'Bearer a.b.c',
  `Bearer ${'x'.repeat(4_000)}`,
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJNQU4wMDAwMDAxIn0.',
  'Basic TUFOMDAwMDAwMTpzYW5kYm94LXNlY3JldA==',
  'Basic %',
  'Digest username="x"',
  '\xff',
]

const HEADERS: readonly Record<string, string>[] = [
  { cookie: 'manilla_session=x; manilla_session=y' },
  { cookie: `manilla_session=${'x'.repeat(3_000)}` },
  { cookie: '=;;=;\xff' },
  { 'x-csrf-token': "' or 1=1 --" },
  { accept: 'text/html;q=x, */*;q=-1' },
  { 'accept-encoding': 'gzip;q=9, x' },
  { host: '[' },
  { host: '' },
  { 'x-forwarded-for': "1.1.1.1, '; --, ::::" },
  { 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'javascript' },
  { 'x-http-method-override': 'DELETE' },
  { 'content-encoding': 'gzip' },
  { expect: 'x' },
  { range: 'bytes=-1' },
  { 'if-none-match': '*' },
]

type Components = { schemas?: Record<string, unknown> }
type WithBodies = {
  paths: Record<string, Record<string, Operation>>
  components?: Components
}

// A body that is described under a name is written out: a reference says nothing of what to send.
export function inlineBodies<D extends WithBodies>(description: D): D {
  const schemas = description.components?.schemas ?? {}
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) return inlined(schemas[$ref.slice($ref.lastIndexOf('/') + 1)])
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inlined(inner)]))
  }
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    if (operation.requestBody) operation.requestBody = inlined(operation.requestBody)
  }
  return description
}

// At most `count`, evenly from all kinds, the same for the same seed.
export function hostileRequests(target: Target, random: Random, count: number): HostileRequest[] {
  const kinds = kindsOf(target).filter((kind) => kind.length > 0)
  const requests: HostileRequest[] = []
  while (requests.length < count && kinds.some((kind) => kind.length > 0)) {
    for (const kind of kinds) {
      const [taken] = kind.splice(random.integer(0, kind.length - 1), 1)
      if (taken) requests.push(build(target, random, taken[0], taken[1]))
    }
  }
  return requests.slice(0, count)
}

type Case = [what: string, change: Change]

function kindsOf(target: Target): Case[][] {
  const { operation, method } = target
  const parameters = operation.parameters ?? []
  const named = (where: Parameter['in']) => parameters.filter((each) => each.in === where)
  const body = bodyOf(target)
  return [
    Array.from({ length: 6 }, (): Case => ['all right', {}]),
    body ? fieldCases(body) : [],
    body ? shapeCases(body) : [],
    BODIES.map((payload): Case => ['body', { payload }]),
    body
      ? CONTENT_TYPES.map((type): Case => ['content type', { headers: { 'content-type': type } }])
      : [],
    named('path').flatMap(({ name }) =>
      PATH_TEXTS.map((text): Case => [`path ${name}`, { params: { [name]: text } }]),
    ),
    queryCases(named('query')),
    named('header').flatMap(({ name }) =>
      HEADER_TEXTS.map((text): Case => [`header ${name}`, { headers: { [name]: text } }]),
    ),
    AUTHORIZATIONS.map((authorization): Case => ['authorization', { headers: { authorization } }]),
    HEADERS.map((headers): Case => ['headers', { headers }]),
    METHODS.filter((each) => each !== method).map((each): Case => ['method', { method: each }]),
  ]
}

function bodyOf({ operation }: Target): Schema | undefined {
  return Object.values(operation.requestBody?.content ?? {})[0]?.schema
}

type Hole = { path: (string | number)[]; schema: Schema }

function holesOf(schema: Schema, path: (string | number)[] = []): Hole[] {
  const here = path.length === 0 ? [] : [{ path, schema }]
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    holesOf(each, [...path, name]),
  )
  const items = schema.items ? holesOf(schema.items, [...path, 0]) : []
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const within = branches.flatMap((each) => holesOf(each, path).slice(here.length))
  return [...here, ...inside, ...items, ...within]
}

function fieldCases(body: Schema): Case[] {
  return holesOf(body).flatMap(({ path, schema }) => {
    const texts = TEXTS.map((text) => JSON.stringify(text))
    return [...JSON_VALUES, ...boundaries(schema), ...texts].map((value): Case => {
      const payload = (right: unknown) =>
        JSON.stringify(withHole(right, path)).replace(JSON.stringify(HOLE), () => value)
      return [`field ${path.join('.')}`, { payload }]
    })
  })
}

function withHole(value: unknown, [step, ...rest]: (string | number)[]): unknown {
  if (step === undefined) return HOLE
  const inside = (typeof value === 'object' && value !== null ? value : {}) as Fields
  const filled = withHole(inside[step], rest)
  return typeof step === 'number' ? [filled] : { ...inside, [step]: filled }
}

const EXTRAS = [
  '"x":1',
  '"__proto__":{}',
  '"a.b":{}',
  '"<b>":[]',
  '"\\u0000":1',
  '"":""',
  '"isOperator":true',
]

function shapeCases(body: Schema): Case[] {
  const names = Object.keys(body.properties ?? {})
  const without = names.map((name): Case => {
    const payload = (right: Fields) => JSON.stringify({ ...right, [name]: undefined })
    return [`without ${name}`, { payload }]
  })
  const twice = names.map((name): Case => {
    const payload = (right: Fields) => {
      const again = `{"${name}":${JSON.stringify(right[name] ?? null)},`
      return JSON.stringify(right).replace(/^\{/, () => again)
    }
    return [`${name} twice`, { payload }]
  })
  const extra = EXTRAS.map((text): Case => {
    const payload = (right: Fields) => JSON.stringify(right).replace(/\}$/, () => `,${text}}`)
    return ['an extra field', { payload }]
  })
  return [...without, ...twice, ...extra]
}

function queryCases(parameters: Parameter[]): Case[] {
  const values = ['', ...PATH_TEXTS]
  const each = parameters.flatMap(({ name, schema }) => [
    ...values.map((value): Case => [`query ${name}`, { query: `${name}=${value}` }]),
    ...boundaries(schema ?? {}).map(
      (value): Case => [
        `query ${name}`,
        { query: `${name}=${encodeURIComponent(String(JSON.parse(value)))}` },
      ],
    ),
    [`query ${name} twice`, { query: `${name}=1&${name}=2` }] as Case,
    [`query ${name} as a list`, { query: `${name}[]=1&${name}[x]=2` }] as Case,
  ])
  const any = [
    '',
    '&&&',
    '=',
    '%',
    '%=%',
    'x=1',
    '__proto__=1',
    'a[b]=c',
    '?',
    '#',
    'x'.repeat(5_000),
  ]
  return [...each, ...any.map((query): Case => ['query', { query }])]
}

function build(
  { method, path, operation, known }: Target,
  random: Random,
  what: string,
  change: Change,
): HostileRequest {
  const parameters = operation.parameters ?? []
  const params = change.params ?? {}
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((each) => each.name === name)?.schema ?? {}
    return params[name] ?? encodeURIComponent(String(rightValue(schema, name, known, random)))
  })
  const query = change.query ?? rightQuery(parameters, known, random)
  const [type = 'application/json', media] =
    Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const right = media?.schema && (rightValue(media.schema, '', known, random) as Fields)
  const payload = payloadOf(change, right, type)
  return {
    what,
    method: change.method ?? method,
    url: query === undefined ? filled : `${filled}?${query}`,
    headers: { ...(payload === undefined ? {} : { 'content-type': type }), ...change.headers },
    payload,
    isSigned: path.startsWith('/rails/') && random.integer(0, 9) > 0,
  }
}

function payloadOf({ payload }: Change, right: Fields | undefined, type: string) {
  if (typeof payload === 'function') return payload(right ?? {})
  if (payload !== undefined || right === undefined) return payload
  const isForm = type.includes('form')
  return isForm
    ? String(new URLSearchParams(right as Record<string, string>))
    : JSON.stringify(right)
}

function rightQuery(parameters: Parameter[], known: Known, random: Random): string | undefined {
  const given = parameters.filter(
    (each) => each.in === 'query' && each.name !== 'cursor' && random.integer(0, 4) === 0,
  )
  if (given.length === 0) return undefined
  const pairs = given.map(({ name, schema }): [string, string] => [
    name,
    String(rightValue(schema ?? {}, name, known, random)),
  ])
  return String(new URLSearchParams(pairs))
}
