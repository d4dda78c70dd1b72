// The methods that a path has, for who uses another: 405 with Allow rather than 404.

import type { FastifyInstance } from 'fastify'

// Answered as today wherever they are not routes: HEAD by GET, OPTIONS by cors.ts.
const EVERYWHERE = ['HEAD', 'OPTIONS']

type FindMethods = (path: string, method: string) => readonly string[]

// Of the routes that are registered from now on. Empty: no route has the path, or the method is one that
// every path treats alike.
export function collectMethods(app: FastifyInstance): FindMethods {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const each of [method].flat()) known.methods.add(each)
    paths.set(url, known)
  })
  return (path, method) => {
    if (EVERYWHERE.includes(method)) return []
    const plain = decoded(path.replace(/[?#].*$/s, '')).replace(/(?<=.)\/$/, '')
    const found = [...paths.values()].filter(({ pattern }) => pattern.test(plain))
    const methods = new Set(found.flatMap((each) => [...each.methods]))
    return methods.has(method) ? [] : [...methods].sort()
  }
}

// As the router matches: whatever the case, with or without a last slash.
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
