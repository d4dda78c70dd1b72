// Finds a client's advices and payments by any reference that a payer's complaint may contain, and lists and
// sums them.
//
// References are tried in this order: payment reference, advice reference, merchantRef, session id of a
// credit (the payment it is booked to, then one it was assigned to, then the one it was sent to), account
// number (latest payment first).

import type { Window } from '#db/bounds.ts'
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
import { type AdviceId, type ClientId, leastIdAt, type PaymentId, parseReference } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { CYCLE_MS, readCode, type ShortCode } from '#short-codes.ts'
import { type Advice, type AdviceStatus, SELECT_ADVICE } from './advice.ts'
import { getPayment, type Payment, REFUNDED, SELECT_PAYMENT } from './payment.ts'
import type { PaymentStatus } from './states.ts'

// `paymentId` is null before the advice's first number.
type Referred = { adviceId: AdviceId; paymentId: PaymentId | null }

const CODE_CYCLES = 64 // From 1970 until 2097.

// Characters that no reference contains. PostgreSQL refuses NUL.
const NOT_TEXT = /[\p{Cc}\p{Cs}]/u

// Returns every payment or advice that the reference may name, the likeliest first. The text is read as a
// short code only if it matches no other reference, because merchants may have references of the same form.
export async function resolveReference(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<Referred[]> {
  if (NOT_TEXT.test(reference)) return []
  const exact = await resolveExactly(db, clientId, reference)
  if (exact.length > 0) return exact
  const code = readCode(reference)
  return typeof code === 'object' && code.kind === 'id' ? resolveCode(db, clientId, code) : []
}

async function resolveExactly(db: Queryable, clientId: ClientId, reference: string) {
  const { rows } = await db.query<Referred>({
    name: 'find-referred',
    text: `select advice_id, payment_id from (
             select 1 as place, advice_id, id as payment_id, null::bigint as newest,
                    null::timestamptz as latest, 0 as preference
               from payments where id = $2 and client_id = $1
             union all
             select 2, a.id, p.id, null, null, 0
               from advices a left join payments p on p.advice_id = a.id
              where a.id = $2 and a.client_id = $1
             union all
             select 3, a.id, p.id, null, null, 0
               from advices a left join payments p on p.advice_id = a.id
              where a.client_id = $1 and a.merchant_ref = $3
             union all
             select 4, p.advice_id, p.id, c.id, null, holder.preference
               from credits c
              cross join lateral (
                select c.payment_id as id,
                       case when c.amount_kobo > c.suspended_kobo + c.reversed_kobo
                            then 1 else 3 end as preference
                union all
                select assigned_payment_id, 2 from suspense_items where credit_id = c.id
              ) as holder
               join payments p on p.id = holder.id
              where c.id = any(array(select credit_id from credit_identifiers where value = $3))
                and p.client_id = $1
             union all
             select 5, p.advice_id, p.id, null, n.issued_at, 0
               from payment_numbers n join payments p on p.id = n.payment_id
              where n.account_number = $3 and p.client_id = $1
           ) as found
           order by place, newest desc, preference, latest desc`,
    values: [clientId, parseReference(reference) ?? null, reference],
  })
  return rows
}

// At most this many payments with the same code are returned.
const SAME_CODE_MAX = 20

// Reads the ids of each minute that the code may mean, newest first. A minute without payments of the client
// costs one look into the index.
async function resolveCode(
  db: Queryable,
  clientId: ClientId,
  { letters, minuteMs, endings }: Extract<ShortCode, { kind: 'id' }>,
): Promise<Referred[]> {
  const minutes = Array.from({ length: CODE_CYCLES }, (_, at) => minuteMs + at * CYCLE_MS)
  const { rows } = await db.query<Referred>({
    name: 'find-referred-by-code',
    text: `select advice_id, payment_id
             from unnest($2::uuid[], $3::uuid[]) as minute (first, past)
            cross join lateral (
              (select advice_id, id as payment_id, id from payments
                where $5 and client_id = $1 and id >= first and id < past
                  and right(id::text, 4) = any($4))
              union all
              (select a.id, p.id, a.id from advices a left join payments p on p.advice_id = a.id
                where $6 and a.client_id = $1 and a.id >= first and a.id < past
                  and right(a.id::text, 4) = any($4))
            ) as found
            order by found.id desc limit ${SAME_CODE_MAX}`,
    values: [
      clientId,
      minutes.map(leastIdAt),
      minutes.map((ms) => leastIdAt(ms + 60_000)),
      endings,
      letters.includes('PAY'),
      letters.includes('REQ'),
    ],
  })
  return rows
}

// Matches the start of a merchantRef or of our own references. Our own references come newest first.
export async function resolvePrefix(
  db: Queryable,
  clientId: ClientId,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<Referred[]> {
  if (NOT_TEXT.test(prefix)) return []
  const hex = prefix.replaceAll('-', '').toLowerCase()
  const isId = /^[0-9a-f]{6,31}$/.test(hex)
  const { rows } = await db.query<Referred>({
    name: 'find-referred-by-prefix',
    text: `select advice_id, payment_id from (
             (select a.id as advice_id, p.id as payment_id
                from advices a left join payments p on p.advice_id = a.id
               where a.client_id = $1 and a.merchant_ref >= $2 and a.merchant_ref < $3
               order by a.merchant_ref limit $6)
             union all
             (select advice_id, id from payments
               where client_id = $1 and id >= $4 and id <= $5 order by id desc limit $6)
             union all
             (select a.id, p.id from advices a left join payments p on p.advice_id = a.id
               where a.client_id = $1 and a.id >= $4 and a.id <= $5 order by a.id desc limit $6)
           ) as found limit $6`,
    values: [
      clientId,
      prefix,
      pastPrefix(prefix),
      isId ? hex.padEnd(32, '0') : null,
      isId ? hex.padEnd(32, 'f') : null,
      limit,
    ],
  })
  return rows
}

// Finds a payment by any of its references, with the amount of its credits that is in suspense.
export async function findPayment(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<{ payment: Payment; inSuspenseKobo: Kobo }> {
  const referred = await resolveReference(db, clientId, reference)
  const paymentId = referred.find((each) => each.paymentId !== null)?.paymentId
  if (!paymentId || isAmbiguous(reference, referred)) throw new Refusal('payment_not_found')
  const payment = await getPayment(db, clientId, { by: 'payment', reference: paymentId })
  return { payment, inSuspenseKobo: await sumInSuspense(db, payment) }
}

export async function getAdviceId(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<AdviceId> {
  const referred = await resolveReference(db, clientId, reference)
  const [first] = referred
  if (!first || isAmbiguous(reference, referred)) throw new Refusal('advice_not_found')
  return first.adviceId
}

// A short code that several payments share names none of them, because the caller may move money.
function isAmbiguous(reference: string, referred: readonly Referred[]): boolean {
  const isCode = typeof readCode(reference) === 'object'
  return isCode && new Set(referred.map(({ adviceId }) => adviceId)).size > 1
}

// Sums the payment's credits in suspense that have the payment's currency: kobo and cents do not add up.
async function sumInSuspense(db: Queryable, payment: Payment): Promise<Kobo> {
  const { rows } = await db.query<{ sum: Kobo }>({
    name: 'suspense-of-payment',
    text: `select coalesce(sum(i.amount_kobo), 0)::bigint as sum
             from credits c join suspense_items i on i.credit_id = c.id
            where c.payment_id = $1 and c.currency = $2 and i.state = 'open'`,
    values: [payment.id, payment.currency],
  })
  return rows[0]?.sum ?? kobo(0n)
}

// Lists and filters a client's advices and payments, newest or oldest first.
//
// Ids start with their time. So an order or a time window is a range of ids, on an index that the foreign
// keys need anyway (advices_of_client, payments_of_client). References and rare statuses have separate
// indexes. Other filters have none, because every new advice and payment would pay for such an index. Instead
// a page scans at most SCAN_MAX rows, and the next page continues from there.

// Scanning 20,000 rows and their joined rows takes some 100 ms, however long the history is.
const SCAN_MAX = 20_000

export const ADVICE_STATUSES = ['Pending', 'Paid', 'Expired', 'Cancelled', 'Reversed'] as const

export type PaymentFilters<Status = PaymentStatus> = Window & {
  status?: Status | undefined
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
  search?: string | undefined // A part of the customer's name or email address.
  merchantRef?: string | undefined
  accountNumber?: string | undefined
  reference?: string | undefined // Any reference that resolveReference() understands.
  refund?: RefundState | undefined
}

// Whether banks have confirmed a refund of all or part of the amount paid.
export const REFUND_STATES = ['refunded', 'part_refunded'] as const
export type RefundState = (typeof REFUND_STATES)[number]

// `after`: the id of the last row, or of the last scanned row, of the previous page. `now` decides which
// payments have expired.
type Paging = {
  order?: Order | undefined
  after?: string | undefined
  limit: number
  now: Date
}

// The page has scanned all rows up to the id `scannedTo`, or all rows if that is null.
type ListScan<T> = { rows: T[]; scannedTo: string | null }
type PaymentTotal = Total & { amountPaidKobo: Kobo }
export type ListedAdvice = { advice: Advice; payment: Payment | undefined }

type Bind = (value: unknown) => string
// A condition calls `now` only if it needs the time, because PostgreSQL refuses unused parameters.
type Condition = (now: () => string) => string

const IS_OPEN = `p.status in ('Processing', 'PartPayment')`

// SQL conditions: the rules of `statusAt` and `adviceStatus` (payment.ts), written so that an index on one
// status can be used.
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

const REFUND_IS: Record<RefundState, string> = {
  refunded: `(${REFUNDED} > 0 and ${REFUNDED} >= p.amount_paid_kobo)`,
  part_refunded: `(${REFUNDED} > 0 and ${REFUNDED} < p.amount_paid_kobo)`,
}

// Statuses that few payments of a client have. Each has a partial index.
const RARE = ['PartPayment', 'Cancelled', 'Reversed']

// Joins the other table laterally, so that it is looked up for each row that is reached. With a plain join,
// the planner sometimes reads the whole other table.
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

// Call within `withSnapshot`, because the reads must see the same moment.
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

// Returns advices ordered by id.
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

export async function summarizePayments(
  db: Queryable,
  clientId: ClientId,
  { filters, now }: { filters: PaymentFilters; now: Date },
): Promise<Summary<PaymentTotal>> {
  const statusIs = filters.status && PAYMENT_IS[filters.status]
  const scanning = { clientId, filters, statusIs, now, limit: SUMMED_MAX + 1 }
  const { found, values, end } = await selectFound(db, 'payments', scanning)
  const text = `select currency, count(*) as count, sum(amount_kobo)::bigint as amount_kobo,
                       sum(amount_paid_kobo)::bigint as amount_paid_kobo
                  from (${found}) as found group by currency order by currency`
  const { rows } = await db.query<PaymentTotal>(namedUnlessWindow(filters, text, values))
  return summaryOf(rows, end === undefined)
}

// Builds a query for the ids that match, in order. `end` is the last id that it scans; undefined if it scans
// all.
async function selectFound(
  db: Queryable,
  kind: keyof typeof KINDS,
  { clientId, filters, order = 'newest', after, limit, now, statusIs }: Scanning,
): Promise<{ found: string; values: unknown[]; end: string | undefined }> {
  const { id, owner, amount, from } = KINDS[kind]
  const values: unknown[] = [clientId]
  const bind: Bind = (value) => `$${values.push(value)}`
  const { sort, isAfter, isUpTo } = ORDER_SQL[order]
  const inRange = idRange(id, filters, bind)
  if (after !== undefined) inRange.push(`${id} ${isAfter} ${bind(after)}`)
  const rangeValues = [...values]
  const { conditions, isFew } = await narrow(db, kind, { clientId, filters, bind })
  const end = isFew ? undefined : await findEnd(db, kind, { inRange, sort, values: rangeValues })
  if (end) conditions.push(`${id} ${isUpTo} ${bind(end)}`)
  if (statusIs) conditions.push(statusIs(() => `${bind(now)}::timestamptz`))
  const found = `
    select ${id} as id, a.currency, ${amount}, p.amount_paid_kobo from ${from}
     where ${[`${owner} = $1`, ...inRange, ...conditions].join(' and ')}
     order by ${id} ${sort} limit ${limit}`
  return { found, values, end }
}

// Returns the conditions of the filters. `isFew` means that the scan needs no end: an index leads to the rows
// that match, or every row matches.
async function narrow(
  db: Queryable,
  kind: keyof typeof KINDS,
  { clientId, filters, bind }: { clientId: ClientId; filters: PaymentFilters<string>; bind: Bind },
): Promise<{ conditions: string[]; isFew: boolean }> {
  const { status, minKobo, maxKobo, search, merchantRef, accountNumber, reference } = filters
  const { refund } = filters
  const { id, amount, advice } = KINDS[kind]
  const few: string[] = []
  if (merchantRef !== undefined) {
    few.push(`${advice} = any(array(select id from advices
                                     where client_id = $1 and merchant_ref = ${bind(merchantRef)}))`)
  }
  if (accountNumber !== undefined) {
    few.push(`${advice} = any(array(
                select had.advice_id from payment_numbers n join payments had on had.id = n.payment_id
                 where n.account_number = ${bind(accountNumber)} and had.client_id = $1))`)
  }
  if (reference !== undefined) {
    const referred = await resolveReference(db, clientId, reference)
    const ids = referred.map((each) => (kind === 'advices' ? each.adviceId : each.paymentId))
    few.push(`${id} = any(${bind(ids)}::uuid[])`)
  }
  const compared: string[] = []
  if (minKobo !== undefined) compared.push(`${amount} >= ${bind(minKobo)}`)
  if (maxKobo !== undefined) compared.push(`${amount} <= ${bind(maxKobo)}`)
  if (refund !== undefined) compared.push(REFUND_IS[refund])
  if (search !== undefined) {
    const text = bind(search)
    compared.push(`(position(lower(${text}) in lower(a.customer_name)) > 0
                    or position(lower(${text}) in lower(a.customer->>'email')) > 0)`)
  }
  const isPlain = compared.length === 0 && (status === undefined || RARE.includes(status))
  return { conditions: [...few, ...compared], isFew: few.length > 0 || isPlain }
}

function idRange(id: string, { from, to }: Window, bind: Bind): string[] {
  return [
    ...(from ? [`${id} >= ${bind(leastIdAt(from.getTime()))}`] : []),
    ...(to ? [`${id} < ${bind(leastIdAt(to.getTime()))}`] : []),
  ]
}

// Returns the last id that one page scans, or undefined if the page reaches the end. Reads the index alone.
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
