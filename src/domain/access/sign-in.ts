// Signing in with email address, password and, where enrolled, a second factor.
//
// Checked in this order: the caller's address is locked, for all users or for this one (429); wrong
// password (401); several users match (409); expired temporary password (401); missing or wrong
// code (401). An unknown email address is counted, checked and refused like a known one, in the
// same time, so that nobody learns who exists.
//
// A user whose own counter is exhausted (sign-in-attempts.ts) is refused as with a wrong password,
// unless a second factor is enrolled and its code is sent. Then both must be right, and the
// response does not say which was wrong, so that passwords cannot be guessed that way.
//
// Partly outside a transaction on purpose: the attempt must count whatever happens next, and no
// connection waits for half a second of scrypt.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { matchPassword } from './passwords.ts'
import { useCode } from './second-factors.ts'
import { endSessionOfToken, openSession } from './sessions.ts'
import {
  type AttemptSource,
  countAttemptFrom,
  countCode,
  countConfirmation,
  countUsers,
  uncountSignIn,
  unlockUser,
} from './sign-in-attempts.ts'
import { emailKey, USER_COLUMNS, type User } from './users.ts'

export const TEMPORARY_PASSWORD_MS = 72 * 3_600_000

type Deps = { sealer: Sealer; now: Date }

export type SignIn = {
  email: string
  password: string
  code?: string | undefined
  clientId?: string | undefined // For whoever has the same password at several clients.
  address: string
  caller: string // What the address is counted under.
  userAgent?: string | undefined
  oldToken?: string | undefined // Of the session that this one replaces.
}

type Candidate = User & {
  clientCode: string
  passwordHash: string
  passwordSetAt: Date
  isClientActive: boolean
}

type PasswordCheck = {
  looked: Candidate[] // Whose password was compared.
  right: Candidate[]
  exhausted: ReadonlySet<UserId>
  locked: ReadonlySet<UserId> // By this attempt.
}

export type SignInOutcome =
  | { token: string }
  | {
      refused: RefusalCode
      choices?: readonly string[] | undefined
      retryAfterSeconds?: number | undefined
    }

export async function checkPassword(
  db: Queryable,
  now: Date,
  signIn: SignIn,
): Promise<PasswordCheck> {
  const isLastHere = await countAttemptFrom(db, now, signIn)
  const known = await findCandidates(db, signIn)
  const ids = known.map(({ id }) => id)
  const { exhausted, last } = await countUsers(db, now, { userIds: ids, email: signIn.email })
  const counted = ids.filter((id) => !exhausted.has(id))
  const looked = known.filter(
    ({ id, hasTotp }) => !exhausted.has(id) || (hasTotp && signIn.code !== undefined),
  )
  const matches = await matchCounted(db, signIn, { users: looked, counted })
  const right = looked.filter((_, at) => matches[at])
  return { looked, right, exhausted, locked: isLastHere ? new Set(ids) : last }
}

// Refusals are answers here, not exceptions: what they leave behind must be committed.
export async function finishSignIn(
  tx: Transaction,
  deps: Deps,
  { signIn, checked }: { signIn: SignIn; checked: PasswordCheck },
): Promise<SignInOutcome> {
  const usable = checked.right.filter(({ isActive, isClientActive }) => isActive && isClientActive)
  const fresh = usable.filter(({ id }) => !checked.exhausted.has(id))
  // Of several, those that are exhausted are not among the choices: that would tell of a password.
  const user = fresh[0] ?? (usable.length === 1 ? usable[0] : undefined)
  const settle = () => uncountSignIn(tx, signIn, toIds(fresh))
  if (!user) {
    if (signIn.code !== undefined) await pretendToCheckCode(tx, deps, signIn.code)
    return fail(tx, deps, { signIn, checked, refused: 'invalid_sign_in' })
  }
  if (fresh.length > 1) {
    await settle()
    return { refused: 'client_id_needed', choices: fresh.map(({ clientCode }) => clientCode) }
  }
  const isExhausted = checked.exhausted.has(user.id)
  const isExpired = user.isPasswordTemporary && isTooOld(user, deps.now)
  if (isExpired && !isExhausted) {
    await settle()
    return { refused: 'password_expired' }
  }
  // Meanwhile the password may have been changed, or the user disabled.
  if (!(await lockUnchanged(tx, user))) {
    return fail(tx, deps, { signIn, checked, refused: 'invalid_sign_in' })
  }
  if (user.hasTotp && signIn.code === undefined) {
    // Uncounted, but kept: otherwise codes could be guessed without limit with a known password.
    await settle()
    return { refused: 'code_needed' }
  }
  const proof = await prove(tx, deps, { user, code: signIn.code })
  if ('how' in proof) {
    if (isExpired) return { refused: 'password_expired' }
    return succeed(tx, deps, { signIn, user, how: proof.how })
  }
  const failed = { ...checked, looked: [user] }
  if (isExhausted) return fail(tx, deps, { signIn, checked: failed, refused: 'invalid_sign_in' })
  if (proof.refused === 'too_many_attempts') return proof
  return fail(tx, deps, { signIn, checked: failed, refused: proof.refused })
}

type Proof =
  | { how: 'password' | 'totp' | 'recovery' }
  | { refused: 'invalid_code' }
  | { refused: 'too_many_attempts'; retryAfterSeconds: number }

