// The texts of a line as they are kept: on one line, without control characters, bounded.

import { isSessionId } from '#banks/session-id.ts'

export const NARRATION_MAX = 1000
export const REFERENCE_MAX = 140

// As SPACES has them. Written out, since without `u` it takes half the time.
const UNCLEAN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\s\s|^\s|\s$/
const SPACES = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
// NIP's session id, wherever it stands.
const NIP_SESSION_ID = /(?<![0-9])[0-9]{30}(?![0-9])/
// Ours, where the bank's own wording says so. Any other ten digits may be the payer's.
const ACCOUNT_NUMBER =
  /\b(?:to|into|credit(?:ed)?)(?: (?:account|acct|a\/c))?[: ]{1,2}([0-9]{10})(?![0-9])/i
const PLACEHOLDER = /^(?:not ?provided|nonref|none|n\/?a|unknown|null|-+)$/i

export function cleanText(text: string | undefined, max: number): string | null {
  if (text === undefined || text === '') return null
  const clean = UNCLEAN.test(text) ? text.replace(SPACES, ' ').trim() : text
  if (clean === '') return null
  return clean.length > max ? clean.slice(0, max).toWellFormed() : clean
}

// A reference that says that there is none is none. A leading apostrophe is a spreadsheet's.
export function cleanReference(text: string | undefined): string | null {
  const clean = cleanText(text?.startsWith("'") ? text.slice(1) : text, REFERENCE_MAX)
  return clean === null || PLACEHOLDER.test(clean) ? null : clean
}

export function cleanSessionId(text: string | undefined): string | null {
  const clean = cleanReference(text)
  return clean !== null && isSessionId(clean) ? clean : null
}

export function findSessionId(...texts: readonly (string | null | undefined)[]): string | null {
  for (const text of texts) {
    const found = text ? NIP_SESSION_ID.exec(text)?.[0] : undefined
    if (found) return found
  }
  return null
}

export function findAccountNumber(narration: string | null): string | null {
  return (narration && ACCOUNT_NUMBER.exec(narration)?.[1]) ?? null
}
