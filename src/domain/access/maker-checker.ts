// Whether a client requires a second person's approval. Read in the transaction that it governs and
// never cached, so it applies as soon as it is switched on.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'

export async function readMakerChecker(db: Queryable, clientId: ClientId): Promise<boolean> {
  const { rows } = await db.query<{ hasMakerChecker: boolean }>({
    name: 'read-maker-checker',
    text: 'select has_four_eyes as "hasMakerChecker" from clients where id = $1',
    values: [clientId],
  })
  return rows[0]?.hasMakerChecker === true
}

// The lock makes switching it on wait for requests that one person is completing alone.
export async function lockMakerChecker(tx: Transaction, clientId: ClientId): Promise<boolean> {
  const { rows } = await tx.query<{ hasMakerChecker: boolean }>({
    name: 'lock-maker-checker',
    text: 'select has_four_eyes as "hasMakerChecker" from clients where id = $1 for share',
    values: [clientId],
  })
  return rows[0]?.hasMakerChecker === true
}
