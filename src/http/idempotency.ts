// Idempotency-Key for every POST that creates or moves something (high-volume endpoints handle it in their
// batches). A retry gets the stored response, status and body, with `Idempotent-Replayed: true`; concurrent
// retries run once. Refusals are not stored, so the client can reuse the key.
//
// Responses may contain secrets, so they are sealed. They are stored as long as the key (at least 24 hours).

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import {
  findStoredRequest,
  findStoredResponse,
  type KeyedRequest,
  storeRequest,
  storeResponse,
} from '#records/idempotency.ts'
import type { Sealer } from '#seal.ts'
import type { Deps } from './deps.ts'

type Call = {
  request: FastifyRequest
  reply: FastifyReply
  pool?: Pool
  lockedTable?: string | undefined // See withTransaction.
  by?: { clientId: ClientId; actor: string } // The caller, if the route's hook is not `requires`.
}
type Parts = Pick<Deps, 'db' | 'sealer' | 'realClock'>

// Commits the work and its response in one transaction.
export async function withIdempotency<T extends object>(
  { db, sealer, realClock }: Parts,
  call: Call,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { reply, pool = db, lockedTable } = call
  const keyed = keyedRequest(sealer, call)
  if (!keyed) return withTransaction(pool, work, { lockedTable })
  const workOnce = async (tx: Transaction) => {
    const known = await findStoredRequest(tx, keyed)
    if (known) return { sealed: await findStoredResponse(tx, known) }
    const body = await work(tx)
    const begun = await storeRequest(tx, realClock(), { request: keyed, about: '' })
    await storeResponse(tx, begun, sealAnswer(sealer, reply, body))
    return { body }
  }
  const answered = await withTransaction(pool, workOnce, { lockedTable })
  return 'body' in answered ? answered.body : replay(sealer, reply, answered.sealed as Buffer)
}

// For work that is prepared before its transaction, for example by a call to a bank. A retry gets the stored
// response without a new preparation, whose result could be different by now.
export async function withPreparation<P, T extends object>(
  parts: Parts,
  call: Call & { prepare: () => Promise<P> },
  work: (tx: Transaction, prepared: P) => Promise<T>,
): Promise<T> {
  const { db, sealer } = parts
  const { reply, pool = db, prepare } = call
  const keyed = keyedRequest(sealer, call)
  const sealed = keyed && (await withTransaction(pool, (tx) => findAnswer(tx, keyed)))
  if (sealed) return replay(sealer, reply, sealed)
  const prepared = await prepare()
  return withIdempotency(parts, call, (tx) => work(tx, prepared))
}

async function findAnswer(tx: Transaction, keyed: KeyedRequest): Promise<Buffer | undefined> {
  const known = await findStoredRequest(tx, keyed)
  return known && findStoredResponse(tx, known)
}

// For work with a part outside the transaction, such as a call to a bank or a batch. `begin` is the subject
// of the work, or a function that returns it. The subject is stored. `finish` does the rest and builds the
// response. After a crash in between, a retry resumes with `finish`, which must therefore be idempotent.
export async function withIdempotentSteps<T extends object>(
  { db, sealer, realClock }: Parts,
  call: Call & { begin: string | ((tx: Transaction) => Promise<string>) },
  finish: (subject: string) => Promise<T>,
): Promise<T> {
  const { reply, pool = db, begin } = call
  const keyed = keyedRequest(sealer, call)
  if (!keyed) return finish(typeof begin === 'string' ? begin : await withTransaction(pool, begin))
  const { begun, isKnown, sealed } = await withTransaction(pool, async (tx) => {
    const known = await findStoredRequest(tx, keyed)
    if (known) return { begun: known, isKnown: true, sealed: await findStoredResponse(tx, known) }
    const subject = typeof begin === 'string' ? begin : await begin(tx)
    const begun = await storeRequest(tx, realClock(), { request: keyed, about: subject })
    return { begun, isKnown: false }
  })
  if (sealed) return replay(sealer, reply, sealed)
  const made = await finish(begun.about)
  const first = await storeResponse(db, begun, sealAnswer(sealer, reply, made))
  return isKnown ? replay(sealer, reply, first) : openAnswer<T>(sealer, first).body
}

function keyedRequest(sealer: Sealer, { request, by }: Call): KeyedRequest | undefined {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return undefined
  const operation = `${request.method} ${request.routeOptions.url}`
  // Scoped to the actor, because another actor may have other rights.
  const { clientId, actor } = by ?? { clientId: request.client.id, actor: request.actor }
  const parts = [actor, request.params, request.query, request.body ?? {}]
  const requestHash = sealer.hash(operation, JSON.stringify(parts, inOrder))
  return { clientId, key, operation, requestHash }
}

// Sorts the fields of objects, so that a request with the fields in another order has the same hash.
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

type Answer<T> = { status: number; body: T }

function sealAnswer(sealer: Sealer, reply: FastifyReply, body: object): Buffer {
  return sealer.seal(JSON.stringify({ status: reply.statusCode, body } satisfies Answer<object>))
}

function openAnswer<T>(sealer: Sealer, sealed: Buffer): Answer<T> {
  return JSON.parse(sealer.open(sealed))
}

function replay<T>(sealer: Sealer, reply: FastifyReply, sealed: Buffer): T {
  const { status, body } = openAnswer<T>(sealer, sealed)
  reply.code(status).header('idempotent-replayed', 'true')
  return body
}
