// Users' changes of their own passkeys. A new one is new access to the account: whoever adds one
// waits before approving anything, as after any grant (access-grants.ts). Removing one may be
// because the device is lost: sessions elsewhere end with it.

import type { Transaction } from '#db/transaction.ts'
import type { PasskeyId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { recordGrant } from './access-grants.ts'
import { addPasskey, type Passkey, removePasskey } from './passkeys.ts'
import {
  dropBegunTotp,
  dropIdleRecoveryCodes,
  hasSecondFactor,
  replaceRecoveryCodes,
} from './second-factors.ts'
import { endOtherSessions, lockUserOf, type SignedInSession } from './sessions.ts'

type Registering = {
  session: SignedInSession
  passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'>
}

// With the first second factor come recovery codes, shown this once.
export async function registerPasskey(
  tx: Transaction,
  { now, sealer }: { now: Date; sealer: Sealer },
  { session, passkey }: Registering,
): Promise<{ passkey: Passkey; recoveryCodes: string[] }> {
  const { user } = session
  await lockUserOf(tx, session)
  const isFirst = !(await hasSecondFactor(tx, user.id))
  const added = await addPasskey(tx, now, { ...passkey, user })
  await dropBegunTotp(tx, user.id)
  const by = { userId: user.id, clientId: user.clientId }
  await recordGrant(tx, now, { by, user, isNewPassword: false })
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(tx, sealer, user.id) : []
  return { passkey: added, recoveryCodes }
}

// Answers the name that it had.
export async function dropPasskey(
  tx: Transaction,
  session: SignedInSession,
  id: PasskeyId,
): Promise<string> {
  const { sessionId, user } = session
  await lockUserOf(tx, session)
  const name = await removePasskey(tx, user.id, id)
  await dropIdleRecoveryCodes(tx, user.id)
  await endOtherSessions(tx, user.id, sessionId)
  return name
}
