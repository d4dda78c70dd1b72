// Calls the service as a client or user. Each call has an idempotency key, which it also stores in a field
// of the object, so that the checker finds the object in the books.

import { randomUUID } from 'node:crypto'
import type { Answer, Call, Caller, Verdict } from './caller.ts'
import type { Random } from './random.ts'
import type { Operation, Terms } from './witness.ts'
import type { Client, World } from './world.ts'

// After these answers the call is repeated: the token, the clock or the rate limit may be fine next time.
const RETRIED_STATUSES = [401, 403, 408, 429]
const READ_MAX_MS = 4_000

export type Actor = { caller: Caller; world: World; random: Random }

export function naira(kobo: bigint): string {
  return `${kobo / 100n}.${String(kobo % 100n).padStart(2, '0')}`
}

// A key that names its operation, so that findings are easy to read.
export function newKey(operation: Operation): string {
  return `${operation}-${randomUUID()}`
}

type ClientCall = {
  operation: Operation
  key: string
  client: Pick<Client, 'credentials' | 'forget'>
  path: string
  // The facts of the call that the checker later compares with the books, such as the amount in kobo.
  termsToCheck: Terms
  body: object | string
  type?: string // The content type of a body that is not JSON.
  // biome-ignore lint/suspicious/noExplicitAny: the checker compares every answer with the books
  resultOf: (body: any) => Terms
}

// Calls the service once for one purpose, and repeats the call under its idempotency key until the result is
// known. Returns undefined if the result stays in doubt. The witness records the terms, which the checker
// later compares with the books.
export async function askOnce(
  caller: Caller,
  clientCall: ClientCall,
): Promise<Verdict | undefined> {
  const { operation, key, client, path, termsToCheck, body, type, resultOf } = clientCall
  const call: Call = {
    operation,
    wants: [{ key, terms: termsToCheck }],
    path,
    body,
    async headers(_, api) {
      const credentials = await client.credentials(api)
      if (!credentials) return undefined
      const headers = { ...credentials, 'idempotency-key': key }
      return type ? { ...headers, 'content-type': type } : headers
    },
    onUnauthorized: (api) => client.forget(api),
    read: (answer) => [readVerdict(answer, resultOf)],
  }
  const [verdict] = await caller.ask(call)
  return verdict
}

// Reads a path of the API as text. Returns undefined if the service does not answer now, or refuses.
export async function read(
  { world }: Pick<Actor, 'world'>,
  client: Client,
  path: string,
): Promise<string | undefined> {
  const api = world.api()
  try {
    const token = await client.token(api)
    const response = await fetch(api + path, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(READ_MAX_MS),
    })
    if (response.status === 401) client.forget(api)
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}

// Reads from an answer whether the call was acknowledged or refused. After a 5xx or a retried status the
// result is not known, so there is no verdict.
function readVerdict(
  { status, body }: Answer,
  resultOf: (body: never) => Terms,
): Verdict | undefined {
  if (status === 200 || status === 201) {
    return { is: 'acknowledged', result: resultOf(body as never) }
  }
  if (status >= 500 || RETRIED_STATUSES.includes(status)) return undefined
  const { code = '', message = '' } = body as Record<string, string>
  return { is: 'refused', result: { status: `${status}`, code, message } }
}
