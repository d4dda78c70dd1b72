// Dashboard users, the grants of access between them, and messages to them about their accounts.
//
// A user belongs to one client and has one role. Email addresses are stored in lower case and are unique per
// client only, so that no client learns of another's users.

import { timestamp } from '#clock.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { type ClientId, timeOrderedId, type UserId } from '#ids.ts'
import type { MessageFacts } from '#messages/kinds.ts'
import { queueMessage } from '#messages/message.ts'
import type { Sealer } from '#seal.ts'
import { hashPassword, passwordProblem, readSalt } from './passwords.ts'
import { INDISPENSABLE, isIndispensable, type Role } from './permissions.ts'

export type User = {
  id: UserId
  clientId: ClientId
  email: string
  role: Role
  isActive: boolean
  isPasswordTemporary: boolean
  hasTotp: boolean
  hasPasskey: boolean
  ownFrom: Date | null // Since when the user is treated as an independent person (invitations.ts).
  createdAt: Date
  signedInAt: Date | null
  mailProblem: string | null // Why the last message to the user did not arrive.
}

export const USER_COLUMNS = `
  users.id, users.client_id, users.email, users.role, users.is_active, users.is_password_temporary,
  users.totp_sealed is not null as has_totp,
  exists (select from passkeys where passkeys.user_id = users.id) as has_passkey, users.own_from,
  users.created_at, users.signed_in_at,
  (select problem from messages
    where messages.user_id = users.id and state in ('sent', 'failed', 'suppressed')
    order by messages.id desc limit 1) as mail_problem`

const USERS_MAX = 500

// The form in which email addresses are stored and compared.
export function emailKey(email: string): string {
  return email.toLowerCase()
}

// Lists a page of the client's users, newest first. listQuery replaces the `$` by the value's number.
export async function listUsers(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: UserId | null; limit: number },
): Promise<User[]> {
  const { rows } = await db.query<User>(
    listQuery({
      select: `select ${USER_COLUMNS} from users`,
      where: [['client_id = $', clientId]],
      id: 'id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

type NewUser = {
  clientId: ClientId
  email: string
  role: Role
  passwordHash: string
  createdBy: UserId | null // Null for the command line.
}

// Creates the user with a temporary password, which its creator knows and the user must change first.
// In the sandbox, a user created by the command line is treated as an independent person at once.
export async function createUser(tx: Transaction, now: Date, user: NewUser): Promise<User> {
  const { rows } = await tx.query<User>({
    name: 'create-user',
    text: `insert into users (id, client_id, email, role, password_hash, password_set_at,
                              is_password_temporary, created_at, password_by, own_from)
           select $1, $2, $3, $4, $5, $6, true, $6,
                  case when $7::uuid is null then array[command_line()] else people_of($7, $6) end,
                  case when $7 is null and exists (select from database_mode where mode = 'sandbox')
                       then $6::timestamptz end
            where (select count(*) from users where client_id = $2) < ${USERS_MAX}
           on conflict (client_id, email) do nothing
           returning ${USER_COLUMNS}`,
    values: [
      timeOrderedId(now),
      user.clientId,
      emailKey(user.email),
      user.role,
      user.passwordHash,
      now,
      user.createdBy,
    ],
  })
  if (rows[0]) return rows[0]
  const existing = await findUserByEmail(tx, user.clientId, user.email)
  throw new Refusal(existing ? 'user_exists' : 'too_many_users')
}

export async function findUserByEmail(
  db: Queryable,
  clientId: ClientId,
  email: string,
): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'find-user-by-email',
    text: `select ${USER_COLUMNS} from users where client_id = $1 and email = $2`,
    values: [clientId, emailKey(email)],
  })
  return rows[0]
}

export async function findUser(db: Queryable, id: UserId): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'find-user',
    text: `select ${USER_COLUMNS} from users where id = $1`,
    values: [id],
  })
  return rows[0]
}

export type LockedUser = User & { isLast: boolean } // isLast: the last active user of an indispensable role.

