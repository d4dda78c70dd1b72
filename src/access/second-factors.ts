// The second factor: a TOTP code (RFC 6238), or a recovery code when the app or the passkey
// (passkeys.ts) is lost. Each is accepted once; the database decides between concurrent uses.

import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import type { SignedInSession } from './sessions.ts'

const PERIOD_SECONDS = 30
const STEPS_EITHER_WAY = 1 // Phone clocks drift, and people type slowly.
const SECRET_BYTES = 20
const RECOVERY_CODES = 10

// No vowels, so that no words appear. More than 50 bits, stored as a keyed hash.
const RECOVERY_LETTERS = 'bcdfghjkmnpqrstvwxz23456789'
const RECOVERY_LENGTH = 12

const ENROLMENT_MAX_MS = 10 * 60_000

type TotpEnrolment = {
  sealer: Sealer
  now: Date
  session: Pick<SignedInSession, 'sessionId' | 'user'>
}

// The secret stays pending until a code from the app confirms it, within ENROLMENT_MAX_MS and in the same
// session. Otherwise a person with a stolen password could begin the enrolment, and finish it after the user
// has added a second factor.
export async function beginTotp(
  db: Queryable,
  { sealer, now, session: { sessionId, user } }: TotpEnrolment,
): Promise<{ secret: string; uri: string }> {
  const secret = new Secret({ size: SECRET_BYTES })
  await db.query({
    name: 'begin-totp',
    text: `update users set totp_pending_sealed = $2, totp_pending_session_id = $3,
                            totp_pending_until = $4
            where id = $1`,
    values: [
      user.id,
      sealer.seal(secret.base32),
      sessionId,
      new Date(now.getTime() + ENROLMENT_MAX_MS),
    ],
  })
  return { secret: secret.base32, uri: createTotp(secret.base32, user.email).toString() }
}

// Makes the pending secret the user's second factor if the code is right, which proves that the user's app
// has the secret. Returns new recovery codes.
export async function confirmTotp(
  tx: Transaction,
  { sealer, now, session: { sessionId, user }, code }: TotpEnrolment & { code: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ pending: Buffer | null }>({
    name: 'lock-pending-totp',
    text: `select totp_pending_sealed as pending from users
            where id = $1 and totp_pending_session_id = $2 and totp_pending_until > $3
              for no key update`,
    values: [user.id, sessionId, now],
  })
  const pending = rows[0]?.pending
  if (!pending) throw new Refusal('totp_not_begun')
  const step = findStep(sealer.open(pending), now, code)
  if (step === undefined) throw new Refusal('invalid_code')
  await tx.query({
    name: 'confirm-totp',
    text: `update users set totp_sealed = totp_pending_sealed, totp_pending_sealed = null,
                            totp_step = $2
            where id = $1`,
    values: [user.id, step],
  })
  return replaceRecoveryCodes(tx, sealer, user.id)
}

// Cancels an enrolment that was begun before the user added another second factor.
export async function dropBegunTotp(tx: Transaction, userId: UserId): Promise<void> {
  await tx.query({
    name: 'drop-begun-totp',
    text: 'update users set totp_pending_sealed = null where id = $1',
    values: [userId],
  })
}

// Removes the user's authenticator app, and the recovery codes unless the user has a passkey.
export async function removeTotp(tx: Transaction, userId: UserId): Promise<void> {
  await tx.query({
    name: 'remove-totp',
    text: `update users set totp_sealed = null, totp_pending_sealed = null, totp_step = null
            where id = $1`,
    values: [userId],
  })
  await dropIdleRecoveryCodes(tx, userId)
}

// Deletes the recovery codes of a user who has neither an authenticator app nor a passkey. A recovery code
// stands in for a lost second factor, so without a second factor it has no purpose.
export async function dropIdleRecoveryCodes(tx: Transaction, userId: UserId): Promise<void> {
  if (await hasSecondFactor(tx, userId)) return
  await tx.query({
    name: 'remove-recovery-codes',
    text: 'delete from recovery_codes where user_id = $1',
    values: [userId],
  })
}

