// Dashboard sessions, the devices of users, and the addresses from which users may sign in.
//
// The browser holds a random token of its session; we store the token's hash.
//
//   signed in ──▶ live ──idle too long, too old, signed out, removed, suspended──▶ gone
//
// Every request looks up its session, so ending a session takes effect at once in every process.

import { timestamp } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { type ClientId, timeOrderedId, type UserId } from '#ids.ts'
import { addressMatcher, parseAddressRange } from '#ip-allowlist.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { hashToken, randomToken } from './passwords.ts'
import { CLIENT_COLUMNS, type Client, type Role } from './permissions.ts'
import { mailUser, type User } from './users.ts'

export const IDLE_MS = 60 * 60_000
export const LIFE_MS = 12 * 60 * 60_000
const SEEN_EVERY_MS = 60_000 // A busy page does not write at every request.
const USER_AGENT_LENGTH_MAX = 300

export type Session = {
  id: string
  address: string
  userAgent: string
  createdAt: Date
  seenAt: Date
  expiresAt: Date
}

export type SignedInSession = {
  sessionId: string
  throughProvider: boolean // Whether the client's provider opened it.
  user: SessionUser
  client: Client
}
export type SessionUser = Pick<
  User,
  'id' | 'clientId' | 'email' | 'role' | 'isPasswordTemporary' | 'hasTotp'
>

type NewSession = {
  user: Pick<User, 'id' | 'clientId'>
  from: { address: string; userAgent: string | undefined }
  provider?: { provenAt: Date | null } | undefined // Present if the provider opened it.
}

// Opens a session for a user who has signed in. Returns the token for the browser's cookie.
export async function openSession(
  db: Queryable,
  now: Date,
  { user, from, provider }: NewSession,
): Promise<string> {
  const token = randomToken()
  await db.query({
    name: 'open-session',
    text: `insert into sessions (id, client_id, user_id, token_hash, address, user_agent,
                                 created_at, seen_at, expires_at, through_provider, proven_at)
           values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)`,
    values: [
      timeOrderedId(now),
      user.clientId,
      user.id,
      hashToken(token),
      from.address,
      toPrintableAscii(from.userAgent ?? ''),
      now,
      new Date(now.getTime() + LIFE_MS),
      provider !== undefined,
      provider?.provenAt ?? null,
    ],
  })
  return token
}

type Visit = { token: string; address: string }

// Finds the session of a request and notes that it is in use. Returns it only if its user and client are
// active, and the client's users may come from the address.
export async function findSignedInSession(
  db: Queryable,
  now: Date,
  visit: Visit,
): Promise<SignedInSession | undefined> {
  const visited = await lookUpSession(db, now, visit)
  if (!visited) return undefined
  const { seenAt, ...session } = visited
  const idleMs = now.getTime() - seenAt.getTime()
  if (idleMs >= SEEN_EVERY_MS) await touchSession(db, now, session.sessionId)
  return session
}

// Like findSignedInSession, but without extending the session: for background requests, so that an open page
// alone does not keep a session alive.
export async function lookUpSession(
  db: Queryable,
  now: Date,
  { token, address }: Visit,
): Promise<(SignedInSession & { seenAt: Date }) | undefined> {
  const { rows } = await db.query<VisitRow>({
    name: 'find-visit',
    text: `select sessions.id as session_id, sessions.seen_at, sessions.through_provider,
                  users.id as user_id,
                  users.email, users.role, users.is_password_temporary,
                  users.totp_sealed is not null as has_totp, clients.user_addresses,
                  ${CLIENT_COLUMNS}
             from sessions
             join users on users.id = sessions.user_id
             join clients on clients.id = sessions.client_id
            where sessions.token_hash = $1 and sessions.expires_at > $2 and sessions.seen_at > $3
              and users.is_active and clients.is_active`,
    values: [hashToken(token), now, new Date(now.getTime() - IDLE_MS)],
  })
  if (!rows[0] || !admits(rows[0].userAddresses, address)) return undefined
  const { sessionId, seenAt, throughProvider, userAddresses: _, ...userAndClient } = rows[0]
  const { userId, email, role, isPasswordTemporary, hasTotp, ...client } = userAndClient
  const user = { id: userId, clientId: client.id, email, role, isPasswordTemporary, hasTotp }
  return { sessionId, throughProvider, user, client, seenAt }
}

type VisitRow = Client &
  Omit<SessionUser, 'id' | 'clientId'> &
  Pick<SignedInSession, 'sessionId' | 'throughProvider'> & {
    seenAt: Date
    userId: UserId
    userAddresses: readonly string[] | null
  }

// Notes that the session is in use, so that it does not end for being idle. Concurrent requests may arrive in
// any order; the latest time wins.
async function touchSession(db: Queryable, now: Date, id: string): Promise<void> {
  await db.query({
    name: 'touch-session',
    text: 'update sessions set seen_at = greatest(seen_at, $2) where id = $1',
    values: [id, now],
  })
}

