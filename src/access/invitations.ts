// Invitations, with which users take over their accounts (I93). A user whose password another person set is
// treated as that person, who could sign in as the user. This ends when the user
//
//   1. opens the single-use link and chooses a password,
//   2. has a second factor or a passkey, and
//   3. has waited as long as every user with changed access waits before approving.
//
// Alternatively, an operator may vouch for the user. If another person sets the password again, the take-over
// is undone (users_lose_their_account, in the database).

import { HOUR_MS } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { unlockUser } from './attempts.ts'
import { hashToken, randomToken } from './passwords.ts'
import { hasSecondFactor } from './second-factors.ts'
import { endUserSessions, maySignInFrom } from './sessions.ts'
import { forgetGrants, recordGrant, setPassword, type User } from './users.ts'

const INVITATION_MS = 72 * 3_600_000
export const INVITATION_PATH = '/dashboard/invitation'

type Account = Pick<User, 'id' | 'clientId' | 'email'>

export type NewInvitation = { token: string; expiresAt: Date }

// Creates a link for taking over the account, in place of an earlier one. The token is returned only once;
// the database stores its hash.
export async function createInvitation(
  tx: Transaction,
  now: Date,
  { user, actor }: { user: Account; actor: string },
): Promise<NewInvitation> {
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + INVITATION_MS)
  await tx.query({
    name: 'create-invitation',
    text: `insert into invitations (user_id, client_id, token_hash, created_by, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (user_id) do update
             set token_hash = excluded.token_hash, created_by = excluded.created_by,
                 created_at = excluded.created_at, expires_at = excluded.expires_at`,
    values: [user.id, user.clientId, hashToken(token), actor, now, expiresAt],
  })
  return { token, expiresAt }
}

export type Invitation = {
  userId: UserId
  clientId: ClientId
  email: string
  clientName: string
  expiresAt: Date
}

// Finds the invitation of a link, if it has not expired and the user can still sign in.
export async function findInvitation(
  db: Queryable,
  now: Date,
  token: string,
): Promise<Invitation | undefined> {
  const { rows } = await db.query<Invitation>({
    name: 'find-invitation',
    text: `select u.id as user_id, u.client_id, u.email, c.name as client_name, i.expires_at
             from invitations i
             join users u on u.id = i.user_id
             join clients c on c.id = u.client_id
            where i.token_hash = $1 and i.expires_at > $2 and u.is_active and c.is_active`,
    values: [hashToken(token), now],
  })
  return rows[0]
}

type Acceptance = { token: string; passwordHash: string; waitHours: number; address: string }

// Sets the password that the invited user chose, and uses up the link: of two concurrent requests, one is
// refused. A user with a second factor must then sign in with it.
export async function acceptInvitation(
  tx: Transaction,
  now: Date,
  { token, passwordHash, waitHours, address }: Acceptance,
): Promise<{ user: Account; hasSecondFactor: boolean }> {
  const invitation = await findInvitation(tx, now, token)
  if (!invitation) throw new Refusal('invitation_invalid')
  const { userId: id, clientId, email } = invitation
  if (!(await maySignInFrom(tx, clientId, address))) throw new Refusal('address_not_allowed')
  const user = { id, clientId, email }
  await tx.query({
    name: 'lock-invited-user',
    text: 'select from users where id = $1 for update',
    values: [id],
  })
  const { rowCount } = await tx.query({
    name: 'use-invitation',
    text: 'delete from invitations where user_id = $1 and token_hash = $2',
    values: [id, hashToken(token)],
  })
  if (rowCount !== 1) throw new Refusal('invitation_invalid')
  await setChosenPassword(tx, now, { user, passwordHash })
  await beginTakeOver(tx, now, id)
  await recordTakeOverStep(tx, now, { user, action: 'user.accept_invitation', detail: { address } })
  await finishTakeOver(tx, now, { user, waitHours })
  return { user, hasSecondFactor: await hasSecondFactor(tx, id) }
}

// Sets the password that the user chose after opening a link, and ends their sessions. A new password counts
// as changed access, so the user must wait before approving anything.
export async function setChosenPassword(
  tx: Transaction,
  now: Date,
  { user, passwordHash }: { user: Account; passwordHash: string },
): Promise<void> {
  const { id, clientId } = user
  await setPassword(tx, now, { id, hash: passwordHash, isTemporary: false })
  await recordGrant(tx, now, { by: { userId: id, clientId }, user, isNewPassword: false })
  await endUserSessions(tx, id)
  await unlockUser(tx, id)
}

// The first of the two steps by which a user takes over the account: notes that the user has opened a link
// that only they received. finishTakeOver does the rest once there is a second factor.
export async function beginTakeOver(tx: Transaction, now: Date, userId: UserId): Promise<void> {
  await tx.query({
    name: 'note-link-used',
    text: 'update users set link_used_at = $2 where id = $1',
    values: [userId, now],
  })
}

// Completes the take-over of the account: after `waitHours`, the user is treated as an independent person.
// Call both when the user has opened the link and when they add a second factor. Does nothing until both have
// happened, or if the user is already treated as an independent person.
export async function finishTakeOver(
  tx: Transaction,
  now: Date,
  { user, waitHours }: { user: Account; waitHours: number },
): Promise<void> {
  if (!(await hasSecondFactor(tx, user.id))) return
  const ownFrom = new Date(now.getTime() + waitHours * HOUR_MS)
  const { rowCount } = await tx.query({
    name: 'finish-take-over',
    text: `update users set own_from = $2, access_changed_at = $3
            where id = $1 and link_used_at is not null and own_from is null`,
    values: [user.id, ownFrom, now],
  })
  if (rowCount === 0) return
  await recordTakeOverStep(tx, now, {
    user,
    action: 'user.take_over',
    detail: { countsFrom: ownFrom },
  })
}

// Treats the user as an independent person from now on, because `by` knows that the account belongs to
// somebody else. Refuses a `by` who controls the account or granted it access: is_independent() compares the
// account with the people behind `by`, whom people_of() returns. `by` is null for the command line.
export async function vouchFor(
  tx: Transaction,
  now: Date,
  { by, user }: { by: UserId | null; user: User },
): Promise<void> {
  if (user.isPasswordTemporary) throw new Refusal('user_password_temporary')
  const { rows } = await tx.query<{ isIndependent: boolean }>({
    name: 'is-voucher-independent',
    text: `select $1::uuid is null
                  or is_independent(people_of($1, $3), $2) as is_independent`,
    values: [by, user.id, now],
  })
  if (!rows[0]?.isIndependent) throw new Refusal('voucher_not_independent')
  await tx.query({
    name: 'vouch-for-user',
    text: 'update users set own_from = $2 where id = $1',
    values: [user.id, now],
  })
  await forgetGrants(tx, user.id)
}

// The user acts on their own account, and is the actor in the audit log.
function recordTakeOverStep(
  tx: Transaction,
  now: Date,
  { user, action, detail }: { user: Account; action: `user.${string}`; detail: object },
): Promise<void> {
  const { clientId, email } = user
  const actor = `user:${email}`
  return writeAuditLog(tx, now, { clientId, actor, action, subject: `user/${email}`, detail })
}
