// Credit search: a client's credits by any field, each with the current place of its money.
//
// A client sees credits to its numbers, and credits assigned to it even if suspended again since.
// Operators also see credits to unrecognised numbers, by any identifier or account number.
// Archived credits are found only by id and identifier; they have no other index.

import { ORDER_SQL, type Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { pastPrefix } from '#db/prefixes.ts'
import { receivedBounds } from '#db/received-bounds.ts'
import { namedByText, namedUnlessWindow } from '#db/statement-names.ts'
import type { Window } from '#db/time-bounds.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { creditsCalled, creditsCalledLike } from './credit-identifiers.ts'
import {
  type CreditRow,
  type CreditTrace,
  OUTCOMES,
  type Outcome,
  openTrace,
  SELECT_TRACE,
  WITH_OWNERS,
} from './credit-rows.ts'

export { type CreditTrace, OUTCOMES, type Outcome } from './credit-rows.ts'

export type Viewer = { id: ClientId; isOperator: boolean }

export type CreditFilters = Window & {
  sessionId?: string | undefined
  sessionIdPrefix?: string | undefined
  accountNumber?: string | undefined
  paymentReference?: string | undefined
  adviceReference?: string | undefined
  merchantRef?: string | undefined
  outcome?: Outcome | undefined
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
  payer?: string | undefined // A part of the payer's name, case-insensitive.
}

const ownTo = (place: string) =>
  `(c.client_id = ${place} and ${inMerchantScope('c.collection_account_id', place)})`

const visibleTo = (viewer: Viewer, place: string) => `(
  ${ownTo(place)} ${viewer.isOperator ? 'or c.client_id is null' : ''} or ${assignedTo(place)})`

// Also if the money later went back to suspense from a payment of the client's, or to the bank.
export const assignedTo = (place: string) => `
  exists (select from suspense_items i
            left join collection_accounts t on t.id = i.assigned_account_id
            left join payments y on y.id = i.assigned_payment_id
           where i.credit_id = c.id
             and ${place} in (coalesce(t.client_id, y.client_id), i.given_client_id)
             and ${inMerchantScope('t.id', place)})`

// The same for unidentified money, found by the client.
const identifiedFor = (place: string) => `c.client_id is null and c.id = any(array(
  select i.credit_id from suspense_items i
   where i.given_client_id = ${place} and ${inMerchantScope('i.assigned_account_id', place)}))`

// `until`: the last credit to scan (see endOfScan). Undefined: scan all.
export type CreditQuery = {
  sealer: Sealer
  viewer: Viewer
  filters: CreditFilters & { by?: 'movement' }
  order?: Order | undefined
  after?: bigint | undefined
  until?: bigint | undefined
  limit: number
}

// Newest first by default. `after` is the id of the last credit of the previous page. A time window
// applies to the time we received the credits, or with `by` movement to the time of any movement of their
// money.
export async function listCredits(
  db: Queryable,
  { sealer, order = 'newest', ...query }: CreditQuery,
): Promise<CreditTrace[]> {
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const { sql, matches } = await selectMatches(db, { ...query, order }, place)
  const text = `${sql} ${SELECT_TRACE} from (${matches}) as c ${WITH_OWNERS}
    order by c.id ${ORDER_SQL[order].sort}`
  const { rows } = await db.query<CreditRow>(namedUnlessWindow(query.filters, text, values))
  return rows.map((row) => openTrace(sealer, row))
}

type MatchQuery = Omit<CreditQuery, 'sealer'> & { order: Order }

// The matching credits, as a query. `sql` goes before it.
export async function selectMatches(
  db: Queryable,
  { viewer, filters, order, after, until, limit }: MatchQuery,
  place: (value: unknown) => string,
): Promise<{ sql: string; matches: string }> {
  const { sort, isAfter, isUpTo } = ORDER_SQL[order]
  const { sql, conditions, scopes } = narrow(viewer, filters, place)
  conditions.push(...compare(filters, place))
  const times = await readTimes(db, filters, place)
  if (after !== undefined) conditions.push(`c.id ${isAfter} ${place(after)}`)
  if (until !== undefined) conditions.push(`c.id ${isUpTo} ${place(until)}`)
  // Each branch reads its own index in order, and at most a page.
  const isNamed = filters.sessionId || filters.sessionIdPrefix
  const source = isNamed ? 'c.* from all_credits c' : LIVE
  const branches = scopes.flatMap((scope) =>
    times.map((time) => {
      const all = [...conditions, scope, ...time].join(' and ')
      return `(select ${source} where ${all} order by c.id ${sort} limit ${limit})`
    }),
  )
  const matches = `select distinct on (id) * from (${branches.join(' union all ')}) as branches
                  order by id ${sort} limit ${limit}`
  return { sql, matches }
}

const LIVE = 'c.*, null::bigint as archive_id from credits c'

// Filters without an index, and the outcome. The outcome is a literal, so that an index on one can serve.
function compare(filters: CreditFilters, place: (value: unknown) => string): string[] {
  const { minKobo, maxKobo, payer } = filters
  const outcome = OUTCOMES.find((each) => each === filters.outcome)
  return [
    ...(outcome ? [`c.outcome = '${outcome}'`] : []),
    ...(minKobo === undefined ? [] : [`c.amount_kobo >= ${place(minKobo)}`]),
    ...(maxKobo === undefined ? [] : [`c.amount_kobo <= ${place(maxKobo)}`]),
    ...(payer ? [`strpos(lower(c.source_account_name), lower(${place(payer)})) > 0`] : []),
  ]
}

const LATER = `'assign', 'suspend', 'returned', 'reversal'` // The same as in the index transfers_later.

// The conditions of a time window. A credit needs to meet only one of them.
async function readTimes(
  db: Queryable,
  { from, to, by }: CreditFilters & { by?: 'movement' },
  place: (value: unknown) => string,
): Promise<string[][]> {
  if (!from && !to) return [[]]
  const { firstId, pastId } = await receivedBounds(db, { from, to })
  const within = (column: string) => [
    ...(from ? [`${column} >= ${place(from)}`] : []),
    ...(to ? [`${column} < ${place(to)}`] : []),
  ]
  const ids = `c.id >= ${place(firstId)} and c.id < ${place(pastId)}`
  const received = [ids, ...within('c.received_at')]
  if (by !== 'movement') return [received]
  const moved = `c.id = any(array(
    select t.credit_id from transfers t
     where t.reason in (${LATER}) and ${within('t.posted_at').join(' and ')}))`
  // Part payments are charged when the payment is settled.
  const charged = `c.id = any(array(
    select f.credit_id from credit_fees f
     where f.is_later and ${within('f.charged_at').join(' and ')}))`
  const refunded = `c.id = any(array(
    select p.credit_id from transfers t
      left join differences f on f.id = t.difference_id
      join payouts p on p.id = coalesce(t.payout_id, f.payout_id)
     where t.reason = 'refunded' and ${within('t.posted_at').join(' and ')}))`
  return [received, [moved], [charged], [refunded]]
}

// Every filter uses an index: a payment's own and assigned credits, an identifier, or a number. Without a
// filter, the client's own credits and formerly unidentified ones. Credits of a payment are already the
// client's.
function narrow(viewer: Viewer, filters: CreditFilters, place: (value: unknown) => string) {
  const { sessionId, sessionIdPrefix: prefix, accountNumber } = filters
  const { paymentReference, adviceReference, merchantRef } = filters
  const me = place(viewer.id)
  const ofPayment: string[] = []
  if (paymentReference) ofPayment.push(`p.id = ${place(paymentReference)}`)
  if (adviceReference) ofPayment.push(`a.id = ${place(adviceReference)}`)
  if (merchantRef) ofPayment.push(`a.merchant_ref = ${place(merchantRef)}`)

  const conditions: string[] = []
  if (sessionId) conditions.push(`c.id = any(${creditsCalled(place(sessionId))})`)
  if (prefix) {
    const called = creditsCalledLike(place(prefix), place(pastPrefix(prefix)))
    conditions.push(`c.id = any(${called})`)
  }
  if (accountNumber) conditions.push(`c.account_number = ${place(accountNumber)}`)
  if (ofPayment.length === 0) {
    const isNarrow = conditions.length > 0
    const scopes = isNarrow ? [visibleTo(viewer, me)] : [ownTo(me), identifiedFor(me)]
    return { sql: '', conditions, scopes }
  }
  const scopes = ['c.id = any(array(select id from of_payment))']
  const sql = `
    with payment as materialized (
      select p.id from advices a join payments p on p.advice_id = a.id
       where a.client_id = ${me} and p.client_id = ${me} and ${ofPayment.join(' and ')}
    ), of_payment as materialized (
      select c.id from credits c join payment p on p.id = c.payment_id
      union
      select i.credit_id from suspense_items i join payment p on p.id = i.assigned_payment_id
    )`
  return { sql, conditions, scopes }
}

export type CreditKey = { id?: CreditId | undefined; identifier?: string | undefined }

type CreditLookup = { sealer: Sealer; viewer: Viewer; by: CreditKey }

// By id, or else by any identifier (the latest credit, should two banks use the same one). Another
// client's credit looks like one that does not exist.
export async function getCredit(
  db: Queryable,
  { sealer, viewer, by }: CreditLookup,
): Promise<CreditTrace> {
  const text = `${SELECT_TRACE} from all_credits c ${WITH_OWNERS}
    where c.id = any(${creditsCalled('$1')} || $2::bigint) and ${visibleTo(viewer, '$3')}
    order by c.id = $2 desc nulls last, c.id desc limit 1`
  const { rows } = await db.query<CreditRow>(namedByText(text, [by.identifier, by.id, viewer.id]))
  if (!rows[0]) throw new Refusal('credit_not_found')
  return openTrace(sealer, rows[0])
}
