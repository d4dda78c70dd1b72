// The revision of a request is a digest of everything that its approver reads. An approval names the revision
// that was read, and is refused if the request differs: nobody approves what they have not read (I230).

import { createHash } from 'node:crypto'
import { Refusal } from '#errors.ts'

// `facts` are values of the request as the database has them, in a fixed order.
export function revisionOf(facts: readonly unknown[]): string {
  const text = JSON.stringify(facts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  return createHash('sha256').update(text).digest('base64url')
}

// Call while the request is locked.
export function refuseChanged(revision: string, read: string): void {
  if (revision !== read) throw new Refusal('request_changed')
}
