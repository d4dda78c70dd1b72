// Arranges the OpenAPI description as pages of the reference: one per tag, with the operations in the order
// in which a client needs them. Also builds the examples of requests and responses.

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

// Builds the pages of the reference: one for each tag with public operations, in the order of the menu.
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
      entries: orderByUse(entries.filter(({ operation }) => operation.tags?.[0] === title)),
    })),
  )
  return sections.filter((section) => section.entries.length > 0)
}

// Orders the operations of a page. Operations on the same object stay together, ordered by rankOf(). Objects
// that a client creates come first, then objects that it reads or changes, then the others. Operations that
// erase come last on the page. Otherwise the order of the routes is kept.
function orderByUse(entries: readonly Entry[]): Entry[] {
  const objects = [...Map.groupBy(entries, ({ path }) => objectPath(path)).values()]
  const ranked = objects.map((operations) =>
    operations.toSorted((one, other) => rankOf(one) - rankOf(other)),
  )
  // Ranks an object by its first operation: 0 if that creates it, 1 if it lists, reads or changes it, else 2.
  const groupRank = ([first]: readonly Entry[]) => {
    const rank = first ? rankOf(first) : CHANGES
    return rank === 0 ? 0 : rank <= CHANGES ? 1 : 2
  }
  const ordered = ranked.toSorted((one, other) => groupRank(one) - groupRank(other)).flat()
  return [
    ...ordered.filter((entry) => rankOf(entry) < ERASES),
    ...ordered.filter((entry) => rankOf(entry) >= ERASES),
  ]
}

// Returns the path that all operations on one object share: up to the first parameter or file name extension.
function objectPath(path: string): string {
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

// Ranks an operation by the first words of its id: create, list, get, change, export, end, erase.
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
// A longer trail means that a schema contains itself: no other schema is this deep.
const DEPTH_MAX = 13

// Builds examples of requests and responses from their schemas. A value comes from example-values.ts, by
// name, or from the schema itself (example, const, enum, default). A text without a value is an error, so
// that no example shows "string".
//
// `trail` is the path, the operation, and the names of the schemas and properties that lead to this schema.
export function exampleOf(
  schema: Schema,
  components: Components,
  trail: readonly string[],
): unknown {
  if (trail.length > DEPTH_MAX) throw new Error(`no example is this deep: ${trail.join('.')}`)
  if (schema.$ref) {
    const name = schema.$ref.slice(REF.length)
    return exampleOf(components[name] as Schema, components, [
      ...trail.slice(0, -1),
      trail.at(-1) ?? '',
      name,
    ])
  }
  const named = namedValue(trail)
  if (named !== undefined && matchesType(schema, named)) return named
  const ownValue = ownExample(schema)
  if (ownValue !== undefined) return ownValue
  const [firstChoice] = schema.anyOf ?? schema.oneOf ?? []
  if (firstChoice) return exampleOf(firstChoice, components, trail)
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, components, trail)))
  }
  return exampleByType(schema, components, trail)
}

// The example that the schema itself states, or its constant, its first permitted value or its default.
function ownExample({ examples, const: constant, enum: values, default: usual }: Schema): unknown {
  return examples?.[0] ?? constant ?? values?.find((value) => value !== null) ?? usual
}

// The example of a schema without a value of its own: built from its fields or items, or a value of its type.
function exampleByType(schema: Schema, components: Components, trail: readonly string[]): unknown {
  const types = [schema.type ?? []].flat()
  if (schema.properties) {
    const entries = Object.entries(schema.properties)
    return Object.fromEntries(
      entries
        .filter(([name]) => namedValue([...trail, name]) !== OMITTED)
        .map(([name, property]) => [name, exampleOf(property, components, [...trail, name])]),
    )
  }
  if (schema.items) return [exampleOf(schema.items, components, trail)]
  const name = trail.at(-1) ?? ''
  if (/(?:At|Until|Since)$/.test(name) && types.includes('string')) {
    return types.includes('null') ? null : TIME
  }
  if (types.includes('null')) return null
  if (types.includes('boolean')) return true
  if (types.includes('number') || types.includes('integer')) return 0
  if (types.includes('object')) return {}
  if (types.includes('array')) return []
  throw new Error(`no example for ${trail.join('.')}: add it to example-values.ts`)
}

// Looks up a value in example-values.ts by the most specific name: `Payment.status` before `status`.
function namedValue(trail: readonly string[]): unknown {
  const name = trail.at(-1) as string
  for (const owner of trail.slice(0, -1).reverse()) {
    const value = VALUES[`${owner}.${name}`]
    if (value !== undefined) return value
  }
  return VALUES[name]
}

// Whether a value from example-values.ts is valid for the schema: several fields may share its name.
function matchesType({ type, enum: values, anyOf, oneOf }: Schema, value: unknown): boolean {
  const choices = anyOf ?? oneOf
  if (choices) return choices.some((choice) => !choice.$ref && matchesType(choice, value))
  if (values) return values.includes(value)
  const types = [type ?? []].flat()
  if (types.length === 0) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array')
  if (Number.isInteger(value) && types.includes('integer')) return true
  return types.includes(typeof value)
}