// Locks the user, the administrator who changes them (`byId`), and all owners and operators of the client,
// ordered by id. If the last two owners are removed concurrently, the second removal is refused.
export async function lockUser(
  tx: Transaction,
  { id, clientId, byId }: Pick<User, 'id' | 'clientId'> & { byId: UserId | undefined },
): Promise<LockedUser | undefined> {
  const { rows } = await tx.query<User>({
    name: 'lock-user',
    text: `select ${USER_COLUMNS} from users
            where client_id = $1 and (id = $2 or role = any($3)) or id = $4
            order by id for no key update`,
    values: [clientId, id, [...INDISPENSABLE], byId ?? null],
  })
  const user = rows.find((row) => row.id === id)
  if (!user) return undefined
  const otherActiveUsers = rows.filter(
    (row) => row.id !== id && row.clientId === clientId && row.role === user.role && row.isActive,
  )
  return {
    ...user,
    isLast: isIndispensable(user.role) && user.isActive && otherActiveUsers.length === 0,
  }
}

export type UserChange = { role?: Role | undefined; isActive?: boolean | undefined }

// Refuses to disable or demote the last active owner or operator of a client.
export async function changeUser(
  tx: Transaction,
  user: LockedUser,
  change: UserChange,
): Promise<User> {
  const role = change.role ?? user.role
  const isActive = change.isActive ?? user.isActive
  if (user.isLast && (role !== user.role || !isActive)) throw new Refusal('last_of_role')
  await tx.query({
    name: 'change-user',
    text: 'update users set role = $2, is_active = $3 where id = $1',
    values: [user.id, role, isActive],
  })
  return { ...user, role, isActive }
}

// The database also deletes the user's sessions, passkeys and recovery codes.
export async function removeUser(tx: Transaction, user: LockedUser): Promise<void> {
  if (user.isLast) throw new Refusal('last_of_role')
  await tx.query({
    name: 'remove-user',
    text: 'delete from users where id = $1',
    values: [user.id],
  })
}

// If `setBy` is null, the command line set the password.
type NewPassword = { id: UserId; hash: string } & (
  | { isTemporary: false }
  | { isTemporary: true; setBy: UserId | null }
)

// Stores a new password, and revokes the user's links of an invitation and of a password reset. Until a user
// has taken over the account, requests of the user count as requests of the people in `password_by` (I93).
export async function setPassword(
  tx: Transaction,
  now: Date,
  { id, hash, ...origin }: NewPassword,
): Promise<void> {
  const setBy = origin.isTemporary ? origin.setBy : id
  const { rowCount } = await tx.query({
    name: 'set-password',
    text: `update users
              set password_hash = $2, password_set_at = $3, is_password_temporary = $4,
                  password_by = case when not $4 then password_by
                                     when $5::uuid is null then array[command_line()]
                                     else people_of($5, $3) end
            where id = $1`,
    values: [id, hash, now, origin.isTemporary, setBy],
  })
  if (rowCount !== 1) throw new Refusal('user_not_found') // The user was removed in the meantime.
  await tx.query({
    name: 'drop-invitation',
    text: 'delete from invitations where user_id = $1',
    values: [id],
  })
  await tx.query({
    name: 'drop-password-reset',
    text: 'update password_resets set used_at = $2 where user_id = $1 and used_at is null',
    values: [id, now],
  })
}

// Returns the salt of another user with this email address, or undefined. Users of one address at several
// clients share a salt, so that one derivation checks all of them (sign-in.ts).
export async function sharedSalt(
  db: Queryable,
  email: string,
  exceptId: UserId | null = null,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ hash: string }>({
    name: 'shared-salt',
    text: `select password_hash as hash from users
            where email = $1 and ($2::uuid is null or id <> $2) order by id limit 1`,
    values: [emailKey(email), exceptId],
  })
  return rows[0] && readSalt(rows[0].hash)
}

