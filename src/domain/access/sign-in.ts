// Signing in with email address, password and, where enrolled, a second factor: a code or a passkey.
//
// Checked in this order: the caller's address is locked, for all users or for this one (429); wrong
// password (401); several users match (409); expired temporary password (401); missing or wrong
// second factor (401). An unknown email address is counted, checked and refused like a known one
// and in the same time, so that nobody learns who exists.
//
// A user whose own counter is exhausted (sign-in-attempts.ts) is refused as with a wrong password,
// unless a second factor is enrolled and sent. Then both must be right, and the response does not
// say which was wrong, so that passwords cannot be guessed that way.
//
// Part of this runs outside a transaction on purpose: the attempt must count even if the sign-in
// fails, and no connection should wait for half a second of scrypt.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import type { CheckedAssertion } from './passkey-ceremonies.ts'
import { usePasskey } from './passkeys.ts'
import { matchPassword } from './passwords.ts'
import { useCode } from './second-factors.ts'
import {
  type AttemptSource,
  countAttemptFrom,
  countCode,
  countUsers,
  uncountSignIn,
} from './sign-in-attempts.ts'
import {
  failSignIn,
  type SignInCaller,
  type SignInOutcome,
  succeedSignIn,
} from './sign-in-outcomes.ts'
import { emailKey, USER_COLUMNS, type User } from './users.ts'

export const TEMPORARY_PASSWORD_MS = 72 * 3_600_000

type Deps = { sealer: Sealer; now: Date }

export type SignIn = SignInCaller & {
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
  right: Candidate[]
  exhausted: ReadonlySet<UserId>
  locked: ReadonlySet<UserId> // The users whom this attempt locks.
}

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
  const right = comparedUsers.filter((_, at) => matches[at])
  return { comparedUsers, right, exhausted, locked: isLastHere ? new Set(ids) : last }
}

export async function finishSignIn(
  tx: Transaction,
  deps: Deps,
  { signIn, checked }: { signIn: SignIn; checked: PasswordCheck },
): Promise<SignInOutcome> {
  const usable = checked.right.filter(({ isActive, isClientActive }) => isActive && isClientActive)
  const fresh = usable.filter(({ id }) => !checked.exhausted.has(id))
  // Exhausted users are not among the choices: that would confirm their password.
  const user = fresh[0] ?? (usable.length === 1 ? usable[0] : undefined)
  const settle = () => uncountSignIn(tx, signIn, toIds(fresh))
  if (!user) {
    if (sendsSecondFactor(signIn)) await pretendToProve(tx, deps, signIn)
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
  // The password may have changed, or the user been disabled, since checkPassword.
  if (!(await lockUnchanged(tx, user))) {
    return fail(tx, deps, { signIn, checked, refused: 'invalid_sign_in' })
  }
  if (hasSecondFactor(user) && !sendsSecondFactor(signIn)) {
    // Uncounts this attempt but does not clear the counters: otherwise somebody with the password
    // could guess codes without limit.
    await settle()
    return { refused: user.hasPasskey ? 'passkey_needed' : 'code_needed' }
  }
  const proof = await prove(tx, deps, { user, signIn })
  if ('how' in proof) {
    if (isExpired) return { refused: 'password_expired' }
    return succeedSignIn(tx, deps.now, { signIn, user, how: proof.how })
  }
  const failed = { ...checked, looked: [user] }
  if (isExhausted) return fail(tx, deps, { signIn, checked: failed, refused: 'invalid_sign_in' })
  if (proof.refused === 'too_many_attempts') return proof
  return fail(tx, deps, { signIn, checked: failed, refused: proof.refused })
}

type Proof =
  | { how: 'password' | 'totp' | 'recovery' | 'passkey' }
  | { refused: 'invalid_code' | 'invalid_passkey' }
  | { refused: 'too_many_attempts'; retryAfterSeconds: number }

// Second factors are counted before the check too, and only if the password is right: a stranger
// cannot use up somebody's code attempts.
async function prove(
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

function hasSecondFactor({ hasTotp, hasPasskey }: Candidate): boolean {
  return hasTotp || hasPasskey
}

function sendsSecondFactor({ code, passkey }: SignIn): boolean {
  return code !== undefined || passkey !== undefined
}

const NOBODY = {
  id: '00000000-0000-0000-0000-000000000000' as UserId,
  passwordHash: '',
}

// A wrong password with a second factor must take as long as a right password with a wrong second factor.
async function pretendToProve(tx: Transaction, deps: Deps, signIn: SignIn): Promise<void> {
  await lockUnchanged(tx, NOBODY)
  await countCode(tx, deps.now, `nobody ${signIn.code}`)
  await useSecondFactor(tx, deps, { userId: NOBODY.id, signIn })
}

// An attempt refused because the server is busy does not count.
export async function matchCounted(
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

type Failure = {
  signIn: SignIn
  checked: PasswordCheck
  refused: 'invalid_sign_in' | 'invalid_code' | 'invalid_passkey'
}

function fail(
  tx: Transaction,
  { now }: Deps,
  { signIn: { address }, checked: { comparedUsers, locked }, refused }: Failure,
): Promise<SignInOutcome> {
  return failSignIn(tx, now, { address, comparedUsers, locked, refused })
}
