// Builds examples of requests and responses from their schemas. A value comes from example-values.ts, by
// name, or from the schema itself (example, const, enum, default). A text without a value is an error, so
// that no example shows "string".

import { OMITTED, VALUES } from './example-values.ts'

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

// `at` is the path, the operation, and the names of the schemas and properties on the way to this schema.
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
  const own = ownExample(schema)
  if (own !== undefined) return own
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

// The most specific name counts: `Payment.status` before `status`.
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
