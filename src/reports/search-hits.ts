// Search terms and search hits: reads a term by its shape (the start of a reference, an amount, a name),
// renders hits, and searches payouts, settlements, refunds, returns and statements.

import type { Client, Scope } from '#access/permissions.ts'
import type { CollectionAccount } from '#accounts/account.ts'
import type { CreditTrace } from '#credits/queries.ts'
import type { Window } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { parseReference, publicId } from '#ids.ts'
import { AMOUNT_MAX_KOBO, type Kobo, parseKobo } from '#money.ts'
import { adviceStatus, type Payment, statusAt } from '#payments/payment.ts'
import type { ListedAdvice } from '#payments/queries.ts'
import type { Payout } from '#payouts/payout.ts'
import { findPayoutsLike, listPayouts, type PayoutFilter } from '#payouts/queries.ts'
import { findStatementsLike, type Statement } from '#reconciliation/statements.ts'
import { findRefundsLike, listRefunds, type Refund } from '#refunds/refund.ts'
import { refundStatus } from '#refunds/states.ts'
import type { Sealer } from '#seal.ts'
import { findSettlementsLike, listSettlements, type Settlement } from '#settlement/settlement.ts'
import { codeOf, codeOfCredit, codeOfId, readCode } from '#short-codes.ts'
import { findReturnsLike, type Return } from '#suspense/return.ts'
import type { ListedEvent } from '#webhooks/events.ts'

export const HITS_PER_TYPE = 5
const NAME_LENGTH_MIN = 2
const PREFIX_LENGTH_MIN = 3
// Fewer digits would match too many numbers and session ids, because one index holds those of all clients.
const DIGITS_LENGTH_MIN = 6

// `recently` is the earliest time that searches without a suitable index go back to.
export type SearchDeps = {
  sealer: Sealer
  client: Client
  scopes: ReadonlySet<Scope>
  withoutAlerts: boolean
  now: Date
  recently: Date
}

// A term with a period or types is a phrase (search-phrase.ts): it finds objects of that period, not
// references.
export type Term = {
  period?: Window | undefined
  types?: readonly HitType[] | undefined
  text: string
  prefix: string | undefined // Searched as the start of a reference.
  ownPrefix: string | undefined // The same for references of payouts, refunds, settlements and returns.
  creditId: string | undefined // The credit that the text names by its short code.
  digits: string | undefined // Searched as the start of an account number or session id.
  amountKobo: Kobo | undefined
}

// `isForWholeClient` means that hits concern the whole client, so users restricted to some of its merchants
// do not get them.
export type Search = {
  scope: Scope
  isForWholeClient?: boolean
  find: (db: Queryable, deps: SearchDeps, term: Term) => Promise<Hit[]>
}

export const isPhrase = ({ period, types }: Term) => period !== undefined || types !== undefined

// Reads a search text by its shape, as everything that it may be: 120000 is an amount and the start of an
// account number. `undefined` fields are not searched for. `ownPrefix` differs from `prefix` if the text is a
// short code: it is the start of the reference that the code abbreviates.
export function readTerm(text: string): Term {
  const prefix = text.length >= PREFIX_LENGTH_MIN && !/\p{Cc}/u.test(text) ? text : undefined
  const code = readCode(text)
  const isCode = typeof code === 'object'
  return {
    text,
    prefix,
    ownPrefix: isCode && code.kind === 'number' ? code.prefix : prefix,
    creditId: isCode && code.kind === 'credit' ? code.id : undefined,
    digits: text.length >= DIGITS_LENGTH_MIN && /^[0-9A-Za-z/-]+$/.test(text) ? text : undefined,
    amountKobo: readAmount(text),
  }
}

// Reads an amount in the forms ₦6,000, NGN 6000.00 and 6000.
export function readAmount(text: string): Kobo | undefined {
  const plain = text.replace(/^(?:₦|NGN)\s*/i, '')
  const isGrouped = /^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?$/.test(plain)
  const kobo = parseKobo(isGrouped ? plain.replaceAll(',', '') : plain)
  return kobo && kobo <= AMOUNT_MAX_KOBO ? kobo : undefined
}

// Returns whether the text may be a name: it has letters and is no reference of ours.
export function isName(text: string): boolean {
  return (
    [...text].length >= NAME_LENGTH_MIN && /\p{L}/u.test(text) && parseReference(text) === undefined
  )
}

