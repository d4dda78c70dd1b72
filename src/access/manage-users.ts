// User administration: an owner of the client, or an operator, invites, changes and removes users.
// Every change is written to the audit log of the user's client. An operator's change is also
// written to the operator's client, and only that entry names the operator.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { recordActions, writeAuditLog } from '#records/audit-log.ts'
import { unlockUser } from './attempts.ts'
import { createInvitation, type NewInvitation, vouchFor } from './invitations.ts'
import { removePasskeys } from './passkeys.ts'
import {
  type Client,
  findClient,
  isOperator,
  mayDisableRole,
  mayManageRole,
  mayManageUsersOf,
  type Role,
} from './permissions.ts'
import { dropIdleRecoveryCodes, removeTotp } from './second-factors.ts'
import { endUserSessions, lockUserOf, type SignedInSession } from './sessions.ts'
import {
  changeUser,
  createUser,
  findUser,
  type LinkMail,
  type LockedUser,
  lockUser,
  mailInvitation,
  recordGrant,
  removeUser,
  setPassword,
  type User,
  type UserChange,
} from './users.ts'

// A user, or the command line, which has an operator's rights.
export type Administrator = {
  actor: string
  role: Role
  clientId: ClientId
  userId?: UserId | undefined // Absent for the command line.
  session?: SignedInSession | undefined // Absent for the command line.
}

// The client whose users an administrator manages: by default their own. Only an operator may name another.
export async function clientToManage(
  db: Queryable,
  by: Administrator & { client: Client },
  clientId: string | undefined,
): Promise<Client> {
  if (!mayManageUsersOf(by, by.clientId)) throw new Refusal('role_not_allowed')
  if (clientId === undefined || clientId === by.client.clientId) return by.client
  const client = isOperator(by) ? await findClient(db, clientId) : undefined
  if (!client) throw new Refusal('client_not_found')
  return client
}

type NewUser = {
  by: Administrator
  client: Client
  email: string
  role: Role
  passwordHash: string
  mail: LinkMail | undefined
}

// The user takes over the account with the link in `invitation`, which is returned only once.
export type InvitedUser = { user: User; invitation: NewInvitation }

// Creates a user and the link for taking over the account. Mails the link if there is a mail server. Until
// the user takes over, their requests count as the administrator's (I93).
export async function addUser(
  tx: Transaction,
  now: Date,
  { by, client, email, role, passwordHash, mail }: NewUser,
): Promise<InvitedUser> {
  await lockAdministrator(tx, by)
  await refuseRole(tx, by, { clientId: client.id, role })
  const createdBy = by.userId ?? null
  const user = await createUser(tx, now, {
    clientId: client.id,
    email,
    role,
    passwordHash,
    createdBy,
  })
  await recordGrant(tx, now, { by, user, isNewPassword: true })
  await recordUserChange(tx, now, { by, user, action: 'user.create', detail: { role } })
  const invitation = await createInvitation(tx, now, { user, actor: by.actor })
  if (mail) await mailInvitation(tx, now, { mail, by, user, invitation, isReset: false })
  return { user, invitation }
}

// Changes a user's role, or disables or enables them. A new role or renewed access is a grant: the user
// cannot approve requests of the administrator who gave it.
export async function changeUserBy(
  tx: Transaction,
  now: Date,
  { by, id, change }: { by: Administrator; id: UserId; change: UserChange },
): Promise<User> {
  const isDisabling = change.isActive === false && change.role === undefined
  // An owner may disable users whom they may not manage, because that grants nobody a right.
  const user = await lockManageable(tx, by, {
    id,
    may: isDisabling ? mayDisableRole : mayManageRole,
  })
  if (change.role !== undefined)
    await refuseRole(tx, by, { clientId: user.clientId, role: change.role })
  const changed = await changeUser(tx, user, change)
  const isEnabled = changed.isActive && !user.isActive
  if (changed.role !== user.role || isEnabled) {
    await recordGrant(tx, now, { by, user, isNewPassword: false })
  }
  if (changed.role !== user.role) {
    await recordUserChange(tx, now, {
      by,
      user,
      action: 'user.change_role',
      detail: { from: user.role, to: changed.role },
    })
  }
  if (changed.isActive !== user.isActive) {
    if (!changed.isActive) await endUserSessions(tx, id)
    await recordUserChange(tx, now, {
      by,
      user,
      action: changed.isActive ? 'user.enable' : 'user.disable',
      detail: {},
    })
  }
  return changed
}

type PasswordReset = {
  by: Administrator
  reset: { id: UserId; passwordHash: string; removesTotp: boolean }
  mail: LinkMail | undefined
}

