// Lists the kinds of hostile changes to a request, derived from the description of its operation. Each
// request is valid except for one change, so that the service processes it up to that point.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { Caller, Case, Change, Fields, Signing } from './hostile-requests.ts'
import {
  AUTHORIZATIONS,
  BODIES,
  boundaries,
  CONTENT_TYPES,
  HEADER_TEXTS,
  HEADERS,
  JSON_VALUES,
  PATH_TEXTS,
  TEXTS,
} from './hostile-values.ts'
import type { Operation, Parameter, Target } from './operations.ts'
import type { Known, Random, Schema } from './right-values.ts'

export type Kind = { name: string; cases: readonly Case[] }

const HOLE = '\u2603hole\u2603'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const kindsByOperation = new WeakMap<Operation, Kind[]>()

// Returns the kinds of changes that apply to this operation, each with all its cases. The first kind,
// `right`, changes nothing.
export function kindsOf(target: Target): Kind[] {
  const kinds =
    kindsByOperation.get(target.operation) ??
    listKinds(target).filter(({ cases }) => cases.length > 0)
  kindsByOperation.set(target.operation, kinds)
  return kinds
}

// Lists every kind of change, with its cases for this operation. A kind that does not apply has no cases.
function listKinds({ operation, method, path }: Target): Kind[] {
  const parameters = operation.parameters ?? []
  const named = (where: Parameter['in']) => parameters.filter((each) => each.in === where)
  const body = bodyOf(operation)
  const kind = (name: string, cases: readonly Case[]): Kind => ({ name, cases })
  return [
    kind('right', [['all right', {}]]),
    kind('field', body ? fieldCases(body) : []),
    kind('generated', body ? generatedCases(body) : []),
    kind('shape', body ? shapeCases(body) : []),
    kind(
      'body',
      BODIES.map((payload): Case => ['body', { payload }]),
    ),
    kind('content type', body ? CONTENT_TYPES.map(contentTypeCase) : []),
    kind('encoding', body ? ENCODINGS : []),
    kind(
      'path',
      named('path').flatMap(({ name }) =>
        PATH_TEXTS.map((text): Case => [`path ${name}`, { params: { [name]: text } }]),
      ),
    ),
    kind('query', queryCases(named('query'))),
    kind('cursor', named('query').some(({ name }) => name === 'cursor') ? CURSORS : []),
    kind(
      'header',
      named('header').flatMap(({ name }) => HEADER_TEXTS.map(headerCase(name))),
    ),
    kind('authorization', AUTHORIZATIONS.map(headerCase('authorization'))),
    kind(
      'headers',
      HEADERS.map((headers): Case => ['headers', { headers }]),
    ),
    kind('method', METHODS.filter((each) => each !== method).map(methodCase)),
    kind(
      'caller',
      CALLERS.map((caller): Case => [`as ${caller}`, { caller }]),
    ),
    kind('signature', path.startsWith('/rails/') ? SIGNINGS.map(signingCase) : []),
  ]
}

const contentTypeCase = (type: string): Case => [
  'content type',
  { headers: { 'content-type': type } },
]
const headerCase =
  (name: string) =>
  (text: string): Case => [`header ${name}`, { headers: { [name]: text } }]
const methodCase = (method: string): Case => ['method', { method }]
const signingCase = (signing: Signing): Case => [`signature: ${signing}`, { signing }]

const CALLERS: readonly Caller[] = ['other client', 'other role', 'nobody']
const SIGNINGS: readonly Signing[] = ['none', 'altered', 'stale', 'wrong secret']

// A case whose content-encoding header says `name`, and whose bytes `encode` makes.
const encoded = (name: string, encode: NonNullable<Change['encode']>): Case => [
  `content-encoding ${name}`,
  { headers: { 'content-encoding': name }, encode },
]
const utf16 = (payload: string | Buffer) => Buffer.from(`\ufeff${payload}`, 'utf16le')

// Bodies in other encodings. In some cases the declared encoding does not match the bytes.
const ENCODINGS: readonly Case[] = [
  encoded('gzip', gzipSync),
  encoded('deflate', deflateSync),
  encoded('br', brotliCompressSync),
  encoded('gzip, gzip', (payload) => gzipSync(gzipSync(payload))),
  encoded('gzip', () => gzipSync(Buffer.alloc(5_000_000))), // Unpacks to a large body.
  encoded('identity', (payload) => payload),
  encoded('br', (payload) => payload),
  ['gzip unsaid', { encode: gzipSync }],
  ['UTF-16', { encode: utf16, headers: { 'content-type': 'application/json; charset=utf-16le' } }],
  ['UTF-16 unsaid', { encode: utf16 }],
  ['Latin-1', { encode: (payload) => Buffer.from(`${payload}\xe9`, 'latin1') }],
  ['a byte order mark', { encode: (payload) => `\ufeff${payload}` }],
  ['cut off', { encode: (payload) => payload.slice(0, -1) }],
]

