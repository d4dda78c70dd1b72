// Maker-checker: a client may require a second person's approval. The setting is read in the transaction
// that it governs and never cached, so it applies as soon as it is turned on.

import type { Client, Role } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'

export async function readMakerChecker(db: Queryable, clientId: ClientId): Promise<boolean> {
  const { rows } = await db.query<{ hasMakerChecker: boolean }>({
    name: 'read-maker-checker',
    text: 'select has_maker_checker from clients where id = $1',
    values: [clientId],
  })
  return rows[0]?.hasMakerChecker === true
}

// Locks the setting, so that a user who turns it on waits for requests that one person is completing alone.
export async function lockMakerChecker(tx: Transaction, clientId: ClientId): Promise<boolean> {
  const { rows } = await tx.query<{ hasMakerChecker: boolean }>({
    name: 'lock-maker-checker',
    text: 'select has_maker_checker from clients where id = $1 for share',
    values: [clientId],
  })
  return rows[0]?.hasMakerChecker === true
}

// The roles that may turn maker-checker on. They may also turn it off, with a second person.
export const SETTERS: readonly Role[] = ['owner', 'operator']

type MakerCheckerChange = { client: Client; actor: string; role: Role; hasMakerChecker: boolean }

// Turns maker-checker on or off. One person turns it on; turning it off takes two people
// (suspense/approve.ts). A repetition changes nothing and writes no audit log.
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
    text: 'update clients set has_maker_checker = $2 where id = $1 and has_maker_checker <> $2',
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
