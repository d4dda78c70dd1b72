// Signing in with a passkey alone. The passkey identifies and verifies its user.
//
// Attempts are counted like passwords, before the check: per address, and per address and passkey
// (429). The user's own counter counts them too but never refuses them: a signature cannot be
// guessed, and strangers who guess passwords must not lock out the owner of the key.

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { UserId } from '#ids.ts'
import { type CheckedAssertion, checkAssertion, type RelyingParty } from './passkey-ceremonies.ts'
import { usePasskey } from './passkeys.ts'
import { countAttemptFrom, countUsers } from './sign-in-attempts.ts'
import {
  failSignIn,
  type SignInCaller,
  type SignInOutcome,
  succeedSignIn,
} from './sign-in-outcomes.ts'
import { findUser } from './users.ts'

type PasskeySignIn = SignInCaller & { credential: AuthenticationResponseJSON }

type PasskeyCheck = CheckedAssertion & { locked: ReadonlySet<UserId> } // Users whom this attempt locks.

// Call outside a transaction, as for passwords: the attempt must count and the challenge must be
// used up even if the sign-in fails.
export async function checkPasskey(
  db: Queryable,
  ceremony: { now: Date; relyingParty: RelyingParty },
  signIn: PasskeySignIn,
): Promise<PasskeyCheck> {
  const { now } = ceremony
  const { credential } = signIn
  const isLastHere = await countAttemptFrom(db, now, sourceOf(signIn))
  const checked = await checkAssertion(db, ceremony, { use: { purpose: 'sign_in' }, credential })
  const userIds = checked.passkey ? [checked.passkey.userId] : []
  const { last } = await countUsers(db, now, { userIds, email: sourceOf(signIn).email })
  return { ...checked, locked: isLastHere ? new Set(userIds) : last }
}

export async function finishPasskeySignIn(
  tx: Transaction,
  now: Date,
  { signIn, checked }: { signIn: PasskeySignIn; checked: PasskeyCheck },
): Promise<SignInOutcome> {
  const { passkey, counter, locked } = checked
  if (!passkey) return { refused: 'invalid_passkey' }
  const { id, userId, name } = passkey
  const isActive = await lockActive(tx, userId) // Before the passkey, in the same order as its removal.
  const user = await findUser(tx, userId)
  const isUsed =
    isActive && counter !== undefined && (await usePasskey(tx, now, { id, userId, counter }))
  if (user && isUsed) {
    const source = { ...signIn, ...sourceOf(signIn) }
    return succeedSignIn(tx, now, { signIn: source, user, how: 'passkey' })
  }
  return failSignIn(tx, now, {
    address: signIn.address,
    comparedUsers: user ? [user] : [],
    locked,
    refused: 'invalid_passkey',
    detail: { passkey: name, ...(isActive && counter !== undefined ? { counter } : {}) },
  })
}

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
function sourceOf({ caller, credential }: PasskeySignIn) {
  return { caller, email: `passkey ${credential.id}` }
}
