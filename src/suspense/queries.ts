// Lists suspense items and sums them. A client sees its own items; an operator also sees unidentified
// money.

import { type Client, inMerchantScope } from '#access/permissions.ts'
import type { LockedItem } from '#credits/suspense-items.ts'
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
  returnReference: string | null // The reference of the last return, whatever its status.
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

// The orders that suspense_items_by_time and suspense_items_by_amount serve. Ids do not follow time, because
// a test clock or sample data may set the date of an item.
export const SUSPENSE_ORDERS = ['newest', 'oldest', 'largest', 'smallest'] as const
export type SuspenseOrder = (typeof SUSPENSE_ORDERS)[number]

const ORDER_SQL = {
  newest: {
    key: '(i.opened_at, i.id)',
    after: '< ($12::timestamptz, $10::bigint)',
    sort: 'i.opened_at desc, i.id desc',
  },
  oldest: {
    key: '(i.opened_at, i.id)',
    after: '> ($12::timestamptz, $10::bigint)',
    sort: 'i.opened_at, i.id',
  },
  largest: {
    key: '(i.amount_kobo, i.id)',
    after: '< ($11::bigint, $10::bigint)',
    sort: 'i.amount_kobo desc, i.id desc',
  },
  smallest: {
    key: '(i.amount_kobo, i.id)',
    after: '> ($11::bigint, $10::bigint)',
    sort: 'i.amount_kobo, i.id',
  },
} as const

// The last item of the previous page.
export type SuspensePosition = { id: SuspenseItemId; amountKobo: Kobo; openedAt: Date }

type SuspensePage = {
  filters: SuspenseFilters
  order?: SuspenseOrder | undefined
  after?: SuspensePosition | undefined
  now: Date
  limit: number
}

// SQL: the items that the client `$1` may see. The conditions are literals instead of parameters: with
// parameters, PostgreSQL does not use the partial indexes.
const visibleTo = ({ isOperator }: Client) => `
     ${isOperator ? '(i.client_id = $1 or i.client_id is null)' : 'i.client_id = $1'}
     and ${inMerchantScope('c.collection_account_id', '$1')}`

const inState = (state: string | undefined) =>
  state === 'open' ? `i.state = 'open' and $2 = 'open'` : '($2::text is null or i.state = $2)'

const nameOf = (what: string, { isOperator }: Client, { state }: SuspenseFilters) =>
  `${what}${state === 'open' ? '-open' : ''}${isOperator ? '-operator' : ''}`

// The age of a closed item stops at its closing.
const AGE = bucketOf(ageDays('i.opened_at', 'coalesce(i.closed_at, $8::timestamptz)'))

const filtered = ({ state }: SuspenseFilters) => `
     and ${inState(state)}
     and ($3::text is null or i.reason = $3)
     and ($4::text is null or c.bank_code = $4)
     and ($5::bigint is null or i.amount_kobo >= $5)
     and ($6::bigint is null or i.amount_kobo <= $6)
     and ($7::text is null or ${AGE} = $7)`

const valuesOf = (client: Client, filters: SuspenseFilters, now: Date) => [
  client.id,
  filters.state ?? null,
  filters.reason ?? null,
  filters.bankCode ?? null,
  filters.minKobo ?? null,
  filters.maxKobo ?? null,
  filters.age ?? null,
  now,
]

const selectEntry = (client: Client) => `
  select i.id, i.amount_kobo, c.currency, i.reason, i.state, i.credit_id, c.session_id, c.bank_code,
         c.account_number, c.source_account_sealed, c.source_account_name, c.source_bank_code,
         c.narration, c.payment_id as payment_reference,
         i.assigned_payment_id as assigned_payment_reference,
         a.account_number as assigned_account_number, r.reference as return_reference,
         r.bank_reference, r.failure_reason, i.opened_at, i.closed_at
    from suspense_items i
    join credits c on c.id = i.credit_id
    left join collection_accounts a on a.id = i.assigned_account_id
    ${JOIN_LAST_RETURN}
   where ${visibleTo(client)}`

export async function listSuspense(
  db: Queryable,
  client: Client,
  { filters, order = 'newest', after, now, limit }: SuspensePage,
): Promise<SuspenseEntry[]> {
  const { key, after: isAfter, sort } = ORDER_SQL[order]
  const { rows } = await db.query<SuspenseEntry>({
    name: nameOf(`list-suspense-${order}`, client, filters),
    text: `${selectEntry(client)} ${filtered(filters)}
              and ($10::bigint is null or $11::bigint is null or $12::timestamptz is null
                   or ${key} ${isAfter})
            order by ${sort}
            limit $9`,
    values: [
      ...valuesOf(client, filters, now),
      limit,
      after?.id ?? null,
      after?.amountKobo ?? null,
      after?.openedAt ?? null,
    ],
  })
  return rows
}

export const SUMMARY_MAX = 50_000 // The most items that are summed, in some 100 ms.

export type SuspenseSum = {
  currency: string
  reason: string | null // Null in the sums by age and in the grand total.
  age: AgeBucket | null
  items: bigint
  kobo: Kobo
}

export type SuspenseSums = { sums: SuspenseSum[]; isComplete: boolean }

// Sums the listed items by reason, by age and in total. If there are more than SUMMARY_MAX, sums only the
// newest.
export async function sumSuspense(
  db: Queryable,
  client: Client,
  { filters, now, limit = SUMMARY_MAX }: { filters: SuspenseFilters; now: Date; limit?: number },
): Promise<SuspenseSums> {
  const { rows } = await db.query<SuspenseSum & { read: bigint }>({
    name: nameOf('sum-suspense', client, filters),
    text: `with items as materialized (
             select i.reason, ${AGE} as age, c.currency, i.amount_kobo
               from suspense_items i join credits c on c.id = i.credit_id
              where ${visibleTo(client)} ${filtered(filters)}
              order by i.opened_at desc, i.id desc
              limit $9 + 1
           ), numbered as (
             select *, row_number() over () as place from items
           )
           select currency, reason, age, count(*) as items, sum(amount_kobo)::bigint as kobo,
                  (select count(*) from items) as read
             from numbered where place <= $9
            group by grouping sets ((currency, reason), (currency, age), (currency))
            order by currency, kobo desc, reason, array_position($10::text[], age)`,
    values: [...valuesOf(client, filters, now), limit, [...AGE_BUCKETS]],
  })
  const isComplete = (rows[0]?.read ?? 0n) <= BigInt(limit)
  return { sums: rows.map(({ read: _, ...sum }) => sum), isComplete }
}

export async function getSuspense(
  db: Queryable,
  client: Client,
  id: SuspenseItemId,
): Promise<SuspenseEntry> {
  const { rows } = await db.query<SuspenseEntry>({
    name: client.isOperator ? 'get-suspense-operator' : 'get-suspense',
    text: `${selectEntry(client)} and i.id = $2`,
    values: [client.id, id],
  })
  if (!rows[0]) throw new Refusal('suspense_not_found')
  return rows[0]
}
