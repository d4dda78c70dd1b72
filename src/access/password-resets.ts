// Password reset by e-mail.
//
//   requested ──worker──▶ link mailed ──new password──▶ used
//                              └──an hour later, or password set otherwise──▶ invalid
//
// A request is stored in the same way for known and unknown addresses, and a worker answers it later. So
// neither the response nor its duration reveals who has an account. A user gets at most one link an hour. The
// link replaces only the password: it opens no session and does not remove an authenticator app. Passkeys
// stay if the user is treated as an independent person (I93).

import { timestamp } from '#clock.ts'
import { isDue } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { countAttempt } from './attempts.ts'
import { beginTakeOver, setChosenPassword } from './invitations.ts'
import { removePasskeys } from './passkeys.ts'
import { hashToken, randomToken } from './passwords.ts'
import type { Role } from './permissions.ts'
import { isProviderEnforced } from './providers.ts'
import { hasSecondFactor } from './second-factors.ts'
import { maySignInFrom } from './sessions.ts'
import { mayBreakGlass } from './sign-in.ts'
import { emailKey, type LinkMail, mailUser } from './users.ts'

export const RESET_PATH = '/dashboard/password-reset'
const RESET_MS = 3_600_000
const BETWEEN_MAILS_MS = 3_600_000
const ANSWERED_MAX = 20

// SQL condition: whether any request waits for an answer.
export const HAS_RESET_REQUESTS = 'exists (select from password_reset_requests)'

type ResetRequest = { email: string; address: string; caller: string }

// Stores the request without looking up the user.
export async function requestReset(
  tx: Transaction,
  now: Date,
  { email, address }: ResetRequest,
): Promise<void> {
  await tx.query({
    name: 'request-password-reset',
    text: `insert into password_reset_requests (email, address, requested_at) values ($1, $2, $3)`,
    values: [emailKey(email), address, now],
  })
}

// Counts the email address as typed and the caller's address, whether the user exists or not. Call before the
// transaction of the request, so that a refused attempt is counted too.
export async function countResetRequest(
  db: Queryable,
  now: Date,
  { email, caller }: ResetRequest,
): Promise<void> {
  const keys = [
    { kind: 'reset-address', key: caller },
    { kind: 'reset-email', key: emailKey(email) },
  ] as const
  for (const key of keys) {
    const attempt = await countAttempt(db, now, key)
    if (attempt.isLocked) throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
  }
}

// Answers up to ANSWERED_MAX requests, oldest first: mails a link to each user of the email address who may
// use a password. Returns the number of requests. Without a mail server, drops them.
export async function answerResetRequests(
  tx: Transaction,
  now: Date,
  { mail }: { mail: LinkMail | undefined },
): Promise<number> {
  const { rows } = await tx.query<{ email: string; address: string }>({
    name: 'take-password-reset-requests',
    text: `delete from password_reset_requests
            where id in (select id from password_reset_requests order by id limit ${ANSWERED_MAX}
                            for update skip locked)
           returning email, address`,
  })
  if (!mail) return rows.length
  const addressOf = new Map(rows.map(({ email, address }) => [email, address]))
  const { rows: users } = await tx.query<ResetUser>({
    name: 'users-who-reset',
    text: `${RESET_USER} where u.email = any($1::text[]) and u.is_active and c.is_active order by u.id`,
    values: [[...addressOf.keys()]],
  })
  for (const user of users) {
    if (!(await mayReset(tx, user))) continue
    await mailLink(tx, now, { mail, user, address: addressOf.get(user.email) ?? '' })
  }
  return rows.length
}

type ResetUser = {
  id: UserId
  clientId: ClientId
  email: string
  role: Role
  hasTotp: boolean
  hasPasskey: boolean
  isOwn: boolean // Whether the user is treated as an independent person.
  clientName: string
}

const RESET_USER = `
  select u.id, u.client_id, u.email, u.role, u.totp_sealed is not null as has_totp,
         exists (select from passkeys p where p.user_id = u.id) as has_passkey,
         u.own_from is not null as is_own,
         c.name as client_name
    from users u join clients c on c.id = u.client_id`

// Whether the user may sign in with a password at all. If the client enforces its sign-in provider, only
// owners and operators with a second factor may (mayBreakGlass).
async function mayReset(db: Queryable, user: ResetUser): Promise<boolean> {
  return mayBreakGlass(user) || !(await isProviderEnforced(db, user.clientId))
}

