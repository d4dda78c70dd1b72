// Rule 7: the name, the amount and the day, plus or minus two. Not enough for a match, so it is a
// suggestion that a person confirms. Only if exactly one item and one line fit.

import type { Transaction } from '#db/transaction.ts'
import type { Run } from './reconciled-banks.ts'
import { JOIN_CHARGES } from './take-pairs.ts'

const DAYS = 2

// The sorted words of a name, without case or marks: JOHN ADEBAYO-OBI equals Obi, John Adebayo.
const words = (name: string) => `array(
  select w from regexp_split_to_table(lower(${name}), '[^[:alpha:]]+') as w
   where length(w) > 1 order by w)`

// Lines of the same day, amount and name form a group, and so do items; groups meet by a common word.
// Line by line, thousands of equal amounts of a day would each be compared with thousands of items.
export async function suggestItems(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `with lines as materialized (
       select d.id as difference_id, l.day, l.amount, ${words('l.name')} as words
         from open_lines l join differences d on d.line_id = l.id
        where d.state = 'open' and d.bank_code = $1 and d.currency = $2
          and d.kind in ('missing_in_books', 'unexplained_debit') and l.name is not null
     ), items as materialized (
       select i.kind, i.id, i.day, w.whole, ${words('i.name')} as words
         from open_items i ${JOIN_CHARGES}
        cross join lateral (values (i.amount), (i.amount + x.amount)) as w (whole)
        where i.parent_kind is null and i.name is not null and not i.is_decided
          and w.whole in (select amount from lines)
     ), line_groups as materialized (
       select row_number() over () as g, day, amount, words, count(*) as lines,
              min(difference_id) as difference_id
         from lines group by day, amount, words
     ), item_groups as materialized (
       select row_number() over () as h, day, whole, words, count(*) as items
         from items group by day, whole, words
     ), met as materialized (
       select distinct l.g, i.h
         from (select g, day, amount, unnest(words) as word from line_groups) as l
         join (select h, day, whole, unnest(words) as word from item_groups) as i
           on i.whole = l.amount and i.word = l.word
          and i.day between l.day - ${DAYS} and l.day + ${DAYS}
     ), fitting as materialized (
       select m.g, m.h, l.lines, l.difference_id, sum(i.items) over (partition by m.g) as items
         from met m join line_groups l using (g) join item_groups i using (h)
        where l.words @> i.words or l.words <@ i.words
     ), of_items as materialized (
       select i.kind, i.id, min(f.difference_id) as difference_id, min(f.items) as items
         from fitting f
         join item_groups using (h)
         join items i using (day, whole, words)
        group by 1, 2 having sum(f.lines) = 1
     ), suggestions as (
       select l.difference_id, o.kind, o.id
         from lines l left join of_items o on o.difference_id = l.difference_id and o.items = 1
     )
     update differences d set suggested_kind = w.kind, suggested_id = w.id
       from suggestions w
      where d.id = w.difference_id
        and (d.suggested_kind, d.suggested_id) is distinct from (w.kind, w.id)`,
    [bankCode, currency],
  )
}
