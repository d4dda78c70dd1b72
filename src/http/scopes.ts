// Scopes of routes. Fastify gives every plugin a scope, for hooks and parsers that are for its routes
// alone. Few of ours add any, and two hundred scopes take a third of a start: so only those marked
// `scoped` have one, and the others add their routes to the app that they are given.

import type { FastifyInstance } from 'fastify'
import type { Deps } from './deps.ts'

const SCOPED = Symbol('scoped')
const NAME = Symbol.for('fastify.display-name')

type Plugin = ((app: FastifyInstance, deps: Deps) => unknown) & { [SCOPED]?: boolean }

export function scoped<T extends object>(plugin: T): T {
  return Object.assign(plugin, { [SCOPED]: true })
}

// Routes are those that are registered with their deps; whatever else is registered is as Fastify has it.
export function scopeWhereMarked(app: FastifyInstance): void {
  const { register } = app
  app.register = function (this: FastifyInstance, ...[plugin, options]: [Plugin, object?]) {
    if (areDeps(options) && !plugin[SCOPED]) return plugin(this, options)
    // Without a name, Fastify looks for each plugin among all modules loaded: 20 ms of every start.
    Object.assign(plugin, { [NAME]: Reflect.get(plugin, NAME) ?? plugin.name })
    return Reflect.apply(register, this, [plugin, options])
  } as typeof register
}

const areDeps = (options: object = {}): options is Deps => 'clock' in options && 'db' in options
