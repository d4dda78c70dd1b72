// The simulated bank's accounts that it reserved for Manilla, and the names of accounts. The bank accepts
// money also for numbers of a range that it granted to Manilla; it does not know those numbers one by one.

import { isAccountNumber, nuban } from '#banks/nuban.ts'
import type { Clock } from '#clock.ts'

const FIRST_SERIAL = 900_000_000 // Above every range that the printed banks file grants.
const SERIALS = 100_000_000
export const UNKNOWN_NUMBER = '0000000000' // No bank has an account with this number.

const FIRST_NAMES = ['Ada', 'Bola', 'Chidi', 'Emeka', 'Funmi', 'Halima', 'Ibrahim', 'Ngozi']
const LAST_NAMES = ['Adeyemi', 'Balogun', 'Eze', 'Mohammed', 'Nwosu', 'Obi', 'Okafor', 'Yusuf']

export type Account = {
  accountNumber: string
  accountName: string
  reference: string | null
  isActive: boolean
}

export class Accounts {
  readonly #bankCode: string
  readonly #byNumber = new Map<string, Account>()
  readonly #byReference = new Map<string, Account>()
  #serial: number

  // Serials start from the clock, so that a restarted bank reserves other numbers.
  constructor({ bankCode, clock }: { bankCode: string; clock: Clock }) {
    this.#bankCode = bankCode
    this.#serial = clock().getTime()
  }

  // Reserves an account. A reference that was used before returns its account.
  reserve({ accountName, reference }: { accountName: string; reference: string | null }): Account {
    const existingAccount = reference === null ? undefined : this.#byReference.get(reference)
    if (existingAccount) return existingAccount
    const accountNumber = nuban(this.#bankCode, FIRST_SERIAL + (this.#serial++ % SERIALS))
    const account = { accountNumber, accountName, reference, isActive: true }
    this.#byNumber.set(accountNumber, account)
    if (reference !== null) this.#byReference.set(reference, account)
    return account
  }

  isReserved(reference: string): boolean {
    return this.#byReference.has(reference)
  }

  findByReference(reference: string): Account | undefined {
    return this.#byReference.get(reference)
  }

  find(accountNumber: string): Account | undefined {
    return this.#byNumber.get(accountNumber)
  }

  // Returns the reference under which a number was reserved. Any other number is its own reference.
  referenceOf(accountNumber: string): string {
    return this.find(accountNumber)?.reference ?? accountNumber
  }

  // Returns the number that a reference stands for: the inverse of referenceOf().
  findNumber(reference: string): string | undefined {
    const reservedNumber = this.#byReference.get(reference)?.accountNumber
    return reservedNumber ?? (isAccountNumber(reference) ? reference : undefined)
  }

  clear(): void {
    this.#byNumber.clear()
    this.#byReference.clear()
  }

  // Finds the name of an account at any bank, as the interbank switch does. Names of other banks' accounts
  // are made up from the number, so that they stay the same.
  findName(accountNumber: string): string | undefined {
    if (accountNumber === UNKNOWN_NUMBER) return undefined
    return this.find(accountNumber)?.accountName ?? inventName(accountNumber)
  }
}

// Makes up a name from the last two digits of the number.
function inventName(accountNumber: string): string {
  const first = FIRST_NAMES[Number(accountNumber.slice(-1)) % FIRST_NAMES.length]
  const last = LAST_NAMES[Number(accountNumber.slice(-2, -1)) % LAST_NAMES.length]
  return `${first} ${last}`
}
