// The operator's review of a client's name in account names (I102).
//
//   chosen ──▶ waiting ──approve──▶ in force
//                  └──reject, withdrawn by the client──▶ gone; the former name stays

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { clearAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'

type Reviewed = Pick<Client, 'id' | 'clientId' | 'name'>

const alertOf = ({ clientId }: Pick<Client, 'clientId'>) =>
  ({ kind: 'account_name_review', subject: `client/${clientId}` }) as const

// Another name is another alert. Appends events: call it last in the transaction.
export async function alertReviewers(
  tx: Transaction,
  now: Date,
  { client, accountName }: { client: Reviewed; accountName: string | null },
): Promise<void> {
  await clearAlert(tx, now, alertOf(client))
  if (accountName === null) return
  const alert = { ...alertOf(client), detail: { name: client.name, accountName } }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

export type AccountNameDecision = {
  clientId: string
  decision: 'approve' | 'reject'
  accountName: string // The name that the operator saw: the client may have chosen another since.
  reason: string | null
}

export async function decideAccountName(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  { clientId, decision, accountName, reason }: AccountNameDecision,
): Promise<void> {
  const { rows } = await tx.query<{ id: ClientId; pendingAccountName: string | null }>({
    name: 'lock-pending-account-name',
    text: `select id, pending_account_name as "pendingAccountName" from clients
            where client_id = $1 for no key update`,
    values: [clientId],
  })
  const [client] = rows
  if (!client) throw new Refusal('client_not_found')
  if (client.pendingAccountName !== accountName) throw new Refusal('account_name_not_pending')
  await tx.query({
    name: 'decide-account-name',
    text: `update clients
              set brand_account_name = case when $2 then pending_account_name
                                            else brand_account_name end,
                  pending_account_name = null
            where id = $1`,
    values: [client.id, decision === 'approve'],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: `client.${decision}_account_name`,
    subject: `client/${clientId}`,
    detail: { accountName, reason },
  })
  await clearAlert(tx, now, alertOf({ clientId }))
}
