// The transfers of a day in the order of posting, for a journal of every one of them. In batches, each
// read on its own: a long journal holds no connection while it is sent. Tells whose accounts moved and
// what caused it by our own references, and nothing about payers.

import type { Queryable } from '#db/pool.ts'
import {
  CAUSE_COLUMNS,
  CAUSE_JOINS,
  type CauseReferences,
} from '#domain/records/transfer-causes.ts'
import type { CreditId, TransferId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { periodOf } from './closed-days.ts'

export type TransferSide = { kind: string; clientCode: string | null; bankCode: string | null }

export type JournalTransfer = CauseReferences & {
  id: TransferId
  postedAt: Date
  amountKobo: Kobo
  currency: string
  reason: string
  creditId: CreditId | null
  debit: TransferSide
  credit: TransferSide
}

const IDS_PER_BATCH = 20_000n

const side = (name: string) => `
  jsonb_build_object(
    'kind', ${name}.kind,
    'bankCode', case when ${name}.owner like 'bank:%' then substr(${name}.owner, 6) end,
    'clientCode', (
      select k.client_id from clients k
       where k.id = coalesce(
         (select a.client_id from collection_accounts a where a.id = ${name}.id),
         case when ${name}.owner ~ '^(client|operator):' then split_part(${name}.owner, ':', 2)::bigint
              when ${name}.owner like 'subaccount:%' then
                (select s.client_id from subaccounts s
                  where s.id = split_part(${name}.owner, ':', 2)::bigint) end))) as ${name}`

const BATCH = `
  select t.id, t.posted_at as "postedAt", t.amount_kobo as "amountKobo", debit.currency, t.reason,
         t.credit_id as "creditId", ${side('debit')}, ${side('credit')}, ${CAUSE_COLUMNS}
    from transfers t
    join ledger_accounts debit on debit.id = t.debit_account_id
    join ledger_accounts credit on credit.id = t.credit_account_id ${CAUSE_JOINS}
   where t.posted_at >= $1 and t.posted_at < $2 and t.id >= $3 and t.id < $4
   order by t.id`

export async function* readJournalTransfers(
  db: Queryable,
  day: string,
): AsyncGenerator<JournalTransfer[], void> {
  const { from, to } = periodOf(day)
  const { rows: bounds } = await db.query<{ first: bigint | null; last: bigint | null }>({
    name: 'bounds-of-day',
    text: `select min(id) as first, max(id) as last from transfers
            where posted_at >= $1 and posted_at < $2`,
    values: [from, to],
  })
  const { first, last } = bounds[0] ?? {}
  if (first == null || last == null) return
  for (let id = first; id <= last; id += IDS_PER_BATCH) {
    const { rows } = await db.query<JournalTransfer>({
      name: 'journal-transfers',
      text: BATCH,
      values: [from, to, id, id + IDS_PER_BATCH],
    })
    if (rows.length > 0) yield rows
  }
}