// Sets a temporary password, removes the user's passkeys, ends their sessions and clears the lock. This shuts
// out anyone who had gained access to the account.
export async function resetPassword(
  tx: Transaction,
  now: Date,
  { by, reset, mail }: PasswordReset,
): Promise<InvitedUser> {
  const user = await lockManageable(tx, by, { id: reset.id, may: mayManageRole })
  const setBy = by.userId ?? null
  await setPassword(tx, now, { id: user.id, hash: reset.passwordHash, isTemporary: true, setBy })
  const passkeys = await removePasskeys(tx, user.id)
  // The passkeys are gone, so recovery codes stay only if the user still has a TOTP app.
  if (reset.removesTotp) await removeTotp(tx, user.id)
  else await dropIdleRecoveryCodes(tx, user.id)
  await recordGrant(tx, now, { by, user, isNewPassword: true })
  await endUserSessions(tx, user.id)
  await unlockUser(tx, user.id)
  await recordUserChange(tx, now, {
    by,
    user,
    action: 'user.reset_password',
    detail: { removesTotp: reset.removesTotp, ...(passkeys > 0 ? { passkeys } : {}) },
  })
  const hasTotp = user.hasTotp && !reset.removesTotp
  const invitation = await createInvitation(tx, now, { user, actor: by.actor })
  if (mail) await mailInvitation(tx, now, { mail, by, user, invitation, isReset: true })
  const changed = { isPasswordTemporary: true, hasTotp, hasPasskey: false, ownFrom: null }
  return { user: { ...user, ...changed }, invitation }
}

// Removes a user whom the administrator may manage. Returns the removed user.
export async function removeUserBy(
  tx: Transaction,
  now: Date,
  { by, id }: { by: Administrator; id: UserId },
): Promise<User> {
  const user = await lockManageable(tx, by, { id, may: mayManageRole })
  await removeUser(tx, user)
  await recordUserChange(tx, now, { by, user, action: 'user.remove', detail: { role: user.role } })
  return user
}

// An operator who knows the person vouches for them: from now on the user is treated as an independent
// person, no matter who invited them.
export async function vouchForUser(
  tx: Transaction,
  now: Date,
  { by, id, note }: { by: Administrator; id: UserId; note: string },
): Promise<User> {
  if (!isOperator(by)) throw new Refusal('role_not_allowed')
  const user = await lockManageable(tx, by, { id, may: mayManageRole })
  await vouchFor(tx, now, { by: by.userId ?? null, user })
  await recordUserChange(tx, now, { by, user, action: 'user.vouch', detail: { note } })
  return { ...user, ownFrom: now }
}

// Refuses with user_not_found a user of a client that the administrator may not manage.
export async function getManageable(db: Queryable, by: Administrator, id: UserId): Promise<User> {
  return getAllowed(db, by, { id, may: mayManageRole })
}

type ManagedUser = { id: UserId; may: typeof mayManageRole }

// Returns the user, or refuses if the administrator may not manage them. `may` compares the administrator's
// role with the user's.
async function getAllowed(
  db: Queryable,
  by: Administrator,
  { id, may }: ManagedUser,
): Promise<User> {
  if (!mayManageUsersOf(by, by.clientId)) throw new Refusal('role_not_allowed')
  const user = await findUser(db, id)
  if (!user || !mayManageUsersOf(by, user.clientId)) throw new Refusal('user_not_found')
  if (!may(by, user.role)) throw new Refusal('role_not_allowed')
  return user
}

// Locks user and administrator before a change, and checks their roles again under the locks.
async function lockManageable(
  tx: Transaction,
  by: Administrator,
  { id, may }: ManagedUser,
): Promise<LockedUser> {
  const { clientId } = await getAllowed(tx, by, { id, may })
  const user = await lockUser(tx, { id, clientId, byId: by.userId })
  await lockAdministrator(tx, by)
  if (!user) throw new Refusal('user_not_found')
  if (!may(by, user.role)) throw new Refusal('role_not_allowed')
  return user
}

// Locks the administrator before a change. Refuses one who was signed out, or whose role changed, while the
// password was being hashed, which can take seconds.
async function lockAdministrator(tx: Transaction, { session, role }: Administrator): Promise<void> {
  if (session && (await lockUserOf(tx, session)) !== role) throw new Refusal('role_not_allowed')
}

// Refuses a role that the administrator may not give, or the role `operator` at a client that is not an
// operator. Call before the password is hashed, and again in the transaction of the change. The lock on the
// client keeps the client from losing its operator rights until the commit.
export async function refuseRole(
  db: Queryable,
  by: Administrator,
  { clientId, role }: { clientId: ClientId; role: Role },
): Promise<void> {
  if (!mayManageRole(by, role)) throw new Refusal('role_not_allowed')
  if (role !== 'operator') return
  const { rowCount } = await db.query({
    name: 'is-operator-client',
    text: 'select 1 from clients where id = $1 and is_operator for share',
    values: [clientId],
  })
  if (rowCount !== 1) throw new Refusal('operators_only')
}

type UserAction = { by: Administrator; user: User; action: `user.${string}`; detail: object }

// An operator's change at another client is recorded at both clients, and only the operator's own entry names
// them.
async function recordUserChange(
  tx: Transaction,
  now: Date,
  { by, user: { clientId, email }, action, detail }: UserAction,
): Promise<void> {
  const entry = { clientId, actor: by.actor, action, subject: `user/${email}`, detail }
  if (by.clientId === clientId) return writeAuditLog(tx, now, entry)
  const { rows } = await tx.query<{ name: string }>({
    name: 'name-of-client',
    text: 'select client_id as name from clients where id = $1',
    values: [clientId],
  })
  const namedDetail = { ...detail, clientId: rows[0]?.name }
  await recordActions(tx, now, [
    { ...entry, actor: 'operator' },
    { ...entry, clientId: by.clientId, detail: namedDetail },
  ])
}
