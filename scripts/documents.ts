// Renders the parts of docs/ that are made from the code. `npm run generate` writes them between markers and
// leaves the prose around them alone. test/docs/generated.test.ts fails when a document no longer matches the
// code.

import { SCOPES, type Scope } from '#access/permissions.ts'
import { COLUMNS as JOURNAL_COLUMNS } from '#accounting/journal-routes.ts'
import {
  AGEING_COLUMNS,
  BALANCE_COLUMNS,
  DUTY_COLUMNS,
  TRIAL_BALANCE_COLUMNS,
  VAT_COLUMNS,
  WITHHOLDING_COLUMNS,
} from '#accounting/report-routes.ts'
import type { Columns } from '#http/csv.ts'
import { INTERNAL_TAGS, TAG_GROUPS } from '#http/reference/open-api.ts'
import { EVENT_TYPES, type EventType } from '#records/event-types.ts'
import { ACCOUNT_COLUMNS, MOVEMENT_COLUMNS, PAYMENT_COLUMNS } from '#reports/export-routes.ts'
import { statementColumns } from '#reports/statement-routes.ts'
import { COLUMNS as SUSPENSE_COLUMNS } from '#suspense/routes.ts'
import { EVENT_DESCRIPTIONS } from '#webhooks/event-views.ts'

const opening = (name: string) => `<!-- ${name}: written by npm run generate -->`
const closing = (name: string) => `<!-- /${name} -->`

// Returns the document with the text between the markers of this name replaced.
export function withSection(document: string, name: string, text: string): string {
  const [before, rest] = document.split(opening(name))
  const after = rest?.split(closing(name))[1]
  if (before === undefined || after === undefined) throw new Error(`${opening(name)} is missing`)
  return `${before}${opening(name)}\n\n${text}\n\n${closing(name)}${after}`
}

// A table in Markdown.
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [head, head.map(() => '---'), ...rows].map(line).join('\n')
}

type Operation = {
  operationId: string
  description?: string
  tags?: string[]
  security?: Record<string, unknown>[]
}
export type OpenApi = { paths: Record<string, Record<string, Operation>> }

export type ApiRoute = {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  tag: string
  scope: Scope | undefined
  credentials: 'token' | 'session' | 'optional token' | 'none'
}

// The operations of the API, in the order in which they are registered.
export function listRoutes({ paths }: OpenApi): ApiRoute[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      method: method.toUpperCase() as ApiRoute['method'],
      path,
      tag: operation.tags?.[0] ?? '',
      scope: scopeOf(operation),
      credentials: credentialsOf(operation),
    })),
  )
}

// The scope that an operation's description names.
function scopeOf({ operationId, description = '' }: Operation): Scope | undefined {
  const [, name] = /\*\*Scope:\*\* `([a-z:]+)`/.exec(description) ?? []
  if (name === undefined) return undefined
  const scope = SCOPES.find((known) => known === name)
  if (!scope) throw new Error(`${operationId} needs ${name}, which is no scope`)
  return scope
}

// How a caller of the operation must authenticate, by its `security`, which lists the alternatives. A token
// is optional if another alternative needs no token.
function credentialsOf({ security = [] }: Operation): ApiRoute['credentials'] {
  if (security.some((way) => 'session' in way)) return 'session'
  if (!security.some((way) => 'bearer' in way)) return 'none'
  return security.every((way) => 'bearer' in way) ? 'token' : 'optional token'
}

// Returns docs/routes.md with its tables of routes, one for each tag.
export function withRoutes(document: string, description: OpenApi): string {
  const byTag = Map.groupBy(listRoutes(description), ({ tag }) => tag)
  const tags = [...TAG_GROUPS.flatMap((group) => group.tags), ...INTERNAL_TAGS]
  // One table for each tag. If an operation needs no scope, its row names the credentials that it needs.
  const sections = tags.map((tag) => {
    // The third cell is the scope, or else the credentials; a token may be optional in addition.
    const rows = (byTag.get(tag) ?? []).map(({ method, path, scope, credentials, operationId }) => {
      const needs = scope ? `\`${scope}\`` : credentials
      const isOptional = credentials === 'optional token' && scope
      return [method, `\`${path}\``, isOptional ? `${needs} or none` : needs, operationId]
    })
    return `## ${tag}\n\n${table(['method', 'path', 'scope', 'operation'], rows)}`
  })
  return withSection(document, 'routes', sections.join('\n\n'))
}

// The columns of an account statement do not depend on the account.
const STATEMENT = statementColumns(undefined as never, '')
// The columns of each CSV file, in the order in which docs/exports.md lists them.
export const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  exportCredits: namesOf(MOVEMENT_COLUMNS),
  exportAccountStatement: namesOf(STATEMENT),
  exportPayments: namesOf(PAYMENT_COLUMNS),
  exportCollectionAccounts: namesOf(ACCOUNT_COLUMNS),
  exportSuspense: namesOf(SUSPENSE_COLUMNS),
  exportJournal: namesOf(JOURNAL_COLUMNS.manilla),
  exportTrialBalance: [...namesOf(TRIAL_BALANCE_COLUMNS), 'at'],
  exportVatReport: [...namesOf(VAT_COLUMNS), 'month'],
  exportWithholdingTax: [...namesOf(WITHHOLDING_COLUMNS), 'month'],
  exportStampDuty: [...namesOf(DUTY_COLUMNS), 'month'],
  exportOperatorBalances: [...namesOf(BALANCE_COLUMNS), 'at'],
  exportSuspenseAgeing: [...namesOf(AGEING_COLUMNS), 'at'],
}

