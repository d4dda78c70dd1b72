// A trailing slash is ignored, except where a parameter belongs behind it: GET /x/ is GET /x/{id} with
// an empty id, which that route refuses, and never the list at /x. So a caller whose variable is empty
// neither reads nor deletes more than it asked for.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

export class EmptyParameters {
  readonly #parents = new Set<string>() // Method and path of what has a parameter behind it.

  // For all routes that are registered from here on.
  register(app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url }) => {
      const [, parent] = /^(.+)\/:\w+$/.exec(url) ?? []
      if (!parent) return
      for (const each of [method].flat()) this.#parents.add(`${each} ${parent.toLowerCase()}`)
    })
  }

  // Before routing, which drops one slash of those at the end.
  readonly rewriteUrl = ({ method, url = '/' }: IncomingMessage): string => {
    const queryAt = url.indexOf('?')
    const pathEnd = queryAt < 0 ? url.length : queryAt
    if (url[pathEnd - 1] !== '/') return url
    const parent = `${method} ${decoded(url.slice(0, pathEnd - 1)).toLowerCase()}`
    return this.#parents.has(parent) ? `${url.slice(0, pathEnd)}/${url.slice(pathEnd)}` : url
  }
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path // Refused by the router.
  }
}
