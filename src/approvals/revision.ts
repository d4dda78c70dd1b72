// The revision of a request is a digest of everything that its approver reads. An approval names the revision
// that was read, and is refused if the request differs: nobody approves what they have not read (I230).

import { createHash } from 'node:crypto'
import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { strictObject } from '#http/schemas.ts'

const REVISION_MAX = 64

export const RevisionRead = Type.String({
  minLength: 1,
  maxLength: REVISION_MAX,
  description:
    'The revision that you have read. If it has changed since, nothing happens (request_changed).',
  'x-says': 'Must be the revision that you have read.',
})

export const REVISION_SAYS = 'Names what you have read. Send it when you approve.'

// The body of every approval, unless it names what was read in another way.
export const ApprovalBody = strictObject({ revision: RevisionRead })

// `facts` are values of the request as the database has them, in a fixed order.
export function revisionOf(facts: readonly unknown[]): string {
  const text = JSON.stringify(facts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  return createHash('sha256').update(text).digest('base64url')
}

// Call while the request is locked.
export function refuseChanged(revision: string, read: string): void {
  if (revision !== read) throw new Refusal('request_changed')
}
