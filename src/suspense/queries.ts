// Lists suspense items and sums them. A client sees its own items; an operator also sees unidentified
// money.

import { type Client, inMerchantScope } from '#access/permissions.ts'
import type { LockedItem } from '#credits/suspense-items.ts'
import { type Conditions, composed, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { CreditId, SuspenseItemId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { AGE_BUCKETS, type AgeBucket, ageDays, bucketOf } from '#records/shared-sql.ts'
import { JOIN_LAST_RETURN } from './return.ts'

export type SuspenseEntry = {
  id: SuspenseItemId
  amountKobo: Kobo
  currency: string
  reason: string
  state: LockedItem['state']
  creditId: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  sourceAccountSealed: Buffer | null
  sourceAccountName: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentReference: string | null
  assignedPaymentReference: string | null
  assignedAccountNumber: string | null
  returnReference: string | null // The reference of the latest return, in any status.
  bankReference: string | null
  failureReason: string | null
  openedAt: Date
  closedAt: Date | null
}

export type SuspenseFilters = {
  state?: LockedItem['state'] | undefined
  reason?: string | undefined
  bankCode?: string | undefined
  age?: AgeBucket | undefined
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
}

// The orders that the indexes suspense_items_by_time and suspense_items_by_amount serve. Items are not
// ordered by id, because a test clock or sample data may set the date of an item.
export const SUSPENSE_ORDERS = ['newest', 'oldest', 'largest', 'smallest'] as const
export type SuspenseOrder = (typeof SUSPENSE_ORDERS)[number]

// The sort key of each order, and the comparison that continues after the last item.
const ORDER_SQL = {
  newest: { key: 'i.opened_at', isAfter: '<', sort: 'desc' },
  oldest: { key: 'i.opened_at', isAfter: '>', sort: 'asc' },
  largest: { key: 'i.amount_kobo', isAfter: '<', sort: 'desc' },
  smallest: { key: 'i.amount_kobo', isAfter: '>', sort: 'asc' },
} as const

// The position in a list of suspense items: the last item of the previous page, with the values of every
// order.
export type SuspensePosition = { id: SuspenseItemId; amountKobo: Kobo; openedAt: Date }

type SuspensePage = {
  filters: SuspenseFilters
  order?: SuspenseOrder | undefined
  after?: SuspensePosition | undefined
  now: Date
  limit: number
}

// SQL conditions: whether the client may see an item.
const visibleTo = ({ id, isOperator }: Client): Conditions => [
  [isOperator ? '(i.client_id = $ or i.client_id is null)' : 'i.client_id = $', id],
  [inMerchantScope('c.collection_account_id', '$'), id],
]

// SQL scalar: the age of an item in days. The age of a closed item stops at its closing.
const days = (now: string, { state }: SuspenseFilters) =>
  ageDays('i.opened_at', state === 'open' ? now : `coalesce(i.closed_at, ${now})`)

// The state `open` is a literal in the SQL, because PostgreSQL would not use the partial index of open items
// for a parameter.
const matching = (filters: SuspenseFilters, now: Date): Conditions => [
  filters.state === 'open' ? `i.state = 'open'` : ['i.state = $', filters.state],
  ['i.reason = $', filters.reason],
  ['i.amount_kobo >= $', filters.minKobo],
  ['i.amount_kobo <= $', filters.maxKobo],
  [`$ = ${bucketOf(days('$::timestamptz', filters))}`, filters.age, now],
]

const SELECT_ENTRY = `
  select i.id, i.amount_kobo, c.currency, i.reason, i.state, i.credit_id, c.session_id, c.bank_code,
         c.account_number, c.source_account_sealed, c.source_account_name, c.source_bank_code,
         c.narration, c.payment_id as payment_reference,
         i.assigned_payment_id as assigned_payment_reference,
         a.account_number as assigned_account_number, r.reference as return_reference,
         r.bank_reference, r.failure_reason, i.opened_at, i.closed_at
    from suspense_items i
    join credits c on c.id = i.credit_id
    left join collection_accounts a on a.id = i.assigned_account_id
    ${JOIN_LAST_RETURN}`

// Lists a page of suspense items in the requested order, after the last item of the page before.
export async function listSuspense(
  db: Queryable,
  client: Client,
  { filters, order = 'newest', after, now, limit }: SuspensePage,
): Promise<SuspenseEntry[]> {
  const { key, isAfter, sort } = ORDER_SQL[order]
  const lastKey = key === 'i.opened_at' ? after?.openedAt : after?.amountKobo
  const { sql, values } = joinConditions([
    ...visibleTo(client),
    ...matching(filters, now),
    ['c.bank_code = $', filters.bankCode],
    [`(${key}, i.id) ${isAfter} ($, $)`, lastKey, after?.id],
  ])
  const text = `${SELECT_ENTRY} where ${sql} order by ${key} ${sort}, i.id ${sort} limit ${limit}`
  const { rows } = await db.query<SuspenseEntry>(composed(text, values))
  return rows
}

export const SUMMARY_MAX = 50_000 // The most items that are summed, which takes some 50 ms if they are open.

export type SuspenseSum = {
  currency: string
  reason: string | null // null in the sums by age and in the grand total.
  age: AgeBucket | null
  items: bigint
  kobo: Kobo
}

export type SuspenseSums = { sums: SuspenseSum[]; isComplete: boolean }

// SQL scalar: a column of the credit of an item. Unlike a join, it leaves open items to their index.
const ofCredit = (column: string) => `(select c.${column} from credits c where c.id = i.credit_id)`

// SQL query: the newest items of one owner that match, up to `limit`. Reads open items from the index
// suspense_items_open_by_time alone.
const selectNewest = (where: string, age: string, limit: number) => `
  (select i.id, i.opened_at, i.account_id, i.reason, ${age} as days, i.amount_kobo
     from suspense_items i where ${where} order by i.opened_at desc, i.id desc limit ${limit})`

// Sums the listed items by reason, by age and in total. If there are more than `limit`, sums only the
// newest; one item more is read to know that. An item has the currency of its ledger account.
export async function sumSuspense(
  db: Queryable,
  client: Client,
  { filters, now, limit = SUMMARY_MAX }: { filters: SuspenseFilters; now: Date; limit?: number },
): Promise<SuspenseSums> {
  const { id, isOperator } = client
  let values: readonly unknown[] = [now, [...AGE_BUCKETS]]
  const isOwn = ['i.client_id = $', id] as const
  const newest = (isOperator ? [isOwn, 'i.client_id is null'] : [isOwn]).map((owner) => {
    const conditions: Conditions = [
      owner,
      [inMerchantScope(ofCredit('collection_account_id'), '$'), id],
      ...matching(filters, now),
      [`${ofCredit('bank_code')} = $`, filters.bankCode],
    ]
    const joined = joinConditions(conditions, values)
    values = joined.values
    return selectNewest(joined.sql, days('$1::timestamptz', filters), limit + 1)
  })
  const text = `
    with items as materialized (
      select * from (${newest.join(' union all ')}) as i
       order by opened_at desc, id desc limit ${limit + 1}
    ), groups as (
      select account_id, reason, days, count(*) as items, sum(amount_kobo) as kobo
        from (select * from items limit ${limit}) as summed group by 1, 2, 3
    )
    select currency, reason, age, sum(items)::bigint as items, sum(kobo)::bigint as kobo,
           (select count(*) from items) as read
      from (select l.currency, g.reason, ${bucketOf('g.days')} as age, g.items, g.kobo
              from groups g join ledger_accounts l on l.id = g.account_id) as sums
     group by grouping sets ((currency, reason), (currency, age), (currency))
     order by currency, kobo desc, reason, array_position($2::text[], age)`
  const { rows } = await db.query<SuspenseSum & { read: bigint }>(composed(text, [...values]))
  const isComplete = (rows[0]?.read ?? 0n) <= BigInt(limit)
  return { sums: rows.map(({ read: _, ...sum }) => sum), isComplete }
}

// Returns a suspense item. To a client who may not see it, it does not exist.
export async function getSuspense(
  db: Queryable,
  client: Client,
  id: SuspenseItemId,
): Promise<SuspenseEntry> {
  const { sql, values } = joinConditions([...visibleTo(client), ['i.id = $', id]])
  const { rows } = await db.query<SuspenseEntry>(composed(`${SELECT_ENTRY} where ${sql}`, values))
  if (!rows[0]) throw new Refusal('suspense_not_found')
  return rows[0]
}
