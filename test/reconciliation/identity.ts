// Asserts two invariants of matching: the proof of each day adds up to the kobo, compared with sums that are
// computed here from lines and items; and matching again changes nothing.

import assert from 'node:assert/strict'
import { RECONCILIATION_CHECKS } from '#integrity/reconciliation-checks.ts'
import { readDailyProofs } from '#reconciliation/daily-proof.ts'
import { BANK, type MatchingBench, TIMING_WINDOWS } from './books.ts'

type Sums = {
  day: string
  statement: bigint
  ledger: bigint
  timing: bigint
  noted: bigint
  difference: bigint
}

// SQL condition: the difference is so recent that it counts as timing.
const YOUNG = (today: string) =>
  `(d.kind in ('missing_in_books', 'missing_at_bank') and d.day >= date '${today}' - 2)`

// The sums of each day, computed from all rows instead of from the stored totals that the service uses.
const sums = (today: string) => `
  with days as (
    select g::date as day from (select min(from_day) as low, max(to_day) as high from statements) as s,
           generate_series(low, high, interval '1 day') as g
  )
  select day::text,
         (select closing_kobo from statements s where s.to_day = days.day)::bigint as statement,
         (select coalesce(sum(amount_kobo), 0)::bigint from bank_items i
           where bank_code = '${BANK}' and currency = 'NGN'
             and (posted_at at time zone 'Africa/Lagos')::date <= day) as ledger,
         (select coalesce(sum(case when line_day <= day and item_day > day then amount_kobo
                                   when item_day <= day and line_day > day then -amount_kobo end), 0)
            from statement_matches)::bigint
         + (select coalesce(sum(amount_kobo), 0)::bigint from differences d
             where state = 'open' and d.day <= days.day and ${YOUNG(today)}) as timing,
         (select coalesce(sum(amount_kobo), 0)::bigint from differences d
           where state = 'resolved' and d.day <= days.day) as noted,
         (select coalesce(sum(amount_kobo), 0)::bigint from differences d
           where state = 'open' and d.day <= days.day and not ${YOUNG(today)}) as difference
    from days order by day`

// Asserts that each day's arithmetic adds up, that the daily proofs report the same sums, and that
// the integrity checks find nothing. The test must have imported one statement for each day.
export async function assertIdentity(bench: MatchingBench, now: string): Promise<void> {
  const today = now.slice(0, 10)
  const expected = await bench.read<Sums>(sums(today))
  for (const { day, statement, ledger, timing, noted, difference } of expected) {
    assert.equal(statement, ledger + timing + noted + difference, `${day} adds up`)
  }
  const proofs = await readDailyProofs(bench.pool, {
    fromDay: (expected[0] as Sums).day,
    toDay: (expected.at(-1) as Sums).day,
    bankCode: BANK,
    currency: 'NGN',
    windows: TIMING_WINDOWS,
    now: new Date(`${now}:00+01:00`),
  })
  const rows = proofs.map((proof) => ({
    day: proof.day,
    statement: proof.statementKobo,
    ledger: proof.ledgerKobo,
    timing: proof.timingKobo,
    noted: proof.notedKobo,
    difference: proof.differenceKobo,
  }))
  assert.deepEqual(rows, expected)
  for (const { name, sql } of RECONCILIATION_CHECKS) {
    assert.deepEqual(await bench.read(sql), [], name)
  }
}

const STATE = `
  select (select json_agg(m order by line_id, item_kind, item_id) from statement_matches m)::text as m,
         (select json_agg(d order by id) from differences d)::text as d,
         (select json_agg(c order by id) from difference_changes c)::text as c,
         (select json_agg(r order by day) from reconciled_days r)::text as r`

// Asserts that matching again finds nothing and changes no row.
export async function assertSettled(bench: MatchingBench, now: string): Promise<void> {
  const before = await bench.read(STATE)
  assert.deepEqual(await bench.match(now), { matched: 0, differences: 0 })
  assert.deepEqual(await bench.read(STATE), before)
}
