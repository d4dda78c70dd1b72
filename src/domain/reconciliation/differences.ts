// Differences for people, with their line, item and history. Timing and age are as of now.

import { columns } from '#db/columns.ts'
import type { Queryable } from '#db/pool.ts'
import { unfitnessOf } from '#domain/access/approvers.ts'
import type { Client } from '#domain/access/clients.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { DifferenceId, StatementId, UserId } from '#ids.ts'
import { watDay } from '#wat-time.ts'
import { IS_TIMING, type TimingWindows } from './daily-proof.ts'
import { type DifferenceOwner, HAS_ACCESS, rolesWithAccess } from './difference-owners.ts'
import type { ItemKind } from './item-sources.ts'
import type { Difference } from './locked-differences.ts'
import { JOIN_PAYOUT, PAYOUT_COLUMNS } from './payout-differences.ts'
import { JOIN_REVERSED, REVERSED_COLUMNS } from './reversed-credits.ts'

export const DIFFERENCE_STATES = ['open', 'asked', 'resolved', 'cleared'] as const
export const AGE_BUCKETS = ['0-1', '2-7', '8-30', '30+'] as const
export type AgeBucket = (typeof AGE_BUCKETS)[number]

export type ShownDifference = Difference & {
  itemKind: ItemKind | null
  itemId: bigint | null
  suggestedKind: ItemKind | null
  statementId: StatementId | null
  matchedCreditId: bigint | null // For a partly matched line.
  isTiming: boolean
  ageDays: number
  ageBucket: AgeBucket
  openedAt: Date
  owner: DifferenceOwner | null
  ownedAt: Date | null
  obstacle: RefusalCode | null // To an approval by the viewer.
}

// For an age of `n` days.
export const BUCKET_SQL = (n: string) => `
  case when ${n} <= 1 then '0-1' when ${n} <= 7 then '2-7' when ${n} <= 30 then '8-30'
       else '30+' end`

type DifferenceFilter = {
  bankCode?: string | undefined
  currency?: string | undefined
  day?: string | undefined // Only that day.
  untilDay?: string | undefined // That day and before.
  kind?: string | undefined
  state?: string | undefined // Default: all but cleared.
  bucket?: AgeBucket | undefined
  ownerId?: UserId | null | undefined // Null: without an owner.
  beforeId?: bigint | undefined
  limit: number
}

// `newSince`: users whose access changed later cannot approve yet.
type Viewer = { client: Client; userId: UserId | null; newSince: Date }
type AsOf = { now: Date; windows: TimingWindows; viewer: Viewer }

const UNFITNESS = unfitnessOf({
  maker: 'd.asked_by_user',
  people: 'd.maker_people',
  viewer: '$8::uuid',
  newSince: '$9',
})

// $5 and $6 the windows of the banks, $7 today, $8 and $9 the viewer, $10 the roles with access.
const SELECT = `
  select ${columns(`d.id, d.bank_code, d.currency, d.day::text as day, d.kind, d.amount_kobo, d.line_id,
           l.kind as line_kind, d.item_kind, d.item_id, d.statement_id, d.suggested_kind,
           d.suggested_id, d.suggested_id is not null as has_suggestion, d.state, d.action, d.reason,
           d.asked_by, d.asked_by_user, d.maker_people, d.asked_at, d.decided_by, d.decided_at,
           d.opened_at, d.owner_id`)},
         case when o.id is not null then d.owned_at end as "ownedAt",
         case when o.id is not null then jsonb_build_object(
           'id', o.id, 'email', o.email, 'hasAccess', ${HAS_ACCESS('$10')}) end as owner,
         (select m.item_id from statement_matches m
           where m.line_id = d.line_id and m.item_kind = 'credit' limit 1) as "matchedCreditId",
         ${IS_TIMING} as "isTiming", age.days as "ageDays", ${BUCKET_SQL('age.days')} as "ageBucket",
         case when d.state <> 'asked' then null
              else ${UNFITNESS} end as obstacle, ${PAYOUT_COLUMNS}, ${REVERSED_COLUMNS}
    from differences d
    left join statement_lines l on l.id = d.line_id ${JOIN_PAYOUT} ${JOIN_REVERSED}
    left join unnest($5::text[], $6::int[]) as w (bank_code, days) on w.bank_code = d.bank_code
    left join users o on o.id = d.owner_id
   cross join lateral (select greatest($7::date - d.day, 0) as days) as age`

const asOf = ({ now, windows, viewer }: AsOf) => {
  const { client, userId, newSince } = viewer
  const days = [[...windows.keys()], [...windows.values()], watDay(now)]
  return [...days, userId, newSince, rolesWithAccess(client)]
}

// Newest first.
export async function listDifferences(
  db: Queryable,
  at: AsOf,
  filter: DifferenceFilter,
): Promise<ShownDifference[]> {
  const { bankCode, currency, day, untilDay, kind, state, bucket, ownerId, beforeId } = filter
  const { rows } = await db.query<ShownDifference>({
    name: state === undefined ? 'list-differences' : 'list-differences-in-state',
    text: `${SELECT}
            where ($1::text is null or d.bank_code = $1) and ($2::text is null or d.currency = $2)
              and ($3::date is null or d.day = $3) and ($4::date is null or d.day <= $4)
              and ${state === undefined ? `d.state <> 'cleared' and $11::text is null` : 'd.state = $11'}
              and ($12::text is null or d.kind = $12)
              and ($13::text is null or ${BUCKET_SQL('age.days')} = $13)
              and ($14::uuid is null or o.id = $14) and (not $15 or o.id is null)
              and ($16::bigint is null or d.id < $16)
            order by d.id desc limit $17`,
    values: [
      bankCode ?? null,
      currency ?? null,
      day ?? null,
      untilDay ?? null,
      ...asOf(at),
      state ?? null,
      kind ?? null,
      bucket ?? null,
      ownerId ?? null,
      ownerId === null,
      beforeId ?? null,
      filter.limit,
    ],
  })
  return rows
}

export async function getDifference(
  db: Queryable,
  at: AsOf,
  id: DifferenceId,
): Promise<ShownDifference> {
  const { rows } = await db.query<ShownDifference>({
    name: 'get-difference',
    text: `${SELECT}
            where d.id = $1 and $2::text is null and $3::text is null and $4::text is null`,
    values: [id, null, null, null, ...asOf(at)],
  })
  if (!rows[0]) throw new Refusal('difference_not_found')
  return rows[0]
}

export type DifferenceChange = {
  change: string
  actor: string | null // Null: the system.
  detail: Record<string, unknown>
  changedAt: Date
}

export async function readHistory(db: Queryable, id: DifferenceId): Promise<DifferenceChange[]> {
  const { rows } = await db.query<DifferenceChange>({
    name: 'read-difference-history',
    text: `select change, actor, detail, changed_at as "changedAt"
             from difference_changes where difference_id = $1 order by id`,
    values: [id],
  })
  return rows
}
