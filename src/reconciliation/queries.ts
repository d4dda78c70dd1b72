// Queries for the routes of reconciliation: differences with their history, the age of open work, and the
// lines and items of a bank's day. Timing and age are as of now.

import type { Client } from '#access/permissions.ts'
import { unfitnessOf } from '#approvals/approvers.ts'
import { watDay } from '#clock.ts'
import { composed, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { DifferenceId, StatementId, StatementLineId, UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { type AgeingBucket, ageingBucketOf } from '#records/shared-sql.ts'
import type { BankAccount } from './banks.ts'
import { isTiming, type TimingWindows } from './daily-proof.ts'
import {
  type Difference,
  JOIN_PAYOUT,
  JOIN_REVERSED,
  OPEN_ENTRY,
  PAYOUT_COLUMNS,
  REPLACED_BY,
  REVERSED_COLUMNS,
} from './difference.ts'
import { type ItemKind, type ItemRef, matching, refKey, type Search } from './items.ts'
import { type DifferenceOwner, HAS_ACCESS, rolesWithAccess } from './owners.ts'
import { LINE_COLUMNS, type ListedLine } from './statements.ts'

export type ShownDifference = Difference & {
  itemKind: ItemKind | null
  itemId: bigint | null
  suggestedKind: ItemKind | null
  statementId: StatementId | null
  matchedCreditId: bigint | null // Set for a line that is matched in part.
  isTiming: boolean
  ageDays: number
  ageBucket: AgeingBucket
  openedAt: Date
  owner: DifferenceOwner | null
  ownedAt: Date | null
  obstacle: RefusalCode | null // Why the viewer cannot approve.
}

type DifferenceFilter = {
  bankCode?: string | undefined
  currency?: string | undefined
  day?: string | undefined // Only differences of that day.
  untilDay?: string | undefined // Differences up to and including that day.
  kind?: string | undefined
  state?: string | undefined // Default: all but cleared.
  bucket?: AgeingBucket | undefined
  ownerId?: UserId | null | undefined // null selects differences without an owner.
  action?: string | undefined
  beforeId?: bigint | undefined
  from?: { day: string; id: bigint } | undefined // Lists oldest first, after this position.
  limit: number
}

// `newSince`: a user whose access changed after this time cannot approve yet.
type Viewer = { client: Client; userId: UserId | null; newSince: Date }
type AsOf = { now: Date; windows: TimingWindows; viewer: Viewer }

const UNFITNESS = unfitnessOf({
  maker: 'd.asked_by_user',
  people: 'd.maker_people',
  viewer: '$4::uuid',
  newSince: '$5',
})

// Parameters: $1 and $2 are the windows of the banks, $3 is today, $4 and $5 the viewer, $6 the roles with
// access.
const SELECT = `
  select d.id, d.bank_code, d.currency, d.day::text as day, d.kind, d.amount_kobo, d.line_id,
           l.kind as line_kind, d.item_kind, d.item_id, d.statement_id, d.suggested_kind,
           d.suggested_id, d.suggested_id is not null as has_suggestion, d.state, d.action, d.reason,
           d.asked_by, d.asked_by_user, d.maker_people, d.asked_at, d.decided_by, d.decided_at,
           d.opened_at, d.owner_id, ${OPEN_ENTRY}, ${REPLACED_BY},
         case when o.id is not null then d.owned_at end as owned_at,
         case when o.id is not null then jsonb_build_object(
           'id', o.id, 'email', o.email, 'hasAccess', ${HAS_ACCESS('$6')}) end as owner,
         (select m.item_id from statement_matches m
           where m.line_id = d.line_id and m.item_kind = 'credit' limit 1) as matched_credit_id,
         ${isTiming('$3')} as is_timing, age.days as age_days, ${ageingBucketOf('age.days')} as age_bucket,
         case when d.state <> 'asked' then null
              else ${UNFITNESS} end as obstacle, ${PAYOUT_COLUMNS}, ${REVERSED_COLUMNS}
    from differences d
    left join statement_lines l on l.id = d.line_id ${JOIN_PAYOUT} ${JOIN_REVERSED}
    left join unnest($1::text[], $2::int[]) as w (bank_code, days) on w.bank_code = d.bank_code
    left join users o on o.id = d.owner_id
   cross join lateral (select greatest($3::date - d.day, 0) as days) as age`

// Returns the values of the parameters $1 to $6 of SELECT. These are the banks with a timing window and the
// days of each window, today, the viewer, the time since which changed access is too new to approve, and the
// roles with access.
const asOf = ({ now, windows, viewer }: AsOf) => {
  const { client, userId, newSince } = viewer
  const days = [[...windows.keys()], [...windows.values()], watDay(now)]
  return [...days, userId, newSince, rolesWithAccess(client)]
}

// Lists differences, newest first. With `action`, which selects reconciling items, lists oldest first.
export async function listDifferences(
  db: Queryable,
  at: AsOf,
  filter: DifferenceFilter,
): Promise<ShownDifference[]> {
  const { bankCode, currency, day, untilDay, kind, state, bucket, ownerId, beforeId } = filter
  const { action, from } = filter
  const { sql, values } = joinConditions(
    [
      ['d.bank_code = $', bankCode],
      ['d.currency = $', currency],
      ['d.day = $', day],
      ['d.day <= $', untilDay],
      state === undefined ? `d.state <> 'cleared'` : ['d.state = $', state],
      ['d.kind = $', kind],
      [`${ageingBucketOf('age.days')} = $`, bucket],
      ownerId === null ? 'o.id is null' : ['o.id = $', ownerId],
      ['d.id < $', beforeId],
      ['d.action = $', action],
      ['(d.day, d.id) > ($, $)', from?.day, from?.id],
    ],
    asOf(at),
  )
  const order = action === undefined ? 'd.id desc' : 'd.day, d.id'
  const text = `${SELECT} where ${sql} order by ${order} limit ${filter.limit}`
  const { rows } = await db.query<ShownDifference>(composed(text, values))
  return rows
}

// Reads a difference as the viewer sees it. Throws if it does not exist.
export async function getDifference(
  db: Queryable,
  at: AsOf,
  id: DifferenceId,
): Promise<ShownDifference> {
  const { rows } = await db.query<ShownDifference>({
    name: 'get-difference',
    text: `${SELECT} where d.id = $7`,
    values: [...asOf(at), id],
  })
  if (!rows[0]) throw new Refusal('difference_not_found')
  return rows[0]
}

export type DifferenceChange = {
  change: string
  actor: string | null // null if the system made the change.
  detail: Record<string, unknown>
  changedAt: Date
}

// Returns all changes of a difference, oldest first.
export async function readHistory(db: Queryable, id: DifferenceId): Promise<DifferenceChange[]> {
  const { rows } = await db.query<DifferenceChange>({
    name: 'read-difference-history',
    text: `select change, actor, detail, changed_at
             from difference_changes where difference_id = $1 order by id`,
    values: [id],
  })
  return rows
}

// The age of open work: open differences, reconciling items, and money in suspense.

export type AgedDifferences = {
  bankCode: string
  currency: string
  bucket: AgeingBucket
  count: bigint
  unowned: bigint // Open, without an owner.
  amountKobo: Kobo // The sum of the amounts, whatever their sign.
}

export type AgedSuspense = Omit<AgedDifferences, 'bankCode' | 'unowned'>

// Returns counts and amounts of open work by age: open differences, reconciling items, and money in
// suspense.
export async function readAgeing(db: Queryable, now: Date) {
  const today = watDay(now)
  const sumByAge = (name: string, isStanding: string) =>
    db.query<AgedDifferences>({
      name,
      text: `select bank_code, currency, ${ageingBucketOf('$1::date - day')} as bucket,
                    count(*) as count, sum(abs(amount_kobo))::bigint as amount_kobo,
                    count(*) filter (where state = 'open' and o.id is null) as unowned
               from differences d left join users o on o.id = d.owner_id
              where ${isStanding}
              group by 1, 2, 3 order by 1, 2, min($1::date - day)`,
      values: [today],
    })
  const [differences, reconcilingItems, suspense] = await Promise.all([
    sumByAge('age-differences', `state in ('open', 'asked')`),
    sumByAge('age-reconciling-items', `state = 'resolved' and action = 'note'`),
    db.query<AgedSuspense>({
      name: 'age-suspense',
      text: `select c.currency, ${ageingBucketOf('age.days')} as bucket, count(*) as count,
                    sum(i.amount_kobo)::bigint as amount_kobo
               from suspense_items i
               join credits c on c.id = i.credit_id
              cross join lateral (
                select $1::date - (i.opened_at at time zone 'Africa/Lagos')::date as days) as age
              where i.state = 'open' group by 1, 2 order by 1, min(age.days)`,
      values: [today],
    }),
  ])
  return {
    differences: differences.rows,
    reconcilingItems: reconcilingItems.rows,
    suspense: suspense.rows,
  }
}

// A day at the bank: its lines with their items, and the lines of items.

const COLUMNS = `
  select ${LINE_COLUMNS},
         (select m.rule from statement_matches m where m.line_id = l.id limit 1) as rule`

type LineFilter = {
  day: string
  isMatched: boolean | undefined
  kind: string | undefined
  search: Search | undefined
  afterId: bigint | null
  limit: number
}

const SEARCHED = {
  texts: [
    'l.session_id',
    'l.bank_reference',
    'l.end_to_end_id',
    'l.account_number',
    'l.counterparty_name',
    'l.narration',
  ],
  amount: 'l.amount_kobo',
}

// Reads a page from each statement that covers the day, because the index orders lines by statement. A line
// is matched if its items account for its whole amount, so it has no difference.
export async function listDayLines(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  { day, isMatched, kind, search, afterId, limit }: LineFilter,
): Promise<ListedLine[]> {
  const hasDifference = `exists (select from differences d
                           where d.line_id = l.id and d.state <> 'cleared')`
  const { sql, values } = joinConditions(
    [
      ['l.id > $', afterId],
      isMatched !== undefined && `${isMatched ? 'not' : ''} ${hasDifference}`,
      ['l.kind = $', kind],
      ...matching(search, SEARCHED),
    ],
    [bankCode, currency, day],
  )
  const text = `${COLUMNS}
                  from statements s
                 cross join lateral (
                   select l.* from statement_lines l
                    where l.statement_id = s.id and l.booked_on = $3 and ${sql}
                    order by l.id limit ${limit}) as l
                 where s.bank_code = $1 and s.currency = $2
                   and $3::date between s.from_day and s.to_day
                 order by l.id limit ${limit}`
  const { rows } = await db.query<ListedLine>(composed(text, values))
  return rows
}

// Reads statement lines by id. The map leaves out ids without a line.
export async function readLines(
  db: Queryable,
  ids: readonly StatementLineId[],
): Promise<Map<StatementLineId, ListedLine>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<ListedLine>({
    name: 'read-statement-lines',
    text: `${COLUMNS} from statement_lines l where l.id = any ($1)`,
    values: [ids],
  })
  return new Map(rows.map((line) => [line.id, line]))
}

// A sweep may have a million lines or items; at most this many are shown per match.
const PAIRS_MAX = 20

// Returns the items that each line is matched to, at most PAIRS_MAX per line.
export async function readItemsOf(
  db: Queryable,
  lineIds: readonly StatementLineId[],
): Promise<Map<StatementLineId, ItemRef[]>> {
  const { rows } = await db.query<{ lineId: StatementLineId; kind: ItemKind; id: bigint }>({
    name: 'read-items-of-lines',
    text: `select l.id as line_id, m.kind, m.id
             from unnest($1::bigint[]) as l (id)
            cross join lateral (
              select item_kind as kind, item_id as id from statement_matches
               where line_id = l.id order by item_kind, item_id limit ${PAIRS_MAX}) as m`,
    values: [lineIds],
  })
  return grouped(rows, ({ lineId }) => lineId)
}

// Returns the lines that each item is matched to, at most PAIRS_MAX per item, by refKey().
export async function readLinesOf(
  db: Queryable,
  refs: readonly ItemRef[],
): Promise<Map<string, StatementLineId[]>> {
  const { rows } = await db.query<ItemRef & { lineId: StatementLineId }>({
    name: 'read-lines-of-items',
    text: `select i.kind, i.id, m.line_id
             from unnest($1::text[], $2::bigint[]) as i (kind, id)
            cross join lateral (
              select line_id from statement_matches
               where item_kind = i.kind and item_id = i.id order by line_id
               limit ${PAIRS_MAX}) as m`,
    values: [refs.map(({ kind }) => kind), refs.map(({ id }) => id)],
  })
  const byItem = grouped(rows, refKey)
  return new Map([...byItem].map(([key, lines]) => [key, lines.map(({ lineId }) => lineId)]))
}

// Groups rows by a key, in the order of the rows.
function grouped<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return groups
}
