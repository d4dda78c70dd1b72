// Access grants: a user who creates or enables another user, changes their role or resets their
// password is their grantor, and so, transitively, is every grantor of the grantor. A user cannot
// approve the requests of their grantors (stands_behind, in the database). A user whose access was
// changed must wait before approving anything.
//
// Operators of another client and the command line run the service, so they are never recorded as
// grantors. A password they set deletes the user's existing grants.

import type { Transaction } from '#db/transaction.ts'
import type { ClientId, UserId } from '#ids.ts'
import type { User } from './users.ts'

type Grantor = { userId?: UserId | undefined; clientId: ClientId }

type AccessGrant = { by: Grantor; user: Pick<User, 'id' | 'clientId'>; isNewPassword: boolean }

export async function recordGrant(
  tx: Transaction,
  now: Date,
  { by, user, isNewPassword }: AccessGrant,
): Promise<void> {
  await tx.query({
    name: 'change-access',
    text: 'update users set access_changed_at = $2 where id = $1',
    values: [user.id, now],
  })
  const isOutside = by.userId === undefined || by.clientId !== user.clientId
  if (isOutside && isNewPassword) {
    await forgetGrants(tx, user.id)
  }
  if (isOutside || by.userId === user.id) return
  await tx.query({
    name: 'record-access-grant',
    text: `insert into access_grants (client_id, user_id, granted_by, granted_at)
           values ($1, $2, $3, $4) on conflict do nothing`,
    values: [user.clientId, user.id, by.userId, now],
  })
}

// Removes the user's grantors. People to whom the user granted access inherit those grantors.
export async function forgetGrants(tx: Transaction, userId: UserId): Promise<void> {
  await tx.query({
    name: 'inherit-access-grants',
    text: `insert into access_grants (client_id, user_id, granted_by, granted_at)
           select w.client_id, w.user_id, u.granted_by, w.granted_at
             from access_grants w join access_grants u on u.user_id = w.granted_by
            where w.granted_by = $1 and w.user_id <> u.granted_by
           on conflict do nothing`,
    values: [userId],
  })
  await tx.query({
    name: 'forget-access-grants',
    text: 'delete from access_grants where user_id = $1',
    values: [userId],
  })
}