const PROVEN_MS = 5 * 60_000

// Whether the client's provider opened this session after asking the user for their credentials a moment ago.
// That confirms the user's identity in place of a password.
export async function isProvenByProvider(
  db: Queryable,
  now: Date,
  { sessionId }: SignedInSession,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'is-session-proven',
    text: 'select from sessions where id = $1 and through_provider and proven_at > $2',
    values: [sessionId, new Date(now.getTime() - PROVEN_MS)],
  })
  return rowCount === 1
}

// Checks in the transaction of a write that the caller's session is still live, and locks it until the
// commit. A sign-out, removal, disabling or password reset ends sessions, so it waits for the write, or the
// write is refused. Also refuses a user whose role has changed. Locks the user before the session, as these
// do. The lock admits the stronger ones of lockUser() and lockUserOf(), so that two writes of a user do not
// deadlock.
export async function lockSession(
  tx: Transaction,
  now: Date,
  { sessionId, user }: Pick<SignedInSession, 'sessionId' | 'user'>,
): Promise<void> {
  const refusal = (await lockSessions(tx, now, [{ sessionId, user }]))[0]
  if (refusal) throw refusal
}

// Like lockSession, for a batch. Returns the refusal of each session that is not live, in order.
export async function lockSessions(
  tx: Transaction,
  now: Date,
  sessions: readonly Pick<SignedInSession, 'sessionId' | 'user'>[],
): Promise<(Refusal | undefined)[]> {
  const { rows } = await tx.query<{ id: string; role: Role }>({
    name: 'lock-sessions',
    text: `select sessions.id, users.role
             from sessions
             join users on users.id = sessions.user_id
             join clients on clients.id = sessions.client_id
            where sessions.id = any($1::uuid[]) and sessions.expires_at > $2
              and sessions.seen_at > $3 and users.is_active and clients.is_active
            order by users.id, sessions.id for key share of users, sessions`,
    values: [sessions.map(({ sessionId }) => sessionId), now, new Date(now.getTime() - IDLE_MS)],
  })
  const roles = new Map(rows.map(({ id, role }) => [id, role]))
  return sessions.map(({ sessionId, user }) => {
    const role = roles.get(sessionId)
    if (role === undefined) return new Refusal('session_needed')
    return role === user.role ? undefined : new Refusal('role_not_allowed')
  })
}

// Locks the user before a change of their own credentials, and after waiting for a hash. Refuses if a
// password reset has ended the session, or the user was disabled, in the meantime. Returns the current role.
export async function lockUserOf(
  tx: Transaction,
  { sessionId, user }: SignedInSession,
): Promise<Role> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'lock-own-user',
    text: 'select role from users where id = $1 and is_active for no key update',
    values: [user.id],
  })
  const { rowCount } = await tx.query({
    name: 'is-session-there',
    text: 'select from sessions where id = $1 and user_id = $2',
    values: [sessionId, user.id],
  })
  if (!rows[0] || rowCount !== 1) throw new Refusal('session_needed')
  return rows[0].role
}

// Lists the user's live sessions, newest first.
export async function listSessions(db: Queryable, now: Date, userId: UserId): Promise<Session[]> {
  const { rows } = await db.query<Session>({
    name: 'list-sessions',
    text: `select id, address, user_agent, created_at, seen_at, expires_at
             from sessions where user_id = $1 and expires_at > $2 and seen_at > $3
            order by id desc`,
    values: [userId, now, new Date(now.getTime() - IDLE_MS)],
  })
  return rows
}

// Returns false if the user has no such session.
export async function endSession(db: Queryable, userId: UserId, id: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'end-session',
    text: 'delete from sessions where user_id = $1 and id = $2',
    values: [userId, id],
  })
  return rowCount === 1
}

export async function endSessionOfToken(db: Queryable, token: string): Promise<void> {
  await db.query({
    name: 'end-session-of-token',
    text: 'delete from sessions where token_hash = $1',
    values: [hashToken(token)],
  })
}

export async function endUserSessions(db: Queryable, userId: UserId): Promise<number> {
  const { rowCount } = await db.query({
    name: 'end-sessions-of-user',
    text: 'delete from sessions where user_id = $1',
    values: [userId],
  })
  return rowCount ?? 0
}

export async function endOtherSessions(db: Queryable, userId: UserId, id: string): Promise<void> {
  await db.query({
    name: 'end-other-sessions',
    text: 'delete from sessions where user_id = $1 and id <> $2',
    values: [userId, id],
  })
}

// A worker calls this regularly. Look-ups ignore expired sessions.
export async function deleteExpiredSessions(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-sessions',
    text: 'delete from sessions where expires_at <= $1 or seen_at <= $2',
    values: [now, new Date(now.getTime() - IDLE_MS)],
  })
}