function bodyOf(operation: Operation): Schema | undefined {
  return Object.values(operation.requestBody?.content ?? {})[0]?.schema
}

// A place in a body at which a value can be replaced. HOLE marks it until the hostile value is filled in as
// JSON text.
type Hole = { path: (string | number)[]; schema: Schema }

// Returns every field of a body's schema, and of the objects and arrays in it.
function holesOf(schema: Schema, path: (string | number)[] = []): Hole[] {
  const here = path.length === 0 ? [] : [{ path, schema }]
  const inProperties = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    holesOf(each, [...path, name]),
  )
  const inItems = schema.items ? holesOf(schema.items, [...path, 0]) : []
  // Each alternative of the schema describes the same place. `here` has the place already, so only the fields
  // inside of an alternative are added.
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const inBranches = branches.flatMap((each) => holesOf(each, path).slice(here.length))
  return [...here, ...inProperties, ...inItems, ...inBranches]
}

// Puts each hostile value into each field of the body. `right` is a valid body. The value replaces HOLE in
// the JSON text, because a number such as 1e309 would not survive JSON.stringify().
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

// Any JSON value, as fast-check generates it.
const ANY_VALUE = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 300 }).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'grapheme', maxLength: 100 }).map((text) => JSON.stringify(text)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ max: 10n ** 40n, min: -(10n ** 40n) }).map(String),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.nat(9_999))
    .map((pair) => `"${pair.join('.')}"`),
  fc.date({ noInvalidDate: true }).map((date) => JSON.stringify(date.toISOString())),
  fc.nat(3_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
)

// Puts a generated value into each field of the body, another one at each run.
function generatedCases(body: Schema): Case[] {
  return holesOf(body).map(({ path }): Case => {
    const payload = (right: Fields, random: Random) => {
      const seed = random.integer(0, 2 ** 31 - 1)
      const [value = 'null'] = fc.sample(ANY_VALUE, { seed, numRuns: 1 })
      return JSON.stringify(withHole(right, path)).replace(JSON.stringify(HOLE), () => value)
    }
    return [`field ${path.join('.')}`, { payload }]
  })
}

type Tamper = (cursor: string, random: Random) => string
// A case that sends a cursor of an earlier response, changed by `tamper`.
const tampered = (tamper: Tamper): Case => [
  'cursor',
  {
    query: (known: Known, random: Random) =>
      `cursor=${encodeURIComponent(tamper(random.pick(known.cursor ?? ['eyJpZCI6MX0']), random))}`,
  },
]

// Cursors that an earlier response named, perhaps for another list: whole, and damaged.
const CURSORS: readonly Case[] = [
  tampered((cursor) => cursor),
  tampered((cursor) => cursor.slice(0, -1)),
  tampered((cursor) => `${cursor}A`),
  tampered((cursor) => cursor.toUpperCase()),
  tampered((cursor) => [...cursor].reverse().join('')),
  tampered((cursor, random) => {
    const at = random.integer(0, cursor.length - 1)
    return `${cursor.slice(0, at)}${random.pick([...'AZaz09-_='])}${cursor.slice(at + 1)}`
  }),
  tampered((cursor, random) => {
    const bytes = Buffer.from(cursor, 'base64url')
    bytes[random.integer(0, Math.max(0, bytes.length - 1))] = random.integer(0, 255)
    return bytes.toString('base64url')
  }),
]

// Returns the value with HOLE at the place, creating the objects and arrays on the way to it.
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

// Leaves out each field of the body, sends it twice, and adds fields that the schema does not name. `right`
// is a valid body.
function shapeCases(body: Schema): Case[] {
  const names = Object.keys(body.properties ?? {})
  // Without the field: JSON.stringify() leaves out a field that is undefined.
  const without = names.map((name): Case => {
    const payload = (right: Fields) => JSON.stringify({ ...right, [name]: undefined })
    return [`without ${name}`, { payload }]
  })
  // With the field twice: its text is inserted again after the opening brace.
  const twice = names.map((name): Case => {
    const payload = (right: Fields) => {
      const again = `{"${name}":${JSON.stringify(right[name] ?? null)},`
      return JSON.stringify(right).replace(/^\{/, () => again)
    }
    return [`${name} twice`, { payload }]
  })
  // With an unknown field, whose text is inserted before the closing brace.
  const extra = EXTRAS.map((text): Case => {
    const payload = (right: Fields) => JSON.stringify(right).replace(/\}$/, () => `,${text}}`)
    return ['an extra field', { payload }]
  })
  return [...without, ...twice, ...extra]
}

// Puts hostile values into each query parameter, and sends hostile query strings.
function queryCases(parameters: Parameter[]): Case[] {
  const values = ['', ...PATH_TEXTS]
  const parameterCases = parameters.flatMap(({ name, schema }) => [
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
  const queryStrings = [
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
  return [...parameterCases, ...queryStrings.map((query): Case => ['query', { query }])]
}
