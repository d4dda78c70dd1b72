// Idempotency keys, for batches of new resources and for single requests with a stored response. A key is
// stored with a keyed hash of the request and the resource that the request created. While the key is stored,
// the same key and request return the same resource.
//
// Look-up and insert run under an advisory lock on (client, key), so that concurrent requests, even
// to two processes, create one resource.

import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, timeOrderedId } from '#ids.ts'

export type IdempotencyKey = { clientId: ClientId; key: string; requestHash: Buffer }
export type Once<T> = { value: T; replayed: boolean }

type Creation<T> = {
  operation: string
  // A request without a key is always new.
  keys: readonly (IdempotencyKey | undefined)[]
  // Makes the resources for the requests at these places. Returns the results ordered as `places`.
  make: (places: readonly number[]) => Promise<readonly (T | Refusal)[]>
  resourceOf: (value: T) => string // The reference of a resource, which is stored with its key.
  find: (resources: readonly string[]) => Promise<ReadonlyMap<string, T>>
}

// Makes the resources of new requests in a batch, and finds the resources of requests that are repeated.
// Returns results ordered as `keys`, and a refusal for a key that was used for another request. The caller
// calls this first in its transaction: its locks come before all others.
export async function createOnce<T extends object>(
  tx: Transaction,
  now: Date,
  { operation, keys, make, resourceOf, find }: Creation<T>,
): Promise<(Once<T> | Refusal)[]> {
  const stored = await findStoredKeys(
    tx,
    operation,
    keys.filter((key) => key !== undefined),
  )

  // The first request with a key in the batch makes the resource. Later requests with that key share its
  // result.
  const firstPlaceOf = new Map<string, number>()
  // The places of the requests that must make a resource: those without a key or with a new one.
  const places = keys.flatMap((key, place) => {
    if (key && (stored.has(keyName(key)) || firstPlaceOf.has(keyName(key)))) return []
    if (key) firstPlaceOf.set(keyName(key), place)
    return [place]
  })
  const outcomes = await make(places)
  const outcomeAt = new Map(places.map((place, index) => [place, outcomes[index] as T | Refusal]))
  // `find` knows only the resources of this operation. An empty hash marks a key that another operation
  // stored.
  const storedByOperation = [...stored.values()].filter(({ requestHash }) => requestHash.length > 0)
  const existing = await find(storedByOperation.map((earlier) => earlier.resource))

  // A refused request stores no key, so that it can be repeated.
  const newKeys = places.flatMap((place) => {
    const key = keys[place]
    const value = outcomeAt.get(place)
    if (!key || !value || value instanceof Refusal) return []
    return [{ ...key, resource: resourceOf(value) }]
  })
  await storeKeys(tx, now, { operation, keys: newKeys })

  return keys.map((key, place) => {
    const earlier = key && stored.get(keyName(key))
    const firstPlace = (key && firstPlaceOf.get(keyName(key))) ?? place
    const hash = earlier?.requestHash ?? keys[firstPlace]?.requestHash
    if (key && !(hash && key.requestHash.equals(hash))) return new Refusal('idempotency_key_reused')
    const value = earlier ? existing.get(earlier.resource) : outcomeAt.get(firstPlace)
    if (!value) throw new Error(`what idempotency key of place ${place} made is gone`)
    if (value instanceof Refusal) return value
    return { value, replayed: earlier !== undefined || firstPlace !== place }
  })
}

function keyName({ clientId, key }: { clientId: ClientId; key: string }): string {
  return `${clientId}/${key}`
}

