// Adds to the description of the API what the routes know and their schemas do not say: the scope
// that an operation needs, the failures and errors it may answer with, and examples. Internal
// operations (those of the dashboard) are marked, and the reference does not show them.

import type { RefusalCode } from '#errors.ts'
import { failureStatus } from '#http/envelopes.ts'
import { type Components, exampleOf, type Schema } from './examples.ts'
import { failureReference } from './failure-responses.ts'
import { errorsOf } from './operation-errors.ts'
import { INTERNAL_TAGS } from './tag-groups.ts'

type Json = { schema?: Schema; example?: unknown; examples?: Record<string, unknown> }
type Content = Record<string, Json>
type Answer = { content?: Content; $ref?: string }
type Operation = {
  operationId: string
  description?: string
  tags?: readonly string[]
  security?: readonly Record<string, string[]>[]
  requestBody?: { content?: Content }
  responses: Record<string, Answer>
  'x-failures'?: readonly number[]
  'x-errors'?: readonly RefusalCode[]
  'x-scope'?: string
  'x-published'?: true
  'x-internal'?: true
  'x-error-codes'?: readonly RefusalCode[]
}

export type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Components; responses: Record<string, unknown> }
}

export function describeOperations(description: Description): Description {
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      methods[method] = describe(operation, { path, components: description.components.schemas })
    }
  }
  const { components } = description
  const text = JSON.stringify(description.paths)
  for (const name of Object.keys(components.responses)) {
    if (!text.includes(`"#/components/responses/${name}"`)) delete components.responses[name]
  }
  return description
}

type Around = { path: string; components: Components }

function describe(operation: Operation, { path, components }: Around): Operation {
  const {
    'x-scope': scope,
    'x-published': isPublished = false,
    'x-failures': failures = [],
    'x-errors': errors,
    ...rest
  } = operation
  const codes = errorsOf(operation.operationId, errors)
  const described = failures.map((status) => [status, failureReference(path, status)])
  const isInternal = operation.tags?.some((tag) => INTERNAL_TAGS.includes(tag))
  for (const content of contentsOf(operation)) {
    const json = content['application/json']
    // Unless the route has its own (x-examples), where not all fields go together.
    if (!json?.schema || json.examples) continue
    json.example = exampleOf(json.schema, components, [path, operation.operationId])
  }
  const paragraphs = [
    operation.description,
    scope && `**Scope:** \`${scope}\`.`,
    codes.length > 0 &&
      `**Errors:** ${codes.map((code) => codeLink(code, isPublished)).join(', ')}.`,
  ]
  return {
    ...rest,
    description: paragraphs.filter(Boolean).join('\n\n'),
    // What the route describes itself, it describes better.
    responses: { ...Object.fromEntries(described), ...operation.responses },
    ...(codes.length > 0 && { 'x-error-codes': codes }),
    ...(isInternal && { 'x-internal': true as const }),
  }
}

function contentsOf({ requestBody, responses }: Operation): Content[] {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [requestBody?.content, ...answers.map(([, { content }]) => content)].filter(
    (content) => content !== undefined,
  )
}

function codeLink(code: RefusalCode, isPublished: boolean): string {
  return `[\`${code}\`](/docs/errors#${code}) (${failureStatus(code, isPublished)})`
}
