// Reads a request before it is approved, as the dashboard does, so that a test need not say which revision it
// approves. A body with a `revision` is sent as it is.

import type { LightMyRequestResponse } from 'fastify'
import type { Call } from './running-service.ts'

type Send = (call: Call) => Promise<LightMyRequestResponse>
type Shown = { id?: unknown; reference?: string; revision?: string }

const APPROVAL = /^(\/api\/v1\/.+)\/([^/]+)\/approve$/
const UNREAD = 'unread' // For a request that the caller cannot read, which is refused all the same.

// The sent bodies by Idempotency-Key: a retry sends the same body again.
const keyed = new Map<string, unknown>()

// Returns the call with the revision in its body, if it approves a request.
export async function readingFirst(send: Send, call: Call): Promise<Call> {
  const { url, body, headers = {} } = call
  const [, collection = '', key = ''] = APPROVAL.exec(url) ?? []
  if (!collection || key === 'account-name') return call
  if (typeof body !== 'object' || body === null || 'revision' in body) return call
  const retried = keyed.get(headers['idempotency-key'] ?? '')
  if (retried) return { ...call, body: retried }
  const read = async (path: string) => {
    const answer = await send({ ...call, method: 'GET', url: path, body: undefined })
    return answer.statusCode === 200 ? answer.json().data : undefined
  }
  const revision = await findRevision(read, collection, key)
  const whole = { ...body, revision: revision ?? UNREAD }
  if (headers['idempotency-key']) keyed.set(headers['idempotency-key'], whole)
  return { ...call, body: whole }
}

type Read = (path: string) => Promise<(Shown & { reopenings?: Shown[] }) | Shown[] | undefined>

// Most requests can be retrieved; of the others there is a list.
async function findRevision(read: Read, collection: string, key: string) {
  if (collection.endsWith('/reopen')) {
    const month = await read(collection.replace('/reopen', ''))
    return find((month as { reopenings?: Shown[] } | undefined)?.reopenings, key)
  }
  if (collection.endsWith('/holds')) {
    const requests = (await read(`${collection}/requests?hold=${key}`)) as Shown[] | undefined
    return requests?.[0]?.revision
  }
  const one = (await read(`${collection}/${key}`)) as Shown | undefined
  return one?.revision ?? find((await read(`${collection}?limit=100`)) as Shown[] | undefined, key)
}

const find = (requests: readonly Shown[] | undefined, key: string) =>
  requests?.find(({ id, reference }) => `${reference ?? id}` === key)?.revision
