// Keeps a statement from bringing back the personal data of erased payers: clears it from a line that is
// matched to a credit of theirs, its reversal or return. The erasure itself reaches lines that were
// matched before (erase-payer-data.ts).

import type { Transaction } from '#db/transaction.ts'
import { NOBODY_ON_LINE } from '#domain/records/statement-line-people.ts'
import type { Run } from './reconciled-banks.ts'

const IS_ERASED_ACCOUNT = (id: string) =>
  `exists (select from collection_accounts a where a.id = ${id} and a.erased_at is not null)`
const IS_ERASED_PAYMENT = (id: string) =>
  `exists (select from payments p join advices a on a.id = p.advice_id
            where p.id = ${id} and a.erased_at is not null)`

// Money in suspense still needs its payer.
const IS_ERASED = `c.source_account_name is null and c.source_account_sealed is null
  and c.narration is null
  and (exists (select from numbers k where k.account_number = c.account_number
                  and ${IS_ERASED_ACCOUNT('k.collection_account_id')})
       or ${IS_ERASED_PAYMENT('c.payment_id')}
       or exists (select from suspense_items s where s.credit_id = c.id
                     and (${IS_ERASED_ACCOUNT('s.assigned_account_id')}
                          or ${IS_ERASED_PAYMENT('s.assigned_payment_id')})))`

// `pairs` selects line_id, item_kind and item_id.
const forget = (pairs: string) => `
  with pairs as materialized (${pairs}), named as (
    select line_id, item_id as credit_id from pairs where item_kind = 'credit'
    union all
    select p.line_id, r.credit_id from pairs p join reversals r on r.id = p.item_id
     where p.item_kind = 'reversal'
    union all
    select p.line_id, s.credit_id from pairs p
      join returns r on r.id = p.item_id join suspense_items s on s.id = r.item_id
     where p.item_kind = 'return'
  )
  update statement_lines l set ${NOBODY_ON_LINE}
    from named n join all_credits c on c.id = n.credit_id
   where l.id = n.line_id and ${IS_ERASED}`

// For a rule's pairs, while their items are in open_items. Nearly all have a payer and are skipped.
export async function forgetErasedPairs(tx: Transaction): Promise<void> {
  await tx.query(
    forget(`select p.line_id, p.item_kind, p.item_id from new_pairs p
              join open_items i on i.kind = p.item_kind and i.id = p.item_id
             where i.name is null and i.kind in ('credit', 'reversal', 'return')`),
  )
}

// For a run's new lines, while each is matched to a single credit.
export async function forgetErasedMatches(tx: Transaction, run: Run): Promise<void> {
  await tx.query(
    forget(`select m.line_id, 'credit' as item_kind, c.id as item_id
              from credits c
             cross join lateral (
               select n.line_id from statement_matches n
                where n.item_kind = 'credit' and n.item_id = c.id and n.line_id >= $3 limit 1) as m
             where c.bank_code = $1 and c.id >= $2 and c.source_account_name is null
               and c.source_account_sealed is null and c.narration is null
            union all
            select m.line_id, 'credit', a.id
              from statement_matches m join archived_credits a on a.id = m.item_id
             where m.item_kind = 'credit' and m.line_id >= $3 and m.bank_code = $1`),
    [run.bankCode, run.creditsFrom, run.linesFrom],
  )
}

export async function forgetErasedPair(
  tx: Transaction,
  { lineId, item }: { lineId: bigint; item: { kind: string; id: bigint } },
): Promise<void> {
  await tx.query({
    name: 'forget-erased-payer',
    text: forget('select $1::bigint as line_id, $2::text as item_kind, $3::bigint as item_id'),
    values: [lineId, item.kind, item.id],
  })
}
