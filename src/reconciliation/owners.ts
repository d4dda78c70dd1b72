// The owners of differences: who may own one, and assignments. The users of the operator's client with access
// to reconciliation may own differences. A user who loses access keeps the differences until another user
// reassigns them. The differences of a removed user have no owner.

import { type Client, grantedScopes, ROLES, type Role, type Scope } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { DifferenceId, UserId } from '#ids.ts'
import { recordActions } from '#records/audit-log.ts'
import { type BankAccount, lockBank } from './banks.ts'
import type { Difference } from './difference.ts'
import { type Acting, actionOn } from './resolutions.ts'

const ACCESS: Scope = 'accounting:write' // The scope that resolving requires.

export type DifferenceOwner = {
  id: UserId
  email: string
  hasAccess: boolean // false if the user was disabled, or changed to a role without access.
}

// Returns the roles whose users may resolve differences of this client, and so may own them.
export function rolesWithAccess(client: Client): Role[] {
  return ROLES.filter((role) => grantedScopes(role, client).includes(ACCESS))
}

// SQL condition: whether the user `o` has access. `roles` is a SQL parameter: the roles with access.
export const HAS_ACCESS = (roles: string) => `o.is_active and o.role = any (${roles}::text[])`

// Lists the users who may own differences, sorted by email. Includes owners who have lost their access.
export async function listOwners(db: Queryable, client: Client): Promise<DifferenceOwner[]> {
  const { rows } = await db.query<DifferenceOwner>({
    name: 'list-difference-owners',
    text: `select o.id, o.email, ${HAS_ACCESS('$2')} as has_access from users o
            where o.client_id = $1
              and (${HAS_ACCESS('$2')}
                   or o.id in (select owner_id from differences where state in ('open', 'asked')))
            order by o.email`,
    values: [client.id, rolesWithAccess(client)],
  })
  return rows
}

// Locks the user, so a concurrent change of the user's access waits until the transaction ends.
async function lockOwner(tx: Transaction, client: Client, id: UserId): Promise<DifferenceOwner> {
  const { rows } = await tx.query<DifferenceOwner>({
    name: 'lock-difference-owner',
    text: `select o.id, o.email, ${HAS_ACCESS('$3')} as has_access from users o
            where o.id = $1 and o.client_id = $2 for share`,
    values: [id, client.id, rolesWithAccess(client)],
  })
  if (!rows[0]) throw new Refusal('user_not_found')
  if (!rows[0].hasAccess) throw new Refusal('owner_without_access')
  return rows[0]
}

type Assignment = {
  ids: readonly DifferenceId[]
  ownerId: UserId | null // null to remove the owner.
  fromId?: UserId | null | undefined // The expected current owner.
}

// Assigns differences to a user, or removes their owner. An owner works on a difference, but other users may
// resolve it too. Of several concurrent assignments, the last one wins, and the history has all of them.
// Returns the refused differences with their reasons.
//
// Checks in this order: user_not_found, owner_without_access; then for each difference difference_not_found,
// whether it has this owner already (accepted), difference_resolved, owner_changed.
// Locks: the user; the matching of the banks, ordered by bank and currency; the differences, ordered by id.
export async function assignDifferences(
  tx: Transaction,
  acting: Acting,
  { ids, ownerId, fromId }: Assignment,
): Promise<Map<DifferenceId, RefusalCode>> {
  const owner = ownerId === null ? null : await lockOwner(tx, acting.client, ownerId)
  const byId = await lockDifferences(tx, ids)
  const refused = new Map<DifferenceId, RefusalCode>()
  const changed: Owned[] = []
  for (const id of new Set(ids)) {
    const owned = byId.get(id)
    if (owned?.ownerId === ownerId) continue
    const refusal = findAssignmentRefusal(owned, fromId)
    if (refusal) refused.set(id, refusal)
    else changed.push(owned as Owned)
  }
  await storeNewOwner(tx, acting, { owner, differences: changed })
  return refused
}

type Owned = Pick<
  Difference,
  'id' | 'bankCode' | 'currency' | 'day' | 'kind' | 'amountKobo' | 'state' | 'ownerId'
> & { ownerEmail: string | null }

// Returns why the difference cannot be assigned, or undefined if it can. `fromId` is the owner whom the
// caller saw: if another user was assigned in the meantime, the assignment is refused.
function findAssignmentRefusal(
  owned: Owned | undefined,
  fromId: Assignment['fromId'],
): RefusalCode | undefined {
  if (!owned) return 'difference_not_found'
  if (owned.state !== 'open' && owned.state !== 'asked') return 'difference_resolved'
  return fromId !== undefined && owned.ownerId !== fromId ? 'owner_changed' : undefined
}

// Locks the differences and the matching of their banks. Returns the differences that exist, by id.
async function lockDifferences(
  tx: Transaction,
  ids: readonly DifferenceId[],
): Promise<Map<DifferenceId, Owned>> {
  const idArray = numberArray(ids)
  const { rows: accounts } = await tx.query<BankAccount>({
    name: 'banks-of-differences',
    text: `select distinct bank_code, currency from differences
            where id = any ($1::bigint[]) order by 1, 2`,
    values: [idArray],
  })
  for (const account of accounts) await lockBank(tx, account)
  const { rows } = await tx.query<Owned>({
    name: 'lock-owned-differences',
    text: `select d.id, d.bank_code, d.currency, d.day::text as day, d.kind, d.amount_kobo, d.state,
                  o.id as owner_id, o.email as owner_email
             from differences d left join users o on o.id = d.owner_id
            where d.id = any ($1::bigint[]) order by d.id for no key update of d`,
    values: [idArray],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

type NewOwner = { owner: DifferenceOwner | null; differences: readonly Owned[] }

// Stores the new owner of the differences, or null for none, with their history and the audit log.
async function storeNewOwner(
  tx: Transaction,
  acting: Acting,
  { owner, differences }: NewOwner,
): Promise<void> {
  if (differences.length === 0) return
  const { actor, now } = acting
  const ids = numberArray(differences.map(({ id }) => id))
  await tx.query({
    name: 'assign-differences',
    text: 'update differences set owner_id = $2, owned_at = $3 where id = any ($1::bigint[])',
    values: [ids, owner?.id ?? null, owner && now],
  })
  const details = differences.map(({ ownerEmail }) => ({
    owner: actorName(owner?.email),
    before: actorName(ownerEmail),
  }))
  await tx.query({
    name: 'write-assignments',
    text: `insert into difference_changes (difference_id, change, actor, detail, changed_at)
           select id, 'assigned', $3, detail, $4
             from unnest($1::bigint[], $2::jsonb[]) as d (id, detail) order by id`,
    values: [ids, details.map((detail) => JSON.stringify(detail)), actor, now],
  })
  const actions = differences.map((difference, index) =>
    actionOn(acting, { difference, verb: 'assign', detail: details[index] as object }),
  )
  await recordActions(tx, now, actions)
}

// Returns the user's name as an actor of the audit log.
const actorName = (email: string | null | undefined) => (email ? `user:${email}` : null)
