// Finds unmatched lines that equal a matched line in account number, amount and day, while only one
// credit exists: the bank may have written the line twice.

import type { Transaction } from '#db/transaction.ts'
import { NUMBERS, NUMBERS_OF_LINE, UNNAMED } from './match-by-amount.ts'
import { CHARGE_LINE } from './match-charges.ts'
import type { Run } from './reconciled-banks.ts'

const CANDIDATE = `l.amount > 0 and l.session_id is null and not ${CHARGE_LINE} and ${UNNAMED}`

export async function findEqualLines(tx: Transaction, run: Run): Promise<void> {
  const { rows } = await tx.query(`select from open_lines l where ${CANDIDATE} limit 1`)
  if (rows.length === 0) return
  await tx.query(
    `insert into equal_lines
     with candidates as materialized (
       select l.id, l.day, l.amount, a.number
         from open_lines l cross join lateral ${NUMBERS_OF_LINE('$3')} as a
        where ${CANDIDATE}
     ), matched as (
       select m.line_day, s.amount_kobo, c.account_number
         from statement_matches m
         join statement_lines s on s.id = m.line_id
         join all_credits c on c.id = m.item_id
        where m.bank_code = $1 and m.currency = $2 and m.rule = 'account_and_amount'
          and m.item_kind = 'credit' and m.line_day in (select day from candidates)
     )
     select distinct k.id
       from candidates k
       join matched m on m.line_day = k.day and m.amount_kobo = k.amount
                     and m.account_number = k.number`,
    [run.bankCode, run.currency, NUMBERS],
  )
}
