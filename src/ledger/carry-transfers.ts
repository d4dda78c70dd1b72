// For each pair of accounts and reason, replaces the transfers of archived credits by the last of
// them, with their sum. Balances still equal the sums of their transfers.
//
// Reads temporary tables (src/domain/archive/find-archivable.ts): `archiving`, the credits;
// `archiving_carried`, the transfers that stay, with their new amounts; `archiving_accounts`, the
// sums by account.

import type { Transaction } from '#db/transaction.ts'

export async function carryTransfers(tx: Transaction, archiveId: bigint): Promise<void> {
  await tx.query({
    text: `update transfers t set amount_kobo = k.kobo, archive_id = $1
             from archiving_carried k where (t.credit_id, t.id) = (k.credit_id, k.id)`,
    values: [archiveId],
  })
  await tx.query(
    'delete from transfers t using archiving k where t.credit_id = k.id and t.archive_id is null',
  )
  await requireSameSums(tx)
}

// The remaining transfers must move every account by the same amounts as the originals.
async function requireSameSums(tx: Transaction): Promise<void> {
  const { rows } = await tx.query<{ id: bigint }>(
    `select id from archiving_accounts
     except
     select a.id
       from archiving_accounts a
       join (select s.id, sum(s.debit) as debits, sum(s.credit) as credits
               from archiving_carried k
               join transfers t on (t.credit_id, t.id) = (k.credit_id, k.id)
              cross join lateral (values (t.debit_account_id, t.amount_kobo, 0::bigint),
                                         (t.credit_account_id, 0, t.amount_kobo))
                                 as s (id, debit, credit)
              group by s.id) as c
         on (c.id, c.debits, c.credits) = (a.id, a.debits_kobo, a.credits_kobo)
     limit 1`,
  )
  if (rows[0]) throw new Error(`archiving would change the sums of ledger account ${rows[0].id}`)
}
