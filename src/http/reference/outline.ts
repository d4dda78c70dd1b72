// Arranges the description of the API as pages: one per tag, each with its operations in the order in which
// one integrates.

import type { Schema } from './examples.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: unknown
  schema: Schema
}

type Json = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
export type Content = Readonly<Record<string, Json>>

export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags?: readonly string[]
  security?: readonly Record<string, unknown>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Content; description?: string; required?: boolean }
  responses: Readonly<Record<string, { description?: string; content?: Content; $ref?: string }>>
  'x-internal'?: true
}

export type Description = {
  info: { description: string }
  servers: readonly { url: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, { post: Operation }>>
  components: { schemas: Readonly<Record<string, Schema>> }
  'x-tagGroups': readonly { name: string; tags: readonly string[] }[]
}

export type Entry = { method: string; path: string; operation: Operation }
export type Section = { group: string; title: string; slug: string; entries: readonly Entry[] }

export const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

export function sectionsOf({ paths, 'x-tagGroups': groups }: Description): Section[] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !operation['x-internal'])
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const sections = groups.flatMap(({ name: group, tags }) =>
    tags.map((title) => ({
      group,
      title,
      slug: slugOf(title),
      entries: inOrder(entries.filter(({ operation }) => operation.tags?.[0] === title)),
    })),
  )
  return sections.filter((section) => section.entries.length > 0)
}

// Objects stay in the order of the routes: those that one creates, then those that one reads, then the rest.
// Erasing comes last.
function inOrder(entries: readonly Entry[]): Entry[] {
  const objects = [...Map.groupBy(entries, ({ path }) => objectOf(path)).values()]
  const ranked = objects.map((each) => each.toSorted((one, other) => rankOf(one) - rankOf(other)))
  const placeOf = ([first]: readonly Entry[]) => {
    const rank = first ? rankOf(first) : CHANGES
    return rank === 0 ? 0 : rank <= CHANGES ? 1 : 2
  }
  const all = ranked.toSorted((one, other) => placeOf(one) - placeOf(other)).flat()
  return [
    ...all.filter((entry) => rankOf(entry) < ERASES),
    ...all.filter((entry) => rankOf(entry) >= ERASES),
  ]
}

// The path up to its first parameter or file name extension.
function objectOf(path: string): string {
  const [head = ''] = path.split(/\/\{|\.(?:csv|xlsx|html)$/, 1)
  return head.replace(/\/(?:bulk|summary)$/, '')
}

const CHANGES = 3
const ERASES = 6
const RANKS: readonly (readonly [rank: number, pattern: RegExp])[] = [
  [0, /^(?:create|login|oauth|initiate|simulate|send|openCase|place|draft|refund|issue)/],
  [0, /^(?:requestAdj|closeSettlement)/],
  [1, /^list/],
  [2, /^(?:get|find|summarize)/],
  [4, /^(?:export|print)/],
  [5, /^(?:delete|remove|cancel|deactivate|end|close|suspend|withdraw|release|forfeit)/],
  [ERASES, /^(?:erase|reset)/],
]

// Create, list, get, change, export, end, erase.
function rankOf({ operation: { operationId } }: Entry): number {
  return RANKS.find(([, pattern]) => pattern.test(operationId))?.[0] ?? CHANGES
}
