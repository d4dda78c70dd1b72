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
import { named, nullable, oneOf } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { timestamp } from '#wat-time.ts'

export const SESSION = [{ session: [] }]
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

export const UserBody = named('User', {
  id: Type.String(),
  email: Type.String(),
  role: oneOf(ROLES, 'What the user may do.'),
  isActive: Type.Boolean(),
  isPasswordTemporary: Type.Boolean({ description: 'Must be changed at the next sign-in.' }),
  hasTotp: Type.Boolean({ description: 'Whether an authenticator app is the second factor.' }),
  hasPasskey: Type.Boolean({ description: 'Whether the user has a passkey.' }),
  countsFrom: nullable('string', {
    description:
      'From when on they count as a person of their own. Null: they have not taken the account ' +
      'over, and what they request counts as made by whoever set their password.',
  }),
  createdAt: Type.String(),
  signedInAt: nullable('string', { description: 'Last sign-in.' }),
})

export const UserWithPassword = named('UserWithPassword', {
  ...UserBody.properties,
  temporaryPassword: Type.String({
    description: 'Shown only once. Valid for 72 hours; must be changed at the first sign-in.',
  }),
  invitationLink: Type.String({
    description: 'Shown only once. Works once, for 72 hours: the user chooses their own password.',
  }),
  invitationExpiresAt: Type.String(),
})

export function presentUser(user: User): Static<typeof UserBody> {
  const { id, email, role, isActive, isPasswordTemporary, hasTotp, hasPasskey } = user
  return {
    id,
    email,
    role,
    isActive,
    isPasswordTemporary,
    hasTotp,
    hasPasskey,
    countsFrom: user.ownFrom && timestamp(user.ownFrom),
    createdAt: timestamp(user.createdAt),
    signedInAt: user.signedInAt && timestamp(user.signedInAt),
  }
}

type Inviting = Pick<Deps, 'publicUrl'> & { request: FastifyRequest; password: string }

// The token is in the fragment, which browsers send to nobody.
export function presentInvited(
  { user, invitation }: InvitedUser,
  { publicUrl, request, password }: Inviting,
): Static<typeof UserWithPassword> {
  const address = publicAddress(publicUrl, request.server.server)
  return {
    ...presentUser(user),
    temporaryPassword: password,
    invitationLink: `${address}${INVITATION_PATH}#${invitation.token}`,
    invitationExpiresAt: timestamp(invitation.expiresAt),
  }
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
