// Signing in with a password or a passkey, and confirming who the user is during a session. succeedSignIn and
// failSignIn end every kind of sign-in: with a session, or with a recorded refusal.

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import {
  type AttemptSource,
  countAttemptFrom,
  countCode,
  countConfirmation,
  countUsers,
  uncountSignIn,
  unlockUser,
} from './attempts.ts'
import {
  type CheckedAssertion,
  checkAssertion,
  type Passkey,
  type RelyingParty,
  usePasskey,
} from './passkeys.ts'
import { matchPassword } from './passwords.ts'
import { isIndispensable } from './permissions.ts'
import { isProviderEnforced } from './providers.ts'
import { useCode } from './second-factors.ts'
import {
  endSessionOfToken,
  maySignInFrom,
  meetDevice,
  openSession,
  type SignedInSession,
} from './sessions.ts'
import { emailKey, findUser, USER_COLUMNS, type User } from './users.ts'

// Refusals are return values here, not exceptions, because their counters and audit entries must be
// committed.
export type SignInOutcome =
  | { token: string; deviceToken: string }
  | {
      refused: RefusalCode
      choices?: readonly string[] | undefined
      retryAfterSeconds?: number | undefined
    }

export type SignInCaller = {
  address: string
  caller: string // Identifies the address in the counters (rateLimitKey).
  userAgent?: string | undefined
  oldToken?: string | undefined // The token of the browser's former session, which the sign-in ends.
  deviceToken?: string | undefined // The browser's cookie (sessions.ts).
  mail?: { sealer: Sealer } | undefined // For a message about a new device. Undefined without a mail server.
}

type WrongCredential = 'invalid_sign_in' | 'invalid_code' | 'invalid_passkey'

const WRONG_CREDENTIALS: Record<WrongCredential, string> = {
  invalid_sign_in: 'password',
  invalid_code: 'code',
  invalid_passkey: 'passkey',
}

type FailedSignIn = {
  address: string
  comparedUsers: readonly Pick<User, 'id' | 'clientId' | 'email'>[]
  locked: ReadonlySet<UserId> // The users whom this attempt locks.
  refused: WrongCredential
  detail?: object
}

// Records wrong credentials in the audit log of each user with whom they were compared, and the lock of a
// user whom this attempt locks.
export async function failSignIn(
  tx: Transaction,
  now: Date,
  { address, comparedUsers, locked, refused, detail }: FailedSignIn,
): Promise<SignInOutcome> {
  const actor = `address:${address}`
  for (const { id, clientId, email } of comparedUsers) {
    const entry = { clientId, actor, subject: `user/${email}` }
    const failed = { wrong: WRONG_CREDENTIALS[refused], ...detail }
    await writeAuditLog(tx, now, { ...entry, action: 'user.sign_in_failed', detail: failed })
    if (locked.has(id))
      await writeAuditLog(tx, now, { ...entry, action: 'user.locked', detail: {} })
  }
  return { refused }
}

type SuccessfulSignIn = {
  signIn: AttemptSource & SignInCaller
  user: Pick<User, 'id' | 'clientId' | 'email'>
  how: 'password' | 'provider' | 'totp' | 'recovery' | 'passkey'
  provider?: { provenAt: Date | null } // Present if the client's provider replaced the password.
  isBreakGlass?: boolean // Whether the user did without the provider that their client enforces.
}

// Opens a session for a user who has proven who they are, unless their client forbids the address. Clears
// their failed attempts, ends the browser's former session (`oldToken`), and records the browser as a device.
export async function succeedSignIn(
  tx: Transaction,
  now: Date,
  { signIn, user, how, provider, isBreakGlass }: SuccessfulSignIn,
): Promise<SignInOutcome> {
  const { address, userAgent, oldToken, deviceToken: token, mail } = signIn
  await uncountSignIn(tx, signIn, []) // For the IP address. unlockUser clears the user's own counters.
  if (!(await maySignInFrom(tx, user.clientId, address))) {
    return refuseAddress(tx, now, { user, address })
  }
  await unlockUser(tx, user.id)
  if (oldToken !== undefined) await endSessionOfToken(tx, oldToken)
  await markSignIn(tx, now, user.id)
  await writeAuditLog(tx, now, {
    clientId: user.clientId,
    actor: `user:${user.email}`,
    action: 'user.sign_in',
    subject: `user/${user.email}`,
    detail: {
      address,
      with: how,
      ...(provider && { throughProvider: true }),
      ...(isBreakGlass && { isBreakGlass }),
    },
  })
  return {
    token: await openSession(tx, now, { user, from: { address, userAgent }, provider }),
    deviceToken: await meetDevice(tx, now, { user, token, address, userAgent, mail }),
  }
}

