// Maker-checker: a client may require a second person's approval before money leaves suspense. The
// setting is read in the transaction that it governs and never cached, so it applies as soon as it
// is switched on.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { readMakerChecker } from '#domain/access/maker-checker.ts'
import type { Role } from '#domain/access/roles.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, SuspenseItemId } from '#ids.ts'

// Who decides how many people it takes.
export const SETTERS: readonly Role[] = ['owner', 'operator']

type MakerCheckerChange = { client: Client; actor: string; role: Role; hasMakerChecker: boolean }

// One person switches it on; off, it takes two as well: see approval-requests.ts. The same again
// changes nothing and leaves no trace.
export async function setMakerChecker(
  tx: Transaction,
  now: Date,
  { client, actor, role, hasMakerChecker }: MakerCheckerChange,
): Promise<void> {
  if (!SETTERS.includes(role)) throw new Refusal('role_not_allowed')
  if (!hasMakerChecker) {
    if (await readMakerChecker(tx, client.id)) throw new Refusal('approval_needed')
    return
  }
  await writeMakerChecker(tx, now, { client, actor, hasMakerChecker: true })
}

export async function writeMakerChecker(
  tx: Transaction,
  now: Date,
  { client, actor, hasMakerChecker }: { client: Client; actor: string; hasMakerChecker: boolean },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'set-maker-checker',
    text: 'update clients set has_four_eyes = $2 where id = $1 and has_four_eyes <> $2',
    values: [client.id, hasMakerChecker],
  })
  if (rowCount === 0) return
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'suspense.settings',
    subject: `client/${client.clientId}`,
    detail: { makerChecker: hasMakerChecker },
  })
}

// For whoever would move it alone. The item is locked: nobody can ask for it meanwhile. The setting
// is locked too, so that whoever switches it on waits for what is moving: once that is answered,
// nothing moves alone any more.
export async function refuseUnapproved(
  tx: Transaction,
  clientId: ClientId,
  itemId: SuspenseItemId,
): Promise<void> {
  const { rows } = await tx.query<{ isNeeded: boolean; isAsked: boolean }>({
    name: 'needs-approval',
    text: `select has_four_eyes as "isNeeded",
                  exists (select from suspense_requests
                           where item_id = $2 and state = 'open') as "isAsked"
             from clients where id = $1
              for share`,
    values: [clientId, itemId],
  })
  if (rows[0]?.isNeeded) throw new Refusal('approval_needed')
  if (rows[0]?.isAsked) throw new Refusal('suspense_requested')
}
