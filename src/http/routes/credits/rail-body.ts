// A rail call's JSON body, read after its signature was checked.

import { type FieldError, Refusal } from '#errors.ts'
import { parseJson } from '#http/json-bodies.ts'

type Checks = Record<string, (value: unknown) => boolean>

// Unknown fields are ignored: banks add some.
export function readBody(bytes: unknown, checks: Checks): Record<string, unknown> {
  const value = parseJson(bytes as Buffer)
  const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const problems = Object.entries(checks).flatMap(([field, isGood]): FieldError[] =>
    Object.hasOwn(body, field) && isGood(body[field])
      ? []
      : [{ field, message: Object.hasOwn(body, field) ? 'Invalid.' : 'Required.' }],
  )
  if (problems.length > 0) throw new Refusal('invalid_request', problems)
  return body
}
