// Suspense at a moment, by age. Each item's state at that moment is rebuilt from its history
// (suspense_changes), so the sum equals the balance of the suspense accounts at that moment.

import type { Queryable } from '#db/pool.ts'
import { AGE_BUCKETS, type AgeBucket, ageDays, bucketOf } from '#domain/records/age-buckets.ts'
import type { Kobo } from '#money.ts'

export type AgedSuspense = {
  bankCode: string
  clientCode: string | null // Null if the client is unidentified.
  currency: string
  reason: string
  bucket: AgeBucket
  items: bigint
  kobo: Kobo
}

// The items that were open at $1, in their state at that moment. The first later change records the
// state before it: the client and, for a reversal, the larger amount. An item without later changes
// has its current state.
export const OPEN_ITEMS = `
  select i.id, i.credit_id, i.reason, i.opened_at,
         case when later.id is null then i.client_id else later.client_id end as client_id,
         case when later.id is null then i.amount_kobo
              when later.change = 'reversed' then later.amount_kobo + later.left_kobo
              else later.left_kobo end as kobo
    from suspense_items i
    left join lateral (
      select s.id, s.change, s.client_id, s.from_state, s.amount_kobo, s.left_kobo
        from suspense_changes s
       where s.item_id = i.id and s.changed_at >= $1 order by s.id limit 1) as later on true
   where i.opened_at < $1 and (i.closed_at is null or i.closed_at >= $1 or later.id is not null)
     and coalesce(later.from_state, i.state) = 'open'`

const AGE = ageDays('i.opened_at', '$2::timestamptz')

// Call in one snapshot. `at` defaults to now.
export async function readSuspenseAgeing(
  db: Queryable,
  { at, now }: { at: Date | undefined; now: Date },
): Promise<AgedSuspense[]> {
  const { rows } = await db.query<AgedSuspense>({
    name: 'suspense-ageing',
    text: `select c.bank_code as "bankCode", k.client_id as "clientCode", c.currency, i.reason,
                  ${bucketOf('age')} as bucket,
                  count(*) as items, sum(i.kobo)::bigint as kobo
             from (${OPEN_ITEMS}) as i
             join credits c on c.id = i.credit_id
             left join clients k on k.id = i.client_id
            cross join lateral (select ${AGE} as age) as a
            group by 1, 2, 3, 4, 5
            order by c.currency, c.bank_code, k.client_id nulls last, i.reason,
                     array_position($3::text[], ${bucketOf('min(age)')})`,
    values: [at ?? 'infinity', at ?? now, [...AGE_BUCKETS]],
  })
  return rows
}
