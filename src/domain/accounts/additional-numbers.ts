// A collection account's numbers besides its own: at most one at each other bank, for ever. Money
// sent to any of them is the account's.
//
// The account's own number stands with it; the others only in `numbers`, with the time they were
// added. So whoever looks for an account by a number asks `numbers`.

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
  additionalNumbers: readonly BankNumber[] | null // In the order of bank codes. Null: none.
}

// Of the account `a`, as a column. The index has additional numbers only: for nearly all accounts it
// is one look that finds nothing.
export const ADDITIONAL_NUMBERS = `
  (select json_agg(json_build_object('bankCode', n.bank_code, 'accountNumber', n.account_number)
                   order by n.bank_code)
     from numbers n
    where n.collection_account_id = a.id and n.added_at is not null) as "additionalNumbers"`

// The id of the account that has a number, its own or an additional one.
export const accountWithNumber = (accountNumber: string) =>
  `(select collection_account_id from numbers where account_number = ${accountNumber})`

// All numbers of an account, by its id.
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

type Wanted = {
  banks?: readonly string[] | undefined // Besides the account's own bank.
  reserved?: Readonly<Record<string, string>> | undefined // By bank code: reservations of its customer.
}
type Drawn = { numbers: (AccountNumbers | undefined)[]; exhausted: BankSettings[] }

// Numbers for new accounts, in the order of the requests: undefined where one of its banks has none
// left. Ranges are locked in the order of the banks, as everywhere.
export async function drawNumbers(
  tx: Transaction,
  { bank: own, banks }: { bank: BankSettings; banks: readonly BankSettings[] },
  requests: readonly Wanted[],
): Promise<Drawn> {
  const ofCustomers = await findCustomerNumbers(
    tx,
    requests.flatMap(({ reserved }) => Object.values(reserved ?? {})),
  )
  const stock = new Map<string, string[]>()
  const exhausted: BankSettings[] = []
  for (const bank of banks) {
    const isWanted = ({ banks: also }: Wanted) => bank === own || also?.includes(bank.code)
    const count = requests.filter(isWanted).length
    if (count === 0 || bank.numbers === 'perCustomer') continue
    const taken = await takeStaticNumbers(tx, bank, count)
    stock.set(bank.code, taken)
    if (taken.length < count) exhausted.push(bank)
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
  // Serials of a range that were drawn for a refused request are lost, reserved numbers are not.
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

type Numbered = AccountNumbers & { id: AccountId; clientId: ClientId }

export async function insertAdditionalNumbers(
  tx: Transaction,
  now: Date,
  accounts: readonly Numbered[],
): Promise<void> {
  const added = accounts.flatMap(({ id, clientId, additionalNumbers }) =>
    (additionalNumbers ?? []).map((number) => ({ id, clientId, ...number })),
  )
  if (added.length === 0) return
  await tx.query({
    name: 'insert-additional-numbers',
    text: `insert into numbers
             (account_number, bank_code, client_id, collection_account_id, added_at)
           select n.*, $5
             from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as n`,
    values: [
      added.map((number) => number.accountNumber),
      added.map((number) => number.bankCode),
      numberArray(added.map((number) => number.clientId)),
      numberArray(added.map((number) => number.id)),
      now,
    ],
  })
}
