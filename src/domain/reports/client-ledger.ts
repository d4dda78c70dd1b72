// The ledger accounts of a client: its collection accounts, the shared accounts it owns, those of its
// subaccounts, and the operator's accounts for it (fees, write-offs).

import { requireKept } from '#db/archived-period.ts'
import type { Queryable } from '#db/pool.ts'
import { idBounds } from '#db/time-bounds.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'

// The owner names of a client's subaccounts.
export const subaccountOwners = (client: string) =>
  `select 'subaccount:' || s.id from subaccounts s where s.client_id = ${client}`

const OWNED_KINDS = [
  'pending',
  'available',
  'subaccount',
  'settling',
  'reserve',
  'paying',
  'refunding',
  'receivable',
  'suspense',
  'fee_income',
  'vat_payable',
  'write_off',
]

// `id`, `kind`, `currency` and the balance as `kobo`: credits less debits. $1 the client, $2 its owner
// name, $3 the owner name of the operator's accounts for it.
export const CLIENT_ACCOUNTS = `
  select l.id, l.kind, l.currency, l.credits_kobo - l.debits_kobo as kobo
    from collection_accounts a join ledger_accounts l on l.id = a.id
   where a.client_id = $1
  union all
  select l.id, l.kind, l.currency, l.credits_kobo - l.debits_kobo
    from ledger_accounts l
   where l.kind <> 'collection' and l.kind = any('{${OWNED_KINDS.join(',')}}')
     and l.owner = any(array[$2, $3] || array(${subaccountOwners('$1')}))`

type Moves = { account: string; firstId: string; at: string }

// The movements of an account since a moment, as changes of credits less debits: both sides, each through
// its own index. Not for a bank's account, whose debits by credits have no index.
export function movesSince({ account, firstId, at }: Moves): string {
  const since = `id >= ${firstId} and posted_at >= ${at}`
  return `
    select amount_kobo as change, credit_id, reason from transfers
     where credit_account_id = ${account} and ${since}
    union all
    select -amount_kobo, credit_id, reason from transfers
     where debit_account_id = ${account} and reason <> 'credit' and ${since}`
}

// The least id of a transfer that may have been posted at this moment or later. Refuses if such transfers
// are archived.
export async function firstTransferSince(db: Queryable, at: Date): Promise<bigint> {
  await requireKept(db, at)
  return (await idBounds(db, 'transfers', { from: at })).firstId
}

// The accounts that payouts and refunds may draw from, in one currency.
export async function findAvailableAccounts(
  db: Queryable,
  clientId: ClientId,
  currency: string,
): Promise<AccountId[]> {
  const { rows } = await db.query<{ id: AccountId }>({
    name: 'find-available-accounts',
    text: `select l.id from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.client_id = $1 and l.currency = $3
           union all
           select id from ledger_accounts
            where kind = 'available' and owner = $2 and currency = $3 and kind <> 'collection'`,
    values: [clientId, clientOwner(clientId), currency],
  })
  return rows.map(({ id }) => id)
}
