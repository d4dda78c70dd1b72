// Generates values that are valid by a schema of the API's description. The fuzzer begins with a valid
// request and then changes one thing.

import fc from 'fast-check'
import type { seededRandom } from '../test/support/random.ts'

export type Random = Pick<ReturnType<typeof seededRandom>, 'integer' | 'pick'>

export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  'x-money'?: boolean
  'x-web-address'?: boolean
}

// The values of existing objects, by the name of the field or parameter that refers to them.
export type Known = Record<string, readonly string[]>

// Returns a value that is valid by the schema. Texts that refer to existing objects come from `known`.
export function rightValue(schema: Schema, name: string, known: Known, random: Random): unknown {
  const { anyOf = schema.oneOf, type } = schema
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (anyOf) return rightValue(random.pick(anyOf), name, known, random)
  if (schema.examples) return random.pick(schema.examples)
  switch (Array.isArray(type) ? type.find((each) => each !== 'null') : type) {
    case 'object':
      return rightObject(schema, known, random)
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () =>
        rightValue(schema.items ?? {}, name, known, random),
      )
    case 'boolean':
      return random.integer(0, 1) === 1
    case 'integer':
      return Number(
        known[name]?.[0] ?? random.integer(schema.minimum ?? 1, schema.maximum ?? 1_000),
      )
    case 'number':
      return random.integer(schema.minimum ?? 1, schema.maximum ?? 1_000)
    case 'null':
      return null
    default:
      return rightText(schema, name, known, random)
  }
}

// Returns an object with all required properties and about half of the optional ones.
function rightObject({ properties = {}, required = [] }: Schema, known: Known, random: Random) {
  const present = Object.entries(properties).filter(
    ([name]) => required.includes(name) || random.integer(0, 1) === 1,
  )
  return Object.fromEntries(
    present.map(([name, schema]) => [name, rightValue(schema, name, known, random)]),
  )
}

// Returns a text that the schema allows. If objects exist that a property of this name refers to, it is the
// id of one.
function rightText(schema: Schema, name: string, known: Known, random: Random): string {
  const choices = known[name]
  if (choices && choices.length > 0) return random.pick(choices)
  if (schema['x-web-address']) return 'https://shop.example.com/hook'
  if (schema['x-money']) return '10.00'
  const matching = schema.pattern === undefined ? [] : textsMatching(schema.pattern)
  if (matching.length > 0) return random.pick(matching)
  return /email/i.test(name) ? 'ada@example.com' : 'Ada Obi'
}

const textsByPattern = new Map<string, readonly string[]>()

// Returns ten texts that match the pattern, or none if fast-check cannot generate any.
function textsMatching(pattern: string): readonly string[] {
  const cached = textsByPattern.get(pattern)
  if (cached) return cached
  let texts: readonly string[] = []
  try {
    const matching = fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 30 })
    texts = fc.sample(matching, { numRuns: 10, seed: 7 })
  } catch {
    // fast-check cannot generate texts for every pattern, for example not for look-ahead.
  }
  textsByPattern.set(pattern, texts)
  return texts
}
