// Takes what a settlement covers from the client's accounts into settling: of each account its
// balance as of the cut-off, that is its balance less what was posted after the cut. Where money was
// drawn since that had come before the cut, as much as is left; the difference is carried, and evens
// out with the next settlement.
//
// The accounts are locked only here, shortly before the settlement is committed: credits that arrive
// meanwhile wait for as long as it takes to post.
//
// Locks: the accounts that hold money and those that it goes to, in the order of their ids.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, SettlementId, SubaccountId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Cover } from './cover-transfers.ts'

export type Party = { subaccountId: SubaccountId | null; settlingId: AccountId }

type Taking = {
  settlementId: SettlementId
  clientId: ClientId
  currency: string
  cover: Cover
  nextFromId: bigint // Nothing after the cut has a lower id.
  parties: readonly Party[]
  alsoLocked: readonly AccountId[]
}

// Each party's, as far as anything was taken for it.
export async function takeAvailable(
  tx: Transaction,
  now: Date,
  taking: Taking,
): Promise<Map<SubaccountId | null, Kobo>> {
  const { settlementId, clientId, currency, cover, nextFromId, parties } = taking
  const held = await lockAccounts(tx, taking)
  const after = (side: 'credit' | 'debit', more = '') => `
    coalesce((select sum(t.amount_kobo) from transfers t
               where t.${side}_account_id = l.id and t.id >= $4 ${more}
                 and (t.id > $5 or t.posted_at >= $6) and t.settlement_id is null), 0)`
  await tx.query({
    name: 'take-available',
    // Each account is looked up by its key, and what was posted to it after the cut by the end of its
    // index: 50,000 accounts take a second.
    text: `with held as materialized (
             select l.id, l.credits_kobo - l.debits_kobo as balance,
                    ${after('credit')} - ${after('debit', "and t.reason <> 'credit'")} as after
               from unnest($3::bigint[]) as h (id) join ledger_accounts l on l.id = h.id
              where l.credits_kobo > l.debits_kobo
           ), shared as materialized (
             select account_id, subaccount_id from settlement_accounts
              where client_id = $1 and currency = $2 and subaccount_id is not null
           )
           insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, settlement_id, reason, posted_at)
           select h.id, p.settling_id, least(h.balance, h.balance - h.after), $9, 'settlement', $10
             from held h
             left join shared s on s.account_id = h.id
             join unnest($7::bigint[], $8::bigint[]) as p (subaccount_id, settling_id)
               on coalesce(p.subaccount_id, 0) = coalesce(s.subaccount_id, 0)
            where h.balance > h.after
            order by h.id`,
    values: [
      clientId,
      currency,
      numberArray(held),
      nextFromId,
      cover.toId,
      cover.cutOff,
      numberArray(parties.map(({ subaccountId }) => subaccountId)),
      numberArray(parties.map(({ settlingId }) => settlingId)),
      settlementId,
      now,
    ],
  })
  return sumTaken(tx, settlementId, parties)
}

async function lockAccounts(
  tx: Transaction,
  { clientId, currency, parties, alsoLocked }: Taking,
): Promise<AccountId[]> {
  const shared = [...parties.map(({ settlingId }) => settlingId), ...alsoLocked]
  const { rows } = await tx.query<{ id: AccountId; isSource: boolean }>({
    name: 'lock-settled-accounts',
    text: `select l.id, not l.id = any($3::bigint[]) as "isSource" from ledger_accounts l
            where l.id in (select account_id from settlement_accounts
                            where client_id = $1 and currency = $2
                           union all
                           select unnest($3::bigint[]))
              and (l.credits_kobo > l.debits_kobo or l.id = any($3::bigint[]))
            order by l.id for no key update`,
    values: [clientId, currency, numberArray(shared)],
  })
  return rows.filter(({ isSource }) => isSource).map(({ id }) => id)
}

async function sumTaken(
  tx: Transaction,
  settlementId: SettlementId,
  parties: readonly Party[],
): Promise<Map<SubaccountId | null, Kobo>> {
  const { rows } = await tx.query<{ settlingId: AccountId; kobo: Kobo }>({
    name: 'sum-taken',
    text: `select credit_account_id as "settlingId", sum(amount_kobo)::bigint as kobo
             from transfers where settlement_id = $1 group by credit_account_id`,
    values: [settlementId],
  })
  const taken = new Map(rows.map(({ settlingId, kobo: sum }) => [settlingId, sum]))
  return new Map(
    parties.map(({ subaccountId, settlingId }) => [
      subaccountId,
      taken.get(settlingId) ?? kobo(0n),
    ]),
  )
}
