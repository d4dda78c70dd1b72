// Rule 7: the name, the amount and the day, give or take two. Too little to match a line by, so it is a
// suggestion on its difference, which a person confirms. Only where one item and one line fit.

import type { Transaction } from '#db/transaction.ts'
import type { Run } from './reconciled-banks.ts'
import { JOIN_CHARGES } from './take-pairs.ts'

const DAYS = 2

// The words of a name in order, without case, order or marks: JOHN ADEBAYO-OBI is Obi, John Adebayo.
const words = (name: string) => `array(
  select w from regexp_split_to_table(lower(${name}), '[^[:alpha:]]+') as w
   where length(w) > 1 order by w)`

export async function suggestItems(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `with lines as (
       select d.id as difference_id, l.day, l.amount, ${words('l.name')} as words
         from open_lines l join differences d on d.line_id = l.id
        where d.state = 'open' and d.bank_code = $1 and d.currency = $2
          and d.kind in ('missing_in_books', 'unexplained_debit') and l.name is not null
     ), items as (
       select i.kind, i.id, i.day, i.amount, i.amount + x.amount as net, ${words('i.name')} as words
         from open_items i ${JOIN_CHARGES}
        where i.parent_kind is null and i.name is not null and not i.is_decided
     ), fitting as (
       select l.difference_id, i.kind, i.id,
              count(*) over (partition by l.difference_id) as items,
              count(*) over (partition by i.kind, i.id) as lines
         from lines l
         join items i on l.amount in (i.amount, i.net)
                     and i.day between l.day - ${DAYS} and l.day + ${DAYS}
        where cardinality(l.words) > 0 and cardinality(i.words) > 0
          and (l.words @> i.words or l.words <@ i.words)
     ), chosen as (
       select difference_id, kind, id from fitting where items = 1 and lines = 1
     ), wanted as (
       select l.difference_id, c.kind, c.id from lines l left join chosen c using (difference_id)
     )
     update differences d set suggested_kind = w.kind, suggested_id = w.id
       from wanted w
      where d.id = w.difference_id
        and (d.suggested_kind, d.suggested_id) is distinct from (w.kind, w.id)`,
    [bankCode, currency],
  )
}
