// Signing in with a passkey alone: it names its user, and verified that it is them.
//
// Counted like passwords, before it is checked: per address, and per address and passkey (429).
// The user's own counter counts it too, but does not stop it: a signature cannot be guessed, and
// strangers who guess passwords must not keep out whoever has the key.

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

export type PasskeySignIn = SignInCaller & { credential: AuthenticationResponseJSON }

type PasskeyCheck = CheckedAssertion & { locked: ReadonlySet<UserId> } // Locked by this attempt.

// Outside a transaction, as with passwords: the attempt counts, and the challenge is used up,
// whatever happens next.
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
  const isActive = await lockActive(tx, userId) // Before the passkey, as whoever removes it does.
  const user = await findUser(tx, userId)
  const isUsed =
    isActive && counter !== undefined && (await usePasskey(tx, now, { id, userId, counter }))
  if (user && isUsed) {
    const source = { ...signIn, ...sourceOf(signIn) }
    return succeedSignIn(tx, now, { signIn: source, user, how: 'passkey' })
  }
  return failSignIn(tx, now, {
    address: signIn.address,
    looked: user ? [user] : [],
    locked,
    refused: 'invalid_passkey',
    detail: { passkey: name, ...(isActive && counter !== undefined ? { counter } : {}) },
  })
}

// Of an active client.
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

// Nobody has typed an email address.
function sourceOf({ caller, credential }: PasskeySignIn) {
  return { caller, email: `passkey ${credential.id}` }
}
