// Searches credits: lists of credits by any field, one credit by any identifier, each with the current place
// of its money, and the totals of a list. Also reads the shares that banks withheld.
//
// A client sees credits to its numbers. It also sees credits that were assigned to it, even if they were
// suspended again later. Operators also see credits to unrecognised numbers, by any identifier or account
// number.

import { inMerchantScope } from '#access/permissions.ts'
import { receivedBounds, type Window } from '#db/bounds.ts'
import {
  ORDER_SQL,
  type Order,
  pastPrefix,
  SUMMED_MAX,
  type Summary,
  summaryOf,
  type Total,
} from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText, namedUnlessWindow } from '#db/sql.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, CreditId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  type CreditRow,
  type CreditTrace,
  OUTCOMES,
  type Outcome,
  openTrace,
  SELECT_TRACE,
  WITH_OWNERS,
} from './credit.ts'
import { creditsCalled, creditsCalledLike } from './identifiers.ts'

export { type CreditTrace, OUTCOMES, type Outcome } from './credit.ts'

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

// SQL condition: the credit `c` was sent to a number of the client. `place` is the parameter with the id of
// the client, such as `$3`.
const ownTo = (place: string) =>
  `(c.client_id = ${place} and ${inMerchantScope('c.collection_account_id', place)})`

// SQL condition: the viewer may see the credit `c`.
const visibleTo = (viewer: Viewer, place: string) => `(
  ${ownTo(place)} ${viewer.isOperator ? 'or c.client_id is null' : ''} or ${assignedTo(place)})`

// SQL condition: the credit was assigned to the client, even if the money later went back to suspense or to
// the bank.
export const assignedTo = (place: string) => `
  exists (select from suspense_items i
            left join collection_accounts t on t.id = i.assigned_account_id
            left join payments y on y.id = i.assigned_payment_id
           where i.credit_id = c.id
             and ${place} in (coalesce(t.client_id, y.client_id), i.given_client_id)
             and ${inMerchantScope('t.id', place)})`

// SQL condition: the credit went to an unrecognised number, and an operator assigned it to the client. Unlike
// assignedTo(), it starts from the suspense items of the client, so that an index serves it.
const identifiedFor = (place: string) => `c.client_id is null and c.id = any(array(
  select i.credit_id from suspense_items i
   where i.given_client_id = ${place} and ${inMerchantScope('i.assigned_account_id', place)}))`

// The query of a list of credits. `until` is the last credit to scan (see endOfScan); if it is undefined, all
// credits are scanned.
export type CreditQuery = {
  sealer: Sealer
  viewer: Viewer
  filters: CreditFilters & { by?: 'movement' }
  order?: Order | undefined
  after?: bigint | undefined
  until?: bigint | undefined
  limit: number
}

// Lists credits, newest first by default. `after` is the id of the last credit of the previous page. A time
// window applies to the time when we received a credit. With `by: 'movement'`, it applies to the time of any
// movement of the credit's money.
export async function listCredits(
  db: Queryable,
  { sealer, order = 'newest', ...query }: CreditQuery,
): Promise<CreditTrace[]> {
  const values: unknown[] = []
  // Adds a value of the statement and returns its parameter, such as $3: push() returns the new length.
  const place = (value: unknown) => `$${values.push(value)}`
  const { sql, matches } = await selectMatches(db, { ...query, order }, place)
  const text = `${sql} ${SELECT_TRACE} from (${matches}) as c ${WITH_OWNERS}
    order by c.id ${ORDER_SQL[order].sort}`
  const { rows } = await db.query<CreditRow>(namedUnlessWindow(query.filters, text, values))
  return rows.map((row) => openTrace(sealer, row))
}

type MatchQuery = Omit<CreditQuery, 'sealer'> & { order: Order }

// Builds a query for the matching credits. The caller puts `sql` before the rest of its statement. `place`
// adds a value to the statement and returns its parameter, such as `$3`.
async function selectMatches(
  db: Queryable,
  { viewer, filters, order, after, until, limit }: MatchQuery,
  place: (value: unknown) => string,
): Promise<{ sql: string; matches: string }> {
  const { sort, isAfter, isUpTo } = ORDER_SQL[order]
  const { sql, conditions, scopes } = narrowByIndex(viewer, filters, place)
  conditions.push(...unindexedConditions(filters, place))
  const alternatives = await windowAlternatives(db, filters, place)
  if (after !== undefined) conditions.push(`c.id ${isAfter} ${place(after)}`)
  if (until !== undefined) conditions.push(`c.id ${isUpTo} ${place(until)}`)
  // Each branch reads its own index in order, and reads at most one page.
  const branches = scopes.flatMap((scope) =>
    alternatives.map((window) => {
      const condition = [...conditions, scope, ...window].join(' and ')
      return `(select c.* from credits c where ${condition} order by c.id ${sort} limit ${limit})`
    }),
  )
  const matches = `select distinct on (id) * from (${branches.join(' union all ')}) as branches
                  order by id ${sort} limit ${limit}`
  return { sql, matches }
}

