// Reads a search term by its shape: the start of a reference, an amount, a name.

import type { Queryable } from '#db/pool.ts'
import type { Client } from '#domain/access/clients.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { parseReference } from '#ids.ts'
import { AMOUNT_MAX_KOBO, type Kobo, parseKobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { Hit } from './search-hits.ts'

export const HITS_PER_TYPE = 5
const NAME_LENGTH_MIN = 2
const PREFIX_LENGTH_MIN = 3
// Fewer digits match too many numbers and session ids, since those of all clients share an index.
const DIGITS_LENGTH_MIN = 6

// `recently`: the start of searches that have no index to go further back.
export type SearchDeps = {
  sealer: Sealer
  client: Client
  scopes: ReadonlySet<Scope>
  withoutAlerts: boolean
  now: Date
  recently: Date
}

export type Term = {
  text: string
  prefix: string | undefined // The start of a reference.
  digits: string | undefined // The start of an account number or session id.
  amountKobo: Kobo | undefined
}

// `isWhole`: shows a client as a whole, so it is closed to one restricted to some of its merchants.
export type Search = {
  scope: Scope
  isWhole?: boolean
  find: (db: Queryable, deps: SearchDeps, term: Term) => Promise<Hit[]>
}

export function readTerm(text: string): Term {
  return {
    text,
    prefix: text.length >= PREFIX_LENGTH_MIN && !/\p{Cc}/u.test(text) ? text : undefined,
    digits: text.length >= DIGITS_LENGTH_MIN && /^[0-9A-Za-z/-]+$/.test(text) ? text : undefined,
    amountKobo: readAmount(text),
  }
}

// In the forms ₦6,000, NGN 6000.00, 6000.
function readAmount(text: string): Kobo | undefined {
  const plain = text.replace(/^(?:₦|NGN)\s*/i, '')
  const isGrouped = /^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?$/.test(plain)
  const kobo = parseKobo(isGrouped ? plain.replaceAll(',', '') : plain)
  return kobo && kobo <= AMOUNT_MAX_KOBO ? kobo : undefined
}

// Text with letters that is no reference of ours.
export function isName(text: string): boolean {
  return (
    [...text].length >= NAME_LENGTH_MIN && /\p{L}/u.test(text) && parseReference(text) === undefined
  )
}
