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
  resourceOf: (value: T) => string
  find: (resources: readonly string[]) => Promise<ReadonlyMap<string, T>>
}

// Makes new resources and finds existing ones. Returns results ordered as `keys`. The caller calls this first
// in its transaction: its locks come before all others.
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

  // The first request of a key in the batch makes the resource; the others share its result.
  const makerOf = new Map<string, number>()
  const places = keys.flatMap((key, place) => {
    if (key && (stored.has(keyName(key)) || makerOf.has(keyName(key)))) return []
    if (key) makerOf.set(keyName(key), place)
    return [place]
  })
  const outcomes = await make(places)
  const outcomeAt = new Map(places.map((place, index) => [place, outcomes[index] as T | Refusal]))
  // `find` knows only the resources of this operation.
  const storedHere = [...stored.values()].filter(({ requestHash }) => requestHash.length > 0)
  const found = await find(storedHere.map((earlier) => earlier.resource))

  const newKeys = places.flatMap((place) => {
    const key = keys[place]
    const value = outcomeAt.get(place)
    if (!key || !value || value instanceof Refusal) return []
    return [{ ...key, resource: resourceOf(value) }]
  })
  await storeKeys(tx, now, { operation, keys: newKeys })

  return keys.map((key, place) => {
    const earlier = key && stored.get(keyName(key))
    const maker = (key && makerOf.get(keyName(key))) ?? place
    const hash = earlier?.requestHash ?? keys[maker]?.requestHash
    if (key && !(hash && key.requestHash.equals(hash))) return new Refusal('idempotency_key_reused')
    const value = earlier ? found.get(earlier.resource) : outcomeAt.get(maker)
    if (!value) throw new Error(`what idempotency key of place ${place} made is gone`)
    if (value instanceof Refusal) return value
    return { value, replayed: earlier !== undefined || maker !== place }
  })
}

function keyName({ clientId, key }: { clientId: ClientId; key: string }): string {
  return `${clientId}/${key}`
}

// Locks the keys until the transaction ends, and returns the stored ones. The request hash is empty if
// another operation stored the key.
export async function findStoredKeys(
  tx: Transaction,
  operation: string,
  keys: readonly IdempotencyKey[],
): Promise<Map<string, { requestHash: Buffer; resource: string }>> {
  if (keys.length === 0) return new Map()
  const clientIds = numberArray(keys.map((key) => key.clientId))
  const names = keys.map((key) => key.key)
  await tx.query({
    name: 'idempotency-lock',
    text: `select pg_advisory_xact_lock(lock) from (
             select distinct hashtextextended(k.client_id || '/' || k.key, 0) as lock
               from unnest($1::bigint[], $2::text[]) as k (client_id, key) order by 1) as locks`,
    values: [clientIds, names],
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
    values: [clientIds, names],
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

// Stored responses of low-volume requests, one at a time. High-volume requests use createOnce(). Both share
// keys and locks.
//
//   begun ──▶ answered      the first stored response is final

export type KeyedRequest = IdempotencyKey & { operation: string }

// `about` is the request's subject, `responseId` the id of its stored response.
type StoredRequest = { about: string; responseId: string }

// Returns undefined if the request is new. The caller calls this first in its transaction: its lock, held
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

// Returns the final response: the first one stored, by this process or another.
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
  return (await findStoredResponse(db, { responseId })) as Buffer
}

// Returns undefined until a response is stored.
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
