// Schemas and presenters of users, sessions and passwords.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { InvitedUser } from '#domain/access/manage-users.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '#domain/access/password-rules.ts'
import { ROLES, type Role } from '#domain/access/roles.ts'
import type { Session } from '#domain/access/sessions.ts'
import { INVITATION_PATH } from '#domain/access/take-over.ts'
import type { User } from '#domain/access/users.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { publicAddress } from '#http/public-url.ts'
import { named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'

export { SESSION } from '#http/schemas.ts'

import { parseReference } from '#ids.ts'
import { timestamp } from '#wat-time.ts'

export const tags = ['Dashboard']

// Not validated: it either matches or does not.
export const Password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  'x-says': 'Must be 1 to 1000 characters.',
})

export const NewPassword = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description:
    `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, not a common password, not ` +
    'derived from the email address.',
  'x-says': `Must be ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`,
})

export const Code = Type.String({
  pattern: '^[0-9A-Za-z\\s-]{6,40}$',
  description: 'Six-digit code from the authenticator app, or a recovery code.',
  'x-says': 'Must be six digits or a recovery code.',
})

export const RoleName = Type.Unsafe<Role>({
  type: 'string',
  enum: [...ROLES],
  'x-says': `Must be one of ${ROLES.join(', ')}.`,
})

export const UserView = view('User', (f: Fields<User>) => ({
  id: f.text('id'),
  email: f.text('email'),
  role: f.oneOf('role', ROLES, 'What the user may do.'),
  isActive: f.flag('isActive'),
  isPasswordTemporary: f.flag('isPasswordTemporary', 'Must be changed at the next sign-in.'),
  hasTotp: f.flag('hasTotp', 'Whether an authenticator app is the second factor.'),
  hasPasskey: f.flag('hasPasskey', 'Whether the user has a passkey.'),
  countsFrom: f.timeOrNull(
    'ownFrom',
    'From when on they count as a person of their own. Null: they have not taken the account ' +
      'over, and what they request counts as made by whoever set their password.',
  ),
  createdAt: f.time('createdAt'),
  signedInAt: f.timeOrNull('signedInAt', 'Last sign-in.'),
}))

type UserWithPassword = User & { password: string; link: string; expiresAt: Date }

export const InvitedUserView = view('UserWithPassword', (f: Fields<UserWithPassword>) => ({
  ...UserView.fields,
  temporaryPassword: f.text(
    'password',
    'Shown only once. Valid for 72 hours; must be changed at the first sign-in.',
  ),
  invitationLink: f.text(
    'link',
    'Shown only once. Works once, for 72 hours: the user chooses their own password.',
  ),
  invitationExpiresAt: f.time('expiresAt'),
}))

type Inviting = Pick<Deps, 'publicUrl'> & { request: FastifyRequest; password: string }

// The token is in the fragment, which browsers send to nobody.
export function presentInvited(
  { user, invitation }: InvitedUser,
  { publicUrl, request, password }: Inviting,
) {
  const address = publicAddress(publicUrl, request.server.server)
  const link = `${address}${INVITATION_PATH}#${invitation.token}`
  return InvitedUserView.present({ ...user, password, link, expiresAt: invitation.expiresAt })
}

export const SessionBody = named('Session', {
  id: Type.String(),
  address: Type.String(),
  userAgent: Type.String(),
  isCurrent: Type.Boolean({ description: 'Whether this is the session of this request.' }),
  createdAt: Type.String(),
  seenAt: Type.String({ description: 'To the minute.' }),
  expiresAt: Type.String(),
})

export function presentSession(session: Session, currentId: string): Static<typeof SessionBody> {
  const { id, address, userAgent, createdAt, seenAt, expiresAt } = session
  return {
    id,
    address,
    userAgent,
    isCurrent: id === currentId,
    createdAt: timestamp(createdAt),
    seenAt: timestamp(seenAt),
    expiresAt: timestamp(expiresAt),
  }
}

export function requireId<Id extends string>(text: string, otherwise: RefusalCode): Id {
  const id = parseReference<Id>(text)
  if (!id) throw new Refusal(otherwise)
  return id
}
