// The age of open work: unexplained differences and money in suspense.

import type { Queryable } from '#db/pool.ts'
import type { Kobo } from '#money.ts'
import { watDay } from '#wat-time.ts'
import type { AgeBucket } from './differences.ts'
import { BUCKET_SQL } from './differences.ts'

export type AgedDifferences = {
  bankCode: string
  currency: string
  bucket: AgeBucket
  count: bigint
  unowned: bigint // Open, without an owner.
  amountKobo: Kobo // The sum of the amounts, whatever their sign.
}

export type AgedSuspense = Omit<AgedDifferences, 'bankCode' | 'unowned'>

export async function readAgeing(db: Queryable, now: Date) {
  const today = watDay(now)
  const [differences, suspense] = await Promise.all([
    db.query<AgedDifferences>({
      name: 'age-differences',
      text: `select bank_code as "bankCode", currency, ${BUCKET_SQL('$1::date - day')} as bucket,
                    count(*) as count, sum(abs(amount_kobo))::bigint as "amountKobo",
                    count(*) filter (where state = 'open' and o.id is null) as unowned
               from differences d left join users o on o.id = d.owner_id
              where state in ('open', 'asked')
              group by 1, 2, 3 order by 1, 2, min($1::date - day)`,
      values: [today],
    }),
    db.query<AgedSuspense>({
      name: 'age-suspense',
      text: `select c.currency, ${BUCKET_SQL('age.days')} as bucket, count(*) as count,
                    sum(i.amount_kobo)::bigint as "amountKobo"
               from suspense_items i
               join credits c on c.id = i.credit_id
              cross join lateral (
                select $1::date - (i.opened_at at time zone 'Africa/Lagos')::date as days) as age
              where i.state = 'open' group by 1, 2 order by 1, min(age.days)`,
      values: [today],
    }),
  ])
  return { differences: differences.rows, suspense: suspense.rows }
}
