// Confirming one's identity before a change of one's own credentials, because the session may be
// hijacked. Failures count and are recorded like failed sign-ins.

import type { Static } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import {
  confirmPasskey,
  confirmPassword,
  settleConfirmation,
} from '#domain/access/confirm-identity.ts'
import { relyingParty } from '#domain/access/passkey-ceremonies.ts'
import { usePasskey } from '#domain/access/passkeys.ts'
import { hasSecondFactor, useCode } from '#domain/access/second-factors.ts'
import { lockUserOf, type SessionUser } from '#domain/access/sessions.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { publicAddress } from '#http/public-url.ts'
import { rateLimitKey } from '#http/rate-limit-keys.ts'
import type { Confirmation } from './passkey-schemas.ts'

type Given = Static<typeof Confirmation>

// `use` first in the transaction of the change: it locks the user; `settle` takes the attempt back when
// it has succeeded.
export type Confirmed = { use: (tx: Transaction) => Promise<void>; settle: () => Promise<void> }

// A passkey; or the password, with a code where a second factor is enrolled.
export async function confirmIdentity(
  deps: Deps,
  request: FastifyRequest,
  { password, code, passkey }: Given,
): Promise<Confirmed> {
  if (passkey) return withPasskey(deps, request, passkey)
  if (password === undefined) {
    const message = 'Required, unless you confirm with a passkey.'
    throw new Refusal('invalid_request', [{ field: 'password', message }])
  }
  const { db, sealer, clock } = deps
  const userId = request.session.user.id
  const needsCode = await hasSecondFactor(db, userId)
  if (needsCode && code === undefined) throw new Refusal('code_needed')
  const settle = await refuseWrongPassword(deps, request, password)
  return {
    settle,
    use: async (tx) => {
      await lockUserOf(tx, request.session)
      if (!needsCode || code === undefined) return
      const how = await useCode(tx, { sealer, now: clock(), userId, code })
      if (!how) throw new Refusal('invalid_code')
    },
  }
}

async function withPasskey(
  { db, clock, publicUrl }: Deps,
  { session, ip, server }: FastifyRequest,
  credential: NonNullable<Given['passkey']>,
): Promise<Confirmed> {
  const { id: userId, email } = session.user
  const who = { email, userId, caller: rateLimitKey(ip) }
  const party = relyingParty(publicAddress(publicUrl, server.server))
  const confirmed = await confirmPasskey(
    db,
    { now: clock(), relyingParty: party },
    { who, session, credential: { ...credential, clientExtensionResults: {} } },
  )
  if (!confirmed) {
    await withTransaction(db, (tx) =>
      record(tx, clock(), { visitor: session.user, action: 'user.confirm_failed' }),
    )
    throw new Refusal('invalid_passkey')
  }
  const { passkey, counter } = confirmed
  return {
    settle: () => settleConfirmation(db, who),
    use: async (tx) => {
      await lockUserOf(tx, session)
      const isUsed = await usePasskey(tx, clock(), { id: passkey.id, userId, counter })
      if (!isUsed) throw new Refusal('invalid_passkey')
    },
  }
}

// Returns a function that takes the attempt back on success.
export async function refuseWrongPassword(
  { db, clock }: Deps,
  { session: { user }, ip }: FastifyRequest,
  password: string,
): Promise<() => Promise<void>> {
  const who = { email: user.email, userId: user.id, caller: rateLimitKey(ip), password }
  if (await confirmPassword(db, clock(), who)) return () => settleConfirmation(db, who)
  await withTransaction(db, (tx) =>
    record(tx, clock(), { visitor: user, action: 'user.confirm_failed' }),
  )
  throw new Refusal('wrong_password')
}

type OwnAction = { visitor: SessionUser; action: `user.${string}`; detail?: object }

export function record(
  tx: Transaction,
  now: Date,
  { visitor: { clientId, email }, action, detail = {} }: OwnAction,
): Promise<void> {
  const actor = `user:${email}`
  return writeAuditLog(tx, now, { clientId, actor, action, subject: `user/${email}`, detail })
}
