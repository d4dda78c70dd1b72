// Headers of every response, CORS, and the Allow header. Pages add more headers (pages.ts); cacheable
// responses override cache-control.

import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const YEAR_SECONDS = 31_536_000

export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void

export function responseHeaders(mode: 'sandbox' | 'live'): Record<string, string> {
  const https = `max-age=${YEAR_SECONDS}; includeSubDomains`
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // No HSTS in a sandbox: a sandbox uses plain http, and a browser would refuse its host for a year.
    ...(mode === 'live' ? { 'strict-transport-security': https } : {}),
  }
}

// Returns a function that sets the headers of every response, which it prepares once.
export function headerSetter(mode: 'sandbox' | 'live'): SetHeaders {
  const headers = Object.entries(responseHeaders(mode))
  return (request, reply) => {
    reply.header('x-request-id', request.id)
    for (const [name, value] of headers) reply.header(name, value)
  }
}

// CORS is off, except for routes with `config: { allowsCrossOrigin: true }`: payer endpoints, which a shop's
// page calls with only a reference. It never allows credentials. Error responses have the CORS headers too,
// so that the page can read them.

declare module 'fastify' {
  interface FastifyContextConfig {
    allowsCrossOrigin?: boolean
    cors?: FastifyCorsOptions
  }
}

const EXPOSED = 'retry-after, ratelimit, ratelimit-policy, x-request-id'
const OPEN = {
  origin: '*',
  exposedHeaders: EXPOSED,
  allowedHeaders: 'content-type',
  maxAge: 600,
  strictPreflight: false,
} satisfies FastifyCorsOptions

// The headers for responses that the framework does not write (load-shedding.ts).
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

// Adds CORS to the routes that allow it, and one preflight route for each of their paths. Must be called
// before the routes are registered.
export async function registerCors(app: FastifyInstance): Promise<void> {
  await app.register(cors, { origin: false })
  const methodsAt = new Map<string, string[]>()
  app.addHook('onRoute', function (route) {
    if (!route.config?.allowsCrossOrigin) return
    route.config.cors = OPEN
    const existing = methodsAt.get(route.url)
    const methods = existing ?? []
    methods.push(...[route.method].flat()) // The preflight route below has this array, so it sees later ones.
    if (existing) return
    methodsAt.set(route.url, methods)
    const preflight = { config: { cors: { ...OPEN, methods } }, schema: { hide: true } }
    this.options(route.url, preflight, (_request, reply) => reply.code(204).send())
  })
}

// A request to a known path with a wrong method gets 405 with an Allow header, not 404. These methods are
// exempt.
const EXEMPT_METHODS = ['HEAD', 'OPTIONS']

type FindMethods = (path: string, method: string) => readonly string[]

// Collects the routes registered from now on. Returns a function that finds the methods of a path, for the
// Allow header. It returns none if no route has the path, or if the request's method is allowed or exempt.
export function collectMethods(app: FastifyInstance): FindMethods {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  // Compiled on first use, like schemas: a start does not need them.
  let paths: { pattern: RegExp; methods: Set<string> }[] | undefined
  return (path, method) => {
    if (EXEMPT_METHODS.includes(method)) return []
    const plainPath = decodePath(path.replace(/[?#].*$/s, '')).replace(/(?<=.)\/$/, '')
    paths ??= [...methodsByUrl].map(([url, methods]) => ({ pattern: patternOf(url), methods }))
    const matches = paths.filter(({ pattern }) => pattern.test(plainPath))
    const methods = new Set(matches.flatMap((match) => [...match.methods]))
    return methods.has(method) ? [] : [...methods].sort()
  }
}

// Converts a route's URL to a pattern that matches a path as the router does, in upper or lower case. Removes
// a trailing slash from the URL. The caller, collectMethods(), removes it from the path.
function patternOf(url: string): RegExp {
  const source = url
    .replace(/(?<=.)\/$/, '')
    .split(/(:[A-Za-z]+|\*)/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
  return new RegExp(`^${source.join('')}$`, 'is')
}

// Decodes escapes. Returns a malformed path as it is: it then matches no route.
function decodePath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
