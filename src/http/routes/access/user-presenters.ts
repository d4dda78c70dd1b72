// Users, sessions and passwords as requests and answers show them.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '#domain/access/password-rules.ts'
import { ROLES, type Role } from '#domain/access/roles.ts'
import type { Session } from '#domain/access/sessions.ts'
import type { User } from '#domain/access/users.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import { nullable } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { timestamp } from '#wat-time.ts'

export const SESSION = [{ session: [] }]
export const tags = ['Dashboard']

// Not looked at closely: what is wrong with it is only that it is not the right one.
export const Password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  'x-says': 'Must be text of 1 to 1000 characters.',
})

export const NewPassword = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description:
    `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, not easy to guess, not made of ` +
    'the email address.',
  'x-says': `Must be text of ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`,
})

export const Code = Type.String({
  pattern: '^[0-9A-Za-z\\s-]{6,40}$',
  description: 'Six digits from the app, or a recovery code.',
  'x-says': 'Must be six digits, or a recovery code.',
})

export const RoleName = Type.Unsafe<Role>({
  type: 'string',
  enum: [...ROLES],
  'x-says': `Must be one of ${ROLES.join(', ')}.`,
})

export const UserBody = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Type.String({ description: `One of ${ROLES.join(', ')}.` }),
  isActive: Type.Boolean(),
  isPasswordTemporary: Type.Boolean({ description: 'To be changed at the next sign-in.' }),
  hasTotp: Type.Boolean({ description: 'Signs in with a second factor.' }),
  createdAt: Type.String(),
  signedInAt: nullable('string', { description: 'The last time.' }),
})

export const UserWithPassword = Type.Object({
  ...UserBody.properties,
  temporaryPassword: Type.String({
    description: 'Shown this once. Good for 72 hours, and to be changed at the first sign-in.',
  }),
})

export function presentUser(user: User): Static<typeof UserBody> {
  const { id, email, role, isActive, isPasswordTemporary, hasTotp, createdAt, signedInAt } = user
  return {
    id,
    email,
    role,
    isActive,
    isPasswordTemporary,
    hasTotp,
    createdAt: timestamp(createdAt),
    signedInAt: signedInAt && timestamp(signedInAt),
  }
}

export const SessionBody = Type.Object({
  id: Type.String(),
  address: Type.String(),
  userAgent: Type.String(),
  isCurrent: Type.Boolean({ description: 'The one that this request came with.' }),
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

export function idOf<Id extends string>(text: string, otherwise: RefusalCode): Id {
  const id = parseReference<Id>(text)
  if (!id) throw new Refusal(otherwise)
  return id
}
