// Credit search: a client's credits by any known field, each with where its money is now.
//
// A client sees credits to its numbers, and credits assigned to it even if suspended again since.
// Operators also see credits to unrecognised numbers, by session id or account number.

import { ORDER_SQL, type Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { idBounds, type Window } from '#db/time-bounds.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, CreditId } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  type CreditLocation,
  locateCredit,
  REASON_NOW,
  type TracedItem,
  type TracedReturn,
} from './credit-location.ts'
import type { JudgedBy } from './judge-credit.ts'

export const OUTCOMES = ['booked', 'suspended', 'assigned', 'returned', 'reversed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type Viewer = { id: ClientId; isOperator: boolean }

export type CreditFilters = Window & {
  sessionId?: string | undefined
  accountNumber?: string | undefined
  paymentReference?: string | undefined
  adviceReference?: string | undefined
  merchantRef?: string | undefined
  outcome?: Outcome | undefined
}

export type CreditTrace = {
  id: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  outcome: Outcome
  reason: string | null
  sourceAccountName: string | null
  sourceAccountNumberMasked: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentReference: string | null
  adviceReference: string | null
  merchantRef: string | null
  collectionAccountNumber: string | null
  transactionTime: Date | null
  transactionDate: string | null // Where the bank gave no time of day.
  receivedAt: Date
  reversedKobo: Kobo // By banks, in all, …
  shortfallKobo: Kobo // … and what of that had left us already.
  judgedBy: JudgedBy | null
  items: TracedItem[]
  locations: CreditLocation[]
}

// As JSON has them.
type InJson<T> = {
  [Key in keyof T]: T[Key] extends bigint
    ? string
    : T[Key] extends Date | null
      ? Extract<T[Key], null> | string
      : T[Key]
}
type ReturnRow = InJson<TracedReturn>
type ItemRow = Omit<InJson<TracedItem>, 'returns'> & { returns: ReturnRow[] | null }

type CreditRow = Omit<
  CreditTrace,
  'sourceAccountNumberMasked' | 'items' | 'locations' | 'transactionTime'
> & {
  bookedKobo: Kobo
  sourceSealed: Buffer | null
  transactionTime: Date | null
  reversedBy: string | null
  items: ItemRow[] | null
}

const RETURNS = `
  (select json_agg(json_build_object(
            'reference', r.reference, 'status', r.status,
            'amountKobo', r.amount_kobo::text, 'bankReference', r.bank_reference,
            'failureReason', r.failure_reason, 'requestedAt', r.requested_at,
            'settledAt', r.settled_at) order by r.id)
     from returns r where r.item_id = i.id)`

// The credit `c` comes from the query that this is put around. One statement, so that the parts of
// a credit are of one moment.
const SELECT_TRACE = `
  select c.id, c.session_id as "sessionId", c.bank_code as "bankCode",
         c.account_number as "accountNumber", c.amount_kobo as "amountKobo", c.currency, c.outcome,
         ${REASON_NOW} as reason, c.amount_kobo - c.suspended_kobo - c.reversed_kobo as "bookedKobo",
         c.source_account_name as "sourceAccountName", c.source_account_sealed as "sourceSealed",
         c.source_bank_code as "sourceBankCode", c.narration, p.id as "paymentReference",
         p.advice_id as "adviceReference", a.merchant_ref as "merchantRef",
         n.account_number as "collectionAccountNumber", c.transacted_at as "transactionTime",
         c.transacted_on::text as "transactionDate",
         c.received_at as "receivedAt", c.judged_by as "judgedBy",
         (select session_id from reversals where credit_id = c.id order by id desc limit 1)
           as "reversedBy",
         (select coalesce(sum(amount_kobo), 0)::bigint from reversals where credit_id = c.id)
           as "reversedKobo",
         (select coalesce(sum(shortfall_kobo), 0)::bigint from reversals where credit_id = c.id)
           as "shortfallKobo",
         (select json_agg(json_build_object(
                   'id', i.id::text, 'amountKobo', i.amount_kobo::text, 'reason', i.reason,
                   'state', i.state, 'accountNumber', t.account_number,
                   'paymentReference', i.assigned_payment_id,
                   'openedAt', i.opened_at, 'closedAt', i.closed_at,
                   'returns', ${RETURNS}) order by i.id)
            from suspense_items i left join collection_accounts t on t.id = i.assigned_account_id
           where i.credit_id = c.id) as items`

const WITH_OWNERS = `
    left join payments p on p.id = c.payment_id
    left join advices a on a.id = p.advice_id
    left join collection_accounts n on n.id = c.collection_account_id`

const ownTo = (place: string) =>
  `(c.client_id = ${place} and ${inMerchantScope('c.collection_account_id', place)})`

const visibleTo = (viewer: Viewer, place: string) => `(
  ${ownTo(place)} ${viewer.isOperator ? 'or c.client_id is null' : ''} or ${assignedTo(place)})`

// Out of suspense, also if it went back there from a payment of the client's, or to the bank.
export const assignedTo = (place: string) => `
  exists (select from suspense_items i
            left join collection_accounts t on t.id = i.assigned_account_id
            left join payments y on y.id = i.assigned_payment_id
           where i.credit_id = c.id
             and ${place} in (coalesce(t.client_id, y.client_id), i.given_client_id)
             and ${inMerchantScope('t.id', place)})`

// The same of unidentified money, found by the client.
const identifiedFor = (place: string) => `c.client_id is null and c.id = any(array(
  select i.credit_id from suspense_items i
   where i.given_client_id = ${place} and ${inMerchantScope('i.assigned_account_id', place)}))`

export type CreditQuery = {
  sealer: Sealer
  viewer: Viewer
  filters: CreditFilters & { by?: 'movement' }
  order?: Order | undefined
  after?: bigint | undefined
  limit: number
}

// Newest first, unless asked otherwise; `after` is the id of the last one seen. A window of time is
// about when we learned of them, or of when any of their money moved (`by` movement).
export async function listCredits(
  db: Queryable,
  { sealer, viewer, filters, order = 'newest', after, limit }: CreditQuery,
): Promise<CreditTrace[]> {
  const { sort, isAfter } = ORDER_SQL[order]
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const { sql, conditions, scopes } = narrow(viewer, filters, place)
  const times = await readTimes(db, filters, place)
  if (after !== undefined) conditions.push(`c.id ${isAfter} ${place(after)}`)
  // Written out, so that an index on one outcome can serve.
  const outcome = OUTCOMES.find((known) => known === filters.outcome)
  if (outcome) conditions.push(`c.outcome = '${outcome}'`)
  const most = place(limit)
  // Each through its own index, in order, and no further than a page.
  const branches = scopes.flatMap((scope) =>
    times.map((time) => {
      const all = [...conditions, scope, ...time].join(' and ')
      return `(select c.* from credits c where ${all} order by c.id ${sort} limit ${most})`
    }),
  )
  const { rows } = await db.query<CreditRow>(
    `${sql} ${SELECT_TRACE}
       from (select distinct on (id) * from (${branches.join(' union all ')}) as found
              order by id ${sort} limit ${most}) as c ${WITH_OWNERS}
      order by c.id ${sort}`,
    values,
  )
  return rows.map((row) => openTrace(sealer, row))
}

const LATER = `'assign', 'suspend', 'returned', 'reversal'` // As the index transfers_later has them.

// Conditions of a window; either is enough.
async function readTimes(
  db: Queryable,
  { from, to, by }: CreditFilters & { by?: 'movement' },
  place: (value: unknown) => string,
): Promise<string[][]> {
  if (!from && !to) return [[]]
  const { firstId, pastId } = await idBounds(db, 'credits', { from, to })
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
  return [received, [moved]]
}

// Every way to narrow leads through an index: a payment's own credits and what was assigned to it,
// a session id, a number; otherwise the client's own, and what was unidentified before. Of these the
// first is the client's already.
function narrow(viewer: Viewer, filters: CreditFilters, place: (value: unknown) => string) {
  const { sessionId, accountNumber, paymentReference, adviceReference, merchantRef } = filters
  const me = place(viewer.id)
  const ofPayment: string[] = []
  if (paymentReference) ofPayment.push(`p.id = ${place(paymentReference)}`)
  if (adviceReference) ofPayment.push(`a.id = ${place(adviceReference)}`)
  if (merchantRef) ofPayment.push(`a.merchant_ref = ${place(merchantRef)}`)

  const conditions: string[] = []
  if (sessionId) conditions.push(`c.session_id = ${place(sessionId)}`)
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

type CreditLookup = {
  sealer: Sealer
  viewer: Viewer
  by: { id: CreditId } | { sessionId: string }
}

// By its id, or by the session id: the latest, should two banks ever report the same one. The same
// "not there" for what does not exist and for what is another client's.
export async function getCredit(
  db: Queryable,
  { sealer, viewer, by }: CreditLookup,
): Promise<CreditTrace> {
  const [column, value] = 'id' in by ? ['id', by.id] : ['session_id', by.sessionId]
  const { rows } = await db.query<CreditRow>(
    `${SELECT_TRACE} from credits c ${WITH_OWNERS}
      where c.${column} = $1 and ${visibleTo(viewer, '$2')}
      order by c.id desc limit 1`,
    [value, viewer.id],
  )
  if (!rows[0]) throw new Refusal('credit_not_found')
  return openTrace(sealer, rows[0])
}

function openTrace(sealer: Sealer, row: CreditRow): CreditTrace {
  const { sourceSealed, bookedKobo, reversedBy, items: itemRows, ...credit } = row
  const items = (itemRows ?? []).map((item) => ({
    ...item,
    amountKobo: kobo(BigInt(item.amountKobo)),
    openedAt: new Date(item.openedAt),
    closedAt: readTime(item.closedAt),
    returns: (item.returns ?? []).map(openReturn),
  }))
  return {
    ...credit,
    items,
    sourceAccountNumberMasked: sourceSealed && maskAccountNumber(sealer.open(sourceSealed)),
    locations: locateCredit({ ...credit, bookedKobo, reversedBy, items }),
  }
}

function openReturn(row: ReturnRow): TracedReturn {
  const amountKobo = kobo(BigInt(row.amountKobo))
  const requestedAt = new Date(row.requestedAt)
  return { ...row, amountKobo, requestedAt, settledAt: readTime(row.settledAt) }
}

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
