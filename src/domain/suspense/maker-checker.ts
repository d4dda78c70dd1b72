// Maker-checker: a client may require a second person's approval before money leaves suspense. The
// setting is read in the transaction that it governs and never cached, so it applies at once.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { readMakerChecker } from '#domain/access/maker-checker.ts'
import type { Role } from '#domain/access/roles.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, SuspenseItemId } from '#ids.ts'

// The roles that may turn maker-checker on, or off with a second person.
export const SETTERS: readonly Role[] = ['owner', 'operator']

type MakerCheckerChange = { client: Client; actor: string; role: Role; hasMakerChecker: boolean }

// One person turns it on. Turning it off takes two people (approval-requests.ts). A repetition changes
// nothing and writes no audit log.
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

// Refuses a move by one person alone. The item is locked, so nobody can request it meanwhile. The share
// lock on the client makes a user who turns the setting on wait for moves under way; after that, nothing
// moves alone.
export async function refuseUnapproved(
  tx: Transaction,
  clientId: ClientId,
  itemId: SuspenseItemId,
): Promise<void> {
  const { rows } = await tx.query<{ isNeeded: boolean; isRequested: boolean }>({
    name: 'needs-approval',
    text: `select has_four_eyes as "isNeeded",
                  exists (select from suspense_requests
                           where item_id = $2 and state = 'open') as "isRequested"
             from clients where id = $1
              for share`,
    values: [clientId, itemId],
  })
  if (rows[0]?.isNeeded) throw new Refusal('approval_needed')
  if (rows[0]?.isRequested) throw new Refusal('suspense_requested')
}
