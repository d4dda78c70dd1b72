// Moves the balances of accounts as of a cut into other accounts, set-wise: each balance minus
// later postings, and never more than the current balance. Also the reverse.
//
// A cut is an id and a time: a transfer is before it if its id is not above that id and its time is
// earlier. Transfers of settlements are ignored.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, SettlementId } from '#ids.ts'

type BalanceSweep = {
  settlementId: SettlementId
  from: readonly { accountId: AccountId; intoId: AccountId }[] // Locked.
  cut: { toId: bigint; before: Date; afterFromId: bigint } // No later transfer has an id below `afterFromId`.
}

// Looks up each account by its key, and postings after the cut at the end of its index: 50,000
// accounts take a second.
export async function takeBalances(
  tx: Transaction,
  now: Date,
  { settlementId, from, cut }: BalanceSweep,
): Promise<void> {
  const after = (side: 'credit' | 'debit', more = '') => `
    coalesce((select sum(t.amount_kobo) from transfers t
               where t.${side}_account_id = l.id and t.id >= $3 ${more}
                 and (t.id > $4 or t.posted_at >= $5) and t.settlement_id is null), 0)`
  await tx.query({
    name: 'take-balances',
    text: `with held as materialized (
             select l.id, h.into_id, l.credits_kobo - l.debits_kobo as balance,
                    ${after('credit')} - ${after('debit', "and t.reason <> 'credit'")} as after
               from unnest($1::bigint[], $2::bigint[]) as h (id, into_id)
               join ledger_accounts l on l.id = h.id
           )
           insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, settlement_id, reason, posted_at)
           select id, into_id, least(balance, balance - after), $6, 'settlement', $7
             from held where balance > 0 and balance > after order by id`,
    values: [
      numberArray(from.map(({ accountId }) => accountId)),
      numberArray(from.map(({ intoId }) => intoId)),
      cut.afterFromId,
      cut.toId,
      cut.before,
      settlementId,
      now,
    ],
  })
}

// Reverses every transfer of a settlement. Call once.
export async function undoSettlement(
  tx: Transaction,
  now: Date,
  settlementId: SettlementId,
): Promise<void> {
  await tx.query({
    name: 'undo-settlement',
    text: `insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, settlement_id, reason, posted_at)
           select credit_account_id, debit_account_id, amount_kobo, settlement_id, reason, $2
             from transfers where settlement_id = $1 order by id desc`,
    values: [settlementId, now],
  })
}
