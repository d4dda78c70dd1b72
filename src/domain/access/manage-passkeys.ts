// Users' changes of their own passkeys. A new passkey is new access to the account, so the user
// must wait before approving anything, as after any grant (access-grants.ts). A passkey may be
// removed because its device was lost, so removal ends the user's other sessions.

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

type PasskeyRegistration = {
  session: SignedInSession
  passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'>
}

// Recovery codes come with the first second factor and are shown only once.
export async function registerPasskey(
  tx: Transaction,
  { now, sealer }: { now: Date; sealer: Sealer },
  { session, passkey }: PasskeyRegistration,
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
