// The books of the model (model.ts). They store no sums: balances, outcomes and suspense items are computed
// from the parts of the credits.

import type { FeeRule } from './model-fees.ts'
import {
  type Account,
  type Advice,
  type Client,
  type Credit,
  type Part,
  Payment,
  Place,
} from './model-places.ts'

// The current holder of an account number. `isReused`: another payment had the number before.
export type Lease = { owner: Account | Payment; bank: string; isReused?: boolean }

export class Books {
  now: number
  readonly quarantineMs: number
  readonly numbersAt: ReadonlyMap<string, number> // The number of dynamic numbers of each bank.
  readonly clients = new Map<string, Client>()
  readonly accounts = new Map<string, Account>()
  readonly rules = new Map<string, { from: number; rule: FeeRule }>() // In force, by client.
  readonly advices = new Map<string, Advice>()
  readonly advicesByRef = new Map<string, Advice>()
  readonly payments = new Map<string, Payment>()
  readonly numbers = new Map<string, Lease>()
  readonly credits = new Map<string, Credit>()
  readonly creditsByIdentifier = new Map<string, Credit>() // By `identifier@bank`.
  readonly reversals = new Map<string, { of: Credit; kobo: bigint }>() // By `session id@bank`.
  readonly shortfallKobo = new Map<string, bigint>() // By bank and currency.
  readonly alerts = new Set<string>()
  readonly kept = new Set<string>() // Faulty reports that are stored as rail items.
  readonly takenBack = new Place() // Money that banks reversed.
  readonly returned = new Place() // Money that was returned from suspense to its payers.
  readonly #suspense = new Map<string, Place>() // By owner and currency.

  constructor(start: number, quarantineMs: number, numbersAt: ReadonlyMap<string, number>) {
    this.now = start
    this.quarantineMs = quarantineMs
    this.numbersAt = numbersAt
  }

  // The suspense of a client or, for unidentified money (null), of the credit's bank.
  suspenseOf(owner: Client | null, { bank, currency }: Credit): Place {
    const key = `${owner?.name ?? bank} ${currency}`
    const place = this.#suspense.get(key) ?? new Place()
    this.#suspense.set(key, place)
    return place
  }

  isInSuspense(part: Part): boolean {
    return part.reason !== null && part.place === this.suspenseOf(part.owner, part.credit)
  }

  // The state of a suspense item, as the suspense desk shows it.
  stateOf(item: Part): 'open' | 'assigned' | 'returned' | 'reversed' {
    if (item.place === this.returned) return 'returned'
    if (item.place === this.takenBack) return 'reversed'
    return this.isInSuspense(item) ? 'open' : 'assigned'
  }

  // A credit is booked while any part is still where it was booked first. Otherwise its outcome is the
  // state of its suspense item.
  outcomeOf(credit: Credit): string {
    if (credit.reversedKobo === credit.kobo) return 'reversed'
    const { item } = credit
    const isBooked = credit.parts.some(
      (part) => part.reason === null && part.place !== this.takenBack,
    )
    if (isBooked || !item) return 'booked'
    const state = this.stateOf(item)
    return state === 'open' ? 'suspended' : state
  }

  // Whether a payment may lease the number. A collection account holds its number for ever, a payment until
  // the end of the quarantine after it closed.
  isFree(number: string): boolean {
    const owner = this.numbers.get(number)?.owner
    if (!(owner instanceof Payment)) return owner === undefined
    return this.now >= owner.closesAt + this.quarantineMs
  }

  // How many dynamic numbers of the bank a payment could lease now.
  freeNumbersAt(bank: string): number {
    const inUse = [...this.numbers].filter(
      ([number, { bank: numberBank, owner }]) =>
        numberBank === bank && owner instanceof Payment && !this.isFree(number),
    )
    return (this.numbersAt.get(bank) ?? 0) - inUse.length
  }

  // The balances of all ledger accounts except those with zero, by "kind owner currency".
  balances(): Map<string, bigint> {
    const sums = new Map<string, bigint>()
    const add = (name: string, kobo: bigint) => sums.set(name, (sums.get(name) ?? 0n) + kobo)
    for (const account of this.accounts.values()) add(`collection ${account.number}`, account.kobo)
    for (const { client, end, kobo, fees, sharedKobo } of this.payments.values()) {
      const place = end === null ? 'pending' : 'available'
      add(`${place} ${client.name} NGN`, kobo - fees.fee - fees.vat - sharedKobo)
    }
    for (const { client, fees, shares } of [...this.accounts.values(), ...this.payments.values()]) {
      add(`fee_income ${client.name} NGN`, fees.fee)
      add(`vat_payable ${client.name} NGN`, fees.vat)
      for (const [to, kobo] of shares) add(`subaccount ${client.name}/${to} NGN`, kobo)
    }
    for (const [key, place] of this.#suspense) add(`suspense ${key}`, place.kobo)
    for (const [key, kobo] of this.shortfallKobo) add(`shortfall ${key}`, kobo)
    // A bank's account holds the reported credits less charges, returns and reversals.
    for (const { bank, currency, kobo, reversedKobo, parts, charges } of this.credits.values()) {
      const { fee, vat, duty } = charges
      add(`bank ${bank} ${currency}`, kobo - fee - vat - duty - reversedKobo)
      add(`bank_cost ${bank} ${currency}`, fee)
      add(`stamp_duty ${bank} ${currency}`, duty)
      add(`input_vat ${bank} ${currency}`, vat)
      for (const part of parts) {
        if (part.place === this.returned) add(`bank ${bank} ${currency}`, -part.kobo)
      }
    }
    for (const [name, kobo] of sums) if (kobo === 0n) sums.delete(name)
    return sums
  }
}
