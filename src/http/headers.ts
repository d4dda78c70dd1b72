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

export function headerSetter(mode: 'sandbox' | 'live'): SetHeaders {
  const headers = Object.entries(responseHeaders(mode))
  return (request, reply) => {
    reply.header('x-request-id', request.id)
    for (const [name, value] of headers) reply.header(name, value)
  }
}

// CORS is off, except for routes with `config: { allowsCrossOrigin: true }`: payer endpoints that need only a
// reference. It never allows credentials. Errors have the headers too, so that the page can read them.

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

export async function registerCors(app: FastifyInstance): Promise<void> {
  await app.register(cors, { origin: false })
  const methodsAt = new Map<string, string[]>()
  app.addHook('onRoute', function (route) {
    if (!route.config?.allowsCrossOrigin) return
    route.config.cors = OPEN
    const known = methodsAt.get(route.url)
    const methods = known ?? []
    methods.push(...[route.method].flat())
    if (known) return
    methodsAt.set(route.url, methods)
    const preflight = { config: { cors: { ...OPEN, methods } }, schema: { hide: true } }
    this.options(route.url, preflight, (_request, reply) => reply.code(204).send())
  })
}

// A request to a known path with another method gets 405 with Allow, not 404. Requests with these methods do
// not.
const EVERYWHERE = ['HEAD', 'OPTIONS']

type FindMethods = (path: string, method: string) => readonly string[]

// Collects the routes registered from now on. The result is empty if no route has the path, or if the
// method needs no Allow header.
export function collectMethods(app: FastifyInstance): FindMethods {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsByUrl.get(url) ?? new Set()
    for (const each of [method].flat()) known.add(each)
    methodsByUrl.set(url, known)
  })
  // Compiled on first use, like schemas: a start does not need them.
  let paths: { pattern: RegExp; methods: Set<string> }[] | undefined
  return (path, method) => {
    if (EVERYWHERE.includes(method)) return []
    const plain = decoded(path.replace(/[?#].*$/s, '')).replace(/(?<=.)\/$/, '')
    paths ??= [...methodsByUrl].map(([url, methods]) => ({ pattern: patternOf(url), methods }))
    const found = paths.filter(({ pattern }) => pattern.test(plain))
    const methods = new Set(found.flatMap((each) => [...each.methods]))
    return methods.has(method) ? [] : [...methods].sort()
  }
}

// Matches like the router: in any case, with or without a trailing slash.
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

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
