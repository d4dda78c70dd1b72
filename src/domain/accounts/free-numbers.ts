// How many dynamic numbers each bank has left, to the last: what is left of its range, or in its pool, and
// those that may be leased again. Once there are plenty, they are counted no further.

import type { BankSettings } from '#config/bank-settings.ts'
import { poolOf } from '#config/number-settings.ts'
import type { Queryable } from '#db/pool.ts'

const LOW_PERCENT = 20 // Of the pool that a bank keeps reserved, as for the alert pool_low.
const LOW_OF_RANGE = 1_000 // As many as one batch may lease.

export type FreeNumbers = { free: number; isLow: boolean }

export async function readFreeNumbers(
  db: Queryable,
  now: Date,
  banks: readonly BankSettings[],
): Promise<Map<string, FreeNumbers>> {
  const sources = banks.filter((bank) => bank.dynamic || bank.numbers === 'reserved')
  const { rows } = await db.query<{ bankCode: string; free: number }>({
    name: 'count-free-numbers',
    text: `select b.code as "bankCode",
                  (coalesce((select last_serial - first_serial + 1 - next_index from number_ranges
                              where bank_code = b.code and purpose = 'dynamic'
                                and first_serial = b.first and last_serial = b.last), 0)
                   + (select count(*) from reserved_numbers
                       where bank_code = b.code and purpose = 'dynamic' and state = 'available'
                         and request_hash is null)
                   + (select count(*) from (select from numbers
                                             where bank_code = b.code and payment_id is not null
                                               and reusable_at <= $4
                                             limit ${LOW_OF_RANGE}) as again))::float8 as free
             from unnest($1::text[], $2::bigint[], $3::bigint[]) as b (code, first, last)`,
    values: [
      sources.map(({ code }) => code),
      sources.map(({ dynamic }) => dynamic?.from ?? null),
      sources.map(({ dynamic }) => dynamic?.to ?? null),
      now,
    ],
  })
  const lowOf = (code: string) => {
    const bank = sources.find((each) => each.code === code) as BankSettings
    if (bank.numbers === 'reserved') return (poolOf(bank).dynamic * LOW_PERCENT) / 100
    return Math.min(LOW_OF_RANGE, (rangeSize(bank) * LOW_PERCENT) / 100)
  }
  return new Map(
    rows.map(({ bankCode, free }) => [bankCode, { free, isLow: free < lowOf(bankCode) }]),
  )
}

function rangeSize({ dynamic }: BankSettings): number {
  return dynamic ? dynamic.to - dynamic.from + 1 : 0
}
