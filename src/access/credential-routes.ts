// A user's own password and second factor: /dashboard/api/password and /dashboard/api/totp. Users confirm
// their identity before every change, because an attacker may have hijacked the session. Failures are counted
// and recorded like failed sign-ins.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { accepted } from '#http/envelopes.ts'
import { publicAddress } from '#http/pages.ts'
import { rateLimitKey } from '#http/rate-limits.ts'
import { type Call, resource } from '#http/resource.ts'
import { named } from '#http/schemas.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { countConfirmation } from './attempts.ts'
import { finishTakeOver } from './invitations.ts'
import { relyingParty, usePasskey } from './passkeys.ts'
import { mailPasswordChanged } from './password-resets.ts'
import { hashPassword, passwordProblem } from './passwords.ts'
import { beginTotp, confirmTotp, hasSecondFactor, removeTotp, useCode } from './second-factors.ts'
import { endUserSessions, isProvenByProvider, lockUserOf, openSession } from './sessions.ts'
import { confirmPasskey, confirmPassword, settleConfirmation } from './sign-in.ts'
import { setPassword, sharedSalt } from './users.ts'
import { Code, Confirmation, NewPassword, Password } from './views.ts'

// Writes an action of the signed-in user on their own account to the audit log.
export function recordOwnAction(
  tx: Transaction,
  { request, now }: Pick<Call, 'request' | 'now'>,
  action: `user.${string}`,
  detail: object = {},
): Promise<void> {
  const { clientId, email } = request.session.user
  const subject = `user/${email}`
  return writeAuditLog(tx, now, { clientId, actor: `user:${email}`, action, subject, detail })
}

// Time and origin for a WebAuthn ceremony. Challenges expire by the real clock, not by a sandbox's test
// clock.
export function ceremonyOf({ realClock, publicUrl, request }: Call) {
  const party = relyingParty(publicAddress(publicUrl, request.server.server))
  return { now: realClock(), relyingParty: party }
}

export const CONFIRMATION_ERRORS = ['code_needed', 'invalid_code', 'invalid_passkey'] as const

// Confirms the signed-in user's identity before a sensitive change: by a passkey, or by the password, with a
// code if the user has a second factor. A session that began a moment ago with a fresh sign-in at the
// client's provider needs no password. Returns a function that locks the user and uses up the code or the
// passkey: call it first in the transaction of the change.
export async function confirmIdentity(
  call: Call & { body: Static<typeof Confirmation> },
): Promise<(tx: Transaction) => Promise<unknown>> {
  const { db, sealer, realClock: clock, request } = call
  const { password, code, passkey } = call.body
  if (passkey) return confirmWithPasskey(call, passkey)
  const isProven = await isProvenByProvider(db, clock(), request.session)
  if (password === undefined && !isProven) {
    throw invalidField(
      'password',
      'Required, unless you confirm with a passkey or have just signed in again.',
    )
  }
  const userId = request.session.user.id
  const needsCode = await hasSecondFactor(db, userId)
  if (needsCode && code === undefined) throw new Refusal('code_needed')
  if (password !== undefined) await refuseWrongPassword(call, password)
  else await countConfirmation(db, clock(), attempterOf(call))
  return async (tx) => {
    await lockUserOf(tx, request.session)
    if (!needsCode || code === undefined) return
    const usedFactor = await useCode(tx, { sealer, now: clock(), userId, code })
    if (!usedFactor) throw new Refusal('invalid_code')
  }
}

// Checks the signature outside the transaction. The returned function then locks the user and stores the
// passkey's counter.
async function confirmWithPasskey(
  call: Call,
  credential: NonNullable<Static<typeof Confirmation>['passkey']>,
) {
  const { db, request } = call
  const { session } = request
  const confirmed = await confirmPasskey(db, ceremonyOf(call), {
    who: attempterOf(call),
    session,
    credential: { ...credential, clientExtensionResults: {} },
  })
  if (!confirmed) {
    await recordFailure(call)
    throw new Refusal('invalid_passkey')
  }
  const { passkey, counter } = confirmed
  return async (tx: Transaction) => {
    await lockUserOf(tx, session)
    const use = { id: passkey.id, userId: session.user.id, counter }
    if (!(await usePasskey(tx, call.realClock(), use))) throw new Refusal('invalid_passkey')
  }
}

// Counts the attempt and checks the signed-in user's password. Records a wrong one in the audit log.
async function refuseWrongPassword(call: Call, password: string): Promise<void> {
  const { db, realClock } = call
  if (await confirmPassword(db, realClock(), { ...attempterOf(call), password })) return
  await recordFailure(call)
  throw new Refusal('wrong_password')
}

// Records a failed confirmation in the audit log, in a transaction of its own.
function recordFailure(call: Call): Promise<void> {
  const { db, request, realClock } = call
  return withCaller(call, { request, pool: db }, (tx) =>
    recordOwnAction(tx, { request, now: realClock() }, 'user.confirm_failed'),
  )
}

