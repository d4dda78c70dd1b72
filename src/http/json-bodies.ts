// Strict JSON in strict UTF-8. Invalid bytes are refused rather than replaced: what is stored must
// be what was sent. A body that does not say what it is is JSON too: the contract names a content type
// for one endpoint only.

import { isUtf8 } from 'node:buffer'
import type { FastifyBodyParser, FastifyInstance } from 'fastify'
import { Refusal } from '#errors.ts'
import { findFault, withoutRounding } from '#json-text.ts'

const NO_TYPE = /^\/?$/ // As Fastify names it.

export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  for (const type of ['application/json', NO_TYPE]) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, parse)
  }
}

const parse: FastifyBodyParser<Buffer> = (request, body, done) => {
  // Many clients send the header with every POST, also where there is nothing to say.
  const isNeeded = request.routeOptions.schema?.body !== undefined
  if (body.length === 0 && !isNeeded) return done(null, undefined)
  try {
    done(null, parseJson(body))
  } catch (error) {
    done(error as Error, undefined)
  }
}

export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new Refusal('body_missing')
  if (!isUtf8(body)) throw new Refusal('invalid_json')
  const text = body.toString('utf8')
  if (findFault(text)) throw new Refusal('ambiguous_json')
  try {
    return JSON.parse(withoutRounding(text))
  } catch {
    throw new Refusal('invalid_json')
  }
}
