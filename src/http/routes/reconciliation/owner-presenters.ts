// Schemas of whose a difference is.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { named, REFERENCE } from '#http/schemas.ts'
import { parseReference, type UserId } from '#ids.ts'
import { Ids } from './resolution-presenters.ts'

export const DifferenceOwnerBody = named('DifferenceOwner', {
  id: Type.String(),
  email: Type.String(),
  hasAccess: Type.Boolean({
    description: 'False: disabled, or without access to reconciliation by now.',
  }),
})

export const OwnerName = (description: string) =>
  Type.String({
    pattern: `^(?:me|nobody)$|${REFERENCE}`,
    description,
    'x-says': 'Must be me, nobody, or the ID of a user.',
  })

const owner = OwnerName('me, nobody, or the ID of a user of your client.')

export const AssignmentRequest = named(
  'AssignmentRequest',
  {
    owner,
    from: Type.Optional(OwnerName('Whose it was when you looked. Refused if it no longer is.')),
  },
  { additionalProperties: false },
)

export const BulkAssignmentRequest = named(
  'BulkAssignmentRequest',
  { ids: Ids('Differences to assign.'), owner },
  { additionalProperties: false },
)

// Null: nobody.
export function toOwner(name: string, { userId }: Identity): UserId | null {
  if (name === 'nobody') return null
  if (name !== 'me') return parseReference<UserId>(name) as UserId
  if (userId === null) throw new Refusal('people_only')
  return userId
}
