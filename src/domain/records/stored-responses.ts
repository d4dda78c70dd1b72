// Stored responses of low-volume requests, one at a time. High-volume requests use batches
// (idempotency.ts); keys and locks are shared, so a key known to one is known to the other.
//
//   begun ──▶ answered      the first response stored is final

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { findStoredKeys, type IdempotencyKey, keyName, storeKeys } from './idempotency.ts'

export type KeyedRequest = IdempotencyKey & { operation: string }

// What a request is about, and where its answer is kept.
type StoredRequest = { about: string; answerId: string }

// Undefined: it is new. Call it first in a transaction: its lock, which is held until commit, comes
// before all others.
export async function findStoredRequest(
  tx: Transaction,
  request: KeyedRequest,
): Promise<StoredRequest | undefined> {
  const known = (await findStoredKeys(tx, request.operation, [request])).get(keyName(request))
  if (!known) return undefined
  if (!request.requestHash.equals(known.requestHash)) throw new Refusal('idempotency_key_reused')
  return JSON.parse(known.resource)
}

export async function storeRequest(
  tx: Transaction,
  now: Date,
  { request, about }: { request: KeyedRequest; about: string },
): Promise<StoredRequest> {
  const begun: StoredRequest = { about, answerId: timeOrderedId(now) }
  await storeKeys(tx, now, {
    operation: request.operation,
    made: [{ ...request, resource: JSON.stringify(begun) }],
  })
  return begun
}

// Answers the answer that counts: the first that was remembered, this one or another's.
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
