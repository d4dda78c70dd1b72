// The bank account that a subaccount is paid to: one that the client has already, or another, which
// never becomes the default of the client's own payouts.

import type { NameAnswer } from '#banks/connector.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, ClientId } from '#ids.ts'
import {
  type AddedBy,
  type BankAccountStatus,
  hashAccount,
  lockAccounts,
  newBankAccountReference,
  noteAnswer,
  statusOf,
} from './bank-accounts.ts'
import { isSameName } from './name-match.ts'

type SubaccountBank = {
  clientId: ClientId
  bankCode: string
  accountNumber: string
  accountName: string
  answer: NameAnswer // Of its bank.
}

type Known = {
  id: BankAccountId
  status: BankAccountStatus
  accountName: string
  nameAtBank: string | null
  isActive: boolean
}

// Refused if the bank knows the account under another name, or not at all; or if the client added it
// under another one, which is corrected where bank accounts are, and is seen there.
export async function saveSubaccountBank(
  tx: Transaction,
  { sealer, now, actor, userId }: AddedBy,
  { clientId, bankCode, accountNumber, accountName, answer }: SubaccountBank,
): Promise<BankAccountId> {
  const { status, nameAtBank } = statusOf(answer, accountName)
  if (status === 'mismatch') throw new Refusal('bank_account_mismatch')
  await lockAccounts(tx, clientId)
  const hash = hashAccount(sealer, accountNumber)
  await tx.query({
    name: 'save-subaccount-bank',
    text: `insert into bank_accounts
             (reference, client_id, bank_code, account_number_sealed, account_number_hash,
              account_name, name_at_bank, status, created_by, created_at, enquired_at,
              added_by_user)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
                   case when $8 <> 'unconfirmed' then $10::timestamptz end,
                   $11)
               on conflict on constraint bank_accounts_once_per_client do nothing`,
    values: [
      newBankAccountReference(),
      clientId,
      bankCode,
      sealer.seal(accountNumber),
      hash,
      accountName,
      nameAtBank,
      status,
      actor,
      now,
      userId,
    ],
  })
  const { rows } = await tx.query<Known>({
    name: 'find-subaccount-bank',
    text: `select id, status, account_name as "accountName", name_at_bank as "nameAtBank",
                  is_active as "isActive"
             from bank_accounts
            where client_id = $1 and bank_code = $2 and account_number_hash = $3`,
    values: [clientId, bankCode, hash],
  })
  const saved = rows[0] as Known
  if (!saved.isActive) throw new Refusal('bank_account_inactive')
  const isSame = isSameName(accountName, saved.nameAtBank ?? saved.accountName)
  if (!isSame || saved.status === 'mismatch') throw new Refusal('bank_account_mismatch')
  if (saved.status === 'unconfirmed') await noteAnswer(tx, now, { account: saved, answer })
  return saved.id
}
