// The sandbox merchant's default bank account, so that payouts work at once.

import { nuban } from '#banks/nuban.ts'
import type { Queryable } from '#db/pool.ts'
import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { hashAccount, newBankAccountReference } from '#domain/payouts/bank-accounts.ts'
import type { Sealer } from '#seal.ts'

const BANK_CODE = '058'
const ACCOUNT_NUMBER = nuban(BANK_CODE, 12_345_678)

// Idempotent. Does nothing if the client has a bank account.
export async function createSandboxBankAccount(
  db: Queryable,
  sealer: Sealer,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into bank_accounts
       (reference, client_id, bank_code, account_number_sealed, account_number_hash, account_name,
        name_at_bank, status, is_default, created_by, created_at, enquired_at)
     select $1, c.id, $2, $3, $4, c.name, upper(c.name), 'confirmed', true, 'sandbox', $5, $5
       from clients c
      where c.client_id = $6
        and not exists (select from bank_accounts where client_id = c.id)
     on conflict do nothing`,
    [
      newBankAccountReference(),
      BANK_CODE,
      sealer.seal(ACCOUNT_NUMBER),
      hashAccount(sealer, ACCOUNT_NUMBER),
      now,
      SANDBOX_CLIENT.clientId,
    ],
  )
}
