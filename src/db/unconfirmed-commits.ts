// Commits that the standby did not confirm. Who waits for a synchronous standby may be cancelled by an
// administrator (pg_cancel_backend): PostgreSQL then answers COMMIT, with a warning that what it
// committed may be nowhere else. To acknowledge it would be to promise what a failover loses.

import type pg from 'pg'

const ROUTINE = 'SyncRepWaitForLSN' // Of the server; its words depend on its language.

const unconfirmed = new WeakSet<object>()

export function watchCommits(client: pg.ClientBase): void {
  client.on('notice', ({ routine }: { routine?: string | undefined }) => {
    if (routine === ROUTINE) unconfirmed.add(client)
  })
}

// Of the commit that was just answered. The same transaction may be tried again, as after a lost
// connection: what it wrote is there or not, and found either way.
export function refuseUnconfirmed(client: pg.ClientBase): void {
  if (!unconfirmed.delete(client)) return
  throw new Error('Connection error: the standby has not confirmed the commit')
}

// Has the commit wait for the standby although nothing else is written: of who answers for what others
// wrote. After a crash the primary shows all that it had, also what never reached the standby.
export async function writeMark(tx: Pick<pg.Pool, 'query'>): Promise<void> {
  const text = `select pg_logical_emit_message(true, 'manilla', '')`
  await tx.query({ name: 'mark', text })
}
