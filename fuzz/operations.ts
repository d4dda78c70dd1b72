// Reads the operations to fuzz from the API's description (openapi.json).

import type { Known, Schema } from './right-values.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema?: Schema
}

export type Response = { content?: Record<string, { schema?: Schema }>; $ref?: string }

export type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses: Record<string, Response>
  security?: Record<string, unknown>[]
  'x-error-codes'?: string[]
}

export type Target = { method: string; path: string; operation: Operation; known: Known }

export type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown>; responses: Record<string, Response> }
}

// Replaces references to named bodies by their schemas.
export function inlineBodies(description: Description): Description {
  const { schemas } = description.components
  // Copies a part of the description, with each $ref in it replaced by the schema that it names.
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) return inlined(schemas[$ref.slice($ref.lastIndexOf('/') + 1)])
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inlined(inner)]))
  }
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    if (operation.requestBody) operation.requestBody = inlined(operation.requestBody) as never
  }
  return description
}

export function listTargets({ paths }: Description): Omit<Target, 'known'>[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  )
}

// Paths of operations that hash a password or a secret. Each hash takes 50 ms on purpose, so the fuzzer
// calls them less often.
const COSTLY = /login|token|session$|password|users|operator\/clients|totp|passkeys|sandbox\/clock/

export function isCostly({ path, method }: Pick<Target, 'path' | 'method'>): boolean {
  return method !== 'GET' && COSTLY.test(path)
}

const FAMILY_STEPS = 4

// Returns the first four steps of the path. Operations with the same steps create, use, change or close the
// same objects, so the fuzzer mixes them in one episode.
export function familyOf({ path }: Pick<Target, 'path'>): string {
  const [address = ''] = path.split('/{')
  return address.split('/').slice(0, FAMILY_STEPS).join('/').toLowerCase()
}
