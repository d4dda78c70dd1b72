// Finds a client's advices and payments by any reference that a payer may state in a complaint, and lists and
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
type ReferenceMatch = { adviceId: AdviceId; paymentId: PaymentId | null }

const CODE_CYCLES = 64 // A short code may mean one minute in each cycle. 64 cycles last from 1970 until 2097.

// Characters that no reference contains. PostgreSQL refuses NUL.
const NOT_TEXT = /[\p{Cc}\p{Cs}]/u

// Returns every payment or advice of the client that the reference may name, the likeliest first. A text that
// has the form of a short code is read as a code only if it matches no other reference, because merchants may
// use references of the same form.
export async function resolveReference(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<ReferenceMatch[]> {
  if (NOT_TEXT.test(reference)) return []
  const exact = await resolveExactly(db, clientId, reference)
  if (exact.length > 0) return exact
  const code = readCode(reference)
  return typeof code === 'object' && code.kind === 'id' ? resolveCode(db, clientId, code) : []
}

// Finds the payments and advices that have exactly this reference, the likeliest first. `place` ranks the
// kinds of references: payment, advice, merchantRef, session id of a credit, account number. `newest`,
// `preference` and `latest` order several matches of one kind: `preference` puts the payment that has the
// money of a credit first, then one that the money was assigned to, then one that lost it.
async function resolveExactly(db: Queryable, clientId: ClientId, reference: string) {
  const { rows } = await db.query<ReferenceMatch>({
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

const SAME_CODE_MAX = 20 // The most results for one short code.

// Finds payments and advices by a short code, newest first. A code contains the ending of the id and the
// minute of creation, which repeats after CYCLE_MS. For each cycle, looks up in an index the client's ids of
// that minute, which lie from `first` up to `past`. PAY in the letters stands for payments, REQ for advices.
async function resolveCode(
  db: Queryable,
  clientId: ClientId,
  { letters, minuteMs, endings }: Extract<ShortCode, { kind: 'id' }>,
): Promise<ReferenceMatch[]> {
  const minutes = Array.from({ length: CODE_CYCLES }, (_, cycle) => minuteMs + cycle * CYCLE_MS)
  const { rows } = await db.query<ReferenceMatch>({
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

// Finds payments and advices whose merchantRef or id begins with the text, for search as a person types.
// Matches by merchantRef come first, then matches by id, newest first.
export async function resolvePrefix(
  db: Queryable,
  clientId: ClientId,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<ReferenceMatch[]> {
  if (NOT_TEXT.test(prefix)) return []
  const hex = prefix.replaceAll('-', '').toLowerCase()
  // Ids that begin with `hex` lie between it padded with 0 and padded with f. A whole id has 32 digits.
  const isIdPrefix = /^[0-9a-f]{6,31}$/.test(hex)
  const { rows } = await db.query<ReferenceMatch>({
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
      isIdPrefix ? hex.padEnd(32, '0') : null,
      isIdPrefix ? hex.padEnd(32, 'f') : null,
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
  const matches = await resolveReference(db, clientId, reference)
  const paymentId = matches.find((match) => match.paymentId !== null)?.paymentId
  if (!paymentId || isAmbiguous(reference, matches)) throw new Refusal('payment_not_found')
  const payment = await getPayment(db, clientId, { by: 'payment', reference: paymentId })
  return { payment, inSuspenseKobo: await sumInSuspense(db, payment) }
}

// Finds an advice by any of its references.
export async function getAdviceId(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<AdviceId> {
  const matches = await resolveReference(db, clientId, reference)
  const [first] = matches
  if (!first || isAmbiguous(reference, matches)) throw new Refusal('advice_not_found')
  return first.adviceId
}

// Whether a short code names several advices. The callers then refuse it, because they may act on the
// payment.
function isAmbiguous(reference: string, matches: readonly ReferenceMatch[]): boolean {
  const isCode = typeof readCode(reference) === 'object'
  return isCode && new Set(matches.map(({ adviceId }) => adviceId)).size > 1
}

// Sums the payment's money in suspense. Counts only credits in the payment's currency, because kobo and cents
// cannot be added.
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

// The rest of this file lists, filters and sums a client's advices and payments, newest or oldest first.
//
// Ids begin with the time of creation. So ordering by time, and a time window, use an index on client and id
// that the foreign keys need anyway (advices_of_client, payments_of_client). References and rare statuses
// have separate indexes. Other filters have none, because an index makes every new advice and payment more
// expensive. Instead, a page with such a filter scans up to SCAN_MAX rows, and the next page continues where
// the scan ended.

// Scanning so many rows and their joined rows takes about 100 ms, however long the history is.
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

// `scannedTo` is the id at which the scan stopped, or null if it reached the end.
type ListScan<T> = { rows: T[]; scannedTo: string | null }
type PaymentTotal = Total & { amountPaidKobo: Kobo }
export type ListedAdvice = { advice: Advice; payment: Payment | undefined }

// Adds a parameter to a query, and returns its name, such as $3.
type Bind = (value: unknown) => string
// Builds an SQL condition. It calls `now` only if it needs the time, because PostgreSQL refuses unused
// parameters.
type Condition = (now: () => string) => string

const IS_OPEN = `p.status in ('Processing', 'PartPayment')`

// SQL conditions with the same rules as statusAt() and adviceStatus() (payment.ts), written so that
// PostgreSQL can use an index on a status.
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
const RARE_STATUSES = ['PartPayment', 'Cancelled', 'Reversed']

// The tables and columns of both lists. The other table is joined laterally, so that PostgreSQL looks up one
// row for each row that it reaches. With a plain join, the planner sometimes reads the whole other table.
const LISTS = {
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

// Lists one page of advices with their payments. Must be called within `withSnapshot`, because its queries
// must see the same moment.
export async function listAdvices(
  db: Queryable,
  clientId: ClientId,
  { filters, ...paging }: Paging & { filters: PaymentFilters<AdviceStatus> },
): Promise<ListScan<ListedAdvice>> {
  const statusIs = filters.status && ADVICE_IS[filters.status]
  const scanOptions = { ...paging, statusIs }
  const { ids, scannedTo } = await scanIds<AdviceId>(db, 'advices', {
    clientId,
    filters,
    ...scanOptions,
  })
  const rows = await readAdvices(db, ids, paging.order)
  return { rows, scannedTo }
}

// Lists one page of payments. Must be called within `withSnapshot`, like listAdvices().
export async function listPayments(
  db: Queryable,
  clientId: ClientId,
  { filters, ...paging }: Paging & { filters: PaymentFilters },
): Promise<ListScan<Payment>> {
  const statusIs = filters.status && PAYMENT_IS[filters.status]
  const scanOptions = { ...paging, statusIs }
  const { ids, scannedTo } = await scanIds<PaymentId>(db, 'payments', {
    clientId,
    filters,
    ...scanOptions,
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

// Reads advices with their payments, ordered by id.
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

type ScanOptions = Paging & {
  clientId: ClientId
  filters: PaymentFilters<string>
  statusIs: Condition | undefined
}

// Reads the ids of one page of advices or payments, which the callers then read in full. `scannedTo` is the
// id at which the scan stopped, or null if it reached the end of the list.
async function scanIds<Id extends string>(
  db: Queryable,
  kind: keyof typeof LISTS,
  scanOptions: ScanOptions,
): Promise<{ ids: Id[]; scannedTo: string | null }> {
  const { sql, values, end } = await buildScanQuery(db, kind, scanOptions)
  const text = `select id from (${sql}) as found`
  const { rows } = await db.query<{ id: Id }>(namedUnlessWindow(scanOptions.filters, text, values))
  return { ids: rows.map((row) => row.id), scannedTo: end ?? null }
}

// Counts and sums the payments that the filters match, up to SUMMED_MAX. Beyond, the summary is not exact.
export async function summarizePayments(
  db: Queryable,
  clientId: ClientId,
  { filters, now }: { filters: PaymentFilters; now: Date },
): Promise<Summary<PaymentTotal>> {
  const statusIs = filters.status && PAYMENT_IS[filters.status]
  const scanOptions = { clientId, filters, statusIs, now, limit: SUMMED_MAX + 1 }
  const { sql, values, end } = await buildScanQuery(db, 'payments', scanOptions)
  const text = `select currency, count(*) as count, sum(amount_kobo)::bigint as amount_kobo,
                       sum(amount_paid_kobo)::bigint as amount_paid_kobo
                  from (${sql}) as found group by currency order by currency`
  const { rows } = await db.query<PaymentTotal>(namedUnlessWindow(filters, text, values))
  return summaryOf(rows, end === undefined)
}

// Builds the query for the rows that match the filters, in order, up to `limit`. `end` is the last id that
// the query scans, or undefined if it reaches the end of the list. `bind` adds a parameter to the query, and
// returns its name, such as $3.
async function buildScanQuery(
  db: Queryable,
  kind: keyof typeof LISTS,
  { clientId, filters, order = 'newest', after, limit, now, statusIs }: ScanOptions,
): Promise<{ sql: string; values: unknown[]; end: string | undefined }> {
  const { id, owner, amount, from } = LISTS[kind]
  const values: unknown[] = [clientId]
  const bind: Bind = (value) => `$${values.push(value)}`
  const { sort, isAfter, isUpTo } = ORDER_SQL[order]
  const inRange = idRange(id, filters, bind)
  if (after !== undefined) inRange.push(`${id} ${isAfter} ${bind(after)}`)
  // The parameters so far, which are those of findEnd(): it uses only the client and the range of ids.
  const rangeValues = [...values]
  const { conditions, isSelective } = await filterConditions(db, kind, { clientId, filters, bind })
  const end = isSelective
    ? undefined
    : await findEnd(db, kind, { inRange, sort, values: rangeValues })
  if (end) conditions.push(`${id} ${isUpTo} ${bind(end)}`)
  if (statusIs) conditions.push(statusIs(() => `${bind(now)}::timestamptz`))
  const sql = `
    select ${id} as id, a.currency, ${amount}, p.amount_paid_kobo from ${from}
     where ${[`${owner} = $1`, ...inRange, ...conditions].join(' and ')}
     order by ${id} ${sort} limit ${limit}`
  return { sql, values, end }
}

// Returns the SQL conditions of the filters. `isSelective` means that the query need not stop after SCAN_MAX
// rows: an index leads to the rows that match, or every row matches. `bind` adds a parameter to the query,
// and returns its name, such as $3.
async function filterConditions(
  db: Queryable,
  kind: keyof typeof LISTS,
  { clientId, filters, bind }: { clientId: ClientId; filters: PaymentFilters<string>; bind: Bind },
): Promise<{ conditions: string[]; isSelective: boolean }> {
  const { status, minKobo, maxKobo, search, merchantRef, accountNumber, reference } = filters
  const { refund } = filters
  const { id, amount, advice } = LISTS[kind]
  const selective: string[] = []
  if (merchantRef !== undefined) {
    selective.push(`${advice} = any(array(select id from advices
                                     where client_id = $1 and merchant_ref = ${bind(merchantRef)}))`)
  }
  if (accountNumber !== undefined) {
    selective.push(`${advice} = any(array(
                select had.advice_id from payment_numbers n join payments had on had.id = n.payment_id
                 where n.account_number = ${bind(accountNumber)} and had.client_id = $1))`)
  }
  if (reference !== undefined) {
    const matches = await resolveReference(db, clientId, reference)
    const ids = matches.map(({ adviceId, paymentId }) => {
      return kind === 'advices' ? adviceId : paymentId
    })
    selective.push(`${id} = any(${bind(ids)}::uuid[])`)
  }
  const unindexed: string[] = []
  if (minKobo !== undefined) unindexed.push(`${amount} >= ${bind(minKobo)}`)
  if (maxKobo !== undefined) unindexed.push(`${amount} <= ${bind(maxKobo)}`)
  if (refund !== undefined) unindexed.push(REFUND_IS[refund])
  if (search !== undefined) {
    const text = bind(search)
    unindexed.push(`(position(lower(${text}) in lower(a.customer_name)) > 0
                    or position(lower(${text}) in lower(a.customer->>'email')) > 0)`)
  }
  const isPlain = unindexed.length === 0 && (status === undefined || RARE_STATUSES.includes(status))
  return { conditions: [...selective, ...unindexed], isSelective: selective.length > 0 || isPlain }
}

// The SQL conditions of a time window, as a range of ids.
function idRange(id: string, { from, to }: Window, bind: Bind): string[] {
  return [
    ...(from ? [`${id} >= ${bind(leastIdAt(from.getTime()))}`] : []),
    ...(to ? [`${id} < ${bind(leastIdAt(to.getTime()))}`] : []),
  ]
}

// Returns the id after SCAN_MAX rows, at which a page stops its scan, or undefined if fewer rows remain.
// Needs only the index. `inRange` has the SQL conditions on the id, and `values` their parameters.
async function findEnd(
  db: Queryable,
  kind: keyof typeof LISTS,
  { inRange, sort, values }: { inRange: readonly string[]; sort: string; values: unknown[] },
): Promise<string | undefined> {
  const { id, owner } = LISTS[kind]
  const alias = id[0] // `id` is a.id or p.id.
  const text = `select ${id} as id from ${kind} ${alias}
                 where ${[`${owner} = $1`, ...inRange].join(' and ')}
                 order by ${id} ${sort} offset ${SCAN_MAX} limit 1`
  const { rows } = await db.query<{ id: string }>(namedByText(text, values))
  return rows[0]?.id
}
