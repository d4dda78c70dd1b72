// Additional numbers of a collection account: at most one at each other bank, permanently. Money
// sent to any of them belongs to the account.
//
// The account's row holds its main number. Additional numbers are only in `numbers`, with the time
// they were added, so look-ups by number must use `numbers`.

import type { BankSettings } from '#config/bank-settings.ts'
import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { NewAlert } from '#domain/records/alerts.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { takeStaticNumbers } from './account-numbers.ts'
import { findCustomerNumbers, useCustomerNumbers } from './customer-numbers.ts'
import { putBack } from './reserved-numbers.ts'

export type BankNumber = { bankCode: string; accountNumber: string }

export type AccountNumbers = BankNumber & {
  additionalNumbers: readonly BankNumber[] | null // Ordered by bank code. Null if there are none.
}

// A column of the account `a`. The index contains additional numbers only, so that for nearly all
// accounts it is one empty look-up.
export const ADDITIONAL_NUMBERS = `
  (select json_agg(json_build_object('bankCode', n.bank_code, 'accountNumber', n.account_number)
                   order by n.bank_code)
     from numbers n
    where n.collection_account_id = a.id and n.added_at is not null) as "additionalNumbers"`

export const accountWithNumber = (accountNumber: string) =>
  `(select collection_account_id from numbers where account_number = ${accountNumber})`

export const numbersOfAccount = (id: string) => `array(
  select account_number from collection_accounts where id = ${id}
  union all
  select account_number from numbers where collection_account_id = ${id} and added_at is not null)`

export function allNumbers(account: AccountNumbers): BankNumber[] {
  const { bankCode, accountNumber, additionalNumbers } = account
  return [{ bankCode, accountNumber }, ...(additionalNumbers ?? [])]
}

export function hasNumber(account: AccountNumbers, accountNumber: string): boolean {
  return allNumbers(account).some((number) => number.accountNumber === accountNumber)
}

type NumberNeeds = {
  banks?: readonly string[] | undefined // In addition to the account's own bank.
  reserved?: Readonly<Record<string, string>> | undefined // Customer reservations by bank code.
}
type DrawnNumbers = { numbers: (AccountNumbers | undefined)[]; exhausted: BankSettings[] }

// Draws numbers for new accounts, in the order of the requests. A request gets undefined if one of
// its banks has no number left. Locks ranges in the order of the banks, as everywhere.
export async function drawNumbers(
  tx: Transaction,
  { bank: own, banks }: { bank: BankSettings; banks: readonly BankSettings[] },
  requests: readonly NumberNeeds[],
): Promise<DrawnNumbers> {
  const ofCustomers = await findCustomerNumbers(
    tx,
    requests.flatMap(({ reserved }) => Object.values(reserved ?? {})),
  )
  const stock = new Map<string, string[]>()
  const exhausted: BankSettings[] = []
  for (const bank of banks) {
    const needsBank = ({ banks: also }: NumberNeeds) => bank === own || also?.includes(bank.code)
    const count = requests.filter(needsBank).length
    if (count === 0 || bank.numbers === 'perCustomer') continue
    const drawn = await takeStaticNumbers(tx, bank, count)
    stock.set(bank.code, drawn)
    if (drawn.length < count) exhausted.push(bank)
  }
  const numbers = requests.map(({ banks: also = [], reserved }): AccountNumbers | undefined => {
    const stockAt = (code: string) => ofCustomers.get(reserved?.[code] ?? '') ?? stock.get(code)
    const codes = [own.code, ...also.filter((code) => code !== own.code).toSorted()]
    if (!codes.every((code) => stockAt(code)?.length)) return undefined
    const [first, ...others] = codes.map((bankCode) => ({
      bankCode,
      accountNumber: stockAt(bankCode)?.shift() as string,
    }))
    return { ...(first as BankNumber), additionalNumbers: others.length > 0 ? others : null }
  })
  // Returns reserved numbers that a refused request did not use. Unused serials of a range are lost.
  await putBack(tx, [...stock.values()].flat())
  await useCustomerNumbers(
    tx,
    [...ofCustomers].flatMap(([reference, left]) => (left.length === 0 ? reference : [])),
  )
  return { numbers, exhausted }
}

export function exhaustedAlert({ code }: BankSettings): NewAlert {
  return { kind: 'numbers_exhausted', subject: `${code} static`, detail: { bank: code } }
}

type NumberedAccount = AccountNumbers & { id: AccountId; clientId: ClientId }

export async function insertAdditionalNumbers(
  tx: Transaction,
  now: Date,
  accounts: readonly NumberedAccount[],
): Promise<void> {
  const numbers = accounts.flatMap(({ id, clientId, additionalNumbers }) =>
    (additionalNumbers ?? []).map((number) => ({ id, clientId, ...number })),
  )
  if (numbers.length === 0) return
  await tx.query({
    name: 'insert-additional-numbers',
    text: `insert into numbers
             (account_number, bank_code, client_id, collection_account_id, added_at)
           select n.*, $5
             from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as n`,
    values: [
      numbers.map((number) => number.accountNumber),
      numbers.map((number) => number.bankCode),
      numberArray(numbers.map((number) => number.clientId)),
      numberArray(numbers.map((number) => number.id)),
      now,
    ],
  })
}