// A code is counted before it is looked at, too, and only for who has the password: a stranger
// cannot use up the codes of somebody.
async function prove(
  tx: Transaction,
  { sealer, now }: Deps,
  { user, code }: { user: Candidate; code: string | undefined },
): Promise<Proof> {
  if (!user.hasTotp || code === undefined) return { how: 'password' }
  const attempt = await countCode(tx, now, user.id)
  if (attempt.isLocked) {
    return { refused: 'too_many_attempts', retryAfterSeconds: attempt.retryAfterSeconds }
  }
  const used = await useCode(tx, { sealer, now, userId: user.id, code })
  return used ? { how: used } : { refused: 'invalid_code' }
}

const NOBODY = {
  id: '00000000-0000-0000-0000-000000000000' as UserId,
  passwordHash: '',
}

// So that a wrong password with a code takes as long as a right one with a wrong code.
async function pretendToCheckCode(
  tx: Transaction,
  { sealer, now }: Deps,
  code: string,
): Promise<void> {
  await lockUnchanged(tx, NOBODY)
  await countCode(tx, now, `nobody ${code}`)
  await useCode(tx, { sealer, now, userId: NOBODY.id, code })
}

type Confirming = AttemptSource & { userId: UserId; password: string }

// Re-authentication before a sensitive action: the session may be hijacked.
// Counts as an attempt until `settleConfirmation` takes it back.
export async function confirmPassword(db: Queryable, now: Date, who: Confirming): Promise<boolean> {
  await countConfirmation(db, now, who)
  const { rows } = await db.query<{ passwordHash: string }>({
    name: 'password-of-user',
    text: 'select password_hash as "passwordHash" from users where id = $1',
    values: [who.userId],
  })
  const [isRight = false] = await matchCounted(db, who, { users: rows, counted: [who.userId] })
  return isRight
}

export function settleConfirmation(db: Queryable, who: Confirming): Promise<void> {
  return uncountSignIn(db, who, [who.userId])
}

// When we are too busy to look, the attempt does not count.
async function matchCounted(
  db: Queryable,
  who: AttemptSource & { password: string },
  { users, counted }: { users: readonly { passwordHash: string }[]; counted: readonly UserId[] },
): Promise<boolean[]> {
  try {
    return await matchPassword(
      who.password,
      users.map(({ passwordHash }) => passwordHash),
    )
  } catch (error) {
    await uncountSignIn(db, who, counted)
    throw error
  }
}

function toIds(users: readonly Candidate[]): UserId[] {
  return users.map(({ id }) => id)
}

async function findCandidates(db: Queryable, { email, clientId }: SignIn): Promise<Candidate[]> {
  const { rows } = await db.query<Candidate>({
    name: 'sign-in-candidates',
    text: `select ${USER_COLUMNS}, users.password_hash as "passwordHash",
                  users.password_set_at as "passwordSetAt", c.client_id as "clientCode",
                  c.is_active as "isClientActive"
             from users join clients c on c.id = users.client_id
            where users.email = $1 and ($2::text is null or c.client_id = $2)
            order by c.client_id`,
    values: [emailKey(email), clientId ?? null],
  })
  return rows
}

function isTooOld({ passwordSetAt }: Candidate, now: Date): boolean {
  return now.getTime() - passwordSetAt.getTime() > TEMPORARY_PASSWORD_MS
}

async function lockUnchanged(tx: Transaction, user: typeof NOBODY): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'lock-unchanged-user',
    text: `select 1 from users where id = $1 and password_hash = $2 and is_active
              for no key update`,
    values: [user.id, user.passwordHash],
  })
  return rowCount === 1
}

type FailedSignIn = {
  signIn: SignIn
  checked: PasswordCheck
  refused: 'invalid_sign_in' | 'invalid_code'
}

async function fail(
  tx: Transaction,
  { now }: Deps,
  { signIn: { address }, checked: { looked, locked }, refused }: FailedSignIn,
): Promise<SignInOutcome> {
  const actor = `address:${address}`
  for (const { id, clientId, email } of looked) {
    const about = { clientId, actor, subject: `user/${email}` }
    const detail = { wrong: refused === 'invalid_code' ? 'code' : 'password' }
    await writeAuditLog(tx, now, { ...about, action: 'user.sign_in_failed', detail })
    if (locked.has(id))
      await writeAuditLog(tx, now, { ...about, action: 'user.locked', detail: {} })
  }
  return { refused }
}

async function succeed(
  tx: Transaction,
  { now }: Deps,
  { signIn, user, how }: { signIn: SignIn; user: User; how: string },
): Promise<SignInOutcome> {
  const { address, userAgent, oldToken } = signIn
  await uncountSignIn(tx, signIn, [])
  await unlockUser(tx, user.id)
  if (oldToken !== undefined) await endSessionOfToken(tx, oldToken)
  await tx.query({
    name: 'mark-sign-in',
    text: 'update users set signed_in_at = $2 where id = $1',
    values: [user.id, now],
  })
  await writeAuditLog(tx, now, {
    clientId: user.clientId,
    actor: `user:${user.email}`,
    action: 'user.sign_in',
    subject: `user/${user.email}`,
    detail: { address, with: how },
  })
  return { token: await openSession(tx, now, { user, from: { address, userAgent } }) }
}
