// The search of the API and the dashboard: by the start of any reference, account number or session id, by
// amount, event id or part of a name. The shape of the text decides where to search (search-hits.ts), so a
// search is a few look-ups by key. Names and amounts are matched only among the latest rows, as many as a
// list page scans.

import { findNumbersLike, getAccountIn, listAccounts } from '#accounts/queries.ts'
import { isAccountNumber, isSessionId } from '#banks/nuban.ts'
import { type CreditFilters, endOfScan, getCredit, listCredits } from '#credits/queries.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { findId, parseReference } from '#ids.ts'
import {
  type ListedAdvice,
  listPayments,
  type PaymentFilters,
  readAdvices,
  resolvePrefix,
  resolveReference,
} from '#payments/queries.ts'
import { readCode } from '#short-codes.ts'
import { getEvent } from '#webhooks/events.ts'
import {
  accountHit,
  adviceHit,
  creditHit,
  eventHit,
  HITS_PER_TYPE,
  type Hit,
  isName,
  isPhrase,
  MONEY_OUT_SEARCHES,
  paymentHit,
  readTerm,
  type Search,
  type SearchDeps,
  type Term,
} from './search-hits.ts'
import { readPhrase, readPhraseTerm } from './search-phrase.ts'

export { HIT_TYPES, type Hit, type HitType } from './search-hits.ts'

const HITS_MAX = 20
const RECENTLY_MS = 90 * 86_400_000
const limit = HITS_PER_TYPE

const SEARCHES: readonly Search[] = [
  { scope: 'payments:read', find: findByReference },
  { scope: 'accounts:read', find: findAccounts },
  { scope: 'credits:read', find: findCredits },
  { scope: 'webhooks:read', find: findEvent },
  { scope: 'payments:read', find: findPayments },
  ...MONEY_OUT_SEARCHES,
]

// Returns the likeliest hits first, a few of each type. Skips types that the user's scopes do not allow.
export async function search(
  db: Queryable,
  viewer: Omit<SearchDeps, 'recently'>,
  text: string,
): Promise<Hit[]> {
  const deps = { ...viewer, recently: new Date(viewer.now.getTime() - RECENTLY_MS) }
  const phrase = readPhrase(text, deps.now)
  const terms = [readTerm(text), ...(phrase ? [readPhraseTerm(phrase)] : [])]
  const isRestricted = deps.client.merchantCodes !== null
  const hits = new Map<string, Hit>()
  for (const term of terms) {
    for (const { scope, isForWholeClient, find } of SEARCHES) {
      if (!deps.scopes.has(scope) || (isForWholeClient && isRestricted)) continue
      for (const hit of await find(db, deps, term)) {
        if (term.types && !term.types.includes(hit.type)) continue
        const key = `${hit.type}/${hit.reference}`
        if (!hits.has(key)) hits.set(key, hit)
      }
    }
  }
  const counts = new Map<string, number>()
  // Counts the hit, and returns whether its type has had no more than HITS_PER_TYPE hits so far.
  const isAmongFirstOfType = ({ type }: Hit) => {
    counts.set(type, (counts.get(type) ?? 0) + 1)
    return (counts.get(type) as number) <= HITS_PER_TYPE
  }
  if (hits.size === 0 && readCode(text) === 'mistyped') throw new Refusal('mistyped_code')
  // A phrase lists its kinds by likelihood: for "payment", payments come before payment requests.
  const rank = ({ type }: Hit) => phrase?.types?.indexOf(type) ?? 0
  const ranked = [...hits.values()].sort((one, other) => rank(one) - rank(other))
  return ranked.filter(isAmongFirstOfType).slice(0, HITS_MAX)
}

// Finds advices and payments: exact matches first, then references that start with the text.
async function findByReference(db: Queryable, { client, now }: SearchDeps, term: Term) {
  const { text, prefix } = term
  if (isPhrase(term)) return []
  const exactMatches = (await resolveReference(db, client.id, text)).slice(0, limit)
  const prefixMatches = prefix ? await resolvePrefix(db, client.id, { prefix, limit }) : []
  const ids = [...exactMatches, ...prefixMatches].map(({ adviceId }) => adviceId)
  // readAdvices() orders by id, so the exact matches are moved to the front again.
  const exactIds = new Set(exactMatches.map(({ adviceId }) => adviceId))
  const isLater = ({ advice }: ListedAdvice) => Number(!exactIds.has(advice.id))
  const advices = await readAdvices(db, ids)
  return advices
    .toSorted((one, other) => isLater(one) - isLater(other))
    .map((advice) => adviceHit(advice, now))
}

