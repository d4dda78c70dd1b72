// Gives a collection account a number at another bank. The same bank again is the same number.
//
// Locks: the account, then the bank's range.

import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { takeStaticNumbers } from './account-numbers.ts'
import { allNumbers, type BankNumber, insertAdditionalNumbers } from './additional-numbers.ts'
import { queueBankChanges } from './bank-account-changes.ts'
import { type ChangeDeps, change, lockAccount } from './change-account.ts'
import type { CollectionAccount } from './collection-accounts.ts'

export async function addNumber(
  tx: Transaction,
  deps: ChangeDeps,
  { accountNumber, bank }: { accountNumber: string; bank: BankSettings },
): Promise<CollectionAccount> {
  const account = await lockAccount(tx, deps, accountNumber)
  if (allNumbers(account).some(({ bankCode }) => bankCode === bank.code)) return account
  const [added] = await takeStaticNumbers(tx, bank, 1)
  if (!added) throw new Refusal('numbers_exhausted')
  const number = { bankCode: bank.code, accountNumber: added }
  const { additionalNumbers: before } = account
  await insertAdditionalNumbers(tx, deps.now, [{ ...account, additionalNumbers: [number] }])
  const changed = await change(tx, deps, {
    account,
    changes: { additionalNumbers: [...(before ?? []), number].sort(byBank) },
    names: ['account.add_number', 'account.updated'],
  })
  if (bank.numbers === 'reserved') {
    const accountIds = [account.id]
    await queueBankChanges(tx, deps.now, { change: 'rename', accountIds, bankCode: bank.code })
  }
  return changed
}

const byBank = (one: BankNumber, other: BankNumber) => (one.bankCode < other.bankCode ? -1 : 1)

// Of a new account: where it gets numbers besides its own. Undefined: nowhere.
export function requireIssuingBanks(
  banks: readonly BankSettings[],
  bankCodes: readonly string[] | undefined,
): string[] | undefined {
  return bankCodes && [...new Set(bankCodes)].map((code) => requireIssuingBank(banks, code).code)
}

export function requireIssuingBank(banks: readonly BankSettings[], bankCode: string): BankSettings {
  const bank = banks.find(({ code }) => code === bankCode)
  if (!bank || !issuesNumbers(bank, 'static')) throw new Refusal('bank_not_supported')
  return bank
}
