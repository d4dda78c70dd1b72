// Rules 4 and 5, for lines that name no item.
//
// 4: our account number, in the line or its narration, the amount and the day. Equal lines and items are
// matched in order, first those with the same name. A line that is left over while its equal has an item
// is a duplicate (find-differences.ts): booking it would book the transfer twice. Lines with session ids
// are different transfers: they are matched only if there are as many items.
// 5: a sweep, which is the sum of all items since the last one.

import type { Transaction } from '#db/transaction.ts'
import { CHARGE_LINE } from './match-charges.ts'
import type { Run } from './reconciled-banks.ts'
import { JOIN_CHARGES, pairsOf, takeMatches } from './take-pairs.ts'

export const NUMBERS = '(?<![0-9])[0-9]{10}(?![0-9])'
export const UNNAMED = `not l.is_decided
  and not exists (select from line_names n where n.line_id = l.id)`

// The account numbers in the line `l`. `pattern` is NUMBERS as a parameter.
export const NUMBERS_OF_LINE = (pattern: string) => `(
  select l.account_number as number where l.account_number is not null
  union
  select m[1] from regexp_matches(l.narration, ${pattern}, 'g') as m
   where l.account_number is null)`

// Returns the number of matched lines. Different session ids are different transfers, whatever else is
// equal: a line with a session id is compared only with items that have none.
export async function matchByAccount(tx: Transaction, run: Run): Promise<number> {
  let matched = 0
  for (const hasSessionId of [false, true]) {
    for (const isNet of [false, true]) {
      for (const isNamed of [true, false]) {
        matched += await matchEqual(tx, run, { hasSessionId, isNet, isNamed })
      }
    }
  }
  return matched
}

async function matchEqual(
  tx: Transaction,
  run: Run,
  { hasSessionId, isNet, isNamed }: { hasSessionId: boolean; isNet: boolean; isNamed: boolean },
): Promise<number> {
  return takeMatches(tx, run, {
    rule: 'account_and_amount',
    values: [NUMBERS, hasSessionId, isNet],
    pairs: `
     with lines as (
       select l.id, l.day, l.amount, a.number, w.name, count(*) over same as copies,
              row_number() over (partition by a.number, l.day, l.amount, w.name order by l.id) as place
         from open_lines l
        cross join lateral ${NUMBERS_OF_LINE('$1')} as a
        cross join lateral (select ${isNamed ? 'lower(l.name)' : `''`} as name) as w
        where ${UNNAMED} and not ${CHARGE_LINE} and (l.session_id is not null) = $2
       window same as (partition by a.number, l.day, l.amount, w.name)
     ), items as (
       select i.kind, i.id, i.day as item_day, i.amount, i.account_number as number, x.kind as x_kind,
              x.id as x_id, x.amount as x_amount, x.day as x_day, w.whole, w.name,
              count(*) over same as copies,
              row_number() over (partition by i.account_number, i.day, w.whole, w.name
                                 order by i.kind, i.id) as place
         from open_items i ${JOIN_CHARGES}
        cross join lateral (
          select i.amount + case when $3 then x.amount else 0 end as whole,
                 ${isNamed ? 'lower(i.name)' : `''`} as name) as w
        where i.parent_kind is null and i.account_number is not null and not i.is_decided
          and not (i.has_session_id and $2) and w.whole is not null
       window same as (partition by i.account_number, i.day, w.whole, w.name)
     ), candidates as (
       select l.id as line_id, l.day as line_day, i.*, count(*) over (partition by l.id) as choices
         from lines l
         join items i on i.number = l.number and i.item_day = l.day and i.whole = l.amount
                     and i.name = l.name and i.place = l.place and (not $2 or i.copies = l.copies)
     )
     ${pairsOf('(select * from candidates where choices = 1)', '$3')}`,
  })
}

// On the day of the last item or on the next one; with charges or without.
export async function matchSweeps(tx: Transaction, run: Run): Promise<number> {
  const { rows } = await tx.query(
    `select from open_lines l where l.kind = 'sweep' and ${UNNAMED} limit 1`,
  )
  if (rows.length === 0) return 0
  let matched = 0
  for (const daysLater of [0, 1]) {
    for (const isNet of [false, true]) {
      matched += await matchSums(tx, run, { daysLater, isNet })
    }
  }
  return matched
}

// Two sweeps of a day in the same direction are ambiguous, so neither is matched.
async function matchSums(
  tx: Transaction,
  run: Run,
  { daysLater, isNet }: { daysLater: number; isNet: boolean },
): Promise<number> {
  return takeMatches(tx, run, {
    rule: 'sweep',
    values: [run.bankCode, run.currency, run.fromDay, daysLater, isNet],
    pairs: `
     with items as (
       select kind, id, day, amount, sign(case when parent_kind is null then amount
                                               when kind = 'charges' then 1 else -1 end) as direction
         from open_items
        where not is_decided and day >= $3::date - $4::int and ($5 or parent_kind is null)
     ), days as (
       select day, direction, sum(amount) as amount from items group by 1, 2
     ), sweeps as (
       select l.id, l.day, l.amount, sign(l.amount) as direction,
              count(*) over (partition by l.day, sign(l.amount)) as copies,
              coalesce((select max(s.booked_on) from statement_lines s
                         where s.bank_code = $1 and s.currency = $2 and s.kind = 'sweep'
                           and s.booked_on < l.day and sign(s.amount_kobo) = sign(l.amount)),
                       $3::date - 1) as since
         from open_lines l where l.kind = 'sweep' and ${UNNAMED}
     ), met as (
       select w.id, w.day, w.since, w.direction
         from sweeps w
         join days d on d.direction = w.direction
                    and d.day + $4::int > w.since and d.day + $4::int <= w.day
        where w.copies = 1
        group by w.id, w.day, w.since, w.direction, w.amount having sum(d.amount) = w.amount
     )
     select m.id, i.kind, i.id, i.amount, m.day, i.day
       from met m
      cross join lateral generate_series(m.since + 1, m.day, interval '1 day') as g (day)
       join items i on i.direction = m.direction and i.day = g.day::date - $4::int`,
  })
}