// Locks the keys until the transaction ends, so that concurrent requests with the same key take turns, and
// returns the stored ones. If another operation stored the key, the returned request hash is empty: it
// matches no request, so the caller refuses the key.
export async function findStoredKeys(
  tx: Transaction,
  operation: string,
  keys: readonly IdempotencyKey[],
): Promise<Map<string, { requestHash: Buffer; resource: string }>> {
  if (keys.length === 0) return new Map()
  const clientIds = numberArray(keys.map((key) => key.clientId))
  const keyTexts = keys.map((key) => key.key)
  await tx.query({
    name: 'idempotency-lock',
    text: `select pg_advisory_xact_lock(lock) from (
             select distinct hashtextextended(k.client_id || '/' || k.key, 0) as lock
               from unnest($1::bigint[], $2::text[]) as k (client_id, key) order by 1) as locks`,
    values: [clientIds, keyTexts],
  })
  const { rows } = await tx.query<{
    clientId: ClientId
    key: string
    operation: string
    requestHash: Buffer
    resource: string
  }>({
    name: 'idempotency-find',
    text: `select i.client_id, i.key, i.operation, i.request_hash, i.resource
             from unnest($1::bigint[], $2::text[]) as k (client_id, key)
             join lateral (select * from idempotency_keys i
                            where i.client_id = k.client_id and i.key = k.key limit 1) i on true`,
    values: [clientIds, keyTexts],
  })
  return new Map(
    rows.map((row) => [
      keyName({ clientId: row.clientId, key: row.key }),
      // A key that another operation stored belongs to another request.
      {
        requestHash: row.operation === operation ? row.requestHash : Buffer.alloc(0),
        resource: row.resource,
      },
    ]),
  )
}

type UsedKeys = {
  operation: string
  keys: readonly (IdempotencyKey & { resource: string })[]
}

// Stores the keys with the hashes of their requests. The caller has locked the keys (findStoredKeys) and
// found none of them stored.
async function storeKeys(tx: Transaction, now: Date, { operation, keys }: UsedKeys): Promise<void> {
  if (keys.length === 0) return
  await tx.query({
    name: 'idempotency-store',
    text: `insert into idempotency_keys
             (client_id, key, operation, request_hash, resource, created_at)
           select k.client_id, k.key, $5, k.request_hash, k.resource, $6
             from unnest($1::bigint[], $2::text[], $3::bytea[], $4::text[])
                  as k (client_id, key, request_hash, resource)`,
    values: [
      numberArray(keys.map((key) => key.clientId)),
      keys.map((key) => key.key),
      keys.map((key) => key.requestHash),
      keys.map((key) => key.resource),
      operation,
      now,
    ],
  })
}

// Idempotency of single requests, whose whole response is stored and sent again when the request is repeated.
// Batches of requests use createOnce(). Both share keys and locks.
//
//   storeRequest() ──▶ storeResponse()      the first stored response is final

export type KeyedRequest = IdempotencyKey & { operation: string }

// `about` names the object that the request is about, and `responseId` its stored response.
type StoredRequest = { about: string; responseId: string }

// Finds an earlier request with the same key, and refuses the key if that request was another one. Returns
// undefined if the request is new. The caller calls this first in its transaction: its lock, held
// until commit, comes before all others.
export async function findStoredRequest(
  tx: Transaction,
  request: KeyedRequest,
): Promise<StoredRequest | undefined> {
  const stored = (await findStoredKeys(tx, request.operation, [request])).get(keyName(request))
  if (!stored) return undefined
  if (!request.requestHash.equals(stored.requestHash)) throw new Refusal('idempotency_key_reused')
  return JSON.parse(stored.resource)
}

// Stores a new request, in the transaction of its work. storeResponse() adds its response later.
export async function storeRequest(
  tx: Transaction,
  now: Date,
  { request, about }: { request: KeyedRequest; about: string },
): Promise<StoredRequest> {
  const newRequest: StoredRequest = { about, responseId: timeOrderedId(now) }
  await storeKeys(tx, now, {
    operation: request.operation,
    keys: [{ ...request, resource: JSON.stringify(newRequest) }],
  })
  return newRequest
}

// Stores the response, unless the request has one already. Returns the final response: the first one stored,
// by this process or another.
export async function storeResponse(
  db: Queryable,
  { responseId }: StoredRequest,
  responseSealed: Buffer,
): Promise<Buffer> {
  const { rowCount } = await db.query({
    name: 'store-response',
    text: `insert into stored_responses (id, response_sealed) values ($1, $2)
           on conflict (id) do nothing`,
    values: [responseId, responseSealed],
  })
  if (rowCount === 1) return responseSealed
  // The insert conflicted, so a response is stored.
  return (await findStoredResponse(db, { responseId })) as Buffer
}

// Returns the sealed response of an earlier request, for its repetition. Returns undefined if none is
// stored yet.
export async function findStoredResponse(
  db: Queryable,
  { responseId }: Pick<StoredRequest, 'responseId'>,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>({
    name: 'find-stored-response',
    text: 'select response_sealed as sealed from stored_responses where id = $1',
    values: [responseId],
  })
  return rows[0]?.sealed
}