// Whether the user has an authenticator app or a passkey. Recovery codes alone do not count.
export async function hasSecondFactor(db: Queryable, userId: UserId): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'has-second-factor',
    text: `select from users
            where id = $1 and (totp_sealed is not null
                               or exists (select from passkeys where user_id = users.id))`,
    values: [userId],
  })
  return rowCount === 1
}

// Uses up the code. Returns undefined if it is wrong.
export async function useCode(
  tx: Transaction,
  { sealer, now, userId, code }: { sealer: Sealer; now: Date; userId: UserId; code: string },
): Promise<'totp' | 'recovery' | undefined> {
  const isTotp = /^[0-9]{6}$/.test(code)
  if (isTotp) return (await useTotp(tx, { sealer, now, userId, code })) ? 'totp' : undefined
  const { rowCount } = await tx.query({
    name: 'use-recovery-code',
    text: 'delete from recovery_codes where user_id = $1 and code_hash = $2',
    values: [userId, hashCode(sealer, userId, code)],
  })
  return rowCount === 1 ? 'recovery' : undefined
}

// Accepts a code only for a later time step than the last used one, so that no code works twice.
async function useTotp(
  tx: Transaction,
  { sealer, now, userId, code }: { sealer: Sealer; now: Date; userId: UserId; code: string },
): Promise<boolean> {
  const { rows } = await tx.query<{ sealed: Buffer | null }>({
    name: 'totp-of-user',
    text: 'select totp_sealed as sealed from users where id = $1',
    values: [userId],
  })
  const sealed = rows[0]?.sealed
  const step = sealed ? findStep(sealer.open(sealed), now, code) : undefined
  if (step === undefined) return false
  const { rowCount } = await tx.query({
    name: 'use-totp-step',
    text: 'update users set totp_step = $2 where id = $1 and (totp_step is null or totp_step < $2)',
    values: [userId, step],
  })
  return rowCount === 1
}

// Returns the 30-second time step of the code, or undefined if the code is wrong.
function findStep(secret: string, now: Date, code: string): number | undefined {
  const timestamp = now.getTime()
  const stepsAhead = createTotp(secret, '').validate({
    token: code,
    timestamp,
    window: STEPS_EITHER_WAY,
  })
  return stepsAhead === null
    ? undefined
    : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + stepsAhead
}

// Uses SHA-1 and six digits, because some apps ignore other parameters and show wrong codes. The app shows
// `label` beside the code; to check a code, none is needed.
function createTotp(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: 'Manilla',
    label: label || 'user',
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  })
}

// Replaces the user's recovery codes. Returns the new ones, which are shown once; only keyed hashes are
// stored.
export async function replaceRecoveryCodes(
  tx: Transaction,
  sealer: Sealer,
  userId: UserId,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await tx.query({
    name: 'drop-recovery-codes',
    text: 'delete from recovery_codes where user_id = $1',
    values: [userId],
  })
  await tx.query({
    name: 'add-recovery-codes',
    text: 'insert into recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])',
    values: [userId, codes.map((code) => hashCode(sealer, userId, code))],
  })
  return codes
}

// Returns random letters and digits in groups of four, such as `bcdf-ghjk-mn23`.
function newRecoveryCode(): string {
  const letters = Array.from(
    { length: RECOVERY_LENGTH },
    () => RECOVERY_LETTERS[randomInt(RECOVERY_LETTERS.length)],
  )
  return letters.join('').replace(/.{4}(?=.)/g, '$&-')
}

// Ignores dashes, spaces and case.
function hashCode(sealer: Sealer, userId: UserId, code: string): Buffer {
  return sealer.hash('recovery-code', `${userId}/${code.toLowerCase().replace(/[\s-]/g, '')}`)
}
