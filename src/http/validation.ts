// Validates requests: parses bodies, reports all invalid fields at once with one sentence each, and warns of
// unknown fields in published calls. A schema may provide the sentence in `x-says`.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type {
  FastifyBodyParser,
  FastifyInstance,
  FastifyRequest,
  FastifySchemaValidationError,
  preValidationHookHandler,
} from 'fastify'
import { findFault, withoutRounding } from '#banks/json-text.ts'
import { type FieldError, Refusal } from '#errors.ts'
import { AMOUNT_MAX_KOBO, koboOf } from '#money.ts'
import { checkTargetUrl, URL_LENGTH_MAX } from '#ssrf-guard.ts'

type Mode = 'sandbox' | 'live'

// The options of Ajv, and our keywords: `x-money` accepts amounts above zero (with the value 'or-zero' also
// 0), `x-web-address` accepts URLs that webhooks may be sent to (with the value 'or-empty' also ''), and
// `x-has-name` requires one of the listed fields to be present.
export function validatorOptions(mode: Mode) {
  return {
    customOptions: {
      allErrors: true,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      verbose: true, // Each error then has its schema, which has the sentence.
      strict: false,
    },
    plugins: [
      (ajv: { addKeyword: (definition: object) => unknown }) => {
        ajv.addKeyword({
          keyword: 'x-money',
          validate: (kind: unknown, value: unknown) =>
            isAmount(value) || (kind === 'or-zero' && koboOf(value) === 0n),
        })
        ajv.addKeyword({
          keyword: 'x-web-address',
          type: 'string',
          validate: (kind: unknown, value: string) =>
            isWebAddress(value, mode) || (kind === 'or-empty' && value === ''),
        })
        ajv.addKeyword({
          keyword: 'x-has-name',
          type: 'object',
          validate: (fields: string[], value: Record<string, unknown>) =>
            fields.some((field) => typeof value[field] === 'string' && value[field] !== ''),
        })
        return ajv
      },
    ] as never,
  }
}

// Whether the value is an amount above zero, as a number or as text, that is not larger than the maximum.
export function isAmount(value: unknown): boolean {
  const kobo = koboOf(value)
  return kobo !== undefined && kobo > 0n && kobo <= AMOUNT_MAX_KOBO
}

// Checks a URL without its fragment (#…), because HTTP requests do not contain it. The whole URL must be text
// that the database can store.
function isWebAddress(value: string, mode: Mode): boolean {
  if (value.length > URL_LENGTH_MAX || !value.isWellFormed()) return false
  if (/[\x00-\x20\x7f]/.test(value)) return false
  const hashAt = value.indexOf('#')
  return checkTargetUrl(hashAt < 0 ? value : value.slice(0, hashAt), { mode }) === null
}

type AjvError = FastifySchemaValidationError & {
  parentSchema?: { 'x-says'?: string }
  data?: unknown
}

// Converts the validator's errors to one sentence per field: its first error.
export function fieldErrors(
  errors: readonly FastifySchemaValidationError[],
  context: string | undefined,
): FieldError[] {
  const byField = new Map<string, string>()
  for (const error of errors as AjvError[]) {
    const field = fieldName(error, context ?? 'body')
    if (!byField.has(field)) byField.set(field, sentence(error))
  }
  return [...byField].map(([field, message]) => ({ field, message }))
}

// Names the field of an error, such as customer.email. An error of the whole body has the name `context`.
// `context` is the part of the request that was checked, such as body.
function fieldName({ instancePath, keyword, params }: AjvError, context: string): string {
  const path = instancePath.split('/').slice(1)
  if (keyword === 'required') path.push(String(params.missingProperty))
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty))
  return path.length === 0 ? context : path.join('.').slice(0, 100)
}

// Returns the sentence that the caller gets for an error: the schema's own (`x-says`) if it has one,
// otherwise the validator's.
function sentence({ keyword, message, parentSchema }: AjvError): string {
  if (keyword === 'required') return 'Required.'
  if (keyword === 'additionalProperties') return 'Unknown field.'
  const schemaSentence = parentSchema?.['x-says']
  if (schemaSentence) return schemaSentence
  return message ? `${message.charAt(0).toUpperCase()}${message.slice(1)}.` : 'Invalid.'
}

type Warning = { field: string; message: string }

type Shape = { properties?: Record<string, Shape> }

const WARNINGS_MAX = 20
const NAME_MAX = 60

declare module 'fastify' {
  interface FastifyRequest {
    warnings: Warning[] | null
  }
}

// Published calls ignore unknown fields. This makes their responses name each unknown field in `warnings`,
// with the field that the caller probably meant. Applies to routes registered from now on, below /Payment/:
// other published responses have no field for warnings.
export function warnOfUnknownFields(app: FastifyInstance): void {
  app.decorateRequest('warnings', null)
  app.addHook('onRoute', (route) => {
    const { config, schema } = route
    const shape = schema?.body as Shape | undefined
    if (!config?.isPublished || !route.url.startsWith('/Payment/') || !shape?.properties) return
    // Stores the warnings in the request, until the response is built.
    const noteUnknownFields = (request: FastifyRequest, _reply: unknown, done: () => void) => {
      const warnings = findUnknown(shape, request.body)
      if (warnings.length > 0) request.warnings = warnings
      done()
    }
    route.preValidation = [noteUnknownFields, ...[route.preValidation ?? []].flat()]
    route.preSerialization = [
      ...[route.preSerialization ?? []].flat(),
      async (request, _reply, payload) =>
        request.warnings ? { ...(payload as object), warnings: request.warnings } : payload,
    ]
  })
}

