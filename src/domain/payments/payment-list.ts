// Lists and filters a client's advices and payments, newest or oldest first.
//
// Ids begin with their time, so an order or a time window is a range of ids, along an index that
// the foreign keys need anyway (advices_of_client, payments_of_client). References and rare
// statuses have their own indexes. Other filters have none, because every advice and payment would
// pay for it: a page scans at most SCAN_MAX rows, and the next page continues from there.

import { ORDER_SQL, type Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText, namedUnlessWindow } from '#db/statement-names.ts'
import { SUMMED_MAX, type Summary, summaryOf, type Total } from '#db/summaries.ts'
import type { Window } from '#db/time-bounds.ts'
import { type AdviceId, type ClientId, leastIdAt, type PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { type Advice, type AdviceStatus, SELECT_ADVICE } from './advices.ts'
import { resolveReference } from './payment-references.ts'
import { type Payment, type PaymentStatus, SELECT_PAYMENT } from './payments.ts'

// 20,000 with what belongs to them take some 100 ms, in a history of any length.
const SCAN_MAX = 20_000

export const ADVICE_STATUSES = ['Pending', 'Paid', 'Expired', 'Cancelled', 'Reversed'] as const
export const PAYMENT_STATUSES = [
  'Processing',
  'PartPayment',
  'Successful',
  'Expired',
  'Cancelled',
  'Reversed',
] as const

export type PaymentFilters<Status = PaymentStatus> = Window & {
  status?: Status | undefined
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
  search?: string | undefined // In the customer's name or e-mail address.
  merchantRef?: string | undefined
  accountNumber?: string | undefined
  reference?: string | undefined // Any at all: see references.ts.
}

// `after`: the id of the last one seen, or how far was looked. `now` decides what has expired.
type Paging = {
  order?: Order | undefined
  after?: string | undefined
  limit: number
  now: Date
}

// `scannedTo`: everything up to this id has been looked at; null: everything there is.
type ListScan<T> = { rows: T[]; scannedTo: string | null }
export type PaymentTotal = Total & { amountPaidKobo: Kobo }
export type ListedAdvice = { advice: Advice; payment: Payment | undefined }

type Given = (value: unknown) => string
// A statement must use whatever it is given: so it is asked for the time only when it is needed.
type Condition = (now: () => string) => string
type Conditions = { conditions: string[]; isFew: boolean }

const IS_OPEN = `p.status in ('Processing', 'PartPayment')`

// As `statusAt` and `adviceStatus` of payments.ts have it. Written out, so that an index on one
// status can serve.
const PAYMENT_IS: Record<PaymentStatus, Condition> = {
  Processing: (now) => `p.status = 'Processing' and p.expires_at > ${now()}`,
  PartPayment: (now) => `p.status = 'PartPayment' and p.expires_at > ${now()}`,
  Successful: () => `p.status = 'Successful'`,
  Expired: (now) => `(p.status = 'Expired' or (${IS_OPEN} and p.expires_at <= ${now()}))`,
  Cancelled: () => `p.status = 'Cancelled'`,
  Reversed: () => `p.status = 'Reversed'`,
}

const ADVICE_IS: Record<AdviceStatus, Condition> = {
  Pending: (now) =>
    `a.cancelled_at is null and (p.id is null or (${IS_OPEN} and p.expires_at > ${now()}))`,
  Paid: PAYMENT_IS.Successful,
  Expired: PAYMENT_IS.Expired,
  Cancelled: () => 'a.cancelled_at is not null',
  Reversed: () =>
    `a.id = any(array(select advice_id from payments
                       where client_id = $1 and status = 'Reversed'))`,
}

// Of these a client has few, and an index holds no others.
const RARE = ['PartPayment', 'Cancelled', 'Reversed']

// What belongs to it is looked up for each that is reached. Were it a plain join, the planner would
// at times read all there is of the other table.
const KINDS = {
  advices: {
    id: 'a.id',
    owner: 'a.client_id',
    amount: 'a.amount_kobo',
    advice: 'a.id',
    from: `advices a
      left join lateral (select * from payments where advice_id = a.id limit 1) as p on true`,
  },
  payments: {
    id: 'p.id',
    owner: 'p.client_id',
    amount: 'p.amount_kobo',
    advice: 'p.advice_id',
    from: `payments p
     cross join lateral (select * from advices where id = p.advice_id limit 1) as a`,
  },
} as const

// Both reads must see one moment: call it within `withSnapshot`.
export async function listAdvices(
  db: Queryable,
  clientId: ClientId,
  { filters, ...paging }: Paging & { filters: PaymentFilters<AdviceStatus> },
): Promise<ListScan<ListedAdvice>> {
  const statusIs = filters.status && ADVICE_IS[filters.status]
  const scanning = { ...paging, statusIs }
  const { ids, scannedTo } = await scan<AdviceId>(db, 'advices', { clientId, filters, ...scanning })
  const rows = await readAdvices(db, ids, paging.order)
  return { rows, scannedTo }
}

export async function listPayments(
  db: Queryable,
  clientId: ClientId,
  { filters, ...paging }: Paging & { filters: PaymentFilters },
): Promise<ListScan<Payment>> {
  const statusIs = filters.status && PAYMENT_IS[filters.status]
  const scanning = { ...paging, statusIs }
  const { ids, scannedTo } = await scan<PaymentId>(db, 'payments', {
    clientId,
    filters,
    ...scanning,
  })
  if (ids.length === 0) return { rows: [], scannedTo }
  const { order = 'newest' } = paging
  const { rows } = await db.query<Payment>({
    name: `payments-of-page-${order}`,
    text: `${SELECT_PAYMENT} where p.id = any($1::uuid[]) order by p.id ${ORDER_SQL[order].sort}`,
    values: [ids],
  })
  return { rows, scannedTo }
}

// In the order of their ids.
export async function readAdvices(
  db: Queryable,
  ids: readonly AdviceId[],
  order: Order = 'newest',
): Promise<ListedAdvice[]> {
  if (ids.length === 0) return []
  const advices = await db.query<Advice>({
    name: `advices-of-page-${order}`,
    text: `${SELECT_ADVICE} where a.id = any($1::uuid[]) order by a.id ${ORDER_SQL[order].sort}`,
    values: [ids],
  })
  const payments = await db.query<Payment>({
    name: 'payments-of-advices',
    text: `${SELECT_PAYMENT} where p.advice_id = any($1::uuid[])`,
    values: [ids],
  })
  const byAdvice = new Map(payments.rows.map((payment) => [payment.adviceId, payment]))
  return advices.rows.map((advice) => ({ advice, payment: byAdvice.get(advice.id) }))
}

type Scanning = Paging & {
  clientId: ClientId
  filters: PaymentFilters<string>
  statusIs: Condition | undefined
}

async function scan<Id extends string>(
  db: Queryable,
  kind: keyof typeof KINDS,
  scanning: Scanning,
): Promise<{ ids: Id[]; scannedTo: string | null }> {
  const { found, values, end } = await selectFound(db, kind, scanning)
  const text = `select id from (${found}) as found`
  const { rows } = await db.query<{ id: Id }>(namedUnlessWindow(scanning.filters, text, values))
  return { ids: rows.map((row) => row.id), scannedTo: end ?? null }
}

// What all payments that fit come to: see summaries.ts.
export async function summarizePayments(
  db: Queryable,
  clientId: ClientId,
  { filters, now }: { filters: PaymentFilters; now: Date },
): Promise<Summary<PaymentTotal>> {
  const statusIs = filters.status && PAYMENT_IS[filters.status]
  const scanning = { clientId, filters, statusIs, now, limit: SUMMED_MAX + 1 }
  const { found, values, end } = await selectFound(db, 'payments', scanning)
  const text = `select currency, count(*) as count, sum(amount_kobo)::bigint as "amountKobo",
                       sum(amount_paid_kobo)::bigint as "amountPaidKobo"
                  from (${found}) as found group by currency order by currency`
  const { rows } = await db.query<PaymentTotal>(namedUnlessWindow(filters, text, values))
  return summaryOf(rows, end === undefined)
}

// Those that fit, as a query, in order; `end` is the last id that it looks at.
async function selectFound(
  db: Queryable,
  kind: keyof typeof KINDS,
  { clientId, filters, order = 'newest', after, limit, now, statusIs }: Scanning,
): Promise<{ found: string; values: unknown[]; end: string | undefined }> {
  const { id, owner, amount, from } = KINDS[kind]
  const values: unknown[] = [clientId]
  const given: Given = (value) => `$${values.push(value)}`
  const { sort, isAfter, isUpTo } = ORDER_SQL[order]
  const inRange = idRange(id, filters, given)
  if (after !== undefined) inRange.push(`${id} ${isAfter} ${given(after)}`)
  const rangeValues = [...values]
  const { conditions, isFew } = await narrow(db, kind, { clientId, filters, given })
  const end = isFew ? undefined : await findEnd(db, kind, { inRange, sort, values: rangeValues })
  if (end) conditions.push(`${id} ${isUpTo} ${given(end)}`)
  if (statusIs) conditions.push(statusIs(() => `${given(now)}::timestamptz`))
  const found = `
    select ${id} as id, a.currency, ${amount}, p.amount_paid_kobo from ${from}
     where ${[`${owner} = $1`, ...inRange, ...conditions].join(' and ')}
     order by ${id} ${sort} limit ${limit}`
  return { found, values, end }
}

type PaymentSearch = { clientId: ClientId; filters: PaymentFilters<string>; given: Given }

// By what leads to few of them, and by what is only compared.
async function narrow(
  db: Queryable,
  kind: keyof typeof KINDS,
  { clientId, filters, given }: PaymentSearch,
): Promise<Conditions> {
  const { status, minKobo, maxKobo, search, merchantRef, accountNumber, reference } = filters
  const { id, amount, advice } = KINDS[kind]
  const few: string[] = []
  if (merchantRef !== undefined) {
    few.push(`${advice} = any(array(select id from advices
                                     where client_id = $1 and merchant_ref = ${given(merchantRef)}))`)
  }
  if (accountNumber !== undefined) {
    few.push(`${advice} = any(array(
                select had.advice_id from payment_numbers n join payments had on had.id = n.payment_id
                 where n.account_number = ${given(accountNumber)} and had.client_id = $1))`)
  }
  if (reference !== undefined) {
    const referred = await resolveReference(db, clientId, reference)
    const ids = referred.map((each) => (kind === 'advices' ? each.adviceId : each.paymentId))
    few.push(`${id} = any(${given(ids)}::uuid[])`)
  }
  const compared: string[] = []
  if (minKobo !== undefined) compared.push(`${amount} >= ${given(minKobo)}`)
  if (maxKobo !== undefined) compared.push(`${amount} <= ${given(maxKobo)}`)
  if (search !== undefined) {
    const text = given(search)
    compared.push(`(position(lower(${text}) in lower(a.customer_name)) > 0
                    or position(lower(${text}) in lower(a.customer->>'email')) > 0)`)
  }
  const isPlain = compared.length === 0 && (status === undefined || RARE.includes(status))
  return { conditions: [...few, ...compared], isFew: few.length > 0 || isPlain }
}

function idRange(id: string, { from, to }: Window, given: Given): string[] {
  return [
    ...(from ? [`${id} >= ${given(leastIdAt(from.getTime()))}`] : []),
    ...(to ? [`${id} < ${given(leastIdAt(to.getTime()))}`] : []),
  ]
}

// The last id that one page looks at; undefined: there are no more than that. Read from the index
// alone.
async function findEnd(
  db: Queryable,
  kind: keyof typeof KINDS,
  { inRange, sort, values }: { inRange: readonly string[]; sort: string; values: unknown[] },
): Promise<string | undefined> {
  const { id, owner } = KINDS[kind]
  const text = `select ${id} as id from ${kind} ${id[0]}
                 where ${[`${owner} = $1`, ...inRange].join(' and ')}
                 order by ${id} ${sort} offset ${SCAN_MAX} limit 1`
  const { rows } = await db.query<{ id: string }>(namedByText(text, values))
  return rows[0]?.id
}
