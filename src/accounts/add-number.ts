// Adds a number at another bank to a collection account. Repeating the request returns the same number.
//
// Locks: the account, then the bank's range.

import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import {
  allNumbers,
  type BankNumber,
  type CollectionAccount,
  type CustomerReservation,
  findCustomerNumbers,
  insertAdditionalNumbers,
  openReservations,
  type ReservationDeps,
  useCustomerNumbers,
} from './account.ts'
import { queueBankChanges } from './bank-changes.ts'
import { type ChangeDeps, change, lockAccount } from './change.ts'
import { takeStaticNumbers } from './numbers.ts'

type NumberRequest = { accountNumber: string; bank: BankSettings }
type AddedNumber = NumberRequest & { reservation?: CustomerReservation | undefined }

// For a bank that reserves numbers per customer. Locks the account, so that it has at most one reservation.
// Returns undefined if the account already has a number at the bank.
export async function openNumberReservation(
  tx: Transaction,
  deps: ChangeDeps & ReservationDeps,
  { accountNumber, bank }: NumberRequest,
): Promise<CustomerReservation | undefined> {
  const account = await lockWithNumbers(tx, deps, accountNumber)
  if (allNumbers(account).some(({ bankCode }) => bankCode === bank.code)) return undefined
  const { id, clientId, accountName: name, email, phoneNumber: phone, bvn, ninSealed } = account
  const nin = ninSealed && deps.sealer.open(ninSealed)
  const [reservation] = await openReservations(tx, deps, {
    clientId,
    banks: [bank],
    request: ['add-number', String(id)],
    customer: { name, email, phone, bvn, nin },
  })
  return reservation
}

export async function addNumber(
  tx: Transaction,
  deps: ChangeDeps,
  { accountNumber, bank, reservation }: AddedNumber,
): Promise<CollectionAccount> {
  const account = await lockWithNumbers(tx, deps, accountNumber)
  if (allNumbers(account).some(({ bankCode }) => bankCode === bank.code)) return account
  const drawn = reservation
    ? await useReservation(tx, reservation)
    : (await takeStaticNumbers(tx, bank, 1))[0]
  if (!drawn) throw new Refusal('numbers_exhausted')
  const number = { bankCode: bank.code, accountNumber: drawn }
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

// The second statement sees a number that was added while the first one waited for the lock.
async function lockWithNumbers(tx: Transaction, deps: ChangeDeps, accountNumber: string) {
  await lockAccount(tx, deps, accountNumber)
  return lockAccount(tx, deps, accountNumber)
}

async function useReservation(
  tx: Transaction,
  { reference }: CustomerReservation,
): Promise<string | undefined> {
  const numbers = await findCustomerNumbers(tx, [reference])
  await useCustomerNumbers(tx, [...numbers.keys()])
  return numbers.get(reference)?.[0]
}

const byBank = (one: BankNumber, other: BankNumber) => (one.bankCode < other.bankCode ? -1 : 1)

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