// Returns a warning for each field of the body that the schema does not have, in nested objects too.
function findUnknown(shape: Shape, body: unknown, path = ''): Warning[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const knownFields = shape.properties ?? {}
  const warnings: Warning[] = []
  for (const [name, value] of Object.entries(body)) {
    if (warnings.length >= WARNINGS_MAX) break
    const inner = Object.hasOwn(knownFields, name) ? knownFields[name] : undefined
    if (inner?.properties) warnings.push(...findUnknown(inner, value, `${path}${name}.`))
    else if (!inner)
      warnings.push({ field: fieldOf(`${path}${name}`), message: messageOf(name, knownFields) })
  }
  return warnings.slice(0, WARNINGS_MAX)
}

// Makes a field's name from the caller safe to return: valid Unicode, and not too long.
function fieldOf(path: string): string {
  return path.toWellFormed().slice(0, 2 * NAME_MAX)
}

// Returns the warning for an unknown field, with the known field that is spelled most like it.
function messageOf(name: string, knownFields: Record<string, unknown>): string {
  const nearest = findNearest(name, Object.keys(knownFields))
  const hint = nearest ? ` Did you mean ${nearest}?` : ''
  return `This call has no such field. It was ignored.${hint}`
}

// Returns the name that differs least, if it differs in a third of its letters or fewer.
function findNearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > NAME_MAX) return undefined
  const ranked = names
    .map((candidate) => {
      return { candidate, steps: editDistance(name.toLowerCase(), candidate.toLowerCase()) }
    })
    .filter(({ candidate, steps }) => steps <= Math.max(name.length, candidate.length) / 3)
  return ranked.sort((one, other) => one.steps - other.steps)[0]?.candidate
}

// The Levenshtein distance of two words. `row` has the distances of the letters of `one` read so far to every
// beginning of `other`.
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...one].entries()) {
    const nextRow = [index + 1]
    for (const [column, otherLetter] of [...other].entries()) {
      const replaced = (row[column] as number) + (letter === otherLetter ? 0 : 1)
      const removed = (row[column + 1] as number) + 1
      const added = (nextRow[column] as number) + 1
      nextRow.push(Math.min(replaced, removed, added))
    }
    row = nextRow
  }
  return row[other.length] as number
}

// Keeps GET /x/ from meaning the list at /x. The router ignores a trailing slash, but a caller whose variable
// is empty means GET /x/{id} with an empty id. The route with the parameter gets such requests and refuses
// them, so the caller reads or deletes nothing by mistake.
export class EmptyParameters {
  readonly #parents = new Set<string>() // The method and path before the last parameter of each route.

  // Applies to routes registered from now on.
  register(app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url }) => {
      const [, parent] = /^(.+)\/:\w+$/.exec(url) ?? []
      if (!parent) return
      for (const name of [method].flat()) this.#parents.add(`${name} ${parent.toLowerCase()}`)
    })
  }

  // Runs before routing. Doubles the trailing slash, because the router drops one.
  readonly rewriteUrl = ({
    method,
    url = '/',
  }: Pick<IncomingMessage, 'method' | 'url'>): string => {
    const queryAt = url.indexOf('?')
    const pathEnd = queryAt < 0 ? url.length : queryAt
    if (url[pathEnd - 1] !== '/') return url
    const parent = `${method} ${decodePath(url.slice(0, pathEnd - 1)).toLowerCase()}`
    return this.#parents.has(parent) ? `${url.slice(0, pathEnd)}/${url.slice(pathEnd)}` : url
  }
}

// Decodes %-escapes, to compare a path with the routes. Returns a malformed path as it is.
function decodePath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path // The router refuses this path.
  }
}

const NO_TYPE = /^\/?$/ // Fastify's name for a missing content type.

// Parses strict JSON in strict UTF-8. Invalid bytes are refused, not replaced: the database must store
// exactly the text that the caller sent. A body without a content type is also parsed as JSON, because the
// published contract requires a content type at a single endpoint only.
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  for (const type of ['application/json', NO_TYPE]) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, parse)
  }
}

const parse: FastifyBodyParser<Buffer> = (request, body, done) => {
  // Many clients send the content type with every POST, even without a body.
  const isNeeded = request.routeOptions.schema?.body !== undefined
  if (body.length === 0 && !isNeeded) return done(null, undefined)
  try {
    done(null, parseJson(body))
  } catch (error) {
    done(error as Error, undefined)
  }
}

// Parses a body. Refuses invalid UTF-8, invalid JSON, and JSON that parsers could read differently: with a
// repeated key (findFault), or with a number that a double would round (withoutRounding makes it Infinity, so
// that the schema refuses it).
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new Refusal('body_missing')
  if (!isUtf8(body)) throw new Refusal('invalid_json')
  const text = body.toString('utf8')
  if (findFault(text)) throw new Refusal('ambiguous_json')
  try {
    return JSON.parse(withoutRounding(text))
  } catch {
    throw new Refusal('invalid_json')
  }
}

type BlankableSchema = { properties?: object; required?: readonly string[] }

// Many clients send every field that they know, blank if they have no value. So when an account or an advice
// is created, an optional field that is "" or null is treated as absent, in nested objects too.
export function dropBlanks(schema: BlankableSchema): preValidationHookHandler {
  return (request, _reply, done) => {
    request.body = withoutBlanks(schema, request.body)
    done()
  }
}

// Returns the body without optional fields that are "" or null.
export function withoutBlanks(schema: BlankableSchema, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields: Record<string, unknown> = { ...body }
  for (const [name, field] of Object.entries<BlankableSchema>({ ...schema.properties })) {
    const value = fields[name]
    const isBlank = value === '' || value === null
    if (isBlank && !schema.required?.includes(name)) delete fields[name]
    else if (value && field.properties) fields[name] = withoutBlanks(field, value)
  }
  return fields
}
