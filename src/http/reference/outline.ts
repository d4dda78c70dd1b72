// Arranges the description of the API as pages, one per tag, each with its operations in the order in which a
// client integrates. Also builds the examples of requests and responses.

import { OMITTED, VALUES } from './example-values.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: unknown
  schema: Schema
}

type Json = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
export type Content = Readonly<Record<string, Json>>

export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags?: readonly string[]
  security?: readonly Record<string, unknown>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Content; description?: string; required?: boolean }
  responses: Readonly<Record<string, { description?: string; content?: Content; $ref?: string }>>
  'x-internal'?: true
}

export type Description = {
  info: { description: string }
  servers: readonly { url: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, { post: Operation }>>
  components: { schemas: Readonly<Record<string, Schema>> }
  'x-tagGroups': readonly { name: string; tags: readonly string[] }[]
}

export type Entry = { method: string; path: string; operation: Operation }
export type Section = { group: string; title: string; slug: string; entries: readonly Entry[] }

const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

export function sectionsOf({ paths, 'x-tagGroups': groups }: Description): Section[] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !operation['x-internal'])
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const sections = groups.flatMap(({ name: group, tags }) =>
    tags.map((title) => ({
      group,
      title,
      slug: slugOf(title),
      entries: inOrder(entries.filter(({ operation }) => operation.tags?.[0] === title)),
    })),
  )
  return sections.filter((section) => section.entries.length > 0)
}

// Orders objects: those that a client creates, then those that it reads, then the rest. Otherwise objects
// stay in the order of the routes. Erasing comes last.
function inOrder(entries: readonly Entry[]): Entry[] {
  const objects = [...Map.groupBy(entries, ({ path }) => objectOf(path)).values()]
  const ranked = objects.map((each) => each.toSorted((one, other) => rankOf(one) - rankOf(other)))
  const placeOf = ([first]: readonly Entry[]) => {
    const rank = first ? rankOf(first) : CHANGES
    return rank === 0 ? 0 : rank <= CHANGES ? 1 : 2
  }
  const all = ranked.toSorted((one, other) => placeOf(one) - placeOf(other)).flat()
  return [
    ...all.filter((entry) => rankOf(entry) < ERASES),
    ...all.filter((entry) => rankOf(entry) >= ERASES),
  ]
}

// Returns the path up to its first parameter or file name extension.
function objectOf(path: string): string {
  const [head = ''] = path.split(/\/\{|\.(?:csv|xlsx|html)$/, 1)
  return head.replace(/\/(?:bulk|summary)$/, '')
}

const CHANGES = 3
const ERASES = 6
const RANKS: readonly (readonly [rank: number, pattern: RegExp])[] = [
  [0, /^(?:create|login|oauth|initiate|simulate|send|openCase|place|draft|refund|issue)/],
  [0, /^(?:requestAdj|closeSettlement)/],
  [1, /^list/],
  [2, /^(?:get|find|summarize)/],
  [4, /^(?:export|print)/],
  [5, /^(?:delete|remove|cancel|deactivate|end|close|suspend|withdraw|release|forfeit)/],
  [ERASES, /^(?:erase|reset)/],
]

// The order is: create, list, get, change, export, end, erase.
function rankOf({ operation: { operationId } }: Entry): number {
  return RANKS.find(([, pattern]) => pattern.test(operationId))?.[0] ?? CHANGES
}

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

export type Components = Readonly<Record<string, Schema>>

const REF = '#/components/schemas/'
const TIME = '2026-11-15T10:32:07.120000+01:00'
// Stops at a schema that contains itself. No other schema is this deep.
const DEPTH_MAX = 13

// Builds examples of requests and responses from their schemas. A value comes from example-values.ts, by
// name, or from the schema itself (example, const, enum, default). A text without a value is an error, so
// that no example shows "string".
//
// `at` is the path, the operation, and the names of the schemas and properties that lead to this schema.
export function exampleOf(schema: Schema, components: Components, at: readonly string[]): unknown {
  if (at.length > DEPTH_MAX) throw new Error(`no example is this deep: ${at.join('.')}`)
  if (schema.$ref) {
    const name = schema.$ref.slice(REF.length)
    return exampleOf(components[name] as Schema, components, [
      ...at.slice(0, -1),
      at.at(-1) ?? '',
      name,
    ])
  }
  const named = namedValue(at)
  if (named !== undefined && fits(schema, named)) return named
  const ownValue = ownExample(schema)
  if (ownValue !== undefined) return ownValue
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return exampleOf(first, components, at)
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, components, at)))
  }
  return byType(schema, components, at)
}

function ownExample({ examples, const: constant, enum: values, default: usual }: Schema): unknown {
  return examples?.[0] ?? constant ?? values?.find((value) => value !== null) ?? usual
}

function byType(schema: Schema, components: Components, at: readonly string[]): unknown {
  const types = [schema.type ?? []].flat()
  if (schema.properties) {
    const entries = Object.entries(schema.properties)
    return Object.fromEntries(
      entries
        .filter(([name]) => namedValue([...at, name]) !== OMITTED)
        .map(([name, property]) => [name, exampleOf(property, components, [...at, name])]),
    )
  }
  if (schema.items) return [exampleOf(schema.items, components, at)]
  const name = at.at(-1) ?? ''
  if (/(?:At|Until|Since)$/.test(name) && types.includes('string')) {
    return types.includes('null') ? null : TIME
  }
  if (types.includes('null')) return null
  if (types.includes('boolean')) return true
  if (types.includes('number') || types.includes('integer')) return 0
  if (types.includes('object')) return {}
  if (types.includes('array')) return []
  throw new Error(`no example for ${at.join('.')}: add it to example-values.ts`)
}

// Uses the most specific name: `Payment.status` before `status`.
function namedValue(at: readonly string[]): unknown {
  const name = at.at(-1) as string
  for (const owner of at.slice(0, -1).reverse()) {
    const value = VALUES[`${owner}.${name}`]
    if (value !== undefined) return value
  }
  return VALUES[name]
}

function fits({ type, enum: values, anyOf, oneOf }: Schema, value: unknown): boolean {
  const choices = anyOf ?? oneOf
  if (choices) return choices.some((choice) => !choice.$ref && fits(choice, value))
  if (values) return values.includes(value)
  const types = [type ?? []].flat()
  if (types.length === 0) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array')
  if (Number.isInteger(value) && types.includes('integer')) return true
  return types.includes(typeof value)
}
