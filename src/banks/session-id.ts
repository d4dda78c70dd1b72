// The session id, a credit's identity at its bank: any text, as rails name transfers as they like.
//
// NIP's is 30 ASCII digits: sending institution (6), yyMMddHHmmss in WAT (12), unique part (12).
// Banks are known to send ids whose date part is no date, and their money is as real as any other.

import { watDigits } from '#wat-time.ts'

const NIP_SESSION_ID = /^[0-9]{30}$/
// Seen by a reader as what it is: no control, format or line character, no space around it.
const SESSION_ID = /^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,64}(?<! )$/u
const INSTITUTION = /^[0-9]{6}$/
const UNIQUE = /^[0-9]{1,12}$/

export function isSessionId(text: string): boolean {
  return NIP_SESSION_ID.test(text) || SESSION_ID.test(text)
}

export function isNipSessionId(text: string): boolean {
  return NIP_SESSION_ID.test(text)
}

export function makeSessionId(parts: {
  institution: string
  now: Date
  unique: bigint | string
}): string {
  const unique = parts.unique.toString()
  if (!INSTITUTION.test(parts.institution)) {
    throw new RangeError('An institution code has exactly 6 digits.')
  }
  if (!UNIQUE.test(unique)) throw new RangeError('The unique part has 1 to 12 digits.')
  return parts.institution + watDigits(parts.now) + unique.padStart(12, '0')
}
