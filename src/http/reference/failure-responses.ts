// Which failures an operation may answer with, by rule: from what its route takes, whom it asks for and
// what it needs. While tests run, a status that is not described here fails them
// (test/support/declared-errors.ts). A bug (500) and a broken connection (408, 431) are nobody's in
// particular.

import { STATUS_CODES } from 'node:http'
import type { RouteOptions } from 'fastify'
import type { RefusalCode } from '#errors.ts'
import { endpointFamily, type Family, failureStatus } from '#http/envelopes.ts'
import {
  ApiFailure,
  type IdempotencyHeaders,
  OAuthFailure,
  PaymentFailure,
  RailFailure,
} from '#http/schemas.ts'
import { errorsOf } from './operation-errors.ts'

type Route = Pick<RouteOptions, 'method' | 'schema' | 'config'>

export function failureStatuses({ method, schema = {}, config = {} }: Route): number[] {
  const { operationId = '', params, querystring, headers, body, security } = schema
  const takesBody = ![method].flat().every((each) => each === 'GET' || each === 'HEAD')
  const takesInput = takesBody || [params, querystring, headers, body].some(Boolean)
  const takesKey = 'idempotency-key' in ((headers as typeof IdempotencyHeaders)?.properties ?? {})
  const isProbe = config.rate === 'none'
  const codes: RefusalCode[] = [
    ...errorsOf(operationId, config.errors),
    ...(takesInput ? (['invalid_request'] as const) : []),
    ...(takesBody ? (['body_too_large', 'media_type_unsupported'] as const) : []),
    ...(security ? (['unauthorized', 'scope_missing'] as const) : []),
    ...(takesKey ? (['idempotency_key_reused'] as const) : []),
    // Probes are neither counted nor shed, nor do they wait for the database.
    ...(isProbe ? [] : (['rate_limited', 'try_again'] as const)),
  ]
  const statuses = codes.map((code) => failureStatus(code, config.isPublished ?? false))
  return [...new Set(statuses)].sort((a, b) => a - b)
}

const SCHEMAS = { api: ApiFailure, payment: PaymentFailure, oauth: OAuthFailure, rail: RailFailure }
const STATUSES = [400, 401, 403, 404, 409, 412, 413, 415, 429, 503]
const AGAIN = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } }
const HEADERS: Record<number, object> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  429: AGAIN,
  503: AGAIN,
}

// Each is described once, under components.
export const FAILURE_RESPONSES = Object.fromEntries(
  Object.entries(SCHEMAS).flatMap(([family, schema]) =>
    STATUSES.map((status) => [
      responseName(family as Family, status),
      {
        description: STATUS_CODES[status],
        ...(HEADERS[status] && { headers: HEADERS[status] }),
        content: { 'application/json': { schema } },
      },
    ]),
  ),
)

export function failureReference(path: string, status: number): { $ref: string } {
  return { $ref: `#/components/responses/${responseName(endpointFamily(path), status)}` }
}

// ApiBadRequest, RailServiceUnavailable.
function responseName(family: Family, status: number): string {
  return `${family[0]?.toUpperCase()}${family.slice(1)}${STATUS_CODES[status]?.replaceAll(' ', '')}`
}
