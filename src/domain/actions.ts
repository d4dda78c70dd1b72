// Who did what by hand, and why. Written in the transaction that did it, and never changed.

import type { Transaction } from '#db/transaction.ts'

export type Action = {
  clientId: bigint
  action: 'suspense.assign' | 'suspense.return' | 'advice.cancel'
  subject: string
  detail: object
}

export async function recordAction(tx: Transaction, now: Date, action: Action): Promise<void> {
  await tx.query({
    name: 'record-action',
    text: `insert into actions (client_id, action, subject, detail, taken_at)
           values ($1, $2, $3, $4, $5)`,
    values: [action.clientId, action.action, action.subject, JSON.stringify(action.detail), now],
  })
}