// A browser can send any user agent: only printable ASCII of limited length is stored.
function toPrintableAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, USER_AGENT_LENGTH_MAX)
}

// The devices of a user. The browser holds a random token in a long-lived cookie; we store its hash. A
// sign-in on a device that the user has not used is mailed to the user, except the very first one.

export const DEVICE_MS = 400 * 86_400_000 // The longest life that browsers give a cookie.

type DeviceVisit = {
  user: Pick<User, 'id' | 'clientId' | 'email'>
  token: string | undefined // The browser's cookie.
  address: string
  userAgent: string | undefined
  mail: { sealer: Sealer } | undefined
}

// Records the device of a sign-in, and mails the user if it is new to them. The user's very first device
// causes no mail. Returns the token for the browser's cookie.
export async function meetDevice(
  tx: Transaction,
  now: Date,
  { user, token = randomToken(), address, userAgent = '', mail }: DeviceVisit,
): Promise<string> {
  const { rows } = await tx.query<{ isNew: boolean; hasOthers: boolean }>({
    name: 'meet-device',
    text: `with met as (
             insert into known_devices (user_id, client_id, token_hash, first_seen_at, seen_at)
             values ($1, $2, $3, $4, $4)
             on conflict (user_id, token_hash) do update set seen_at = excluded.seen_at
             returning first_seen_at = $4 as is_new)
           select is_new,
                  exists (select from known_devices where user_id = $1 and token_hash <> $3) as has_others
             from met`,
    values: [user.id, user.clientId, hashToken(token), now],
  })
  const [device] = rows
  if (mail && device?.isNew && device.hasOthers) {
    const facts = { at: timestamp(now), address, device: deviceName(userAgent) }
    await mailUser(tx, { now, sealer: mail.sealer }, { user, kind: 'user.new_device', facts })
  }
  return token
}

// A worker calls this regularly. By then, the browser has dropped the cookie of the device.
export async function deleteOldDevices(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-devices',
    text: 'delete from known_devices where seen_at <= $1',
    values: [new Date(now.getTime() - DEVICE_MS)],
  })
}

// The first match wins: browsers claim to be each other. The result contains only names from these lists,
// because a client can send any user agent.
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\b/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

// Describes the device for the mail, such as `Chrome on Windows`.
function deviceName(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent))?.[1],
  )
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown'
}

// The addresses from which the users of a client may sign in (I171). Checked at every kind of sign-in and at
// every look-up of a session. A user cannot set a list without their own address; the operator's command line
// can remove the list.

export type UserAddresses = { addresses: readonly string[] | null }

// Null admits every address.
function admits(ranges: readonly string[] | null, address: string): boolean {
  return ranges === null || addressMatcher(ranges)(address)
}

export async function findUserAddresses(db: Queryable, clientId: ClientId): Promise<UserAddresses> {
  const { rows } = await db.query<UserAddresses>({
    name: 'find-user-addresses',
    text: 'select user_addresses as addresses from clients where id = $1',
    values: [clientId],
  })
  return { addresses: rows[0]?.addresses ?? null }
}

// Whether the client's users may sign in from the address: any address if the client has no list.
export async function maySignInFrom(
  db: Queryable,
  clientId: ClientId,
  address: string,
): Promise<boolean> {
  return admits((await findUserAddresses(db, clientId)).addresses, address)
}

type Setting = {
  clientId: ClientId
  clientCode: string
  addresses: readonly string[] | null // Null or an empty list allows any address.
  by: { actor: string; address: string | null } // The address is null for the command line.
}

// Replaces the list of addresses from which the client's users may sign in. A user must include their own
// address, so that they do not lock themselves out. The command line has no address (null).
export async function setUserAddresses(
  tx: Transaction,
  now: Date,
  { clientId, clientCode, addresses, by }: Setting,
): Promise<UserAddresses> {
  const ranges = parseRanges(addresses ?? [])
  const { actor, address } = by
  if (address !== null && !admits(ranges, address)) {
    throw invalidField('addresses', `Must include your own address, ${address}.`)
  }
  await tx.query({
    name: 'set-user-addresses',
    text: 'update clients set user_addresses = $2 where id = $1',
    values: [clientId, ranges],
  })
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'client.set_user_addresses',
    subject: `client/${clientCode}`,
    detail: { addresses: ranges },
  })
  return { addresses: ranges }
}

// Returns the ranges in canonical form, or null for an empty list. Refuses anything else.
function parseRanges(addresses: readonly string[]): string[] | null {
  const problems: { field: string; message: string }[] = []
  const ranges = addresses.map((text, index) => {
    const range = parseAddressRange(text.trim())
    const message = 'Must be an IP address, or a range by its first: 10.0.0.0/8.'
    if (!range) problems.push({ field: `addresses.${index}`, message })
    return range ?? text
  })
  if (problems.length > 0) throw new Refusal('invalid_request', problems)
  return ranges.length > 0 ? [...new Set(ranges)] : null
}
