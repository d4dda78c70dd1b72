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
import { takeBalances } from '#ledger/take-balances.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Cover } from './cover-transfers.ts'

export type Party = {
  subaccountId: SubaccountId | null // Null: the client.
  accountId: AccountId | null // Null: all those of the client.
  settlingId: AccountId
}

type Taking = {
  settlementId: SettlementId
  clientId: ClientId
  currency: string
  cover: Cover
  nextFromId: bigint // Nothing after the cut has a lower id.
  parties: readonly Party[] // The client first.
  alsoLocked: readonly AccountId[]
}

// What was taken for each party.
export async function takeAvailable(
  tx: Transaction,
  now: Date,
  taking: Taking,
): Promise<Map<SubaccountId | null, Kobo>> {
  const { settlementId, cover, nextFromId, parties } = taking
  const held = await lockAccounts(tx, taking)
  const settling = new Map(parties.map(({ accountId, settlingId }) => [accountId, settlingId]))
  const from = held.map((accountId) => ({
    accountId,
    intoId: (settling.get(accountId) ?? settling.get(null)) as AccountId,
  }))
  const cut = { toId: cover.toId, before: cover.cutOff, afterFromId: nextFromId }
  await takeBalances(tx, now, { settlementId, from, cut })
  return sumTaken(tx, settlementId, parties)
}

// Found first, and then locked as they are: a row that has changed meanwhile is looked at once more, and
// with a query for what it is to be among, that would be done again for each.
async function lockAccounts(
  tx: Transaction,
  { clientId, currency, parties, alsoLocked }: Taking,
): Promise<AccountId[]> {
  const shared = [...parties.map(({ settlingId }) => settlingId), ...alsoLocked]
  const sources = await tx.query<{ id: AccountId }>({
    name: 'list-settled-accounts',
    text: `select account_id as id from settlement_accounts
            where client_id = $1 and currency = $2`,
    values: [clientId, currency],
  })
  const ids = [...sources.rows.map(({ id }) => id), ...shared]
  const { rows } = await tx.query<{ id: AccountId; isSource: boolean }>({
    name: 'lock-settled-accounts',
    text: `select l.id, not l.id = any($2::bigint[]) as "isSource"
             from unnest($1::bigint[]) as h (id) join ledger_accounts l on l.id = h.id
            where l.credits_kobo > l.debits_kobo or l.id = any($2::bigint[])
            order by l.id for no key update of l`,
    values: [numberArray(ids), numberArray(shared)],
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
