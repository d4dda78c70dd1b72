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
       select d.id as difference_id, l.day, l.amount, l.name
         from open_lines l join differences d on d.line_id = l.id
        where d.state = 'open' and d.bank_code = $1 and d.currency = $2
          and d.kind in ('missing_in_books', 'unexplained_debit') and l.name is not null
     ), items as (
       select i.kind, i.id, i.day, i.name, w.whole
         from open_items i ${JOIN_CHARGES}
        cross join lateral (values (i.amount), (i.amount + x.amount)) as w (whole)
        where i.parent_kind is null and i.name is not null and not i.is_decided
     ), alike as (
       select l.difference_id, i.kind, i.id, ${words('l.name')} as said, ${words('i.name')} as known
         from lines l
         join items i on i.whole = l.amount
                     and i.day between l.day - ${DAYS} and l.day + ${DAYS}
     ), fitting as (
       select difference_id, kind, id, count(*) over (partition by difference_id) as items,
              count(*) over (partition by kind, id) as lines
         from alike
        where cardinality(said) > 0 and cardinality(known) > 0
          and (said @> known or said <@ known)
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
