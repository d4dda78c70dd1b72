// Finds the finished credits of a month: booked in full to a collection account, long ago, and not
// referenced individually by anything since. All other credits stay in the database, with a reason.
//
// Fills temporary tables, from which the archive's files are written:
//   archiving            the credits
//   archiving_accounts   the ledger accounts of their transfers, with debit and credit sums
//   archiving_carried    per pair of accounts and reason, the last transfer with the sum of all
//   archiving_lines      statement lines about these credits only that contain personal data

import { idBounds } from '#db/time-bounds.ts'
import type { Transaction } from '#db/transaction.ts'
import { NOBODY_ON_LINE, SOMEBODY_ON_LINE } from '#domain/records/statement-line-people.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Month } from './months.ts'

const STAYS = [
  'payment', // It paid a payment.
  'suspended', // It was in suspense, or is.
  'reversed', // Or the bank has announced a reversal.
  'refunded',
  'shared', // With subaccounts.
  'differs', // An unresolved difference from the bank's statement.
  'unsettled', // Its client uses settlements, and no approved settlement covers it.
  'moved_later', // A transfer of it was posted after the month.
] as const

export type Archivable = {
  credits: bigint
  amountKobo: Kobo
  stays: Partial<Record<(typeof STAYS)[number], bigint>> // Counted by the first reason that applies.
}

// $1 and $2 are the month, $3 and $4 approximate bounds of its credit ids.
const OF_MONTH = 'c.id >= $3 and c.id < $4 and c.received_at >= $1 and c.received_at < $2'

// Credits in unresolved differences: the difference's own item, its suggestion, and credits that
// its statement line matches or names.
const DISPUTED = `
  with unresolved as (select * from differences where state in ('open', 'asked'))
  select item_id as id from unresolved where item_kind in ('credit', 'charges')
  union all
  select suggested_id from unresolved where suggested_kind in ('credit', 'charges')
  union all
  select m.item_id from unresolved d join statement_matches m on m.line_id = d.line_id
   where m.item_kind in ('credit', 'charges')
  union all
  select k.credit_id
    from unresolved d
    join statement_lines l on l.id = d.line_id
   cross join unnest(array[l.session_id, l.bank_reference, l.end_to_end_id]) as n (value)
    join credit_identifiers k on k.value = n.value and k.bank_code = l.bank_code`

// Few credits are referenced individually, so one hash join separates them from the rest.
const EXCEPTIONS = `
  select credit_id as id, 2 as reason from suspense_items
  union all
  select credit_id, 3 from reversals
  union all
  select credit_id, 4 from refunds where credit_id is not null
  union all
  select credit_id, 5 from credit_splits
  union all
  select id, 6 from (${DISPUTED}) as d
  union all
  select k.credit_id, 3
    from rail_items i
   cross join unnest(i.originals) as n (value)
    join credit_identifiers k on k.value = n.value and k.bank_code = i.bank_code
   where i.call = 'reversals' and i.taken_at is null
  union all
  select t.credit_id, case when t.posted_at >= $2 then 8 else 7 end
    from transfers t
    join credits c on c.id = t.credit_id
    left join (
      select client_id, currency, coalesce(max(to_id) filter (where status <> 'closed'), 0) as to_id,
             coalesce(max(cut_off) filter (where status <> 'closed'), '-infinity') as cut_off
        from settlements where status <> 'cancelled' group by 1, 2
    ) as s on s.client_id = c.client_id and s.currency = c.currency
   where t.credit_id >= $3 and t.credit_id < $4
     and (t.posted_at >= $2 or t.id > s.to_id or t.posted_at >= s.cut_off)`

export async function findArchivable(tx: Transaction, month: Month): Promise<Archivable> {
  const { firstId, pastId } = await idBounds(tx, 'credits', month)
  await createTables(tx)
  const { rows } = await tx.query<{ stays: number; credits: bigint; kobo: Kobo }>({
    text: `with exceptions as materialized (
             select id, min(reason) as reason from (${EXCEPTIONS}) as e
              where id >= $3 and id < $4 group by id
           ), judged as materialized (
             select c.id, c.amount_kobo,
                    case when c.payment_id is not null then 1
                         when c.outcome = 'reversed' or c.reversed_kobo <> 0 then 3
                         when c.client_id is null or c.collection_account_id is null
                           or c.outcome <> 'booked' or c.suspended_kobo <> 0 then 2
                         else coalesce(e.reason, 0) end as stays
               from credits c left join exceptions e on e.id = c.id
              where ${OF_MONTH}
           ), chosen as (
             insert into archiving select id from judged where stays = 0
           )
           select stays, count(*) as credits, sum(amount_kobo)::bigint as kobo
             from judged group by stays order by stays`,
    values: [month.from, month.to, firstId, pastId],
  })
  const chosen = rows.find(({ stays }) => stays === 0)
  const others = rows.filter(({ stays }) => stays !== 0)
  return {
    credits: chosen?.credits ?? 0n,
    amountKobo: chosen?.kobo ?? kobo(0n),
    stays: Object.fromEntries(others.map(({ stays, credits }) => [STAYS[stays - 1], credits])),
  }
}

export async function createTables(tx: Transaction): Promise<void> {
  for (const table of [
    'archiving (id bigint primary key)',
    'archiving_accounts (id bigint primary key, debits_kobo bigint, credits_kobo bigint)',
    'archiving_lines (id bigint primary key)',
    'archiving_carried (credit_id bigint, id bigint, kobo bigint, primary key (credit_id, id))',
  ]) {
    await tx.query(`create temporary table ${table} on commit drop`)
  }
}

export async function addUpArchiving(tx: Transaction): Promise<void> {
  await tx.query('analyze archiving')
  await tx.query(
    `insert into archiving_accounts
     select account_id, sum(debit), sum(credit)
       from transfers t join archiving k on k.id = t.credit_id
      cross join lateral (values (t.debit_account_id, t.amount_kobo, 0::bigint),
                                 (t.credit_account_id, 0, t.amount_kobo))
                         as s (account_id, debit, credit)
      group by account_id`,
  )
  await tx.query(
    `insert into archiving_carried
     select distinct on (t.debit_account_id, t.credit_account_id, t.reason) t.credit_id, t.id,
            sum(t.amount_kobo) over (partition by t.debit_account_id, t.credit_account_id, t.reason)
       from transfers t join archiving k on k.id = t.credit_id
      order by t.debit_account_id, t.credit_account_id, t.reason, t.id desc`,
  )
  await tx.query('analyze archiving_carried')
}

export async function findLines(tx: Transaction): Promise<void> {
  await tx.query(
    `insert into archiving_lines
     select m.line_id
       from statement_matches m
       join statement_lines l on l.id = m.line_id
       left join archiving k on k.id = m.item_id and m.item_kind in ('credit', 'charges')
      where m.line_id in (select line_id from statement_matches c
                           join archiving k on k.id = c.item_id where c.item_kind = 'credit')
        and ${SOMEBODY_ON_LINE}
      group by m.line_id having count(*) = count(k.id)`,
  )
}

// The archive's files contain the removed texts.
export async function emptyLines(tx: Transaction): Promise<void> {
  await tx.query(
    `update statement_lines l set ${NOBODY_ON_LINE} from archiving_lines x where x.id = l.id`,
  )
}
