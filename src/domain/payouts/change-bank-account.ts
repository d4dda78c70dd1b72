// Changes to a bank account: make it the default, take it out of use, or put it back.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'
import { type BankAccount, getBankAccount, lockAccounts } from './bank-accounts.ts'

export type BankAccountChanges = { isDefault?: true | undefined; isActive?: boolean | undefined }

type Changing = { client: Client; actor: string; userId: UserId | null; now: Date }

export async function changeBankAccount(
  tx: Transaction,
  { client, actor, userId, now }: Changing,
  { reference, changes }: { reference: string; changes: BankAccountChanges },
): Promise<BankAccount> {
  await lockAccounts(tx, client.id)
  const account = await getBankAccount(tx, client.id, reference)
  const isActive = changes.isActive ?? account.isActive
  const isDefault = isActive && (changes.isDefault ?? account.isDefault)
  if (changes.isDefault && !isActive) throw new Refusal('bank_account_inactive')
  if (changes.isDefault && account.status === 'mismatch') throw new Refusal('bank_account_mismatch')
  if (isActive === account.isActive && isDefault === account.isDefault) return account
  const isChosen = isDefault && !account.isDefault
  if (isChosen) {
    await tx.query({
      name: 'no-default-bank-account',
      text: 'update bank_accounts set is_default = false where client_id = $1 and is_default',
      values: [client.id],
    })
  }
  await tx.query({
    name: 'change-bank-account',
    text: `update bank_accounts
              set is_default = $2, is_active = $3,
                  default_at = case when $4 then $5 else default_at end,
                  default_by_user = case when $4 then $6 else default_by_user end
            where id = $1`,
    values: [account.id, isDefault, isActive, isChosen, now, userId],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'bank_account.change',
    subject: `bank-account/${reference}`,
    detail: { isDefault, isActive },
  })
  return getBankAccount(tx, client.id, reference)
}