export const HIT_TYPES = [
  'payment',
  'advice',
  'account',
  'credit',
  'event',
  'payout',
  'settlement',
  'refund',
  'return',
  'statement',
] as const
export type HitType = (typeof HIT_TYPES)[number]

export type Hit = {
  type: HitType
  reference: string
  title: string
  detail: string | null
  amountKobo: Kobo | null
  currency: string | null
  status: string | null
  at: Date | null // When the object was created, received, requested or closed.
  of?: { type: HitType; reference: string } // The object that the hit belongs to and is shown with.
}

// An advice with a payment is shown as the payment.
export function adviceHit({ advice, payment }: ListedAdvice, now: Date): Hit {
  if (payment) return paymentHit(payment, now)
  const { id, customerName, amountKobo, currency, merchantRef, createdAt: at } = advice
  const status = adviceStatus(advice, undefined, now)
  const figures = { amountKobo, currency, status, at }
  return {
    type: 'advice',
    reference: id,
    title: customerName,
    detail: `${status}, ${merchantRef ?? codeOfId('REQ', id)}`,
    ...figures,
  }
}

export function paymentHit(payment: Payment, now: Date): Hit {
  const { id, customerName, amountKobo, currency, merchantRef, createdAt: at } = payment
  const status = statusAt(payment, now)
  const name = merchantRef ?? codeOfId('PAY', id)
  const detail = `${status}${describeRefunded(payment)}, ${name}`
  const figures = { amountKobo, currency, status, at }
  return { type: 'payment', reference: id, title: customerName, detail, ...figures }
}

// Returns the words that follow a payment's status in its hit, if some or all of it was refunded.
function describeRefunded({ refundedKobo, amountPaidKobo }: Payment): string {
  if (refundedKobo === 0n) return ''
  return refundedKobo < amountPaidKobo ? ', partly refunded' : ', refunded'
}

export function accountHit(account: CollectionAccount): Hit {
  const { accountNumber, accountName, balanceKobo, currencyCode } = account
  return {
    type: 'account',
    reference: accountNumber,
    title: accountName,
    detail: accountNumber,
    amountKobo: balanceKobo,
    currency: currencyCode,
    status: null,
    at: null,
  }
}

export function creditHit(credit: CreditTrace, sealer: Sealer): Hit {
  const { sourceAccountName, sessionId, amountKobo, currency, outcome, receivedAt } = credit
  const reference = publicId(sealer, 'credit', credit.id).toString()
  return {
    type: 'credit',
    reference,
    title: sourceAccountName ?? `Credit ${codeOfCredit(Number(reference))}`,
    detail: sessionId,
    amountKobo,
    currency,
    status: outcome,
    at: receivedAt,
  }
}

export function eventHit({ id, type, sequence, createdAt }: ListedEvent): Hit {
  return {
    type: 'event',
    reference: id,
    title: type,
    detail: `Event ${sequence}`,
    amountKobo: null,
    currency: null,
    status: null,
    at: createdAt,
  }
}

function payoutHit(payout: Payout): Hit {
  const { reference, toAccountName, status, amountKobo, currency, requestedAt: at } = payout
  const detail = `${status}, ${codeOf(reference)}`
  const figures = { amountKobo, currency, status, at }
  return { type: 'payout', reference, title: toAccountName, detail, ...figures }
}

function settlementHit(settlement: Settlement): Hit {
  const { reference, status, netKobo, currency, closedAt } = settlement
  const figures = { amountKobo: netKobo, currency, status, at: closedAt }
  return { type: 'settlement', reference, title: codeOf(reference), detail: status, ...figures }
}

function refundHit(refund: Refund, sealer: Sealer): Hit {
  const { reference, reason, amountKobo, currency, paymentId, creditId, parts } = refund
  const status = refundStatus(parts)
  const detail = `${status}, ${codeOf(reference)}`
  const figures = { amountKobo, currency, status, at: refund.requestedAt }
  const refundedObject: Hit['of'] =
    creditId === null
      ? { type: 'payment', reference: paymentId as string }
      : { type: 'credit', reference: publicId(sealer, 'credit', creditId).toString() }
  return { type: 'refund', reference, title: reason, detail, ...figures, of: refundedObject }
}

