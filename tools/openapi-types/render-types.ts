// The types of the API for those who call it, from its description: what each path takes, and what it
// answers when all is well. Descriptions, refusals and webhooks are left out: the types are for
// compilers, the description is for people.

import openapiTS, { astToString } from 'openapi-typescript'

type Operation = { operationId?: string; responses: Record<string, unknown> }
type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
  webhooks?: unknown
}

const SERVED = /^\/(?:api\/v1|dashboard\/api|sandbox)\//
const TEXTS = new Set(['description', 'summary', 'examples'])

// What openapi-typescript writes of what is not there.
const ABSENT =
  /^ +(?:\/\*\* @enum .*|\w+\??: never;|headers: \{\n +\[name: string\]: unknown;\n +\};)\n/gm
const EMPTY = /^(?: +parameters: \{\n +\}|export type .* = Record<string, never>);\n/gm

export async function renderTypes(text: string): Promise<string> {
  const description: Description = JSON.parse(text, withoutTexts)
  description.webhooks = undefined
  for (const [path, operations] of Object.entries(description.paths)) {
    if (!SERVED.test(path)) delete description.paths[path]
    for (const operation of Object.values(operations)) {
      delete operation.operationId // Without it, the operation stands in its path.
      const { 200: ok } = operation.responses
      operation.responses = { 200: ok }
    }
  }
  description.components = { schemas: reachable(description.paths, description.components.schemas) }
  const nodes = await openapiTS(description as never, { defaultNonNullable: false })
  const types = astToString(nodes).replaceAll(ABSENT, '').replaceAll(EMPTY, '')
  return `// The types of the API, written by npm run generate.\n\n${types}`
}

// Of a text, not of a field that is called so.
function withoutTexts(this: unknown, key: string, value: unknown): unknown {
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
