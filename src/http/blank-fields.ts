// Many clients send every field they know of, empty where they have nothing to say. So on creating an
// account or an advice, an optional field that is "" or null counts as not sent, in nested objects too.

import type { preValidationHookHandler } from 'fastify'

type Shape = { properties?: object; required?: readonly string[] }

// For routes: before the body is validated.
export function dropBlanks(schema: Shape): preValidationHookHandler {
  return (request, _reply, done) => {
    request.body = withoutBlanks(schema, request.body)
    done()
  }
}

export function withoutBlanks(schema: Shape, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const kept: Record<string, unknown> = { ...given }
  for (const [name, field] of Object.entries<Shape>({ ...schema.properties })) {
    const value = kept[name]
    const isBlank = value === '' || value === null
    if (isBlank && !schema.required?.includes(name)) delete kept[name]
    else if (value && field.properties) kept[name] = withoutBlanks(field, value)
  }
  return kept
}
