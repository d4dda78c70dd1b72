// The calls of clients: each has an idempotency key, and stores it in a field by which the checker
// finds the object in the books.

import { randomUUID } from 'node:crypto'
import type { Answer, Call, Caller, Verdict } from './caller.ts'
import type { Random } from './random.ts'
import type { Operation, Terms } from './witness.ts'
import type { Client, World } from './world.ts'

const AGAIN = [401, 403, 408, 429]
const READ_MAX_MS = 4_000

export type Actor = { caller: Caller; world: World; random: Random }

export function naira(kobo: bigint): string {
  return `${kobo / 100n}.${String(kobo % 100n).padStart(2, '0')}`
}

export function newKey(operation: Operation): string {
  return `${operation}-${randomUUID()}`
}

type Once = {
  operation: Operation
  key: string
  client: Pick<Client, 'credentials' | 'forget'>
  path: string
  terms: Terms
  body: object | string
  type?: string // The content type of a body that is not JSON.
  // biome-ignore lint/suspicious/noExplicitAny: the checker compares every answer with the books
  resultOf: (body: any) => Terms
}

export async function askOnce(caller: Caller, once: Once): Promise<Verdict | undefined> {
  const { operation, key, client, path, terms, body, type, resultOf } = once
  const call: Call = {
    operation,
    wants: [{ key, terms }],
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

// Returns undefined if the service does not answer now, or refuses.
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

function readVerdict(
  { status, body }: Answer,
  resultOf: (body: never) => Terms,
): Verdict | undefined {
  if (status === 200 || status === 201) {
    return { is: 'acknowledged', result: resultOf(body as never) }
  }
  if (status >= 500 || AGAIN.includes(status)) return undefined
  const { code = '', message = '' } = body as Record<string, string>
  return { is: 'refused', result: { status: `${status}`, code, message } }
}
