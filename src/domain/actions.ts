// Who did what by hand, and why. Written in the transaction that did it, and never changed.

import type { Transaction } from '#db/transaction.ts'

export type Action = {
  clientId: bigint // In whose record it stands.
  actor: string // Who did it: `client:MAN0000001`, `user:<email>`, …
  action: `${string}.${string}` // What, as noun and verb, …
  subject: string // … to what, as noun/id.
  detail: object
}

export async function recordAction(tx: Transaction, now: Date, action: Action): Promise<void> {
  await tx.query({
    name: 'record-action',
    text: `insert into actions (client_id, actor, action, subject, detail, taken_at)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [
      action.clientId,
      action.actor,
      action.action,
      action.subject,
      JSON.stringify(action.detail),
      now,
    ],
  })
}
