// The types of the API for those who call it, from its description: what each path takes, and what it
// answers when all is well; the events, by their type; the codes of errors. Descriptions are left out:
// the types are for compilers, the description is for people. Lists of values that pages offer come along.

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

const SERVED = /^\/(?:api|Payment|dashboard\/api|sandbox)\//
const TEXTS = new Set(['description', 'summary', 'examples'])

// Each the values of a filter: the path it is of, and its name.
const LISTS = [
  ['EVENT_TYPES', '/api/v1/events', 'type'],
  ['ALERT_KINDS', '/api/v1/operator/alerts', 'kind'],
] as const

// What openapi-typescript writes of what is not there.
const ABSENT =
  /^ +(?:\/\*\* @enum .*|\w+\??: never;|headers: \{\n +\[name: string\]: unknown;\n +\};)\n/gm
const EMPTY = /^(?: +parameters: \{\n +\}|export type .* = Record<string, never>);\n/gm

export async function renderTypes(text: string): Promise<string> {
  const description: Description = JSON.parse(text, withoutTexts)
  const { webhooks, 'x-error-codes': codes, ...described } = description
  for (const [path, operations] of Object.entries(description.paths)) {
    if (!SERVED.test(path)) delete description.paths[path]
    for (const operation of Object.values(operations)) {
      delete operation.operationId // Without it, the operation stands in its path.
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

// Of a text, not of a field that is called so; and examples.
function withoutTexts(this: unknown, key: string, value: unknown): unknown {
  if (key === 'example') return undefined
  return TEXTS.has(key) && typeof value !== 'object' ? undefined : value
}

function reachable(from: unknown, schemas: Record<string, unknown>): Record<string, unknown> {
  const found = new Set<string>()
  const walk = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (found.has(name)) continue
      found.add(name)
      walk(schemas[name])
    }
  }
  walk(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
