// Parsers of the identifiers in URL paths, for the `params` of a resource. A malformed identifier is refused
// with the same code as an unknown one (`notFound`), without asking the database.

import { Refusal, type RefusalCode } from '#errors.ts'
import { findId, type IdKind, parseReference } from '#ids.ts'
import type { Sealer } from '#seal.ts'

// A reference as newReference() makes it: three letters for the kind, and 15 digits.
export function referenceKey(letters: string, notFound: RefusalCode) {
  const pattern = new RegExp(`^${letters}[0-9]{15}$`)
  return (text: string): string => {
    if (!pattern.test(text)) throw new Refusal(notFound)
    return text
  }
}

// The id of a row, as it is in the database.
export function rowKey<Id extends bigint = bigint>(notFound: RefusalCode) {
  return (text: string): Id => {
    if (!/^[1-9][0-9]{0,17}$/.test(text)) throw new Refusal(notFound)
    return BigInt(text) as Id
  }
}

// A UUID, with or without dashes.
export function uuidKey<Id extends string>(notFound: RefusalCode) {
  return (text: string): Id => {
    const id = parseReference<Id>(text)
    if (!id) throw new Refusal(notFound)
    return id
  }
}

// The public form of a row's id (src/ids.ts).
export function publicIdKey<Kind extends IdKind>(kind: Kind, notFound: RefusalCode) {
  return (text: string, { sealer }: { sealer: Sealer }) => {
    const id = findId(sealer, kind, text)
    if (id === undefined) throw new Refusal(notFound)
    return id
  }
}
