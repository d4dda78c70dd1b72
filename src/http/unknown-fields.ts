// Fields of a published call that it does not have. They are ignored, as they always were, and the
// response says so: `warnings` names each, and the field that was probably meant.

import type { FastifyInstance, FastifyRequest } from 'fastify'

export type Warning = { field: string; message: string }

type Shape = { properties?: Record<string, Shape> }

const WARNINGS_MAX = 20
const NAME_MAX = 60

declare module 'fastify' {
  interface FastifyRequest {
    warnings: Warning[] | null
  }
}

// For the routes that are registered from now on.
export function warnOfUnknownFields(app: FastifyInstance): void {
  app.decorateRequest('warnings', null)
  app.addHook('onRoute', (route) => {
    const { config, schema } = route
    const shape = schema?.body as Shape | undefined
    if (!config?.isPublished || !route.url.startsWith('/Payment/') || !shape?.properties) return
    const note = (request: FastifyRequest, _reply: unknown, done: () => void) => {
      const found = findUnknown(shape, request.body)
      if (found.length > 0) request.warnings = found
      done()
    }
    route.preValidation = [note, ...[route.preValidation ?? []].flat()]
    route.preSerialization = [
      ...[route.preSerialization ?? []].flat(),
      async (request, _reply, payload) =>
        request.warnings ? { ...(payload as object), warnings: request.warnings } : payload,
    ]
  })
}

export function findUnknown(shape: Shape, body: unknown, path = ''): Warning[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const known = shape.properties ?? {}
  const warnings: Warning[] = []
  for (const [name, value] of Object.entries(body)) {
    if (warnings.length >= WARNINGS_MAX) break
    const inner = Object.hasOwn(known, name) ? known[name] : undefined
    if (inner?.properties) warnings.push(...findUnknown(inner, value, `${path}${name}.`))
    else if (!inner)
      warnings.push({ field: fieldOf(`${path}${name}`), message: messageOf(name, known) })
  }
  return warnings.slice(0, WARNINGS_MAX)
}

function fieldOf(path: string): string {
  return path.toWellFormed().slice(0, 2 * NAME_MAX)
}

function messageOf(name: string, known: Record<string, unknown>): string {
  const meant = findNearest(name, Object.keys(known))
  const hint = meant ? ` Did you mean ${meant}?` : ''
  return `This call has no such field. It was ignored.${hint}`
}

// Within a third of the letters.
function findNearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > NAME_MAX) return undefined
  const ranked = names
    .map((each) => ({ each, steps: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, steps }) => steps <= Math.max(name.length, each.length) / 3)
  return ranked.sort((one, other) => one.steps - other.steps)[0]?.each
}

// Levenshtein's: how many letters are added, removed or replaced.
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [at, another] of [...other].entries()) {
      const replaced = (row[at] as number) + (letter === another ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1))
    }
    row = next
  }
  return row[other.length] as number
}
