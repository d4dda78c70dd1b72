// Generates sdk/src/api-types.ts, the types of the API, from openapi.json: the input and the successful
// response of each path, the events by type, the error codes, and lists of values that the dashboard offers
// as filters. Leaves descriptions out, because only compilers read the types.

import openapiTS, { astToString } from 'openapi-typescript'

type Parameter = { name: string; schema: { enum?: string[] } }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  responses: Record<string, unknown>
}
type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
  webhooks: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: Reference }> } } }
  >
  'x-error-codes': string[]
}
type Reference = { $ref: string }

// The paths to include: those for clients and for the dashboard, but not, for example, the rail.
const INCLUDED_PATHS = /^\/(?:api|Payment|dashboard\/api|sandbox)\//
const TEXTS = new Set(['description', 'summary', 'examples', 'format'])

// Constants with the values of a filter: the name of the constant, the path, and the name of the filter.
const LISTS = [
  ['EVENT_TYPES', '/api/v1/events', 'type'],
  ['ALERT_KINDS', '/api/v1/operator/alerts', 'kind'],
] as const

// Lines that openapi-typescript writes for absent parts, which are removed.
const ABSENT =
  /^ +(?:\/\*\* @enum .*|\w+\??: never;|headers: \{\n +\[name: string\]: unknown;\n +\};)\n/gm
const EMPTY = /^(?: +parameters: \{\n +\}|export type .* = Record<string, never>);\n/gm

export async function renderTypes(text: string): Promise<string> {
  const description: Description = JSON.parse(text, withoutTexts)
  const { webhooks, 'x-error-codes': codes, ...described } = description
  for (const [path, operations] of Object.entries(description.paths)) {
    if (!INCLUDED_PATHS.test(path)) delete description.paths[path]
    for (const operation of Object.values(operations)) {
      delete operation.operationId // Without the id, openapi-typescript puts the operation into its path.
      const { 200: ok } = operation.responses
      operation.responses = { 200: ok }
    }
  }
  const schemas = reachable([description.paths, webhooks], description.components.schemas)
  const nodes = await openapiTS({ ...described, components: { schemas } } as never, {
    defaultNonNullable: false,
  })
  const types = astToString(nodes).replaceAll(ABSENT, '').replaceAll(EMPTY, '')
  const lists = LISTS.map(([name, path, filter]) => {
    const parameters = description.paths[path]?.get?.parameters
    const values = parameters?.find((parameter) => parameter.name === filter)?.schema.enum
    return `export const ${name} = ${JSON.stringify(values)} as const\n`
  })
  const events = `export interface events {\n${Object.entries(webhooks).map(eventLine).join('')}}\n`
  const errors = `export type ErrorCode =\n${codes.map((code) => `    | "${code}"\n`).join('')}`
  const opening = '// The types of the API, written by npm run generate.\n\n'
  return [opening, types, events, errors, ...lists].join('')
}

function eventLine([type, { post }]: [string, Description['webhooks'][string]]): string {
  const name = post.requestBody.content['application/json']?.schema.$ref.split('/').at(-1)
  return `    "${type}": components["schemas"]["${name}"];\n`
}

// Removes descriptions, formats and examples, but keeps fields that have such a name. Lets callers write an
// amount as a numeric text too, which the description does not say.
function withoutTexts(this: unknown, key: string, value: unknown): unknown {
  if (key === 'example') return undefined
  const isMoney = key === 'type' && (this as Record<string, unknown>)['x-money'] !== undefined
  if (isMoney) return ['number', 'string']
  return TEXTS.has(key) && typeof value !== 'object' ? undefined : value
}

// The schemas that `from` refers to, directly or through other schemas.
function reachable(from: unknown, schemas: Record<string, unknown>): Record<string, unknown> {
  const names = new Set<string>()
  const walk = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (names.has(name)) continue
      names.add(name)
      walk(schemas[name])
    }
  }
  walk(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)))
}