// Hashes the password that a user chose, with the salt of their address. Refuses a bad password.
export async function hashChosenPassword(
  db: Queryable,
  { id, email }: Pick<User, 'id' | 'email'>,
  password: string,
): Promise<string> {
  const problem = passwordProblem(password, email)
  if (problem) throw invalidField('password', problem)
  return hashPassword(password, await sharedSalt(db, email, id))
}

// Access grants: a user who creates or enables another user, changes their role or resets their
// password is their grantor, and so, transitively, is every grantor of the grantor. A user cannot
// approve the requests of their grantors (stands_behind, in the database). A user whose access was
// changed must wait before approving anything.
//
// Operators of another client and the command line run the service, so they are never recorded as
// grantors. A password they set deletes the user's existing grants.

type Grantor = { userId?: UserId | undefined; clientId: ClientId }

type AccessGrant = { by: Grantor; user: Pick<User, 'id' | 'clientId'>; isNewPassword: boolean }

// Call when `by` has given the user access. From then on the user cannot approve requests of `by`, and must
// wait before approving any.
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
  // Operators of another client and the command line run the service, so they are never recorded as grantors.
  // A new password from them (`isOutside`) deletes the grants that the user had.
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

// Messages to users about their own account. They are queued with the change that they report, and are always
// sent: no setting of the client turns them off.

type UserKind =
  | 'user.invitation'
  | 'user.account_reset'
  | 'user.password_reset'
  | 'user.password_changed'
  | 'user.new_device'

type Recipient = Pick<User, 'id' | 'clientId' | 'email'>

type UserMail<Kind extends UserKind> = {
  user: Recipient
  kind: Kind
  facts: MessageFacts[Kind]
  expiresAt?: Date
}

// Queues a message in the transaction of its cause. A message whose key was used before is not queued, so
// the key contains the time: a message of the same kind can be sent again later.
export async function mailUser<Kind extends UserKind>(
  tx: Transaction,
  { now, sealer }: { now: Date; sealer: Sealer },
  { user: { id, clientId, email }, kind, facts, expiresAt }: UserMail<Kind>,
): Promise<void> {
  const key = `user/${id}/${kind.slice('user.'.length)}/${now.getTime()}`
  const message = { clientId, kind, facts, to: email, key, about: { userId: id }, expiresAt }
  // `as never`: TypeScript cannot match the generic Kind with the facts of that kind.
  await queueMessage(tx, { now, sealer }, message as never)
}

// Mails links to users. Undefined without a mail server: then the administrator hands the link over.
export type LinkMail = { sealer: Sealer; linkOf: (token: string) => string }

type Inviter = { actor: string; userId?: UserId | undefined; clientId: ClientId }

type InvitationMail = {
  mail: LinkMail
  by: Inviter
  user: Recipient
  invitation: { token: string; expiresAt: Date }
  isReset: boolean
}

// Mails the link for taking over the account to a new user, or to a user whose password was reset.
export async function mailInvitation(
  tx: Transaction,
  now: Date,
  { mail: { sealer, linkOf }, by, user, invitation, isReset }: InvitationMail,
): Promise<void> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'shown-name-of-client',
    text: 'select name from clients where id = $1',
    values: [user.clientId],
  })
  const clientName = rows[0]?.name ?? ''
  const { token, expiresAt } = invitation
  const links = { link: linkOf(token), expiresAt: timestamp(expiresAt) }
  const person = inviterFor(by, user)
  if (isReset) {
    const facts = { clientName, resetBy: person, ...links }
    return mailUser(tx, { now, sealer }, { user, kind: 'user.account_reset', facts, expiresAt })
  }
  const facts = { clientName, invitedBy: person, ...links }
  return mailUser(tx, { now, sealer }, { user, kind: 'user.invitation', facts, expiresAt })
}

const OPERATOR = 'Your operator'

// Never shows an operator's name to another client.
function inviterFor({ actor, userId, clientId }: Inviter, user: Recipient): string {
  const isColleague = userId !== undefined && clientId === user.clientId
  return isColleague ? actor.replace(/^user:/, '') : OPERATOR
}
