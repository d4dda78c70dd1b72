// Stored responses of low-volume requests, one at a time. High-volume requests use batches
// (idempotency.ts). Both share keys and locks.
//
//   begun ──▶ answered      the first response stored is final

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { findStoredKeys, type IdempotencyKey, keyName, storeKeys } from './idempotency.ts'

export type KeyedRequest = IdempotencyKey & { operation: string }

// `about` is the request's subject, `answerId` the id of its stored response.
type StoredRequest = { about: string; answerId: string }

// Undefined if the request is new. Call it first in a transaction: its lock, held until commit,
// comes before all others.
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
  const newRequest: StoredRequest = { about, answerId: timeOrderedId(now) }
  await storeKeys(tx, now, {
    operation: request.operation,
    keys: [{ ...request, resource: JSON.stringify(newRequest) }],
  })
  return newRequest
}

// Returns the response that counts: the first one stored, by this process or another.
export async function storeResponse(
  db: Queryable,
  { answerId }: StoredRequest,
  answerSealed: Buffer,
): Promise<Buffer> {
  const { rowCount } = await db.query({
    name: 'remember-answer',
    text: `insert into remembered_answers (id, answer_sealed) values ($1, $2)
           on conflict (id) do nothing`,
    values: [answerId, answerSealed],
  })
  if (rowCount === 1) return answerSealed
  return (await findStoredResponse(db, { answerId })) as Buffer
}

// Undefined until a response is stored.
export async function findStoredResponse(
  db: Queryable,
  { answerId }: Pick<StoredRequest, 'answerId'>,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>({
    name: 'find-answer',
    text: 'select answer_sealed as sealed from remembered_answers where id = $1',
    values: [answerId],
  })
  return rows[0]?.sealed
}
