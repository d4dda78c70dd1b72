// Inserts a subaccount of the sandbox's client, and a split that gives it a share.

import type { AccountId, SubaccountId } from '#ids.ts'
import type { Bench } from './running-service.ts'

// Inserts the subaccount with its bank account, and the split with its share in basis points. Returns the id
// of the subaccount; `shareMoneyOf` applies the split to a collection account.
export async function openSubaccount(bench: Bench, code: string, shareBps = 2_000) {
  const { rows } = await bench.db.query<{ id: SubaccountId; splitId: bigint }>(
    `with client as (
       select id from clients where client_id = 'MAN0000001'
     ), account as (
       insert into bank_accounts (reference, client_id, bank_code, account_number_sealed,
         account_number_hash, account_name, name_at_bank, status, created_by, created_at)
       select 'BA-' || $1, id, '058', '\\x00', convert_to($1, 'UTF8'), $1, $1, 'confirmed', 'test', $2
         from client
       returning id, client_id
     ), opened as (
       insert into subaccounts
         (client_id, code, name, bank_account_id, created_at, updated_at)
       select client_id, $1, 'Shop ' || $1, id, $2, $2 from account returning id, client_id
     ), split as (
       insert into splits (client_id, code, name, type, created_at)
       select client_id, 'S-' || $1, $1, 'percentage', $2 from opened returning id
     )
     select opened.id, split.id as "splitId" from opened, split`,
    [code, bench.clock()],
  )
  const { id, splitId } = rows[0] as (typeof rows)[0]
  await bench.db.query(
    `insert into split_parts (client_id, split_id, position, subaccount_id, share, bears_fee)
     select client_id, $2, 1, id, $3, false from subaccounts where id = $1`,
    [id, splitId, shareBps],
  )
  const shareMoneyOf = (accountId: AccountId) =>
    bench.db.query('update collection_accounts set split_id = $2 where id = $1', [
      accountId,
      splitId,
    ])
  return { id, shareMoneyOf }
}
