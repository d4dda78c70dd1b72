// A lock that is held while work runs elsewhere, on other connections, and that is free again when the
// process is killed. A transaction holds it, not a session, which behind a pooler is anybody's. The
// transaction does nothing else: it has no snapshot, and keeps nothing from being vacuumed.

import type { Pool } from './pool.ts'

type Lock = {
  lock: string // The argument of PostgreSQL's functions: `hashtext('what'), hashtext($1)`.
  values?: readonly unknown[]
  waits?: boolean // Else, whoever comes second is told so.
}

// Rejects when the lock is lost.
export type StillHeld = () => Promise<void>

// Undefined: somebody else has it, and we do not wait.
export async function withHeldLock<T>(
  db: Pool,
  { lock, values = [], waits = false }: Lock,
  work: (stillHeld: StillHeld) => Promise<T>,
): Promise<T | undefined> {
  const holder = await db.connect()
  let failure: Error | undefined
  try {
    await holder.query('begin; set local idle_in_transaction_session_timeout = 0')
    const take = waits ? 'pg_advisory_xact_lock' : 'pg_try_advisory_xact_lock'
    const { rows } = await holder.query(`select ${take}(${lock}) as taken`, [...values])
    if (rows[0]?.taken === false) return undefined
    return await work(async () => void (await holder.query('select')))
  } finally {
    await holder.query('rollback').catch((error) => {
      failure = error
    })
    holder.release(failure)
  }
}
