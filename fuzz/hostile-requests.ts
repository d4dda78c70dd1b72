// Builds hostile requests: each is valid by the API's description, except for one change.

import type { Parameter, Target } from './operations.ts'
import { type Known, type Random, rightValue } from './right-values.ts'

// The owner of a request's credentials: the caller that the operation requires, another client,
// another role, or nobody.
export type Caller = 'own' | 'other client' | 'other role' | 'nobody'
export type Signing = 'right' | 'none' | 'altered' | 'stale' | 'wrong secret'

export type HostileRequest = {
  what: string
  method: string
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
  caller: Caller
  signing: Signing // On the rails, where a bank signs.
}

export type Change = {
  params?: Record<string, string>
  query?: string | ((known: Known, random: Random) => string)
  headers?: Record<string, string>
  payload?: string | Buffer | ((right: Fields, random: Random) => string) // Built from a valid body.
  encode?: (payload: string | Buffer) => string | Buffer
  method?: string
  caller?: Caller
  signing?: Signing
}

export type Case = [what: string, change: Change]
export type Fields = Record<string, unknown>

// Builds a valid request to the operation and applies the change to it.
export function buildRequest(
  { method, path, operation, known }: Target,
  random: Random,
  [what, change]: Case,
): HostileRequest {
  const parameters = operation.parameters ?? []
  const params = change.params ?? {}
  // Each parameter of the path gets the value of the change, or else a valid value.
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((each) => each.name === name)?.schema ?? {}
    return params[name] ?? encodeURIComponent(String(rightValue(schema, name, known, random)))
  })
  const changedQuery =
    typeof change.query === 'function' ? change.query(known, random) : change.query
  const query = changedQuery ?? rightQuery(parameters, known, random)
  const [type = 'application/json', media] =
    Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const right = media?.schema && (rightValue(media.schema, '', known, random) as Fields)
  const body = payloadOf(change, { right, type, random })
  const payload = body !== undefined && change.encode ? change.encode(body) : body
  return {
    what,
    method: change.method ?? method,
    url: query === undefined ? filledPath : `${filledPath}?${query}`,
    headers: { ...(payload === undefined ? {} : { 'content-type': type }), ...change.headers },
    payload,
    caller: change.caller ?? 'own',
    signing: change.signing ?? 'right',
  }
}

type ValidBody = { right: Fields | undefined; type: string; random: Random }

// Returns the changed body, or else the valid one as a form or as JSON.
function payloadOf({ payload }: Change, { right, type, random }: ValidBody) {
  if (typeof payload === 'function') return payload(right ?? {}, random)
  if (payload !== undefined || right === undefined) return payload
  const isForm = type.includes('form')
  return isForm
    ? String(new URLSearchParams(right as Record<string, string>))
    : JSON.stringify(right)
}

// Returns a query with about a fifth of the operation's parameters, never with a cursor.
function rightQuery(parameters: Parameter[], known: Known, random: Random): string | undefined {
  const filters = parameters.filter(
    (each) => each.in === 'query' && each.name !== 'cursor' && random.integer(0, 4) === 0,
  )
  if (filters.length === 0) return undefined
  const pairs = filters.map(({ name, schema }): [string, string] => [
    name,
    String(rightValue(schema ?? {}, name, known, random)),
  ])
  return String(new URLSearchParams(pairs))
}
