// Generators of clients can read the description: numbers have a size, values have one type, and no two names
// become one when a generator changes their case or joins them. The generated clients themselves are tested
// by generated-clients.test.ts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Schema = {
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  'x-says'?: string
  'x-money'?: unknown
}
type Parameter = { name: string; in: string; schema: Schema }
type Operation = { operationId: string; tags: string[]; parameters?: Parameter[] }
type Methods = Record<string, Operation>
type Description = {
  paths: Record<string, Methods>
  webhooks: Record<string, Methods>
  components: { schemas: Record<string, Schema> }
}

const description: Description = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
)
const { schemas } = description.components
const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods))
const INT32 = [-(2 ** 31), 2 ** 31 - 1] as const

const typesOf = ({ type }: Schema) => [type ?? []].flat().filter((each) => each !== 'null')

// Calls `see` with every schema of a value, and with the name of the field that it describes.
function eachSchema(value: unknown, see: (schema: Schema, name: string) => void, name = ''): void {
  if (typeof value !== 'object' || value === null) return
  const { type } = value as Schema
  if (typeof type === 'string' || Array.isArray(type)) see(value as Schema, name)
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'example' || key === 'examples') continue
    eachSchema(inner, see, /^(?:items|anyOf|schema|\d+)$/.test(key) ? name : key)
  }
}

test('an integer has 64 bits, unless its limits fit into 32', () => {
  const sizes = { int32: 0, int64: 0 }

  eachSchema(description, (schema, name) => {
    if (!typesOf(schema).includes('integer')) return
    const { format, enum: values = [], minimum, maximum } = schema
    assert(format === 'int32' || format === 'int64', `${name} has the format ${format}`)
    sizes[format]++
    const limits = [minimum, maximum, ...values].filter((limit) => limit !== undefined) as number[]
    const isLimited = values.length > 0 || (minimum !== undefined && maximum !== undefined)
    const isShort = isLimited && limits.every((limit) => limit >= INT32[0] && limit <= INT32[1])
    assert.equal(format, isShort ? 'int32' : 'int64', name)
  })

  assert(sizes.int32 > 50 && sizes.int64 > 200, JSON.stringify(sizes))
  assert.equal(schemas.Credit?.properties?.id?.format, 'int64')
})

test('a number that is no integer is an amount or a share, as a double', () => {
  const wholeNames =
    /^(?:id|count|version|sequence|transfers|attempts|days|minutes)$|(?:Id|Count|Version|Days)$/

  eachSchema(description, (schema, name) => {
    if (!typesOf(schema).includes('number')) return
    assert.equal(schema.format, 'double', name)
    assert.doesNotMatch(name, wholeNames)
  })
})

test('every value has one type, or one and null', () => {
  eachSchema(description, (schema, name) => {
    const types = schema.type === 'null' ? ['null'] : typesOf(schema)
    assert(types.length === 1, `${name} is ${types.join(' or ')}`)
  })
})

test('no value is a list or something else: Java has no name for the list', () => {
  // Looks at the choices of each union.
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const choices = ((value as Schema).anyOf ?? []).filter(({ type }) => type !== 'null')
    const hasList = choices.some(({ type }) => type === 'array')
    assert(!hasList || choices.length === 1, path)
    for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`)
  }
  walk(description, '')
})

test('no field is null alone: generators have no type for that', () => {
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    for (const [field, { type }] of Object.entries(properties)) {
      assert.notEqual(type, 'null', `${name}.${field}`)
    }
  }
})

test('a query parameter has the type of what it means', () => {
  const expected: [RegExp, string][] = [
    [/true or false|true, false/, 'boolean'],
    [/whole number|suspense ID|a year/, 'integer'],
  ]
  const seen = new Set<string>()
  for (const { operationId, parameters = [] } of operations) {
    for (const { name, in: place, schema } of parameters) {
      if (place !== 'query') continue
      const says = schema['x-says'] ?? ''
      const meant = schema['x-money']
        ? 'number'
        : expected.find(([sentence]) => sentence.test(says))?.[1]
      if (meant === undefined) continue
      seen.add(meant)
      assert.equal(schema.type, meant, `${operationId}: ${name}`)
    }
  }
  assert.deepEqual([...seen].sort(), ['boolean', 'integer', 'number'])
})

// A name as generators compare it: they change its case and drop its separators.
const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

// Collects names that a generator gives to types of one module, and refuses two that are the same.
class Names {
  readonly #owners = new Map<string, string>()

  take(name: string, owner: string): void {
    const other = this.#owners.get(plain(name))
    assert(other === undefined || other === owner, `${name}: ${owner} and ${other}`)
    this.#owners.set(plain(name), owner)
  }
}

// Whether generators make a type for a field, named after the object and the field: they do for objects,
// lists of values and values that may be null, but not for a schema with a name.
function hasOwnType(field: Schema): boolean {
  const { type, anyOf, enum: values, const: constant, properties, items } = field
  if (Array.isArray(type) || values || constant !== undefined || properties) return true
  return items !== undefined ? hasOwnType(items) : (anyOf ?? []).some(hasOwnType)
}

test('no two schemas, nor what generators name after their fields, have one name', () => {
  const names = new Names()
  for (const name of Object.keys(schemas)) names.take(name, `schema ${name}`)
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    for (const [field, schema] of Object.entries(properties)) {
      if (hasOwnType(schema)) names.take(`${name}${field}`, `field ${name}.${field}`)
    }
  }
})

test('no schema has a name that generators use for constructors, clients or responses', () => {
  const names = new Names()
  const reserved = ['Client', 'ApiClient', 'ApiResponse', 'ApiException', 'Configuration', 'Error']
  for (const name of [...reserved, 'File', 'Object', 'Pair', 'Response', 'Unset']) {
    names.take(name, 'a generator')
  }
  for (const name of Object.keys(schemas)) names.take(name, `schema ${name}`)
  for (const name of Object.keys(schemas)) {
    // Go has a function New… and a type Nullable… for each schema.
    names.take(`New${name}`, `constructor of ${name}`)
    names.take(`Nullable${name}`, `nullable ${name}`)
  }
  for (const { operationId } of operations) {
    for (const suffix of ['Params', 'Response', 'Result', 'JSONBody', 'JSONRequestBody']) {
      names.take(`${operationId}${suffix}`, `operation ${operationId}`)
    }
  }
})

test('no two operations, and no two parameters of one operation, have one name', () => {
  const names = new Names()
  for (const [index, { operationId, parameters = [] }] of operations.entries()) {
    names.take(operationId, String(index))
    const own = new Names()
    for (const { name, in: place } of parameters) own.take(name, `${operationId} in ${place}`)
  }
})