// Finds collection accounts by the start of their number, or by the customer's phone number, email or name.
async function findAccounts(db: Queryable, deps: SearchDeps, term: Term): Promise<Hit[]> {
  if (isPhrase(term)) return [] // A phrase searches by day, and an account has no day.
  const { sealer, client } = deps
  const { text, digits } = term
  // Lists the client's accounts that pass the filters, as hits.
  const listMatching = async (filters: Parameters<typeof listAccounts>[1]['filters']) => {
    const { rows } = await listAccounts(db, { sealer, client, filters, limit })
    return rows.map(accountHit)
  }
  const byNumber = (accountNumber: string) =>
    hitOrNone(async () => accountHit(await getAccountIn(db, { sealer, client, accountNumber })))
  if (/^\+?[0-9]{6,15}$/.test(text)) {
    const numbers = digits ? await findNumbersLike(db, client.id, { prefix: digits, limit }) : []
    const exact = isAccountNumber(text) ? [text] : []
    const hits = await findEach([...exact, ...numbers], byNumber)
    // A phone number has at least ten characters.
    return text.length < 10 ? hits : [...hits, ...(await listMatching({ phoneNumber: text }))]
  }
  if (text.includes('@')) return listMatching({ email: text })
  return isName(text) ? listMatching({ name: text }) : []
}

// Finds credits by id, session id, amount or the payer's name. If the text is the id of a credit, that credit
// is the only hit.
async function findCredits(db: Queryable, deps: SearchDeps, term: Term): Promise<Hit[]> {
  const { sealer, client } = deps
  const { digits, amountKobo, period } = term
  const text = term.creditId ?? term.text
  // Lists the credits that pass the filters, as hits; for a phrase only those of its period.
  const listMatching = async (termFilters: CreditFilters) => {
    const filters = { ...termFilters, ...period }
    const until = await endOfScan(db, { viewer: client, filters })
    const query = { sealer, viewer: client, filters, until, limit }
    return (await listCredits(db, query)).map((credit) => creditHit(credit, sealer))
  }
  if (isPhrase(term) && text === '') return listMatching({})
  const hits: Hit[] = []
  if (!isPhrase(term) && isSessionId(text) && /[0-9]/.test(text)) {
    const id = findId(sealer, 'credit', text)
    const lookUp = { sealer, viewer: client, by: { id } }
    const exact =
      id && (await hitOrNone(async () => creditHit(await getCredit(db, lookUp), sealer)))
    if (exact?.[0]) return exact
    hits.push(...(await listMatching({ sessionId: text })))
  }
  if (digits && /[0-9]/.test(digits))
    hits.push(...(await listMatching({ sessionIdPrefix: digits })))
  if (amountKobo) hits.push(...(await listMatching({ minKobo: amountKobo, maxKobo: amountKobo })))
  if (isName(text)) hits.push(...(await listMatching({ payer: text })))
  return hits
}

async function findEvent(db: Queryable, deps: SearchDeps, { text, period }: Term): Promise<Hit[]> {
  const { client, withoutAlerts } = deps
  const id = parseReference(text)
  if (id === undefined || period) return []
  return hitOrNone(async () => eventHit(await getEvent(db, client.id, { id, withoutAlerts })))
}

// Finds payments by amount, or by the customer's name.
async function findPayments(db: Queryable, { client, now }: SearchDeps, term: Term) {
  const { text, amountKobo, period } = term
  // Lists the payments that pass the filters, as hits; for a phrase only those of its period.
  const listMatching = async (termFilters: PaymentFilters) => {
    const filters = { ...termFilters, ...period }
    const { rows } = await listPayments(db, client.id, { filters, limit, now })
    return rows.map((payment) => paymentHit(payment, now))
  }
  if (isPhrase(term) && text === '') return listMatching({})
  if (amountKobo) return listMatching({ minKobo: amountKobo, maxKobo: amountKobo })
  return isName(text) ? listMatching({ search: text }) : []
}

// Finds the hits of each text, one text after another and without repeating any.
async function findEach(texts: readonly string[], find: (text: string) => Promise<Hit[]>) {
  const hits: Hit[] = []
  for (const text of new Set(texts)) hits.push(...(await find(text)))
  return hits
}

// Returns no hit if `find` is refused, because the object does not exist or belongs to another client.
async function hitOrNone(find: () => Promise<Hit>): Promise<Hit[]> {
  try {
    return [await find()]
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
