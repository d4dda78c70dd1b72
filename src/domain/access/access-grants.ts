// Who stands behind a user: whoever gave them access or changed it (let them in, set a new password,
// gave another role, enabled them again), and whoever stands behind those. Nobody approves what
// somebody who stands behind them asks for (stands_behind, in the database); and whoever's access was
// changed waits before approving anything.
//
// Operators of another client and the command line run the service: they stand behind nobody, and a
// password they set starts a user afresh.

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
    await tx.query({
      name: 'forget-access-grants',
      text: 'delete from access_grants where user_id = $1',
      values: [user.id],
    })
  }
  if (isOutside || by.userId === user.id) return
  await tx.query({
    name: 'record-access-grant',
    text: `insert into access_grants (client_id, user_id, granted_by, granted_at)
           values ($1, $2, $3, $4) on conflict do nothing`,
    values: [user.clientId, user.id, by.userId, now],
  })
}
