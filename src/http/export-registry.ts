// Every export of a whole list or report, as its route was registered. Scheduled reports choose from these,
// so a new export can be scheduled without being named anywhere else.

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Scope } from '#access/permissions.ts'

declare module 'fastify' {
  interface FastifyInstance {
    listExports: ExportRegistry
  }
}

export type ExportRoute = {
  operation: string
  path: string // Lacks its extension.
  scope: Scope
  filters: Readonly<Record<string, object>> // The schema of each filter, without the period.
  timing: Timing
  isForSpreadsheets: boolean // The CSV can keep the digits of references (csv.ts).
}

// How the query of an export names its period: by its days, its day, its month or its end. `now` names none,
// and lists what there is when the file is made.
export type Timing = 'window' | 'day' | 'month' | 'end' | 'now'

const CSV_END = /\.csv$/
const NOT_FILTERS = ['from', 'to', 'at', 'for', 'columns']

export class ExportRegistry {
  readonly #routes = new Map<string, ExportRoute>()

  add({ url, onRequest, schema }: RouteOptions): void {
    const { operationId, querystring } = schema ?? {}
    const scope = [onRequest].flat().find((hook) => hook && 'scope' in hook) as
      | { scope: Scope }
      | undefined
    if (!CSV_END.test(url) || url.includes(':') || !operationId || !scope) return
    const shape = querystring as { properties: Record<string, object>; required?: string[] }
    const { properties, required = [] } = shape
    const filters = Object.entries(properties).filter(
      ([name]) => !NOT_FILTERS.includes(name) && !required.includes(name),
    )
    this.#routes.set(operationId, {
      operation: operationId,
      path: url.replace(CSV_END, ''),
      scope: scope.scope,
      filters: Object.fromEntries(filters),
      timing: timingOf(properties, required),
      isForSpreadsheets: 'for' in properties,
    })
  }

  find(operation: string): ExportRoute | undefined {
    return this.#routes.get(operation)
  }

  get all(): readonly ExportRoute[] {
    return [...this.#routes.values()]
  }
}

function timingOf(properties: object, required: readonly string[]): Timing {
  if (required.includes('day')) return 'day'
  if (required.includes('month')) return 'month'
  if ('from' in properties && 'to' in properties) return 'window'
  return 'at' in properties ? 'end' : 'now'
}

// Call before routes are registered.
export function registerExports(app: FastifyInstance): void {
  const registry = new ExportRegistry()
  app.decorate('listExports', registry)
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') registry.add(route)
  })
}
