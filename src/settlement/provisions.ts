// Keeps a provision within the debt that it is for (I119): a transaction that lowers a client's debt releases
// the excess before it ends. So a debt that is written off is a cost once, and a debt that is paid is none.
//
// Every transaction that changes a provision locks the client's receivable, so the caller's lock of the
// receivable keeps the provision unchanged as well.

import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { clientOwner, operatorOwner } from '#ledger/accounts.ts'
import { type Cause, postTransfers } from '#ledger/transfers.ts'
import type { Kobo } from '#money.ts'

// Returns the accounts that releaseExcess() moves, so that the caller can lock them together with its own.
export async function findProvisionAccounts(
  tx: Transaction,
  clientId: ClientId,
  currency: string,
): Promise<AccountId[]> {
  const { rows } = await tx.query<{ id: AccountId }>({
    name: 'find-provision-accounts',
    text: `select id from ledger_accounts
            where kind in ('provision', 'doubtful_debt') and owner = $1 and currency = $2`,
    values: [operatorOwner(clientId), currency],
  })
  return rows.map(({ id }) => id)
}

// The caller has lowered the debt, and holds the lock of the receivable.
export async function releaseExcess(
  tx: Transaction,
  now: Date,
  { clientId, currency, ...cause }: { clientId: ClientId; currency: string } & Cause,
): Promise<void> {
  const { rows } = await tx.query<{ provisionId: AccountId; costId: AccountId; kobo: Kobo }>({
    name: 'find-excess-provision',
    text: `select p.id as provision_id, c.id as cost_id,
                  p.credits_kobo - p.debits_kobo - (r.debits_kobo - r.credits_kobo) as kobo
             from ledger_accounts p
             join ledger_accounts c on c.kind = 'doubtful_debt' and c.owner = p.owner
                                   and c.currency = p.currency
             join ledger_accounts r on r.kind = 'receivable' and r.owner = $1
                                   and r.currency = p.currency
            where p.kind = 'provision' and p.owner = $2 and p.currency = $3
              and p.credits_kobo - p.debits_kobo > r.debits_kobo - r.credits_kobo`,
    values: [clientOwner(clientId), operatorOwner(clientId), currency],
  })
  const transfers = rows.map(({ provisionId, costId, kobo }) => ({
    debitAccountId: provisionId,
    creditAccountId: costId,
    amountKobo: kobo,
    reason: 'provision_release' as const,
    ...cause,
  }))
  await postTransfers(tx, now, transfers)
}
