// Signing in: an address, a password, and a code for whoever has a second factor.
//
// In order: is the caller's address locked, is the name (429); is the password somebody's (401);
// whose, when several have it (409); is it a temporary one that has run out (401); is the code
// there and right (401). A name that nobody has is counted, checked and refused like any other, in
// the same time, so that nobody learns who is known here.
//
// Half of it is outside a transaction on purpose: the attempt must count whatever happens next, and
// no connection waits while half a second of scrypt goes by.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Sealer } from '#seal.ts'
import { recordAction } from './actions.ts'
import { type Counted, countAttempt, forgetAttempts, takeBackAttempt } from './login-limits.ts'
import { matchPassword } from './passwords.ts'
import { useCode } from './second-factors.ts'
import { endSessionOfToken, openSession } from './sessions.ts'
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

export type Checked = { known: Candidate[]; right: Candidate[]; isLastAttempt: boolean }

export type SignInOutcome =
  | { token: string }
  | { refused: RefusalCode; choices?: readonly string[] | undefined }

export async function checkPassword(db: Queryable, now: Date, signIn: SignIn): Promise<Checked> {
  const isLastAttempt = await beginAttempt(db, now, signIn)
  const known = await findCandidates(db, signIn)
  const hashes = known.map(({ passwordHash }) => passwordHash)
  const matches = await matchCounted(db, signIn, hashes)
  return { known, right: known.filter((_, at) => matches[at]), isLastAttempt }
}

// Refusals are answers here, not exceptions: what they leave behind must be committed.
export async function finishSignIn(
  tx: Transaction,
  deps: Deps,
  signIn: SignIn,
  checked: Checked,
): Promise<SignInOutcome> {
  const usable = checked.right.filter(({ isActive, isClientActive }) => isActive && isClientActive)
  const user = usable[0]
  if (!user) return fail(tx, deps, signIn, checked, 'invalid_sign_in')
  if (usable.length > 1) {
    await settleAttempt(tx, signIn)
    return { refused: 'client_id_needed', choices: usable.map(({ clientCode }) => clientCode) }
  }
  if (user.isPasswordTemporary && isTooOld(user, deps.now)) {
    await settleAttempt(tx, signIn)
    return { refused: 'password_expired' }
  }
  // Meanwhile the password may have been changed, or the user disabled.
  if (!(await lockUnchanged(tx, user))) {
    return fail(tx, deps, signIn, checked, 'invalid_sign_in')
  }
  let how: 'password' | 'totp' | 'recovery' = 'password'
  if (user.hasTotp) {
    if (signIn.code === undefined) {
      // Taken back, but not forgotten: else whoever has the password could try codes for ever.
      await settleAttempt(tx, signIn)
      return { refused: 'code_needed' }
    }
    const used = await useCode(tx, deps.sealer, deps.now, user.id, signIn.code)
    if (!used) return fail(tx, deps, signIn, { ...checked, known: [user] }, 'invalid_code')
    how = used
  }
  return succeed(tx, deps, signIn, user, how)
}

// Of somebody who is signed in, before something that matters: the session may be a borrowed one.
// Counts as an attempt until `settleAttempt` takes it back.
export async function confirmPassword(
  db: Queryable,
  now: Date,
  who: Attempted & { userId: string },
): Promise<boolean> {
  await beginAttempt(db, now, who)
  const { rows } = await db.query<{ hash: string }>({
    name: 'password-of-user',
    text: 'select password_hash as hash from users where id = $1',
    values: [who.userId],
  })
  const hashes = rows.map(({ hash }) => hash)
  const [isRight = false] = await matchCounted(db, who, hashes)
  return isRight
}

// When we are too busy to look, the attempt does not count.
async function matchCounted(
  db: Queryable,
  who: Attempted,
  hashes: readonly string[],
): Promise<boolean[]> {
  try {
    return await matchPassword(who.password, hashes)
  } catch (error) {
    await settleAttempt(db, who)
    throw error
  }
}

type Attempted = { email: string; password: string; caller: string }

async function beginAttempt(db: Queryable, now: Date, who: Attempted): Promise<boolean> {
  let isLast = false
  for (const counted of countedFor(who)) {
    const attempt = await countAttempt(db, now, counted)
    if (attempt.isLocked) {
      throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
    }
    isLast = attempt.isLast
  }
  return isLast
}

// It was no failure.
export async function settleAttempt(db: Queryable, who: Attempted): Promise<void> {
  for (const counted of countedFor(who)) await takeBackAttempt(db, counted)
}

// The address first: one that is locked must not go on to lock names.
function countedFor({ email, caller }: Attempted): Counted[] {
  return [
    { kind: 'user-address', key: caller },
    { kind: 'user', key: emailKey(email) },
  ]
}

export async function unlockUser(db: Queryable, email: string): Promise<void> {
  await forgetAttempts(db, { kind: 'user', key: emailKey(email) })
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

async function lockUnchanged(tx: Transaction, user: Candidate): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'lock-unchanged-user',
    text: `select 1 from users where id = $1 and password_hash = $2 and is_active
              for no key update`,
    values: [user.id, user.passwordHash],
  })
  return rowCount === 1
}

async function fail(
  tx: Transaction,
  { now }: Deps,
  { address }: SignIn,
  { known, isLastAttempt }: Checked,
  refused: 'invalid_sign_in' | 'invalid_code',
): Promise<SignInOutcome> {
  const actor = `address:${address}`
  for (const { clientId, email } of known) {
    const about = { clientId, actor, subject: `user/${email}` }
    const detail = { wrong: refused === 'invalid_code' ? 'code' : 'password' }
    await recordAction(tx, now, { ...about, action: 'user.sign_in_failed', detail })
    if (isLastAttempt) await recordAction(tx, now, { ...about, action: 'user.locked', detail: {} })
  }
  return { refused }
}

async function succeed(
  tx: Transaction,
  { now }: Deps,
  { email, address, caller, userAgent, oldToken }: SignIn,
  user: User,
  how: string,
): Promise<SignInOutcome> {
  await forgetAttempts(tx, { kind: 'user', key: emailKey(email) })
  await takeBackAttempt(tx, { kind: 'user-address', key: caller })
  if (oldToken !== undefined) await endSessionOfToken(tx, oldToken)
  await tx.query({
    name: 'mark-sign-in',
    text: 'update users set signed_in_at = $2 where id = $1',
    values: [user.id, now],
  })
  await recordAction(tx, now, {
    clientId: user.clientId,
    actor: `user:${user.email}`,
    action: 'user.sign_in',
    subject: `user/${user.email}`,
    detail: { address, with: how },
  })
  return { token: await openSession(tx, now, user, { address, userAgent }) }
}
