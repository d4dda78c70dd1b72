// Reads the steps of holds, for the timelines of credits and collection accounts. The steps contain no reason
// and no operator's name, because clients read them.

import { idBounds, type Window } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { AccountId, CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export type HoldStep = {
  reference: string
  step: 'placed' | 'hold' | 'hold_release' | 'forfeiture' | 'released' | 'forfeited'
  amountKobo: Kobo | null // Null: a hold without a limit, or the end of a hold.
  currency: string
  at: Date
}

const STEPS_MAX = 200 // The most steps in a timeline, or in a page of it.

// SQL: when the holds `h` were placed and ended, and the money that they moved.
const stepsOf = (holds: string) => `
  select reference, 'placed' as step, amount_kobo, currency, placed_at as at from holds h where ${holds}
  union all
  select reference, state, null, currency, ended_at from holds h where ${holds} and ended_at is not null`

const movesOf = (transfers: string) => `
  select h.reference, t.reason, sum(t.amount_kobo)::bigint, h.currency, t.posted_at
    from transfers t join holds h on h.id = t.hold_id where ${transfers}
   group by h.reference, t.reason, h.currency, t.posted_at`

export async function readHoldSteps(
  db: Queryable,
  creditIds: readonly CreditId[],
): Promise<HoldStep[]> {
  if (creditIds.length === 0) return []
  const ofCredits = 'h.credit_id = any($1::bigint[])'
  const { rows } = await db.query<HoldStep>({
    name: 'hold-steps-of-credits',
    text: `select * from (${stepsOf(ofCredits)} union all ${movesOf(ofCredits)}) as steps
            order by at desc limit ${STEPS_MAX}`,
    values: [numberArray(creditIds)],
  })
  return rows
}

// Reads the steps of holds of this account, and the movements on this account by holds of its merchantCode or
// client. The steps of a held credit are on the page of that credit.
export async function readHoldStepsOfAccount(
  db: Queryable,
  { id }: { id: AccountId },
  { from, to }: Window,
): Promise<HoldStep[]> {
  const { firstId, pastId } = await idBounds(db, 'transfers', { from, to })
  const { rows } = await db.query<HoldStep>({
    name: 'hold-steps-of-account',
    text: `select * from (
             ${stepsOf('h.account_id = $1')}
             union all
             ${movesOf(`t.id in (
               select id from transfers where debit_account_id = $1 and reason = 'hold'
                  and id >= $2 and id < $3
               union
               select id from transfers where credit_account_id = $1 and reason = 'hold_release'
                  and id >= $2 and id < $3
               union
               select f.id from transfers f join holds o on o.id = f.hold_id
                where o.account_id = $1 and f.reason = 'forfeiture') and h.credit_id is null`)}) as steps
            where at >= $4 and at < $5 order by at desc limit ${STEPS_MAX}`,
    values: [id, firstId, pastId, from ?? '-infinity', to ?? 'infinity'],
  })
  return rows
}