// Stores the time as the user's last sign-in.
export async function markSignIn(tx: Transaction, now: Date, id: UserId): Promise<void> {
  await tx.query({
    name: 'mark-sign-in',
    text: 'update users set signed_in_at = $2 where id = $1',
    values: [id, now],
  })
}

// Records a sign-in from a forbidden address. Call only after the credentials are checked: other callers must
// not learn that the client has a list of addresses.
async function refuseAddress(
  tx: Transaction,
  now: Date,
  { user, address }: Pick<SuccessfulSignIn, 'user'> & { address: string },
): Promise<SignInOutcome> {
  await writeAuditLog(tx, now, {
    clientId: user.clientId,
    actor: `address:${address}`,
    action: 'user.sign_in_failed',
    subject: `user/${user.email}`,
    detail: { wrong: 'address', address },
  })
  return { refused: 'address_not_allowed' }
}

// Signing in with email address, password and, where enrolled, a second factor: a code or a passkey.
//
// Checked in this order: the caller's address is locked, for all users or for this one (429); wrong
// password (401); several users match (409); expired temporary password (401); missing or wrong
// second factor (401). An unknown email address is counted, checked and refused like a known one
// and in the same time, so that the response does not reveal who exists.
//
// A user whose own counter is exhausted (attempts.ts) is refused as with a wrong password,
// unless a second factor is enrolled and sent. Then both must be right, and the response does not
// say which was wrong, so that passwords cannot be guessed that way.
//
// checkPassword runs outside a transaction: the attempt must be counted even if the sign-in fails, and no
// connection should wait for half a second of scrypt.

export const TEMPORARY_PASSWORD_MS = 72 * 3_600_000

type Deps = { sealer: Sealer; now: Date }

type SignIn = SignInCaller & {
  email: string
  password: string
  code?: string | undefined
  passkey?: CheckedAssertion | undefined // Replaces the code.
  clientId?: string | undefined // For a user with the same password at several clients.
}

type Candidate = User & {
  clientCode: string
  passwordHash: string
  passwordSetAt: Date
  isClientActive: boolean
}

type PasswordCheck = {
  comparedUsers: Candidate[] // The users whose password was compared.
  matchingUsers: Candidate[] // The compared users whose password it is.
  exhausted: ReadonlySet<UserId> // The users whose attempts are used up.
  locked: ReadonlySet<UserId> // The users whom this attempt locks.
}

// Counts the attempt, then compares the password with each user of the email address, one per client. A user
// whose attempts are used up is compared only if a second factor is sent too: without one, an attacker could
// go on guessing the password.
export async function checkPassword(
  db: Queryable,
  now: Date,
  signIn: SignIn,
): Promise<PasswordCheck> {
  const isLastHere = await countAttemptFrom(db, now, signIn)
  const candidates = await findCandidates(db, signIn)
  const ids = candidates.map(({ id }) => id)
  const { exhausted, last } = await countUsers(db, now, { userIds: ids, email: signIn.email })
  const counted = ids.filter((id) => !exhausted.has(id))
  const comparedUsers = candidates.filter(
    (user) => !exhausted.has(user.id) || (hasSecondFactor(user) && sendsSecondFactor(signIn)),
  )
  const matches = await matchCounted(db, signIn, { users: comparedUsers, counted })
  const matchingUsers = comparedUsers.filter((_, index) => matches[index])
  // If the attempt locks this IP address, the lock is recorded for every user with the email address.
  return { comparedUsers, matchingUsers, exhausted, locked: isLastHere ? new Set(ids) : last }
}

