// /dashboard/api/password-reset: a user who forgot the password gets a link by e-mail and chooses a new one.

import { Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { accepted } from '#http/envelopes.ts'
import { rateLimitKey } from '#http/rate-limits.ts'
import { resource } from '#http/resource.ts'
import { Email, named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  acceptReset,
  countResetRequest,
  findReset,
  type PasswordReset,
  requestReset,
} from './password-resets.ts'
import { hashPassword, passwordProblem } from './passwords.ts'
import { sharedSalt } from './users.ts'
import { LinkToken, NewPassword } from './views.ts'

const LOGIN_RATE = { config: { rate: 'login' } } as const
const strict = { additionalProperties: false }

const PasswordResetView = view('PasswordReset', (f: Fields<PasswordReset>) => ({
  email: f.text('email'),
  clientName: f.text('clientName'),
}))

export const passwordResets = resource('/dashboard/api/password-reset', {
  tag: 'Dashboard',
  noun: 'password reset',
  view: PasswordResetView,
  scopes: 'anyone',
})
  .route('POST', 'requestPasswordReset', {
    path: '/request',
    summary: 'Ask for a link to reset your password',
    description:
      'The answer is the same for every address. A user with this address gets a link by email, one an ' +
      'hour at most. 429 too_many_attempts: after 5 requests for one email address within an hour, or ' +
      '20 from one IP address within 15 minutes.',
    route: LOGIN_RATE,
    body: Type.Object({ email: Email }, strict),
    view: named('RequestedPasswordReset', {
      isRequested: Type.Boolean({
        description: 'Always true, whether there is such a user or not.',
      }),
    }),
    errors: ['too_many_attempts'],
    handle: async ({ db, clock, body, request: { ip } }) => {
      const attempt = { email: body.email, address: ip, caller: rateLimitKey(ip) }
      await countResetRequest(db, clock(), attempt)
      await withTransaction(db, (tx) => requestReset(tx, clock(), attempt))
      return accepted('Password reset requested successfully', { isRequested: true })
    },
  })
  .route('POST', 'openPasswordReset', {
    path: '/open',
    summary: 'Look at a password reset',
    description: 'Whose password the link resets. Does not use it up.',
    route: LOGIN_RATE,
    body: Type.Object({ token: LinkToken }, strict),
    errors: ['reset_invalid'],
    handle: async ({ db, clock, body }) => {
      const reset = await findReset(db, clock(), body.token)
      if (!reset) throw new Refusal('reset_invalid')
      return accepted('Password reset retrieved successfully', PasswordResetView.present(reset))
    },
  })
  .route('POST', 'acceptPasswordReset', {
    path: '/accept',
    summary: 'Choose a new password',
    description:
      'Uses the link up, sets the password and ends all sessions. Opens none: sign in with the new ' +
      'password, and with your second factor if you have one.',
    route: LOGIN_RATE,
    body: Type.Object({ token: LinkToken, password: NewPassword }, strict),
    view: named('AcceptedPasswordReset', { email: Type.String() }),
    errors: ['address_not_allowed', 'reset_invalid'],
    handle: async (call) => {
      const { db, clock, sealer, mailsUsers, request } = call
      const { token, password } = call.body
      const reset = await findReset(db, clock(), token)
      if (!reset) throw new Refusal('reset_invalid')
      const { id, email } = reset
      const problem = passwordProblem(password, email)
      if (problem) throw new Refusal('invalid_request', [{ field: 'password', message: problem }])
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
      const mail = mailsUsers ? { sealer } : undefined
      await withTransaction(db, (tx) =>
        acceptReset(tx, clock(), { token, passwordHash, address: request.ip, mail }),
      )
      return accepted('Password set successfully', { email })
    },
  })
