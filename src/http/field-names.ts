// Reads the published calls as lenient servers do: a field or query parameter whose name differs in case only
// is the documented one, and a reference may stand in the query instead of the path. Otherwise a published
// call would ignore such a field as unknown, and a payment with BankCode would get a number at another bank.

import type { IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type FieldError, Refusal } from '#errors.ts'

type Shape = { properties?: Record<string, Shape>; items?: Shape }

const SENT_TWICE = 'Sent more than once, in different cases and with different values.'

// Applies to routes registered from now on. Runs before their other validation.
export function takeNamesInAnyCase(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { config, schema } = route
    if (!config?.isPublished || !(schema?.body || schema?.querystring)) return
    const take = (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
      const errors: FieldError[] = []
      request.body = withKnownNames((schema.body ?? {}) as Shape, request.body, '', errors)
      request.query = withKnownNames((schema.querystring ?? {}) as Shape, request.query, '', errors)
      done(errors.length > 0 ? new Refusal('invalid_request', errors) : undefined)
    }
    route.preValidation = [take, ...[route.preValidation ?? []].flat()]
  })
}

// Returns the value with the names of the schema's fields as the schema writes them, in nested objects too.
// Adds an error for a field that was sent twice with different values.
function withKnownNames(shape: Shape, value: unknown, path: string, errors: FieldError[]): unknown {
  const { properties, items } = shape
  if (Array.isArray(value)) {
    return items ? value.map((item) => withKnownNames(items, item, path, errors)) : value
  }
  if (!properties || typeof value !== 'object' || value === null) return value
  const known = namesOf(properties)
  const fields = new Map<string, unknown>()
  const repeated = new Set<string>()
  for (const [sentName, sent] of Object.entries(value)) {
    const name = known.get(asciiLowerCase(sentName)) ?? sentName
    const inner = withKnownNames(
      known.has(asciiLowerCase(name)) ? (properties[name] as Shape) : {},
      sent,
      `${path}${name}.`,
      errors,
    )
    if (fields.has(name) && !isDeepStrictEqual(fields.get(name), inner)) repeated.add(name)
    fields.set(name, inner)
  }
  for (const name of repeated) errors.push({ field: `${path}${name}`, message: SENT_TWICE })
  return Object.fromEntries(fields)
}

const knownNames = new WeakMap<object, ReadonlyMap<string, string>>()

// The names of an object's fields, by their lower case.
function namesOf(properties: Record<string, Shape>): ReadonlyMap<string, string> {
  const cached = knownNames.get(properties)
  if (cached) return cached
  const names = new Map(Object.keys(properties).map((name) => [asciiLowerCase(name), name]))
  knownNames.set(properties, names)
  return names
}

// Unlike toLowerCase(), leaves letters of other alphabets alone: the Kelvin sign is no k.
function asciiLowerCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

// The calls that take their reference in the query too, by method, and the name of the reference.
const BY_QUERY = [
  ['GET', '/payment/advice', 'advicereference'],
  ['POST', '/payment/process/banktransfer', 'advicereference'],
  ['GET', '/api/transaction/byadvicereference', 'advicereference'],
  ['GET', '/api/transaction/bypaymentreference', 'paymentreference'],
] as const

// Moves the reference from the query into the path, where the routes read it. Several different references
// name nothing, and are refused as an unknown one.
export function withReferenceInPath({
  method,
  url = '/',
}: Pick<IncomingMessage, 'method' | 'url'>) {
  const queryAt = url.indexOf('?')
  if (queryAt < 0) return url
  const path = url.slice(0, queryAt).replace(/\/$/, '')
  const call = BY_QUERY.find(([verb, parent]) => verb === method && parent === path.toLowerCase())
  if (!call) return url
  const parameters = [...new URLSearchParams(url.slice(queryAt + 1))]
  const isReference = ([name]: [string, string]) => name.toLowerCase() === call[2]
  const references = new Set(parameters.filter(isReference).map(([, value]) => value))
  if (references.size === 0) return url
  const rest = new URLSearchParams(parameters.filter((parameter) => !isReference(parameter)))
  const query = rest.size > 0 ? `?${rest}` : ''
  return `${path}/${encodeURIComponent([...references].join(','))}${query}`
}