function returnHit(returned: Return): Hit {
  const { reference, payerName, status, amountKobo, currency, requestedAt } = returned
  const title = payerName ?? codeOf(reference)
  return {
    type: 'return',
    reference,
    title,
    detail: `${status}, ${codeOf(reference)}`,
    amountKobo,
    currency,
    status,
    at: requestedAt,
  }
}

function statementHit(statement: Statement): Hit {
  const { id, reference, bankCode, fromDay, toDay, closingKobo, currency } = statement
  const days = fromDay === toDay ? fromDay : `${fromDay} – ${toDay}`
  return {
    type: 'statement',
    reference: id.toString(),
    title: reference ?? '',
    detail: `${bankCode}, ${days}`,
    amountKobo: closingKobo,
    currency,
    status: null,
    at: null,
  }
}

const limit = HITS_PER_TYPE
// A phrase searches only this many of the latest settlements and refunds.
const SCANNED_MAX = 200

const isWithin = (at: Date, { from, to }: Window = {}) =>
  (from === undefined || at >= from) && (to === undefined || at < to)

// Searches of payouts, settlements, refunds, returns and statements by the start of their reference; of
// payouts also by amount and by the recipient's name.
export const MONEY_OUT_SEARCHES: readonly Search[] = [
  { scope: 'payouts:read', isForWholeClient: true, find: findPayouts },
  { scope: 'payouts:read', isForWholeClient: true, find: findSettlements },
  { scope: 'payments:read', isForWholeClient: true, find: findRefunds },
  { scope: 'returns:read', find: findReturns },
  { scope: 'accounting:read', find: findStatements },
]

// Finds payouts by the start of their reference, by amount or by the recipient's name. A user with accounting
// access finds the payouts of all clients.
async function findPayouts(db: Queryable, deps: SearchDeps, term: Term): Promise<Hit[]> {
  const clientId = deps.scopes.has('accounting:read') ? undefined : deps.client.id
  const { ownPrefix: prefix, amountKobo, text, period } = term
  const list = (filter: PayoutFilter) =>
    listPayouts(db, { from: deps.recently, ...period, ...filter, clientId, after: null, limit })
  // A phrase such as `payouts yesterday` lists the latest payouts of its period.
  if (isPhrase(term) && text === '') return (await list({})).map(payoutHit)
  const payouts = [
    ...(prefix ? await findPayoutsLike(db, { prefix, clientId, limit }) : []),
    ...(amountKobo ? await list({ minKobo: amountKobo, maxKobo: amountKobo }) : []),
    ...(isName(text) ? await list({ recipient: text }) : []),
  ]
  return payouts.map(payoutHit)
}

// Finds settlements by the start of their reference. A phrase such as `settlement yesterday` lists the
// latest.
async function findSettlements(db: Queryable, { client }: SearchDeps, term: Term) {
  const { ownPrefix: prefix, types, period, text } = term
  if (types?.includes('settlement') && text === '') {
    const page = { status: null, beforeId: null, limit: period ? SCANNED_MAX : limit }
    const settlements = await listSettlements(db, client.id, page)
    return settlements.filter(({ closedAt }) => isWithin(closedAt, period)).map(settlementHit)
  }
  if (!prefix) return []
  return (await findSettlementsLike(db, client.id, { prefix, limit })).map(settlementHit)
}

// Finds refunds by the start of their reference. A phrase such as `refund 3 Nov` lists the latest.
async function findRefunds(db: Queryable, { client, sealer }: SearchDeps, term: Term) {
  const { ownPrefix: prefix, types, period, text, amountKobo } = term
  if (types?.includes('refund') && (text === '' || amountKobo !== undefined)) {
    const matches = (refund: Refund) =>
      isWithin(refund.requestedAt, period) && (text === '' || refund.amountKobo === amountKobo)
    const refunds = await listRefunds(db, client.id, { after: null, limit: SCANNED_MAX })
    return refunds.filter(matches).map((refund) => refundHit(refund, sealer))
  }
  if (!prefix) return []
  const refunds = await findRefundsLike(db, client.id, { prefix, limit })
  return refunds.map((refund) => refundHit(refund, sealer))
}

async function findReturns(db: Queryable, _: SearchDeps, { ownPrefix: prefix }: Term) {
  return prefix ? (await findReturnsLike(db, { prefix, limit })).map(returnHit) : []
}

async function findStatements(db: Queryable, _: SearchDeps, { prefix }: Term) {
  return prefix ? (await findStatementsLike(db, { prefix, limit })).map(statementHit) : []
}
