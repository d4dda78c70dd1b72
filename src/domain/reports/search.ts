// Global search: by the start of any reference, account number, session id, amount, event id or part of a
// name. The shape of the text decides where to search (search-terms.ts), so a search is a few look-ups by
// key. Names and amounts are matched only among the latest rows, as many as a list page scans.

import { isAccountNumber } from '#banks/nuban.ts'
import { isSessionId } from '#banks/session-id.ts'
import type { Queryable } from '#db/pool.ts'
import { listAccounts } from '#domain/accounts/account-list.ts'
import { findNumbersLike, getAccountIn } from '#domain/accounts/account-lookups.ts'
import { type CreditFilters, getCredit, listCredits } from '#domain/credits/credit-list.ts'
import { endOfScan } from '#domain/credits/credit-scan.ts'
import { listPayments, type PaymentFilters, readAdvices } from '#domain/payments/payment-list.ts'
import { resolvePrefix, resolveReference } from '#domain/payments/payment-references.ts'
import { getEvent } from '#domain/webhooks/event-list.ts'
import { Refusal } from '#errors.ts'
import { parseReference } from '#ids.ts'
import { findId } from '#public-ids.ts'
import { accountHit, adviceHit, creditHit, eventHit, type Hit, paymentHit } from './search-hits.ts'
import { MONEY_OUT_SEARCHES } from './search-money-out.ts'
import {
  HITS_PER_TYPE,
  isName,
  readTerm,
  type Search,
  type SearchDeps,
  type Term,
} from './search-terms.ts'

export { HIT_TYPES, type Hit, type HitType } from './search-hits.ts'

const HITS_MAX = 20
const RECENTLY_MS = 90 * 86_400_000
const limit = HITS_PER_TYPE

const SEARCHES: readonly Search[] = [
  { scope: 'payments:read', find: byReference },
  { scope: 'accounts:read', find: accountsLike },
  { scope: 'credits:read', find: creditsLike },
  { scope: 'webhooks:read', find: findEvent },
  { scope: 'payments:read', find: paymentsLike },
  ...MONEY_OUT_SEARCHES,
]

// The likeliest first, a few of each type. Skips types that the scopes do not allow.
export async function search(
  db: Queryable,
  asker: Omit<SearchDeps, 'recently'>,
  text: string,
): Promise<Hit[]> {
  const deps = { ...asker, recently: new Date(asker.now.getTime() - RECENTLY_MS) }
  const term = readTerm(text)
  const isRestricted = deps.client.merchantCodes !== null
  const hits = new Map<string, Hit>()
  for (const { scope, isWhole, find } of SEARCHES) {
    if (!deps.scopes.has(scope) || (isWhole && isRestricted)) continue
    for (const hit of await find(db, deps, term)) {
      const key = `${hit.type}/${hit.reference}`
      if (!hits.has(key)) hits.set(key, hit)
    }
  }
  const counts = new Map<string, number>()
  const isAmongFirst = ({ type }: Hit) => {
    counts.set(type, (counts.get(type) ?? 0) + 1)
    return (counts.get(type) as number) <= HITS_PER_TYPE
  }
  return [...hits.values()].filter(isAmongFirst).slice(0, HITS_MAX)
}

// Exact matches first, then references that start with the text.
async function byReference(db: Queryable, { client, now }: SearchDeps, { text, prefix }: Term) {
  const exact = await resolveReference(db, client.id, text)
  const like = prefix ? await resolvePrefix(db, client.id, { prefix, limit }) : []
  const ids = [...exact.slice(0, limit), ...like].map(({ adviceId }) => adviceId)
  const first = new Set(ids.slice(0, exact.length))
  const advices = await readAdvices(db, ids)
  const isFirst = (at: number) => first.has(advices[at]?.advice.id as (typeof ids)[number])
  return advices
    .map((advice, at) => ({ hit: adviceHit(advice, now), isLater: !isFirst(at) }))
    .sort((one, other) => Number(one.isLater) - Number(other.isLater))
    .map(({ hit }) => hit)
}

async function accountsLike(db: Queryable, deps: SearchDeps, term: Term): Promise<Hit[]> {
  const { sealer, client } = deps
  const { text, digits } = term
  const list = async (filters: Parameters<typeof listAccounts>[1]['filters']) => {
    const { rows } = await listAccounts(db, { sealer, client, filters, limit })
    return rows.map(accountHit)
  }
  const byNumber = (accountNumber: string) =>
    ifAny(async () => accountHit(await getAccountIn(db, { sealer, client, accountNumber })))
  if (/^\+?[0-9]{6,15}$/.test(text)) {
    const numbers = digits ? await findNumbersLike(db, client.id, { prefix: digits, limit }) : []
    const exact = isAccountNumber(text) ? [text] : []
    const hits = await inTurn([...exact, ...numbers], byNumber)
    return text.length < 10 ? hits : [...hits, ...(await list({ phoneNumber: text }))]
  }
  if (text.includes('@')) return list({ email: text })
  return isName(text) ? list({ name: text }) : []
}

async function creditsLike(db: Queryable, deps: SearchDeps, term: Term): Promise<Hit[]> {
  const { sealer, client } = deps
  const { text, digits, amountKobo } = term
  const list = async (filters: CreditFilters) => {
    const until = await endOfScan(db, { viewer: client, filters })
    const query = { sealer, viewer: client, filters, until, limit }
    return (await listCredits(db, query)).map((credit) => creditHit(credit, sealer))
  }
  const hits: Hit[] = []
  if (isSessionId(text) && /[0-9]/.test(text)) {
    const id = findId(sealer, 'credit', text)
    const by = { sealer, viewer: client, by: { id } }
    const own = id && (await ifAny(async () => creditHit(await getCredit(db, by), sealer)))
    if (own?.[0]) return own
    hits.push(...(await list({ sessionId: text })))
  }
  if (digits && /[0-9]/.test(digits)) hits.push(...(await list({ sessionIdPrefix: digits })))
  if (amountKobo) hits.push(...(await list({ minKobo: amountKobo, maxKobo: amountKobo })))
  if (isName(text)) hits.push(...(await list({ payer: text })))
  return hits
}

async function findEvent(db: Queryable, deps: SearchDeps, { text }: Term): Promise<Hit[]> {
  const { client, withoutAlerts } = deps
  const id = parseReference(text)
  if (id === undefined) return []
  return ifAny(async () => eventHit(await getEvent(db, client.id, { id, withoutAlerts })))
}

async function paymentsLike(db: Queryable, { client, now }: SearchDeps, term: Term) {
  const { text, amountKobo } = term
  const list = async (filters: PaymentFilters) => {
    const { rows } = await listPayments(db, client.id, { filters, limit, now })
    return rows.map((payment) => paymentHit(payment, now))
  }
  if (amountKobo) return list({ minKobo: amountKobo, maxKobo: amountKobo })
  return isName(text) ? list({ search: text }) : []
}

async function inTurn(texts: readonly string[], find: (text: string) => Promise<Hit[]>) {
  const hits: Hit[] = []
  for (const text of new Set(texts)) hits.push(...(await find(text)))
  return hits
}

// A missing object, or another client's, is no hit.
async function ifAny(find: () => Promise<Hit>): Promise<Hit[]> {
  try {
    return [await find()]
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
