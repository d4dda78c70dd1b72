// The users who may own differences: those of the operator's client with access to them. Users who lose
// access keep their differences until somebody reassigns them. The differences of a removed user have no
// owner.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { grantedScopes, ROLES, type Role } from '#domain/access/roles.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'

const ACCESS: Scope = 'accounting:write' // The scope that resolving requires.

export type DifferenceOwner = {
  id: UserId
  email: string
  hasAccess: boolean // False: disabled, or in another role by now.
}

export function rolesWithAccess(client: Client): Role[] {
  return ROLES.filter((role) => grantedScopes(role, client).includes(ACCESS))
}

// For the user `o`. `roles` are those with access.
export const HAS_ACCESS = (roles: string) => `o.is_active and o.role = any (${roles}::text[])`

// By email, including owners who have lost their access.
export async function listOwners(db: Queryable, client: Client): Promise<DifferenceOwner[]> {
  const { rows } = await db.query<DifferenceOwner>({
    name: 'list-difference-owners',
    text: `select o.id, o.email, ${HAS_ACCESS('$2')} as "hasAccess" from users o
            where o.client_id = $1
              and (${HAS_ACCESS('$2')}
                   or o.id in (select owner_id from differences where state in ('open', 'asked')))
            order by o.email`,
    values: [client.id, rolesWithAccess(client)],
  })
  return rows
}

// Concurrent changes of the owner's access wait until the transaction ends.
export async function lockOwner(
  tx: Transaction,
  client: Client,
  id: UserId,
): Promise<DifferenceOwner> {
  const { rows } = await tx.query<DifferenceOwner>({
    name: 'lock-difference-owner',
    text: `select o.id, o.email, ${HAS_ACCESS('$3')} as "hasAccess" from users o
            where o.id = $1 and o.client_id = $2 for share`,
    values: [id, client.id, rolesWithAccess(client)],
  })
  if (!rows[0]) throw new Refusal('user_not_found')
  if (!rows[0].hasAccess) throw new Refusal('owner_without_access')
  return rows[0]
}