// Uncounts the attempt that confirmIdentity counted. Call once the confirmed change is committed.
export function uncountConfirmation(call: Call): Promise<void> {
  return settleConfirmation(call.db, attempterOf(call))
}

// The user and the IP address for which failed confirmations are counted.
function attempterOf({ request }: Call) {
  const { id: userId, email } = request.session.user
  return { email, userId, caller: rateLimitKey(request.ip) }
}

const strict = { additionalProperties: false }

export const ownCredentials = resource('/dashboard/api', {
  tag: 'Dashboard',
  noun: 'second factor',
  view: named('TotpState', { hasTotp: Type.Boolean() }),
  scopes: 'session',
})
  .route('PUT', 'changeOwnPassword', {
    path: '/password',
    scope: 'any_session',
    summary: 'Change your password',
    description: 'Returns a new session and its csrfToken. All your other sessions end.',
    body: Type.Object({ currentPassword: Password, newPassword: NewPassword }, strict),
    view: named('CsrfToken', { csrfToken: Type.String() }),
    errors: ['too_many_attempts', 'wrong_password'],
    handle: async (call) => {
      const { db, clock, sealer, request, reply, sessionCookies, mailsUsers } = call
      const { user } = request.session
      const { currentPassword, newPassword } = call.body
      refuseBadPassword(newPassword, currentPassword, user.email)
      await refuseWrongPassword(call, currentPassword)
      await uncountConfirmation(call)
      const hash = await hashPassword(newPassword, await sharedSalt(db, user.email, user.id))
      const from = { address: request.ip, userAgent: request.headers['user-agent'] }
      const token = await withCaller(call, { request, pool: db }, async (tx) => {
        const now = clock()
        await lockUserOf(tx, request.session)
        await setPassword(tx, now, { id: user.id, hash, isTemporary: false })
        await endUserSessions(tx, user.id)
        await recordOwnAction(tx, { request, now }, 'user.change_password')
        const { address } = from
        if (mailsUsers) await mailPasswordChanged(tx, now, { sealer, user, address })
        return openSession(tx, now, { user, from })
      })
      sessionCookies.begin(reply, token)
      const data = { csrfToken: sessionCookies.csrfTokenOf(token) }
      return accepted('Password changed successfully', data)
    },
  })
  .act('beginTotp', {
    path: '/totp',
    summary: 'Start two-factor enrolment',
    description:
      'Returns the secret for the authenticator app. It takes effect once confirmed with a ' +
      'code; until then any existing second factor stays. Who has a second factor confirms ' +
      'with it: a code with the password, or a passkey.',
    body: Confirmation,
    isKeyed: false,
    view: named('TotpEnrolment', { secret: Type.String(), uri: Type.String() }),
    errors: [...CONFIRMATION_ERRORS, 'wrong_password'],
    message: 'Two-factor enrolment started successfully',
    prepare: confirmIdentity,
    run: async (tx, { prepared: use, sealer, now, request: { session } }) => {
      await use(tx)
      return beginTotp(tx, { sealer, now, session })
    },
    after: uncountConfirmation,
  })
  .act('confirmTotp', {
    path: '/totp/confirm',
    summary: 'Confirm two-factor enrolment',
    description: 'With a code of the app. Returns recovery codes, shown once.',
    body: Type.Object({ code: Code }, strict),
    isKeyed: false,
    view: named('RecoveryCodes', {
      recoveryCodes: Type.Array(Type.String(), {
        description: 'Shown only once. Each can be used once instead of a code.',
      }),
    }),
    errors: ['invalid_code', 'totp_not_begun'],
    message: 'Second factor added successfully',
    run: async (tx, call) => {
      const { sealer, now, policy, body } = call
      const { session } = call.request
      await lockUserOf(tx, session)
      const recoveryCodes = await confirmTotp(tx, { sealer, now, session, code: body.code })
      await recordOwnAction(tx, call, 'user.add_totp')
      await finishTakeOver(tx, now, { user: session.user, waitHours: policy.approverWaitHours })
      return { recoveryCodes }
    },
  })
  .act('removeTotp', {
    path: '/totp/remove',
    summary: 'Remove the second factor',
    description: 'With your password and a code.',
    body: Type.Object({ password: Password, code: Code }, strict),
    isKeyed: false,
    errors: ['invalid_code', 'wrong_password'],
    message: 'Second factor removed successfully',
    prepare: (call) => refuseWrongPassword(call, call.body.password),
    run: async (tx, call) => {
      const { sealer, now, body } = call
      const { session } = call.request
      const userId = session.user.id
      await lockUserOf(tx, session)
      if (!(await useCode(tx, { sealer, now, userId, code: body.code })))
        throw new Refusal('invalid_code')
      await removeTotp(tx, userId)
      await recordOwnAction(tx, call, 'user.remove_totp')
      return { hasTotp: false }
    },
    after: uncountConfirmation,
  })

// Refuses a new password that equals the current one or is too easy to guess.
function refuseBadPassword(password: string, current: string, email: string): void {
  const problem =
    password === current
      ? 'Must differ from the current password.'
      : passwordProblem(password, email)
  if (problem) throw invalidField('newPassword', problem)
}