// Mails the user a single-use link, unless they got one within the last hour.
async function mailLink(
  tx: Transaction,
  now: Date,
  { mail: { sealer, linkOf }, user, address }: { mail: LinkMail; user: ResetUser; address: string },
): Promise<void> {
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + RESET_MS)
  const { rowCount } = await tx.query({
    name: 'create-password-reset',
    text: `insert into password_resets as r (user_id, client_id, token_hash, created_at, expires_at)
           values ($1, $2, $3, $4, $5)
           on conflict (user_id) do update
              set token_hash = excluded.token_hash, created_at = excluded.created_at,
                  expires_at = excluded.expires_at, used_at = null
            where ${isDue(`r.created_at + interval '${BETWEEN_MAILS_MS} ms'`, {
              now: '$4',
              longest: BETWEEN_MAILS_MS,
            })}`,
    values: [user.id, user.clientId, hashToken(token), now, expiresAt],
  })
  if (rowCount !== 1) return
  const { id, clientId, email, clientName } = user
  const facts = { clientName, link: linkOf(token), expiresAt: timestamp(expiresAt) }
  const mail = {
    user: { id, clientId, email },
    kind: 'user.password_reset',
    facts,
    expiresAt,
  } as const
  await mailUser(tx, { now, sealer }, mail)
  await recordResetStep(tx, now, { user, action: 'user.request_password_reset', address })
}

export type PasswordReset = ResetUser & { expiresAt: Date }

// Finds the reset of a link, if the link is unused, has not expired, and its user may use a password.
export async function findReset(
  db: Queryable,
  now: Date,
  token: string,
): Promise<PasswordReset | undefined> {
  const { rows } = await db.query<PasswordReset>({
    name: 'find-password-reset',
    text: `select f.*, r.expires_at from password_resets r
             join lateral (${RESET_USER} where u.id = r.user_id and u.is_active and c.is_active) f on true
            where r.token_hash = $1 and r.expires_at > $2 and r.used_at is null`,
    values: [hashToken(token), now],
  })
  const [reset] = rows
  return reset && (await mayReset(db, reset)) ? reset : undefined
}

type Acceptance = {
  token: string
  passwordHash: string
  address: string
  mail: { sealer: Sealer } | undefined
}

// Sets the new password and uses up the link: of two concurrent requests, one is refused. The user then signs
// in, with their second factor if they have one.
export async function acceptReset(
  tx: Transaction,
  now: Date,
  { token, passwordHash, address, mail }: Acceptance,
): Promise<void> {
  const reset = await findReset(tx, now, token)
  if (!reset) throw new Refusal('reset_invalid')
  const { id, clientId, email } = reset
  if (!(await maySignInFrom(tx, clientId, address))) throw new Refusal('address_not_allowed')
  const user = { id, clientId, email }
  await tx.query({
    name: 'lock-resetting-user',
    text: 'select from users where id = $1 for update',
    values: [id],
  })
  const { rowCount } = await tx.query({
    name: 'use-password-reset',
    text: `update password_resets r set used_at = $3
             from users u
            where r.user_id = $1 and r.token_hash = $2 and r.used_at is null and u.id = $1 and u.is_active`,
    values: [id, hashToken(token), now],
  })
  if (rowCount !== 1) throw new Refusal('reset_invalid')
  await setChosenPassword(tx, now, { user, passwordHash })
  // While `isOwn` is false, another person who knew the temporary password may have added a second factor to
  // the account. So its passkeys are removed, and the opened link counts as the first step of the user's
  // take-over of the account only if no second factor is left.
  if (!reset.isOwn) await removePasskeys(tx, id)
  if (!(await hasSecondFactor(tx, id))) await beginTakeOver(tx, now, id)
  await recordResetStep(tx, now, { user, action: 'user.accept_password_reset', address })
  if (mail) await mailPasswordChanged(tx, now, { sealer: mail.sealer, user, address })
}

type Changed = {
  sealer: Sealer
  user: Pick<ResetUser, 'id' | 'clientId' | 'email'>
  address: string
}

// Tells the user about the new password, in case somebody else set it.
export function mailPasswordChanged(
  tx: Transaction,
  now: Date,
  { sealer, user, address }: Changed,
): Promise<void> {
  const { id, clientId, email } = user
  const facts = { at: timestamp(now), address }
  const kind = 'user.password_changed'
  return mailUser(tx, { now, sealer }, { user: { id, clientId, email }, kind, facts })
}

type Step = {
  user: Pick<ResetUser, 'clientId' | 'email'>
  action: `user.${string}`
  address: string
}

// Nobody is signed in during a reset, so the actor is the caller's address.
function recordResetStep(
  tx: Transaction,
  now: Date,
  { user, action, address }: Step,
): Promise<void> {
  const { clientId, email } = user
  const actor = `address:${address}`
  const entry = { clientId, actor, action, subject: `user/${email}`, detail: { address } }
  return writeAuditLog(tx, now, entry)
}
