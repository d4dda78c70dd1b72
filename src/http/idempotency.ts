// Idempotency-Key for every POST that creates or moves something (high-volume endpoints handle it in their
// batches). A retry gets the stored status and body, with `Idempotent-Replayed: true`. Of concurrent requests
// with the same key, only one does the work. Refusals are not stored, so the client can reuse the key.
//
// Responses may contain secrets, so they are sealed. They are stored as long as the key (at least 24 hours).

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import {
  findStoredRequest,
  findStoredResponse,
  type KeyedRequest,
  storeRequest,
  storeResponse,
} from '#records/idempotency.ts'
import type { Sealer } from '#seal.ts'
import { withCaller } from './caller.ts'
import type { Deps } from './deps.ts'

type Call = {
  request: FastifyRequest
  reply: FastifyReply
  pool?: Pool
  lockedTable?: string | undefined // See withTransaction.
  by?: { clientId: ClientId; actor: string } // The caller, if the route's hook is not `requires`.
}
type Parts = Pick<Deps, 'db' | 'sealer' | 'realClock'>

// Runs work in one transaction, and stores its response in the same transaction. For a request with a known
// key, returns the stored response instead. Checks in the transaction that the caller is still signed in.
export async function withIdempotency<T extends object>(
  parts: Parts,
  call: Call,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { db, sealer, realClock } = parts
  const { request, reply, pool = db, lockedTable } = call
  const acting = { request, pool, lockedTable }
  const keyed = keyedRequest(sealer, call)
  if (!keyed) return withCaller(parts, acting, work)
  const workOnce = async (tx: Transaction) => {
    const earlierRequest = await findStoredRequest(tx, keyed)
    if (earlierRequest) return { sealed: await findStoredResponse(tx, earlierRequest) }
    const body = await work(tx)
    // `about` is empty: only withIdempotentSteps() needs the subject of the work.
    const newRequest = await storeRequest(tx, realClock(), { request: keyed, about: '' })
    await storeResponse(tx, newRequest, sealAnswer(sealer, reply, body))
    return { body }
  }
  const result = await withCaller(parts, acting, workOnce)
  // An earlier request always has its response, because both commit together.
  return 'body' in result ? result.body : replay(sealer, reply, result.sealed as Buffer)
}

// Like withIdempotency(), for work that is prepared before its transaction, for example by a call to a bank.
// A retry gets the stored response without calling `prepare` again, whose result could be different by now.
export async function withPreparation<P, T extends object>(
  parts: Parts,
  call: Call & { prepare: () => Promise<P> },
  work: (tx: Transaction, prepared: P) => Promise<T>,
): Promise<T> {
  const { db, sealer } = parts
  const { request, reply, pool = db, prepare } = call
  const keyed = keyedRequest(sealer, call)
  const acting = { request, pool }
  const sealed = keyed && (await withCaller(parts, acting, (tx) => findEarlierResponse(tx, keyed)))
  if (sealed) return replay(sealer, reply, sealed)
  const prepared = await prepare()
  return withIdempotency(parts, call, (tx) => work(tx, prepared))
}

// Finds the sealed response of an earlier request with the same key.
async function findEarlierResponse(
  tx: Transaction,
  keyed: KeyedRequest,
): Promise<Buffer | undefined> {
  const earlierRequest = await findStoredRequest(tx, keyed)
  return earlierRequest && findStoredResponse(tx, earlierRequest)
}

// Like withIdempotency(), for work that goes on after its first transaction, such as a call to a bank or a
// batch. `begin` is the subject of the work, such as a reference, or a function that starts the work and
// returns its subject. The subject is stored with the key. `finish` then does the rest and builds the
// response. After a crash in between, a retry calls `finish` again with the stored subject, so `finish` must
// be idempotent.
export async function withIdempotentSteps<T extends object>(
  parts: Parts,
  call: Call & { begin: string | ((tx: Transaction) => Promise<string>) },
  finish: (subject: string) => Promise<T>,
): Promise<T> {
  const { db, sealer, realClock } = parts
  const { request, reply, pool = db, begin } = call
  const acting = { request, pool }
  const keyed = keyedRequest(sealer, call)
  const start = async (tx: Transaction) => (typeof begin === 'string' ? begin : begin(tx))
  // The batch of a token's bulk request needs no transaction of its own before it.
  if (!keyed && typeof begin === 'string' && !request.session) return finish(begin)
  if (!keyed) return finish(await withCaller(parts, acting, start))
  const { stored, isRetry, sealed } = await withCaller(parts, acting, async (tx) => {
    const earlier = await findStoredRequest(tx, keyed)
    if (earlier) {
      return { stored: earlier, isRetry: true, sealed: await findStoredResponse(tx, earlier) }
    }
    const subject = await start(tx)
    const stored = await storeRequest(tx, realClock(), { request: keyed, about: subject })
    return { stored, isRetry: false }
  })
  if (sealed) return replay(sealer, reply, sealed)
  // Without a stored response, the work is new, or a crash interrupted it.
  const body = await finish(stored.about)
  // If a concurrent retry has stored its response first, both callers get that one.
  const firstStored = await storeResponse(db, stored, sealAnswer(sealer, reply, body))
  return isRetry ? replay(sealer, reply, firstStored) : openAnswer<T>(sealer, firstStored).body
}

// Returns what identifies a request with an Idempotency-Key, or undefined for a request without a key. The
// hash tells a retry from another request that reuses the key.
function keyedRequest(sealer: Sealer, { request, by }: Call): KeyedRequest | undefined {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return undefined
  const operation = `${request.method} ${request.routeOptions.url}`
  // Scoped to the actor, because another actor may have other rights.
  const { clientId, actor } = by ?? { clientId: request.client.id, actor: request.actor }
  const parts = [actor, request.params, request.query, request.body ?? {}]
  const requestHash = sealer.hash(operation, JSON.stringify(parts, sortFields))
  return { clientId, key, operation, requestHash }
}

// Sorts the fields of objects, so that a request with the fields in another order has the same hash.
function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

type Answer<T> = { status: number; body: T }

// Encrypts a response for storage, with its status.
function sealAnswer(sealer: Sealer, reply: FastifyReply, body: object): Buffer {
  return sealer.seal(JSON.stringify({ status: reply.statusCode, body } satisfies Answer<object>))
}

function openAnswer<T>(sealer: Sealer, sealed: Buffer): Answer<T> {
  return JSON.parse(sealer.open(sealed))
}

// Sends a stored response again, and marks it as replayed.
function replay<T>(sealer: Sealer, reply: FastifyReply, sealed: Buffer): T {
  const { status, body } = openAnswer<T>(sealer, sealed)
  reply.code(status).header('idempotent-replayed', 'true')
  return body
}