function namesOf(columns: Columns<never>): string[] {
  return columns.map(([name]) => name)
}

// Returns docs/exports.md with its tables of columns. The code decides which columns there are and their
// order; their descriptions, written by hand, are taken from the existing table. Neighbouring columns with
// the same description share a row.
export function withColumns(document: string): string {
  return Object.entries(EXPORTS).reduce((text, [operation, names]) => {
    const section = `columns of ${operation}`
    const described = describedColumns(text.split(opening(section))[1]?.split(closing(section))[0])
    const rows: [string[], string][] = []
    for (const name of names) {
      const description = described.get(name)
      if (!description) throw new Error(`describe the column ${name} of ${operation}`)
      const lastRow = rows.at(-1)
      if (lastRow?.[1] === description) lastRow[0].push(`\`${name}\``)
      else rows.push([[`\`${name}\``], description])
    }
    const cells = rows.map(([columns, description]) => [columns.join(', '), description])
    return withSection(text, section, table(['column', 'description'], cells))
  }, document)
}

// The descriptions in an existing table, by column.
function describedColumns(rows = ''): Map<string, string> {
  const lines = rows.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)
  return new Map(
    [...lines].flatMap(([, columns = '', description = '']) =>
      [...columns.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, description] as const),
    ),
  )
}

type Schema = {
  type?: string | readonly string[]
  anyOf?: readonly Schema[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
}
type EventRow = { type: EventType; summary: string; fields: Readonly<Record<string, Schema>> }

// Events about the same object share fields, which are listed once under the name of that object.
const EVENT_OBJECTS: readonly [name: string, types: RegExp][] = [
  ['an account', /^(?:account|collection)\./],
  ['a payment', /^payment\./],
  ['a credit', /^credit\./],
  ['a payout', /^payout\./],
  ['a settlement', /^settlement\./],
  ['an alert', /^alert\./],
  ['a destination', /^endpoint\.disabled$/],
]

// Returns docs/webhooks.md with its table of event types and its tables of fields: those that all events
// about an object have, and the others.
export function withEvents(document: string): string {
  const events = EVENT_TYPES.map((type): EventRow => {
    const { summary, data } = EVENT_DESCRIPTIONS[type]
    return { type, summary, fields: (data as Schema).properties ?? {} }
  })
  // The fields that all events about an object have.
  const objects = EVENT_OBJECTS.map(([name, types]) => {
    const matching = events.filter(({ type }) => types.test(type))
    const [first, ...further] = matching.map(({ fields }) => fields)
    const shared = Object.entries(first ?? {}).filter(([field]) =>
      further.every((fields) => field in fields),
    )
    return { name, types, fields: Object.fromEntries(shared) }
  })
  // One row for each event type: its object, and its fields that other events of the object lack.
  const rows = events.map(({ type, summary, fields }) => {
    const object = objects.find(({ types }) => types.test(type))
    const ownFields = Object.keys(fields).filter((field) => !(field in (object?.fields ?? {})))
    const names = ownFields.map((field) => `\`${field}\``).join(', ')
    const data = [object?.name, names].filter(Boolean).join(' with ')
    return [`[\`${type}\`](#${type.replace('.', '')})`, summary, data]
  })
  const otherFields = new Map<string, Schema>()
  for (const { type, fields } of events) {
    const object = objects.find(({ types }) => types.test(type))
    for (const [name, schema] of Object.entries(fields)) {
      if (!(name in (object?.fields ?? {})) && !otherFields.has(name)) otherFields.set(name, schema)
    }
  }
  const tables = objects.map(({ name, fields }) => `**${sentence(name)}**\n\n${fieldTable(fields)}`)
  const others = `**Other fields**\n\n${fieldTable(Object.fromEntries(otherFields))}`
  const types = table(['type', 'sent when', '`data`'], rows)
  return withSection(
    withSection(document, 'types', types),
    'fields',
    [...tables, others].join('\n\n'),
  )
}

const sentence = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

// A table of fields of `data`, the object that an event carries.
function fieldTable(fields: Readonly<Record<string, Schema>>): string {
  const rows = Object.entries(fields).flatMap(([name, schema]) => fieldRows(name, schema))
  return table(['field', 'type', 'description'], rows)
}

// The row of a field. If the field is an object, the rows of its own fields follow, for example
// `refund.reference`.
function fieldRows(name: string, schema: Schema): string[][] {
  const { properties = schema.items?.properties ?? {}, description = '' } = schema
  const inner = Object.entries(properties).flatMap(([key, property]) =>
    fieldRows(`${name}.${key}`, property),
  )
  return [[`\`${name}\``, typeOf(schema), description.replaceAll('|', '\\|')], ...inner]
}

// The JSON types of a field, for example "string or null".
function typeOf({ type, anyOf = [] }: Schema): string {
  if (type === undefined) return anyOf.map(typeOf).join(' or ')
  return [type].flat().join(' or ')
}
