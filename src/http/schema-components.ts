// Shares named schemas in the OpenAPI description, and compiles schemas on first use. A schema's name is its
// `$id`. Routes contain whole schemas, so that validators and serialisers need no references. The description
// has each named schema once, under components, and references it elsewhere.

import buildValidators from '@fastify/ajv-compiler'
import buildSerializers from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Json = Record<string, unknown>

// Caches marked schemas, because routes, and the apps of one process, share most schemas.
const markedSchemas = new WeakMap<object, object>()

// Replaces `$id` by `x-component`, a keyword without meaning, in a schema and all schemas inside it.
// Compilers would refuse the same `$id` in two places. Called when a schema is first used, because marking
// the schemas of all routes would take a tenth of the start-up time.
export function markSchemaComponents<T>(schema: T): T {
  return markValue(schema) as T
}

// Marks (renames the `$id` of) the schemas inside a value of a schema: a schema itself, a list of schemas or
// a plain value. Returns the cached copy of a schema that was marked before.
function markValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const cached = markedSchemas.get(value)
  if (cached) return cached
  const result = Array.isArray(value) ? value.map(markValue) : markKeys(value)
  markedSchemas.set(value, result)
  markedSchemas.set(result, result) // Marking a marked schema changes nothing.
  return result
}

// Copies one schema with `$id` renamed to `x-component`, and marks the schemas in its fields.
function markKeys(schema: object): Json {
  const entries = Object.entries(schema).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([key, value]) => [key === '$id' ? 'x-component' : key, markValue(value)]),
  )
}

// Moves the marked schemas of an OpenAPI description to its components, and replaces them by references. A
// marked schema has its name in `x-component`.
export function shareSchemaComponents({ openapiObject }: { openapiObject: Json }): Json {
  const schemas: Record<string, Json> = {}
  // JSON.parse calls the reviver from the inside out, so inner components are shared first.
  const shared = JSON.parse(JSON.stringify(openapiObject), (_, value) => {
    const name = value?.['x-component'] ?? value?.$id
    if (typeof name !== 'string') return describeType(value)
    const { 'x-component': _mark, $id: _id, ...fields } = value
    const schema = describeType(fields) as Json
    const sameName = schemas[name]
    if (sameName && JSON.stringify(sameName) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`)
    }
    schemas[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  })
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...shared, components: { ...shared.components, schemas: Object.fromEntries(sorted) } }
}

const INT32_MAX = 2 ** 31 - 1
// Keywords that check a value which the service reads as another type than it describes.
const CHECKED = [
  ...['type', 'enum', 'anyOf', 'pattern', 'examples'],
  ...['minLength', 'maxLength', 'minimum', 'maximum'],
]

// Returns a schema as the description shows it: of the type that callers need to know (`x-described`), with a
// format where it is a number. Without a format, generated clients read an id as 32 bits, and money as a
// float of 32 bits. Ids and counts grow, so an integer has 64 bits unless its limits fit into 32.
function describeType(value: unknown): unknown {
  const { 'x-described': described, ...schema } = (value ?? {}) as Json
  if (described) {
    const unchecked = Object.entries(schema).filter(([key]) => !CHECKED.includes(key))
    return describeType({ ...(described as Json), ...Object.fromEntries(unchecked) })
  }
  const types = [schema.type ?? []].flat()
  if (types.includes('number')) return { ...schema, format: 'double' }
  if (!types.includes('integer')) return value
  const { enum: values = [], minimum = values[0], maximum = values.at(-1) } = schema as Limits
  const isShort = minimum !== undefined && maximum !== undefined && maximum <= INT32_MAX
  return { ...schema, format: isShort && minimum >= -INT32_MAX ? 'int32' : 'int64' }
}

type Limits = { enum?: number[]; minimum?: number; maximum?: number }

type Check = ((value: unknown) => unknown) & { errors?: unknown }
type Write = (value: unknown) => string

declare module 'fastify' {
  interface FastifyInstance {
    compileSchemas(): void
  }
}

// The apps of one process share compiled schemas: the same text is the same schema. Validators differ by
// mode (validation.ts).
const validators = { sandbox: buildValidators(), live: buildValidators() }
const checks = { sandbox: new Map<string, Check>(), live: new Map<string, Check>() }
const serializers = new Map<string, Write>()

type Route = { schema: unknown }

// Compiles a schema, or returns the result of an equal schema that was compiled before.
function compileOnce<T>(cache: Map<string, T>, compile: (route: never) => T, route: Route): T {
  const schema = markSchemaComponents(route.schema)
  const text = JSON.stringify(schema)
  const compiled = cache.get(text) ?? compile({ ...route, schema } as never)
  cache.set(text, compiled)
  return compiled
}

// Makes Fastify compile a validator or serialiser when it is first used. Compiling all of them would add two
// seconds to every start. A test calls compileAll() to find invalid schemas.
export function lazySchemas(mode: 'sandbox' | 'live') {
  const pending = new Set<() => unknown>()

  // Returns a function that compiles on its first call, and remembers the function for compileAll().
  function lazy<T>(compile: () => T): () => T {
    let compiled: T | undefined
    // Compiles at the first call, and returns the result of that call later.
    const get = () => {
      if (compiled === undefined) {
        compiled = compile()
        pending.delete(get)
      }
      return compiled
    }
    pending.add(get)
    return get
  }

  const factories: NonNullable<
    NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
  > = {
    buildValidator: (schemas: unknown, options: unknown) => {
      const compile = validators[mode](schemas as never, options as never) as (
        route: never,
      ) => Check
      return (route: unknown) => {
        const compiled = lazy(() => compileOnce(checks[mode], compile, route as Route))
        // Fastify reads the errors from the function that it called.
        const check: Check = (value) => {
          const validate = compiled()
          const isValid = validate(value)
          check.errors = validate.errors
          return isValid
        }
        return check as never
      }
    },
    buildSerializer: (schemas, options) => {
      const compile = buildSerializers()(schemas, options as never) as (route: never) => Write
      return (route) => {
        const compiled = lazy(() => compileOnce(serializers, compile, route as Route))
        return (value: unknown) => compiled()(value)
      }
    },
  }
  return {
    factories,
    compileAll: () => {
      for (const compile of pending) compile()
    },
  }
}
