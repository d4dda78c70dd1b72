// Comparing what a caller sent with a secret, in a time that says nothing about either.

import { createHash, timingSafeEqual } from 'node:crypto'

export function isSecretEqual(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret))
}

// One value of a header. Undefined when it is missing or was sent twice.
export function singleHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
