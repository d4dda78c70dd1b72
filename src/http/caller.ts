// Checks the caller of a write again, in its transaction (I222). A request is authenticated by its headers,
// and its body may arrive minutes later. A session that has ended by then, or a token that was revoked,
// writes nothing and reads no stored response. A sign-out, removal or revocation that comes during the
// transaction waits for it.
//
// Resources and the functions of idempotency.ts check by themselves. Routes that begin a transaction of their
// own use withCaller(): test/tidy.test.ts names those that may not. In the batches of hot-path/, only
// sessions are checked (credits/writers.ts): tokens are what makes them hot.

import type { FastifyRequest } from 'fastify'
import { lockToken } from '#access/secrets.ts'
import { lockSession } from '#access/sessions.ts'
import type { Pool } from '#db/pool.ts'
import { type PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import type { Deps } from './deps.ts'

type Acting = {
  request: FastifyRequest
  pool: Pool
  lockedTable?: string | undefined // See withTransaction.
}

// Runs the work of a request in a transaction that the caller's session or token outlives.
export function withCaller<T>(
  parts: Pick<Deps, 'realClock'>,
  { request, pool, lockedTable }: Acting,
  work: (tx: Transaction) => Promise<T | PipelinedCommit<T>>,
): Promise<T> {
  const workAsCaller = async (tx: Transaction) => {
    await lockCaller(tx, parts.realClock(), request)
    return work(tx)
  }
  return withTransaction(pool, workAsCaller, { lockedTable })
}

// Refuses a caller whose session or token is no longer live, and keeps it live until the commit. Does nothing
// at operations that anyone may call.
export async function lockCaller(
  tx: Transaction,
  now: Date,
  request: FastifyRequest,
): Promise<void> {
  const { session, client } = request
  if (session) await lockSession(tx, now, session)
  else if (client) await lockToken(tx, client)
}
