// Limits of a collection account: per credit, per day (West Africa Time) and for its balance. A
// credit over a limit is suspended. Manual assignments are not limited, but count.
//
// I20: each limit is the first one set of the account's own, its profile's, its tier's, and the
// default at its creation. It is looked up when a credit is judged, so changing a profile applies
// to all its accounts from the next credit on.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { AccountId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { tierInForceOf } from './kyc.ts'

export type AccountLimits = {
  perCreditKobo: Kobo | null
  perDayKobo: Kobo | null
  balanceMaxKobo: Kobo | null
}

export type LimitViolation = 'over_credit_limit' | 'over_daily_limit' | 'over_balance_limit'

// Checked in the order of the union above. Undefined if the limits allow the credit.
export function findLimitViolation(
  { perCreditKobo, perDayKobo, balanceMaxKobo }: AccountLimits,
  { todayKobo, balanceKobo }: { todayKobo: Kobo; balanceKobo: Kobo },
  amountKobo: Kobo,
): LimitViolation | undefined {
  if (perCreditKobo !== null && amountKobo > perCreditKobo) return 'over_credit_limit'
  if (perDayKobo !== null && todayKobo + amountKobo > perDayKobo) return 'over_daily_limit'
  const isFull = balanceMaxKobo !== null && balanceKobo + amountKobo > balanceMaxKobo
  return isFull ? 'over_balance_limit' : undefined
}

// The limits of an account `a` without profiles, and whether any profiles exist. Both are read in
// the statement that locks accounts, so that profiles cost nothing where nobody uses them.
export const PLAIN_LIMITS = {
  perCredit: 'coalesce(a.own_per_credit_kobo, a.default_per_credit_kobo)',
  perDay: 'coalesce(a.own_per_day_kobo, a.default_per_day_kobo)',
  balanceMax: 'a.own_balance_max_kobo',
} as const
export const HAS_PROFILES = '(select exists (select from limit_profiles))'

// The limits of an account `a`; needs LIMIT_JOINS. The tables are tiny and not locked.
const LIMITS = {
  perCredit: `coalesce(a.own_per_credit_kobo, named.per_credit_kobo, tiered.per_credit_kobo,
                       a.default_per_credit_kobo)`,
  perDay: `coalesce(a.own_per_day_kobo, named.per_day_kobo, tiered.per_day_kobo,
                    a.default_per_day_kobo)`,
  balanceMax: 'coalesce(a.own_balance_max_kobo, named.balance_max_kobo, tiered.balance_max_kobo)',
} as const

const LIMIT_JOINS = `
  left join limit_profiles named on named.id = a.limit_profile_id
  left join limit_profile_tiers t on t.client_id = a.client_id and t.tier = ${tierInForceOf('a')}
  left join limit_profiles tiered on tiered.id = t.profile_id`

export type LimitsInForce = AccountLimits & { limitProfile: string | null }

export async function readLimits(
  db: Queryable,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, LimitsInForce>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<LimitsInForce & { id: AccountId }>({
    name: 'limits-of-accounts',
    text: `select a.id, named.code as "limitProfile", ${LIMITS.perCredit} as "perCreditKobo",
                  ${LIMITS.perDay} as "perDayKobo", ${LIMITS.balanceMax} as "balanceMaxKobo"
             from collection_accounts a ${LIMIT_JOINS}
            where a.id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}