// Decides a sign-in whose password was compared: which user it is, whether they may use a password, and
// whether their second factor is right. A user whose attempts are used up (`isExhausted`) is refused as if
// the password were wrong. If the client enforces its sign-in provider (`isBreakGlass`), only owners and
// operators with a second factor may use a password. The attempt is uncounted (`uncount`) if the password was
// right and the user must do something else first.
export async function finishSignIn(
  tx: Transaction,
  deps: Deps,
  { signIn, checked }: { signIn: SignIn; checked: PasswordCheck },
): Promise<SignInOutcome> {
  const usable = checked.matchingUsers.filter(
    ({ isActive, isClientActive }) => isActive && isClientActive,
  )
  const countedUsers = usable.filter(({ id }) => !checked.exhausted.has(id))
  // Exhausted users are not among the choices: that would confirm their password.
  const user = countedUsers[0] ?? (usable.length === 1 ? usable[0] : undefined)
  const uncount = () => uncountSignIn(tx, signIn, toIds(countedUsers))
  if (!user) {
    if (sendsSecondFactor(signIn)) await pretendToProve(tx, deps, signIn)
    return refuseSignIn(tx, deps, { signIn, checked, refused: 'invalid_sign_in' })
  }
  if (countedUsers.length > 1) {
    await uncount()
    const choices = countedUsers.map(({ clientCode }) => clientCode)
    return { refused: 'client_id_needed', choices }
  }
  const isExhausted = checked.exhausted.has(user.id)
  const isExpired = user.isPasswordTemporary && isTooOld(user, deps.now)
  if (isExpired && !isExhausted) {
    await uncount()
    return { refused: 'password_expired' }
  }
  // The password may have changed, or the user been disabled, since checkPassword.
  if (!(await lockUnchanged(tx, user))) {
    return refuseSignIn(tx, deps, { signIn, checked, refused: 'invalid_sign_in' })
  }
  const isBreakGlass = await isProviderEnforced(tx, user.clientId)
  if (isBreakGlass && !mayBreakGlass(user)) {
    if (isExhausted) return refuseSignIn(tx, deps, { signIn, checked, refused: 'invalid_sign_in' })
    await uncount()
    return { refused: 'provider_sign_in_needed', choices: [user.clientCode] }
  }
  if (hasSecondFactor(user) && !sendsSecondFactor(signIn)) {
    // Uncounts this attempt but does not clear the counters: otherwise a person who knows the password could
    // guess codes without limit.
    await uncount()
    return { refused: user.hasPasskey ? 'passkey_needed' : 'code_needed' }
  }
  const proof = await proveUser(tx, deps, { user, signIn })
  if ('how' in proof) {
    // Users with an exhausted counter get here too. Saying it earlier would confirm that the password is
    // right.
    if (isExpired) return { refused: 'password_expired' }
    return succeedSignIn(tx, deps.now, { signIn, user, how: proof.how, isBreakGlass })
  }
  const failedCheck = { ...checked, comparedUsers: [user] }
  if (isExhausted)
    return refuseSignIn(tx, deps, { signIn, checked: failedCheck, refused: 'invalid_sign_in' })
  if (proof.refused === 'too_many_attempts') return proof
  return refuseSignIn(tx, deps, { signIn, checked: failedCheck, refused: proof.refused })
}

type Proof =
  | { how: 'password' | 'totp' | 'recovery' | 'passkey' }
  | { refused: 'invalid_code' | 'invalid_passkey' }
  | { refused: 'too_many_attempts'; retryAfterSeconds: number }

// Checks the second factor of a user whose password is right. The attempt is counted before the check. It is
// counted only after a right password, so that strangers cannot use up the user's attempts.
async function proveUser(
  tx: Transaction,
  deps: Deps,
  { user, signIn }: { user: Candidate; signIn: SignIn },
): Promise<Proof> {
  if (!hasSecondFactor(user)) return { how: 'password' }
  const attempt = await countCode(tx, deps.now, user.id)
  if (attempt.isLocked) {
    return { refused: 'too_many_attempts', retryAfterSeconds: attempt.retryAfterSeconds }
  }
  const how = await useSecondFactor(tx, deps, { userId: user.id, signIn })
  return how ? { how } : { refused: signIn.passkey ? 'invalid_passkey' : 'invalid_code' }
}

// Uses up the code or the passkey. Returns undefined if it is wrong.
async function useSecondFactor(
  tx: Transaction,
  { sealer, now }: Deps,
  { userId, signIn: { code, passkey: checked } }: { userId: UserId; signIn: SignIn },
): Promise<'totp' | 'recovery' | 'passkey' | undefined> {
  if (!checked) return useCode(tx, { sealer, now, userId, code: code ?? '' })
  const { passkey, counter } = checked
  if (!passkey || counter === undefined) return undefined
  const isUsed = await usePasskey(tx, now, { id: passkey.id, userId, counter })
  return isUsed ? 'passkey' : undefined
}

// If the client enforces its provider, owners and operators with a second factor here can still sign in
// without the provider, for the day on which it is down or its settings are wrong.
export function mayBreakGlass(user: Pick<User, 'role' | 'hasTotp' | 'hasPasskey'>): boolean {
  return isIndispensable(user.role) && hasSecondFactor(user)
}

