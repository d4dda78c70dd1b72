// Who may approve what another person asked for (maker-checker): somebody else, whose access was not
// changed too recently, and was not given by the maker (access-grants.ts). A user who was removed and is one
// again under the same address is the same person: actors are compared by name, and stands_behind knows them.
//
// In the order they are checked: people_only, other_person_needed, approver_too_new,
// approver_not_independent.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
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

// Who approves, or looks at what they might approve. Client credentials are not a person.
export type Candidate = Pick<Approver, 'actor' | 'newSince'> & { userId: UserId | null }

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
  if (hasMade(approver, maker)) throw new Refusal('other_person_needed')
}

// The same of who looks, the user `v`, where these columns say who made it.
export const isMaker = (actor: string, userId: string) =>
  `(v.id = ${userId} or 'user:' || v.email = ${actor})`

function hasMade({ actor, userId }: Candidate, maker: Maker): boolean {
  return maker.actor === actor || maker.userId === userId
}

// Why they may not approve what the maker asked for; undefined: they may.
export async function findUnfitness(
  db: Queryable,
  { actor, userId, newSince }: Candidate,
  maker: Maker,
): Promise<RefusalCode | undefined> {
  if (userId === null) return 'people_only'
  if (hasMade({ actor, userId, newSince }, maker)) return 'other_person_needed'
  const { rows } = await db.query<{ isNew: boolean; isDependent: boolean }>({
    name: 'judge-approver',
    text: `select access_changed_at > $2 as "isNew", stands_behind($3::uuid, id) as "isDependent"
             from users where id = $1`,
    values: [userId, newSince, maker.userId],
  })
  if (rows[0]?.isNew) return 'approver_too_new'
  return rows[0]?.isDependent ? 'approver_not_independent' : undefined
}

// The approver must be locked.
export async function refuseUnfitApprover(
  tx: Transaction,
  approver: Approver,
  maker: Maker,
): Promise<void> {
  const unfitness = await findUnfitness(tx, approver, maker)
  if (unfitness) throw new Refusal(unfitness)
}