// Returns the SQL conditions of the outcome, the amounts and the payer, which no full index serves. The
// outcome is a literal, so that a partial index on one outcome can serve. `place` adds a value to the
// statement and returns its parameter.
function unindexedConditions(filters: CreditFilters, place: (value: unknown) => string): string[] {
  const { minKobo, maxKobo, payer } = filters
  const outcome = OUTCOMES.find((outcome) => outcome === filters.outcome)
  return [
    ...(outcome ? [`c.outcome = '${outcome}'`] : []),
    ...(minKobo === undefined ? [] : [`c.amount_kobo >= ${place(minKobo)}`]),
    ...(maxKobo === undefined ? [] : [`c.amount_kobo <= ${place(maxKobo)}`]),
    ...(payer ? [`strpos(lower(c.source_account_name), lower(${place(payer)})) > 0`] : []),
  ]
}

const LATER = `'assign', 'suspend', 'returned', 'reversal'` // The reasons in the index transfers_later.

// Returns the alternatives of a time window, each a list of SQL conditions. A credit matches if it meets all
// conditions of one of them. Without a window there is one alternative without conditions. With
// `by: 'movement'`, credits whose money moved, was charged or was refunded in the window match too.
async function windowAlternatives(
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

// Builds the conditions that an index serves: the credits of a payment and those assigned to it, an
// identifier, or an account number. Without such a filter, `scopes` are the client's own credits, and
// unidentified credits that were assigned to the client. The credits of a payment always belong to the
// client. A credit must meet all `conditions` and one of the `scopes`. `place` adds a value to the statement
// and returns its parameter, such as `$3`.
function narrowByIndex(viewer: Viewer, filters: CreditFilters, place: (value: unknown) => string) {
  const { sessionId, sessionIdPrefix: prefix, accountNumber } = filters
  const { paymentReference, adviceReference, merchantRef } = filters
  const clientPlace = place(viewer.id)
  const paymentConditions: string[] = []
  if (paymentReference) paymentConditions.push(`p.id = ${place(paymentReference)}`)
  if (adviceReference) paymentConditions.push(`a.id = ${place(adviceReference)}`)
  if (merchantRef) paymentConditions.push(`a.merchant_ref = ${place(merchantRef)}`)

  const conditions: string[] = []
  if (sessionId) conditions.push(`c.id = any(${creditsCalled(place(sessionId))})`)
  if (prefix) {
    const called = creditsCalledLike(place(prefix), place(pastPrefix(prefix)))
    conditions.push(`c.id = any(${called})`)
  }
  if (accountNumber) conditions.push(`c.account_number = ${place(accountNumber)}`)
  if (paymentConditions.length === 0) {
    const isNarrowed = conditions.length > 0
    const scopes = isNarrowed
      ? [visibleTo(viewer, clientPlace)]
      : [ownTo(clientPlace), identifiedFor(clientPlace)]
    return { sql: '', conditions, scopes }
  }
  const scopes = ['c.id = any(array(select id from of_payment))']
  const isMatch = paymentConditions.join(' and ')
  const sql = `
    with payment as materialized (
      select p.id from advices a join payments p on p.advice_id = a.id
       where a.client_id = ${clientPlace} and p.client_id = ${clientPlace} and ${isMatch}
    ), of_payment as materialized (
      select c.id from credits c join payment p on p.id = c.payment_id
      union
      select i.credit_id from suspense_items i join payment p on p.id = i.assigned_payment_id
    )`
  return { sql, conditions, scopes }
}

export type CreditKey = { id?: CreditId | undefined; identifier?: string | undefined }

type CreditLookup = { sealer: Sealer; viewer: Viewer; by: CreditKey }

// Finds a credit by id, or else by any identifier. If two banks use the same identifier, returns the latest
// credit. Another client's credit is treated as not found.
export async function getCredit(
  db: Queryable,
  { sealer, viewer, by }: CreditLookup,
): Promise<CreditTrace> {
  const text = `${SELECT_TRACE} from credits c ${WITH_OWNERS}
    where c.id = any(${creditsCalled('$1')} || $2::bigint) and ${visibleTo(viewer, '$3')}
    order by c.id = $2 desc nulls last, c.id desc limit 1`
  const { rows } = await db.query<CreditRow>(namedByText(text, [by.identifier, by.id, viewer.id]))
  if (!rows[0]) throw new Refusal('credit_not_found')
  return openTrace(sealer, rows[0])
}

// Amounts and payers' names have no index, because it would slow down every new credit. Instead, a page that
// filters by them scans at most SCAN_MAX credits, and the next page continues from there.
export const SCAN_MAX = 20_000

type Scan = {
  viewer: Viewer
  filters: CreditFilters
  order?: Order | undefined
  after?: bigint | undefined
}

// Returns the id of the last credit that one page may scan if no index serves its filters. Returns undefined
// if the page needs no limit, or if the scan reaches the end of the list.
export async function endOfScan(
  db: Queryable,
  { viewer, filters, order = 'newest', after }: Scan,
): Promise<bigint | undefined> {
  if (!hasUnindexedFilter(filters) || hasIndexedFilter(filters)) return undefined
  const { firstId, pastId } = await receivedBounds(db, filters)
  const { sort, isAfter } = ORDER_SQL[order]
  // Without `after`, the scan begins at the end of the range from which the order starts.
  const { rows } = await db.query<{ id: bigint }>({
    name: `end-of-credit-scan-${order}`,
    text: `select id from credits
            where client_id = $1 and id >= $2 and id < $3 and id ${isAfter} $4
            order by id ${sort} offset ${SCAN_MAX - 1} limit 1`,
    values: [viewer.id, firstId, pastId, after ?? (order === 'newest' ? pastId : firstId - 1n)],
  })
  return rows[0]?.id
}

// Returns whether the query filters by a field that has no index.
function hasUnindexedFilter({ minKobo, maxKobo, payer }: CreditFilters): boolean {
  return minKobo !== undefined || maxKobo !== undefined || payer !== undefined
}

// Returns whether an index narrows the query to few credits, so that it needs no limit on the scan. A prefix
// of a session id stands for PREFIX_SCAN_MAX credits at most.
function hasIndexedFilter(filters: CreditFilters): boolean {
  const { sessionId, sessionIdPrefix, accountNumber } = filters
  const { paymentReference, adviceReference, merchantRef } = filters
  const isIdentified = sessionId || sessionIdPrefix || accountNumber
  return !!(isIdentified || paymentReference || adviceReference || merchantRef)
}

// Returns the totals of all matches, exact up to SUMMED_MAX credits (summaryOf). `place` adds a value to the
// statement and returns its parameter, such as `$3`.
export async function summarizeCredits(
  db: Queryable,
  { viewer, filters }: { viewer: Viewer; filters: CreditFilters },
): Promise<Summary> {
  const until = await endOfScan(db, { viewer, filters })
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const query = { viewer, filters, order: 'newest', until, limit: SUMMED_MAX + 1 } as const
  const { sql, matches } = await selectMatches(db, query, place)
  const text = `${sql} select currency, count(*) as count, sum(amount_kobo)::bigint as amount_kobo
    from (${matches}) as c group by currency order by currency`
  const { rows } = await db.query<Total>(namedUnlessWindow(filters, text, values))
  const isAll = until === undefined // No limit ended the scan.
  return summaryOf(rows, isAll)
}

const RECENT_CREDITS = 2_000 // The latest credits, which show what banks charge at present.

// Returns the share that each bank withheld from recent credits, in thousandths of their amount. Omits banks
// without a recent credit.
export async function readWithheldShares(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query<{ bankCode: string; perMille: number }>({
    name: 'read-withheld-shares',
    text: `select bank_code,
                  round(1000 * sum(fee_kobo + vat_kobo + duty_kobo) / sum(amount_kobo))::int
                    as per_mille
             from (select bank_code, fee_kobo, vat_kobo, duty_kobo, amount_kobo, currency
                     from credits order by id desc limit ${RECENT_CREDITS}) as recent
            where currency = '${CURRENCY}' group by bank_code`,
  })
  return new Map(rows.map(({ bankCode, perMille }) => [bankCode, perMille]))
}