function hasSecondFactor({ hasTotp, hasPasskey }: Pick<User, 'hasTotp' | 'hasPasskey'>): boolean {
  return hasTotp || hasPasskey
}

function sendsSecondFactor({ code, passkey }: SignIn): boolean {
  return code !== undefined || passkey !== undefined
}

const UNKNOWN_USER = {
  id: '00000000-0000-0000-0000-000000000000' as UserId,
  clientId: 0n as ClientId,
  passwordHash: '',
}

// Runs the queries that a right password with a wrong second factor would cause, so that the duration of the
// response does not reveal whether the password was right.
async function pretendToProve(tx: Transaction, deps: Deps, signIn: SignIn): Promise<void> {
  await lockUnchanged(tx, UNKNOWN_USER)
  await isProviderEnforced(tx, UNKNOWN_USER.clientId)
  await countCode(tx, deps.now, `nobody ${signIn.code}`)
  await useSecondFactor(tx, deps, { userId: UNKNOWN_USER.id, signIn })
}

// Compares the password with the users' hashes. If it cannot be compared, for example because the server is
// busy, uncounts the attempt for the IP address and for the users `counted`.
async function matchCounted(
  db: Queryable,
  attempt: AttemptSource & { password: string },
  { users, counted }: { users: readonly { passwordHash: string }[]; counted: readonly UserId[] },
): Promise<boolean[]> {
  try {
    return await matchPassword(
      attempt.password,
      users.map(({ passwordHash }) => passwordHash),
    )
  } catch (error) {
    await uncountSignIn(db, attempt, counted)
    throw error
  }
}

function toIds(users: readonly Candidate[]): UserId[] {
  return users.map(({ id }) => id)
}

// The users with this email address, at most one per client.
async function findCandidates(db: Queryable, { email, clientId }: SignIn): Promise<Candidate[]> {
  const { rows } = await db.query<Candidate>({
    name: 'sign-in-candidates',
    text: `select ${USER_COLUMNS}, users.password_hash, users.password_set_at,
                  c.client_id as client_code, c.is_active as is_client_active
             from users join clients c on c.id = users.client_id
            where users.email = $1 and ($2::text is null or c.client_id = $2)
            order by c.client_id`,
    values: [emailKey(email), clientId ?? null],
  })
  return rows
}

// A temporary password expires 72 hours after it was set.
function isTooOld({ passwordSetAt }: Candidate, now: Date): boolean {
  return now.getTime() - passwordSetAt.getTime() > TEMPORARY_PASSWORD_MS
}

// Locks the user, if they are active and their password is still the one that was compared.
async function lockUnchanged(
  tx: Transaction,
  user: Pick<Candidate, 'id' | 'passwordHash'>,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'lock-unchanged-user',
    text: `select 1 from users where id = $1 and password_hash = $2 and is_active
              for no key update`,
    values: [user.id, user.passwordHash],
  })
  return rowCount === 1
}

type Failure = {
  signIn: SignIn
  checked: PasswordCheck
  refused: 'invalid_sign_in' | 'invalid_code' | 'invalid_passkey'
}

// Refuses a sign-in by password, and records it for the users with whom the password was compared.
function refuseSignIn(
  tx: Transaction,
  { now }: Deps,
  { signIn: { address }, checked: { comparedUsers, locked }, refused }: Failure,
): Promise<SignInOutcome> {
  return failSignIn(tx, now, { address, comparedUsers, locked, refused })
}

// Signing in with a passkey alone. The passkey identifies and verifies its user.
//
// Attempts are counted like passwords, before the check: per address, and per address and passkey
// (429). The user's own counter counts them too but never refuses them: a signature cannot be
// guessed, and strangers who guess passwords must not lock out the owner of the key.

type PasskeySignIn = SignInCaller & { credential: AuthenticationResponseJSON }

type PasskeyCheck = CheckedAssertion & { locked: ReadonlySet<UserId> } // Users whom this attempt locks.

// Counts a sign-in with a passkey, and checks the signature. Call outside a transaction, like checkPassword,
// so that the attempt is counted and the challenge used up even if the sign-in fails. `isLastHere`: this is
// the last attempt with the passkey that is permitted from this IP address.
export async function checkPasskey(
  db: Queryable,
  ceremony: { now: Date; relyingParty: RelyingParty },
  signIn: PasskeySignIn,
): Promise<PasskeyCheck> {
  const { now } = ceremony
  const { credential } = signIn
  const isLastHere = await countAttemptFrom(db, now, attemptSourceOf(signIn))
  const checked = await checkAssertion(db, ceremony, { use: { purpose: 'sign_in' }, credential })
  const userIds = checked.passkey ? [checked.passkey.userId] : []
  const { last } = await countUsers(db, now, { userIds, email: attemptSourceOf(signIn).email })
  return { ...checked, locked: isLastHere ? new Set(userIds) : last }
}

