// Who may approve what another person asked for (maker-checker): somebody else, whose access was not
// changed too recently, and was not given by the maker (access-grants.ts).
//
// In the order they are checked: other_person_needed, approver_too_new, approver_not_independent.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'
import type { Client } from './clients.ts'
import { grantedScopes, type Role } from './roles.ts'
import type { Scope } from './scopes.ts'

export type Approver = {
  client: Client
  actor: string
  userId: UserId
  scopes: ReadonlySet<Scope> // With which they came.
  newSince: Date // Whose access was changed later than this approves nothing yet.
}

// Client credentials are a maker too, without a user.
export type Maker = { actor: string; userId: UserId | null }

// Concurrent changes of the approver's access wait until the transaction ends, and earlier ones are seen
// here. Lock before what is approved.
export async function lockApprover(
  tx: Transaction,
  { client, userId, scopes }: Approver,
): Promise<void> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'lock-approver',
    text: 'select role from users where id = $1 and is_active for share',
    values: [userId],
  })
  if (!rows[0]) throw new Refusal('session_needed')
  const granted = grantedScopes(rows[0].role, client)
  if (![...scopes].every((scope) => granted.includes(scope))) throw new Refusal('role_not_allowed')
}

export function refuseMaker(approver: Approver, maker: Maker): void {
  if (maker.actor === approver.actor || maker.userId === approver.userId) {
    throw new Refusal('other_person_needed')
  }
}

// The approver must be locked.
export async function refuseUnfitApprover(
  tx: Transaction,
  approver: Approver,
  maker: Maker,
): Promise<void> {
  refuseMaker(approver, maker)
  const { rows } = await tx.query<{ isNew: boolean; isDependent: boolean }>({
    name: 'judge-approver',
    text: `select access_changed_at > $2 as "isNew", stands_behind($3::uuid, id) as "isDependent"
             from users where id = $1`,
    values: [approver.userId, approver.newSince, maker.userId],
  })
  if (rows[0]?.isNew) throw new Refusal('approver_too_new')
  if (rows[0]?.isDependent) throw new Refusal('approver_not_independent')
}
