// Named schemas of the OpenAPI description, and the compilation of schemas on first use. A schema's name is
// its `$id`. Routes contain whole schemas, so that validators and serialisers compile without references. The
// description has each schema once, under components, and references it elsewhere.

import buildValidators from '@fastify/ajv-compiler'
import buildSerializers from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Json = Record<string, unknown>

// Caches marked schemas, because routes, and the apps of one process, share most schemas.
const marked = new WeakMap<object, object>()

// Compilers refuse the same `$id` in two places. So compilers and swagger get the name as a keyword without
// meaning. Runs on first use: for all routes it would take a tenth of a start.
export function markSchemaComponents<T>(schema: T): T {
  return mark(schema) as T
}

function mark(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = marked.get(value)
  if (known) return known
  const result = Array.isArray(value) ? value.map(mark) : markKeys(value)
  marked.set(value, result)
  marked.set(result, result)
  return result
}

function markKeys(schema: object): Json {
  const entries = Object.entries(schema).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([key, value]) => [key === '$id' ? 'x-component' : key, mark(value)]),
  )
}

export function shareSchemaComponents({ openapiObject }: { openapiObject: Json }): Json {
  const schemas: Record<string, Json> = {}
  // JSON.parse calls the reviver from the inside out, so inner components are shared first.
  const shared = JSON.parse(JSON.stringify(openapiObject), (_, value) => {
    const name = value?.['x-component'] ?? value?.$id
    if (typeof name !== 'string') return value
    const { 'x-component': _mark, $id: _id, ...schema } = value
    const before = schemas[name]
    if (before && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`)
    }
    schemas[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  })
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...shared, components: { ...shared.components, schemas: Object.fromEntries(sorted) } }
}

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

function compileOnce<T>(known: Map<string, T>, compile: (route: never) => T, route: Route): T {
  const schema = markSchemaComponents(route.schema)
  const text = JSON.stringify(schema)
  const compiled = known.get(text) ?? compile({ ...route, schema } as never)
  known.set(text, compiled)
  return compiled
}

// Compiles validators and serialisers on first use: compiling all would add two seconds to every start. A
// test compiles all of them, and finds bad schemas.
export function lazySchemas(mode: 'sandbox' | 'live') {
  const pending = new Set<() => unknown>()

  function lazy<T>(compile: () => T): () => T {
    let made: T | undefined
    const get = () => {
      if (made === undefined) {
        made = compile()
        pending.delete(get)
      }
      return made
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
          const isGood = validate(value)
          check.errors = validate.errors
          return isGood
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