// Signs in the user of a passkey whose assertion checkPasskey has checked. If the client enforces its sign-in
// provider (`isBreakGlass`), only owners and operators may use a passkey instead (mayBreakGlass). The refusal
// of any other user is no failed attempt, so uncountSignIn takes back what checkPasskey counted for the IP
// address.
export async function finishPasskeySignIn(
  tx: Transaction,
  now: Date,
  { signIn, checked }: { signIn: PasskeySignIn; checked: PasskeyCheck },
): Promise<SignInOutcome> {
  const { passkey, counter, locked } = checked
  if (!passkey) return { refused: 'invalid_passkey' }
  const { id, userId, name } = passkey
  // Locks the user before the passkey, in the same order as the removal of a user.
  const isActive = await lockActive(tx, userId)
  const user = await findUser(tx, userId)
  // Only a valid assertion has a counter.
  const isUsed =
    isActive && counter !== undefined && (await usePasskey(tx, now, { id, userId, counter }))
  if (user && isUsed) {
    const source = { ...signIn, ...attemptSourceOf(signIn) }
    const isBreakGlass = await isProviderEnforced(tx, user.clientId)
    if (!isBreakGlass || mayBreakGlass(user)) {
      return succeedSignIn(tx, now, { signIn: source, user, how: 'passkey', isBreakGlass })
    }
    await uncountSignIn(tx, source, []) // [] leaves the user's own counter as it is.
    return { refused: 'provider_sign_in_needed' }
  }
  return failSignIn(tx, now, {
    address: signIn.address,
    comparedUsers: user ? [user] : [],
    locked,
    refused: 'invalid_passkey',
    detail: { passkey: name, ...(isActive && counter !== undefined ? { counter } : {}) },
  })
}

// Locks the user, if they and their client are active.
async function lockActive(tx: Transaction, userId: UserId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'lock-active-user',
    text: `select from users where id = $1 and is_active
              and exists (select from clients where id = users.client_id and is_active)
              for no key update`,
    values: [userId],
  })
  return rowCount === 1
}

// No email address is typed, so the passkey id takes its place.
function attemptSourceOf({ caller, credential }: PasskeySignIn) {
  return { caller, email: `passkey ${credential.id}` }
}

// Re-authentication before a sensitive action, because an attacker may have hijacked the session. The user
// sends a password, plus a code if a second factor is enrolled, or a passkey, which replaces both.
//
// Each confirmation is counted as a failed attempt until `settleConfirmation` uncounts it.

type Confirmation = AttemptSource & { userId: UserId }

// Counts the attempt and compares the signed-in user's password.
export async function confirmPassword(
  db: Queryable,
  now: Date,
  who: Confirmation & { password: string },
): Promise<boolean> {
  await countConfirmation(db, now, who)
  const { rows } = await db.query<{ passwordHash: string }>({
    name: 'password-of-user',
    text: 'select password_hash from users where id = $1',
    values: [who.userId],
  })
  const [isRight = false] = await matchCounted(db, who, { users: rows, counted: [who.userId] })
  return isRight
}

type PasskeyConfirmation = {
  who: Confirmation
  session: SignedInSession
  credential: AuthenticationResponseJSON
}

// Returns the passkey and its counter, which the action must store (usePasskey); undefined if the assertion
// is wrong.
export async function confirmPasskey(
  db: Queryable,
  ceremony: { now: Date; relyingParty: RelyingParty },
  { who, session: { sessionId }, credential }: PasskeyConfirmation,
): Promise<{ passkey: Passkey; counter: number } | undefined> {
  await countConfirmation(db, ceremony.now, who)
  const use = { purpose: 'confirm', sessionId } as const
  const { passkey, counter } = await checkAssertion(db, ceremony, { use, credential })
  if (!passkey || counter === undefined || passkey.userId !== who.userId) return undefined
  return { passkey, counter }
}

// Uncounts a successful confirmation.
export function settleConfirmation(db: Queryable, who: Confirmation): Promise<void> {
  return uncountSignIn(db, who, [who.userId])
}
