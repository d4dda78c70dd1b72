// The model's money. A credit is cut into parts, a part is in exactly one place, and a place holds the
// sum of its parts: so the model itself cannot lose or double a kobo.
//
// There is no double entry here on purpose: balances are sums of the parts (model.ts), and the ledger
// must have the same.

import type { FeeRule } from './model-fees.ts'

const HOUR_MS = 3_600_000

export class Place {
  readonly parts = new Set<Part>()

  get kobo(): bigint {
    let sum = 0n
    for (const part of this.parts) sum += part.kobo
    return sum
  }

  // Charged and not returned.
  get fees(): { fee: bigint; vat: bigint } {
    let [fee, vat] = [0n, 0n]
    for (const { fees } of this.parts) {
      fee += fees.fee
      vat += fees.vat
    }
    return { fee, vat }
  }

  // The shares of subaccounts, less returned ones, by name.
  get shares(): Map<string, bigint> {
    const all = new Map<string, bigint>()
    for (const { shares } of this.parts) {
      for (const [to, kobo] of shares) all.set(to, (all.get(to) ?? 0n) + kobo)
    }
    return all
  }

  get sharedKobo(): bigint {
    return [...this.shares.values()].reduce((sum, kobo) => sum + kobo, 0n)
  }
}

export class Part {
  readonly credit: Credit
  kobo: bigint
  place: Place
  // Set in suspense: the reason, and the owner there (null: unidentified).
  reason: string | null = null
  owner: Client | null = null
  charged: { fee: bigint; vat: bigint; baseKobo: bigint } | null = null
  shared: { baseKobo: bigint; to: Map<string, bigint> } | null = null

  constructor(credit: Credit, kobo: bigint, place: Place) {
    this.credit = credit
    this.kobo = kobo
    this.place = place
    place.parts.add(this)
    credit.parts.push(this)
  }

  // The fee and VAT that this part still bears: of what was charged on the part, the share of the money that
  // is left in it. None outside an account or payment, for example once the money was reversed.
  get fees(): { fee: bigint; vat: bigint } {
    const isHeld = this.place instanceof Account || this.place instanceof Payment
    if (!this.charged || !isHeld) return { fee: 0n, vat: 0n }
    const { fee, vat, baseKobo } = this.charged
    return { fee: (fee * this.kobo) / baseKobo, vat: (vat * this.kobo) / baseKobo }
  }

  // The shares of subaccounts that this part still bears, by name: of what was shared from the part, the
  // share of the money that is left in it. None outside an account or payment.
  get shares(): Map<string, bigint> {
    const isHeld = this.place instanceof Account || this.place instanceof Payment
    if (!this.shared || !isHeld) return new Map()
    const { baseKobo, to } = this.shared
    return new Map([...to].map(([name, kobo]) => [name, (kobo * this.kobo) / baseKobo]))
  }

  move(to: Place): void {
    this.place.parts.delete(this)
    this.place = to
    to.parts.add(this)
  }

  // Moves an amount; the rest stays in this part.
  moveSome(kobo: bigint, to: Place): void {
    if (kobo === this.kobo) {
      this.move(to)
      return
    }
    this.kobo -= kobo
    const moved = new Part(this.credit, kobo, to)
    moved.reason = this.reason
    moved.owner = this.owner
  }
}

export type Payer = { name: string; account: string; bank: string; isListed: boolean }

export type Rules = { minKobo: bigint; maxKobo: bigint; isListOnly: boolean }

export type Limits = {
  creditKobo: bigint | null
  dayKobo: bigint | null
  balanceKobo: bigint | null
}

export type RailAnswer = { responseCode: string; outcome: string; code?: string }

// A bank's identifier of a credit.
export type CreditCall = { kind: string; value: string }

// The charges that a bank withheld.
export type Charges = { fee: bigint; vat: bigint; duty: bigint }

export class Credit {
  readonly name: string // Its first identifier and bank.
  readonly calls: CreditCall[] = []
  readonly charges: Charges
  readonly bank: string
  readonly number: string
  readonly kobo: bigint
  readonly currency: string
  readonly parts: Part[] = []
  answer: RailAnswer = { responseCode: '00', outcome: 'booked' }
  reversedKobo = 0n

