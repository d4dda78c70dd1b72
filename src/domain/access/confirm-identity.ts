// Re-authentication before a sensitive action: the session may be hijacked. A password, with a code
// where a second factor is enrolled; or a passkey, which is both.
//
// Counts as an attempt until `settleConfirmation` takes it back.

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Queryable } from '#db/pool.ts'
import type { UserId } from '#ids.ts'
import { checkAssertion, type RelyingParty } from './passkey-ceremonies.ts'
import type { Passkey } from './passkeys.ts'
import type { SignedInSession } from './sessions.ts'
import { matchCounted } from './sign-in.ts'
import { type AttemptSource, countConfirmation, uncountSignIn } from './sign-in-attempts.ts'

type Confirming = AttemptSource & { userId: UserId }

export async function confirmPassword(
  db: Queryable,
  now: Date,
  who: Confirming & { password: string },
): Promise<boolean> {
  await countConfirmation(db, now, who)
  const { rows } = await db.query<{ passwordHash: string }>({
    name: 'password-of-user',
    text: 'select password_hash as "passwordHash" from users where id = $1',
    values: [who.userId],
  })
  const [isRight = false] = await matchCounted(db, who, { users: rows, counted: [who.userId] })
  return isRight
}

type PasskeyConfirmation = {
  who: Confirming
  session: SignedInSession
  credential: AuthenticationResponseJSON
}

// The passkey and its counter, to be used with the action (usePasskey); undefined: it is not right.
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

export function settleConfirmation(db: Queryable, who: Confirming): Promise<void> {
  return uncountSignIn(db, who, [who.userId])
}
