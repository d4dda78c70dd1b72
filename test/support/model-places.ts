// The objects of the model (model.ts). A credit is cut into parts, each part is in exactly one place, and a
// place holds the sum of its parts. So the model cannot lose or double a kobo.
//
// There is no double entry on purpose: the model adds up parts to get each balance, and the service's
// ledger must have the same balance.

import type { FeeRule } from './model-fees.ts'

const HOUR_MS = 3_600_000

// Where money can be: an account, a payment, a suspense, or outside (reversed, returned).
export class Place {
  readonly parts = new Set<Part>()

  get kobo(): bigint {
    let sum = 0n
    for (const part of this.parts) sum += part.kobo
    return sum
  }

  // The fees and VAT charged on the parts in this place, without those on money that was reversed since.
  get fees(): { fee: bigint; vat: bigint } {
    let [fee, vat] = [0n, 0n]
    for (const { fees } of this.parts) {
      fee += fees.fee
      vat += fees.vat
    }
    return { fee, vat }
  }

  // The shares of subaccounts in the parts in this place, by the subaccount's name. Shares of money that was
  // reversed since are left out.
  get shares(): Map<string, bigint> {
    const sums = new Map<string, bigint>()
    for (const { shares } of this.parts) {
      for (const [to, kobo] of shares) sums.set(to, (sums.get(to) ?? 0n) + kobo)
    }
    return sums
  }

  get sharedKobo(): bigint {
    return [...this.shares.values()].reduce((sum, kobo) => sum + kobo, 0n)
  }
}

// An amount of one credit's money that is in one place.
export class Part {
  readonly credit: Credit
  kobo: bigint
  place: Place
  // Set once the part is suspended, and kept afterwards: the reason, and the owner (null: unidentified).
  reason: string | null = null
  owner: Client | null = null
  // Set once a fee was charged or a split shared out. `baseKobo` is the part's amount at that time.
  charged: { fee: bigint; vat: bigint; baseKobo: bigint } | null = null
  shared: { baseKobo: bigint; to: Map<string, bigint> } | null = null

  constructor(credit: Credit, kobo: bigint, place: Place) {
    this.credit = credit
    this.kobo = kobo
    this.place = place
    place.parts.add(this)
    credit.parts.push(this)
  }

  // The fee and VAT charged on this part. If some of its money was reversed, they shrink in proportion. Zero
  // unless the part is in an account or payment.
  get fees(): { fee: bigint; vat: bigint } {
    const isHeld = this.place instanceof Account || this.place instanceof Payment
    if (!this.charged || !isHeld) return { fee: 0n, vat: 0n }
    const { fee, vat, baseKobo } = this.charged
    return { fee: (fee * this.kobo) / baseKobo, vat: (vat * this.kobo) / baseKobo }
  }

  // The shares of subaccounts in this part, by name. If some of its money was reversed, each share shrinks in
  // proportion. Empty unless the part is in an account or payment.
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

// An identifier that a bank uses for a credit.
export type CreditIdentifier = { kind: string; value: string }

// The charges that a bank withheld.
export type Charges = { fee: bigint; vat: bigint; duty: bigint }

export class Credit {
  readonly name: string // Its first identifier and bank.
  readonly identifiers: CreditIdentifier[] = []
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

  // The credit's suspense item: the part that is or was in suspense. There is at most one, apart from the
  // part that a reversal cut off it.
  get item(): Part | undefined {
    return this.parts.find((part) => part.reason !== null)
  }
}

export class Client {
  readonly name: string
  readonly isOperator: boolean
  // The predicted events of each payment, collection account or credit, oldest first.
  readonly events = new Map<string, string[]>()

  constructor(name: string, isOperator: boolean) {
    this.name = name
    this.isOperator = isOperator
  }

  // Records an event that the service must send to this client.
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
  readonly received: { at: number; kobo: bigint }[] = [] // All money ever booked, even if it was reversed.
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

  // The money booked on the day of `now` in Lagos, which is an hour ahead of UTC.
  receivedOnDayOf(now: number): bigint {
    const dayOf = (time: number) => Math.floor((time + HOUR_MS) / (24 * HOUR_MS))
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
  // How the payment ended; null while it is open, also after the expiry until the expiry worker closes it.
  end: 'Successful' | 'Expired' | 'Cancelled' | 'Reversed' | null = null
  readonly quotedRule: FeeRule | undefined // For a fee that the customer bears.
  readonly askedKobo: bigint // The amount that the payer is quoted.
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

  // Opens the payment for its usual time: transfers count until the grace period after the expiry ends.
  open(now: number): void {
    this.end = null
    this.expiresAt = now + this.advice.terms.expiresInMs
    this.closesAt = this.expiresAt + this.advice.terms.graceMs
  }

  // The status that the service stores. An expired payment stays open until the expiry worker closes it.
  get status(): string {
    return this.end ?? (this.kobo > 0n ? 'PartPayment' : 'Processing')
  }

  // The status that the API shows. A payment is Expired from its expiry on, even if it is not closed yet.
  statusAt(now: number): string {
    return this.end === null && now >= this.expiresAt ? 'Expired' : this.status
  }
}
