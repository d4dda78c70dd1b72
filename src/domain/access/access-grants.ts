// Who granted a user access: whoever created or enabled the user, changed the role or reset the
// password, and, transitively, whoever granted access to those. A grantor's requests cannot be
// approved by the user (stands_behind, in the database), and a user whose access was changed waits
// before approving anything.
//
// Operators of another client and the command line run the service: they count as nobody's grantor,
// and a password they set starts the user afresh.

import type { Transaction } from '#db/transaction.ts'
import type { ClientId, UserId } from '#ids.ts'
import type { User } from './users.ts'

type Giver = { userId?: UserId | undefined; clientId: ClientId }

type AccessGrant = { by: Giver; user: Pick<User, 'id' | 'clientId'>; isNewPassword: boolean }

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

// Those who gave the user access no longer stand behind them, but still behind everybody to whom the
// user gave access until now.
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
