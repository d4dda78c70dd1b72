// Global search: account number, session id, any reference, event id or part of a name. The shape of
// the text decides where to look, so a search is a few look-ups by key; a name is matched only among
// the latest rows, as many as a list page scans.

import { isAccountNumber } from '#banks/nuban.ts'
import { isSessionId } from '#banks/session-id.ts'
import type { Queryable } from '#db/pool.ts'
import type { Client } from '#domain/access/clients.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { listAccounts } from '#domain/accounts/account-list.ts'
import { getAccountIn } from '#domain/accounts/account-lookups.ts'
import type { CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import { type CreditTrace, getCredit, listCredits } from '#domain/credits/credit-list.ts'
import { type ListedAdvice, listPayments, readAdvices } from '#domain/payments/payment-list.ts'
import { resolveReference } from '#domain/payments/payment-references.ts'
import { adviceStatus, type Payment, statusAt } from '#domain/payments/payments.ts'
import { getEvent, type ListedEvent } from '#domain/webhooks/event-list.ts'
import { Refusal } from '#errors.ts'
import { parseReference } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'

export const HIT_TYPES = ['payment', 'advice', 'account', 'credit', 'event'] as const
export type HitType = (typeof HIT_TYPES)[number]

export type Hit = {
  type: HitType
  reference: string
  title: string
  detail: string | null
  amountKobo: Kobo | null
  currency: string | null
}

const HITS_MAX = 10
const OF_A_KIND_MAX = 5
const NAME_LENGTH_MIN = 2

type Deps = { sealer: Sealer; client: Client; scopes: ReadonlySet<Scope>; now: Date }

type Look = { scope: Scope; find: (db: Queryable, deps: Deps, text: string) => Promise<Hit[]> }

const LOOKS: readonly Look[] = [
  { scope: 'payments:read', find: byReference },
  { scope: 'accounts:read', find: accountsLike },
  { scope: 'credits:read', find: creditsLike },
  { scope: 'webhooks:read', find: findEvent },
  { scope: 'payments:read', find: paymentsLike },
]

// The likeliest first. What the scopes do not let see is not looked for.
export async function search(db: Queryable, deps: Deps, text: string): Promise<Hit[]> {
  const { scopes } = deps
  const found: Hit[] = []
  for (const { scope, find } of LOOKS) {
    if (scopes.has(scope)) found.push(...(await find(db, deps, text)))
  }
  const named = new Map(found.map((hit) => [`${hit.type}/${hit.reference}`, hit]))
  return [...named.values()].slice(0, HITS_MAX)
}

async function byReference(db: Queryable, { client, now }: Deps, text: string): Promise<Hit[]> {
  const referred = (await resolveReference(db, client.id, text)).slice(0, OF_A_KIND_MAX)
  const advices = await readAdvices(
    db,
    referred.map(({ adviceId }) => adviceId),
  )
  return advices.map((advice) => adviceHit(advice, now))
}

async function accountsLike(db: Queryable, deps: Deps, text: string): Promise<Hit[]> {
  const { sealer, client } = deps
  const list = async (filters: Parameters<typeof listAccounts>[1]['filters']) => {
    const found = await listAccounts(db, { sealer, client, filters, limit: OF_A_KIND_MAX })
    return found.rows.map(accountHit)
  }
  if (isAccountNumber(text)) {
    return ifAny(async () =>
      accountHit(await getAccountIn(db, { sealer, client, accountNumber: text })),
    )
  }
  if (text.includes('@')) return list({ email: text })
  return isName(text) ? list({ name: text }) : []
}

async function creditsLike(db: Queryable, { sealer, client }: Deps, text: string): Promise<Hit[]> {
  if (!isSessionId(text) || !/[0-9]/.test(text)) return []
  const id = findId(sealer, 'credit', text)
  const by = { sealer, viewer: client, by: { id } }
  const own = id && (await ifAny(async () => creditHit(await getCredit(db, by), sealer)))
  if (own?.[0]) return own
  const filters = { sessionId: text }
  const called = await listCredits(db, { sealer, viewer: client, filters, limit: OF_A_KIND_MAX })
  return called.map((credit) => creditHit(credit, sealer))
}

async function findEvent(db: Queryable, { client }: Deps, text: string): Promise<Hit[]> {
  const id = parseReference(text)
  return id === undefined ? [] : ifAny(async () => eventHit(await getEvent(db, client.id, id)))
}

async function paymentsLike(db: Queryable, { client, now }: Deps, text: string): Promise<Hit[]> {
  if (!isName(text)) return []
  const page = { limit: OF_A_KIND_MAX, now }
  const { rows } = await listPayments(db, client.id, { filters: { search: text }, ...page })
  return rows.map((payment) => paymentHit(payment, now))
}

// Anything with letters that is no reference of ours.
function isName(text: string): boolean {
  return (
    [...text].length >= NAME_LENGTH_MIN && /\p{L}/u.test(text) && parseReference(text) === undefined
  )
}

// What is not there, or another client's, is no hit.
async function ifAny(find: () => Promise<Hit>): Promise<Hit[]> {
  try {
    return [await find()]
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

function adviceHit({ advice, payment }: ListedAdvice, now: Date): Hit {
  if (payment) return paymentHit(payment, now)
  const { id, customerName, amountKobo, currency, merchantRef } = advice
  const detail = `${adviceStatus(advice, undefined, now)}, ${merchantRef ?? id}`
  return { type: 'advice', reference: id, title: customerName, detail, amountKobo, currency }
}

function paymentHit(payment: Payment, now: Date): Hit {
  const { id, customerName, amountKobo, currency, merchantRef } = payment
  const detail = `${statusAt(payment, now)}, ${merchantRef ?? id}`
  return { type: 'payment', reference: id, title: customerName, detail, amountKobo, currency }
}

function accountHit(account: CollectionAccount): Hit {
  const { accountNumber, accountName, balanceKobo, currencyCode } = account
  return {
    type: 'account',
    reference: accountNumber,
    title: accountName,
    detail: accountNumber,
    amountKobo: balanceKobo,
    currency: currencyCode,
  }
}

function creditHit(credit: CreditTrace, sealer: Sealer): Hit {
  const { sourceAccountName, sessionId, amountKobo, currency } = credit
  const reference = publicId(sealer, 'credit', credit.id).toString()
  return {
    type: 'credit',
    reference,
    title: sourceAccountName ?? `Credit ${reference}`,
    detail: sessionId,
    amountKobo,
    currency,
  }
}

function eventHit({ id, type, sequence }: ListedEvent): Hit {
  return {
    type: 'event',
    reference: id,
    title: type,
    detail: `Event ${sequence}`,
    amountKobo: null,
    currency: null,
  }
}
