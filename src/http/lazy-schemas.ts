// Compiles validators and serialisers on first use: compiling all takes two seconds of every start.
// A test compiles all of them, so that a bad schema is found before it is released.

import buildValidators from '@fastify/ajv-compiler'
import buildSerializers from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'
import { markSchemaComponents } from './schema-components.ts'

type Factories = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>
type Check = ((value: unknown) => unknown) & { errors?: unknown }
type Write = (value: unknown) => string

declare module 'fastify' {
  interface FastifyInstance {
    compileSchemas(): void
  }
}

// The apps of one process share what is compiled, though each makes its schemas anew: the same text is
// the same schema. Validators differ by mode (validation.ts).
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

export function lazySchemas(mode: 'sandbox' | 'live') {
  const pending = new Set<() => unknown>()

  // Compiles once, on first use.
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

  const factories: Factories = {
    buildValidator: (schemas: unknown, options: unknown) => {
      const compile = validators[mode](schemas as never, options as never) as (
        route: never,
      ) => Check
      return (route: unknown) => {
        const compiled = lazy(() => compileOnce(checks[mode], compile, route as Route))
        // Fastify looks for what was wrong on the function that it called.
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