  constructor(credit: {
    name: string
    bank: string
    number: string
    kobo: bigint
    currency: string
    charges?: Charges
  }) {
    this.name = credit.name
    this.charges = credit.charges ?? { fee: 0n, vat: 0n, duty: 0n }
    this.bank = credit.bank
    this.number = credit.number
    this.kobo = credit.kobo
    this.currency = credit.currency
  }

  // The part that is or was in suspense: at most one, besides its reversed part.
  get item(): Part | undefined {
    return this.parts.find((part) => part.reason !== null)
  }
}

export class Client {
  readonly name: string
  readonly isOperator: boolean
  // By subject: a payment, a collection account or a credit.
  readonly events = new Map<string, string[]>()

  constructor(name: string, isOperator: boolean) {
    this.name = name
    this.isOperator = isOperator
  }

  tell(about: string, event: string): void {
    const list = this.events.get(about) ?? []
    this.events.set(about, list)
    list.push(event)
  }
}

export class Account extends Place {
  readonly client: Client
  readonly number: string
  readonly rules: Rules | null
  readonly split: string | null // Its code.
  readonly received: { at: number; kobo: bigint }[] = [] // Ever, wherever it is now.
  isActive = true
  limits: Limits = { creditKobo: null, dayKobo: null, balanceKobo: null }

  constructor(
    client: Client,
    number: string,
    { rules, split }: { rules: Rules | null; split: string | null },
  ) {
    super()
    this.client = client
    this.number = number
    this.rules = rules
    this.split = split
  }

  override get kobo(): bigint {
    const { fee, vat } = this.fees
    return super.kobo - fee - vat - this.sharedKobo
  }

  // On the current day in Lagos.
  receivedOnDayOf(now: number): bigint {
    const dayOf = (at: number) => Math.floor((at + HOUR_MS) / (24 * HOUR_MS))
    const today = this.received.filter(({ at }) => dayOf(at) === dayOf(now))
    return today.reduce((sum, { kobo }) => sum + kobo, 0n)
  }
}

export type Policy = 'exact' | 'allow_under' | 'any'

export type Terms = {
  kobo: bigint
  policy: Policy
  expiresInMs: number
  graceMs: number
  merchantRef: string | null
  rules: Rules | null
  split: string | null // Its code.
}

export class Advice {
  readonly client: Client
  readonly reference: string
  readonly terms: Terms
  isCancelled = false
  payment: Payment | undefined

  constructor(client: Client, reference: string, terms: Terms) {
    this.client = client
    this.reference = reference
    this.terms = terms
  }
}

export class Payment extends Place {
  readonly advice: Advice
  readonly reference: string
  readonly numbers = new Map<string, string>() // By bank.
  end: 'Successful' | 'Expired' | 'Cancelled' | 'Reversed' | null = null
  readonly quotedRule: FeeRule | undefined // For a fee that the customer bears.
  readonly askedKobo: bigint
  readonly createdAt: number
  expiresAt = 0
  closesAt = 0

  constructor(
    advice: Advice,
    reference: string,
    { now, rule, askedKobo }: { now: number; rule: FeeRule | undefined; askedKobo: bigint },
  ) {
    super()
    this.advice = advice
    this.quotedRule = rule?.isCustomers ? rule : undefined
    this.askedKobo = askedKobo
    this.reference = reference
    this.createdAt = now
    this.open(now)
  }

  get client(): Client {
    return this.advice.client
  }

  get rules(): Rules | null {
    return this.advice.terms.rules
  }

  get dueKobo(): bigint {
    return this.askedKobo - this.kobo
  }

  // Counts money for its usual time from now on.
  open(now: number): void {
    this.end = null
    this.expiresAt = now + this.advice.terms.expiresInMs
    this.closesAt = this.expiresAt + this.advice.terms.graceMs
  }

  // In the books, where it stays open until somebody closes it.
  get status(): string {
    return this.end ?? (this.kobo > 0n ? 'PartPayment' : 'Processing')
  }

  // For readers.
  statusAt(now: number): string {
    return this.end === null && now >= this.expiresAt ? 'Expired' : this.status
  }
}
