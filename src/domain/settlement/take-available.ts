// Moves the money that a settlement covers from the client's accounts to settling: from each account its
// balance as of the cut-off, that is the balance less the transfers posted after the cut. If the client
// has drawn from that money since, only the remainder moves; the difference is carried, and the next
// settlement evens it out.
//
// The accounts are locked only here, shortly before the commit, so arriving credits wait only while the
// transfers are posted.
//
// Locks: the accounts that hold money and those that receive it, in id order.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, SettlementId, SubaccountId } from '#ids.ts'
import { takeBalances } from '#ledger/take-balances.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Cover } from './cover-transfers.ts'

export type Party = {
  subaccountId: SubaccountId | null // Null: the client.
  accountId: AccountId | null // Null: all accounts of the client.
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

// Returns the amount taken for each party.
export async function takeAvailable(
  tx: Transaction,
  now: Date,
  taking: Taking,
): Promise<Map<SubaccountId | null, Kobo>> {
  const { settlementId, cover, nextFromId, parties } = taking
  const holders = await lockAccounts(tx, taking)
  const settling = new Map(parties.map(({ accountId, settlingId }) => [accountId, settlingId]))
  const from = holders.map((accountId) => ({
    accountId,
    intoId: (settling.get(accountId) ?? settling.get(null)) as AccountId,
  }))
  const cut = { toId: cover.toId, before: cover.cutOff, afterFromId: nextFromId }
  await takeBalances(tx, now, { settlementId, from, cut })
  return sumTaken(tx, settlementId, parties)
}

// Finds the accounts first and then locks them by id. PostgreSQL checks a row again if it changed
// meanwhile; with a subquery in that check, it would run the subquery again for each row.
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
  const sums = new Map(rows.map(({ settlingId, kobo: sum }) => [settlingId, sum]))
  return new Map(
    parties.map(({ subaccountId, settlingId }) => [subaccountId, sums.get(settlingId) ?? kobo(0n)]),
  )
}
