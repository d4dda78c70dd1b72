// The expected ledger of the simulation of money out, written from docs/money-flow.md: credits with their
// fees and shares, reversals, payouts, refunds, returns and adjustments. Settlements are in
// out-settlements.ts, holds in out-holds.ts.

import type { FeeRule } from '../support/model-fees.ts'
import { feeOn } from '../support/model-fees.ts'
import type { Part } from '../support/model-places.ts'
import { shareOut } from '../support/model-splits.ts'
import { Holds, sumTaken } from './out-holds.ts'
import { chargesOn } from './payout-bank.ts'

export type Move = { seq: number; atMs: number; kobo: bigint }

// The balances by account (credits less debits), and all movements except those of settlements.
export class Balances {
  readonly #held = new Map<string, bigint>()
  readonly #moves = new Map<string, Move[]>()
  readonly #now: () => number
  seq = 0

  constructor(now: () => number) {
    this.#now = now
  }

  of(name: string): bigint {
    return this.#held.get(name) ?? 0n
  }

  post(from: string, to: string, kobo: bigint): void {
    this.move(from, to, kobo)
    if (kobo === 0n) return
    this.seq += 1
    this.#log(from, -kobo)
    this.#log(to, kobo)
  }

  // Moves money without recording a movement, as settlements do.
  move(from: string, to: string, kobo: bigint): void {
    this.#held.set(from, this.of(from) - kobo)
    this.#held.set(to, this.of(to) + kobo)
  }

  // The movements of an account, newest first.
  *moves(name: string): Iterable<Move> {
    const moves = this.#moves.get(name) ?? []
    for (let index = moves.length - 1; index >= 0; index--) yield moves[index] as Move
  }

  nonZero(): Record<string, bigint> {
    const entries = [...this.#held].filter(([, kobo]) => kobo !== 0n)
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  #log(name: string, kobo: bigint): void {
    const moves = this.#moves.get(name) ?? []
    moves.push({ seq: this.seq, atMs: this.#now(), kobo })
    this.#moves.set(name, moves)
  }
}

export type OutClient = {
  name: string
  id: bigint
  collections: { number: string; split: string | null; bank: string }[] // In the order of their ids.
  subaccounts: Record<string, bigint>
  rule: FeeRule | undefined
  payoutRule: FeeRule | undefined
  approvalAboveKobo: bigint | null
}

export const available = ({ id }: OutClient) => `available client:${id}`
export const collection = (number: string) => `collection ${number}`
export const bankAccount = (code: string) => `bank bank:${code}`
export const shareOf = (client: OutClient, code: string) =>
  `subaccount subaccount:${client.subaccounts[code]}`

export type OutCredit = {
  client: OutClient
  bank: string
  sessionId: string
  payment: string | null
  account: string // The ledger account to which the credit was booked.
  part: Pick<Part, 'kobo' | 'charged' | 'shared'>
  leftKobo: bigint
  goneKobo: Map<string, bigint> // The part of each share that was given back or lost.
  refundingKobo: bigint // Refunded, or being refunded.
}

export type Suspended = { bank: string; sessionId: string; kobo: bigint; reversedKobo: bigint } & {
  state: 'open' | 'returning' | 'closed'
  shortKobo: bigint
}

export type OutPayout = {
  reference: string
  client: OutClient | null
  purpose: 'payout' | 'settlement' | 'refund' | 'return'
  kobo: bigint
  fee: bigint
  vat: bigint
  holding: string
  back: string // The ledger account to which the money returns if the payout fails.
  status: string
  isWaiting: boolean // Waits for approval.
  credit?: OutCredit
  refund?: string
  item?: Suspended
}

export class OutBooks {
  readonly balances: Balances
  readonly holds: Holds
  readonly credits: OutCredit[] = []
  readonly items: Suspended[] = []
  readonly payouts = new Map<string, OutPayout>()

  constructor(now: () => number) {
    this.balances = new Balances(now)
    this.holds = new Holds(this.balances)
  }

  // Why a queued payout must not be sent: all money of its client is held, or the bank reversed so much that
  // the rest does not cover the refund or return under way.
  blockOf({ client, credit, item, status }: OutPayout): string | undefined {
    if (status !== 'queued') return undefined
    if (client && this.holds.isAllHeld(client)) return 'client_held'
    if (credit && credit.refundingKobo > credit.leftKobo) return 'refund_credit_reversed'
    return item && item.shortKobo > 0n ? 'return_credit_reversed' : undefined
  }

  readonly isBlocked = (payout: OutPayout): boolean => this.blockOf(payout) !== undefined

  blocked(): OutPayout[] {
    return [...this.payouts.values()].filter(this.isBlocked)
  }

  // Books a credit, charges the fee and gives the subaccounts their shares.
  book(credit: Omit<OutCredit, 'leftKobo' | 'goneKobo' | 'refundingKobo'>, split: string | null) {
    const { client, part, account, bank } = credit
    this.balances.post(bankAccount(bank), account, part.kobo)
    if (client.rule) part.charged = { ...feeOn(client.rule, part.kobo), baseKobo: part.kobo }
    shareOut(split, client.rule, [part as Part])
    this.#fees(client, account, part.charged ?? { fee: 0n, vat: 0n })
    for (const [code, kobo] of part.shared?.to ?? []) {
      this.balances.post(account, shareOf(client, code), kobo)
    }
    const goneKobo = new Map<string, bigint>()
    this.credits.push({ ...credit, leftKobo: part.kobo, goneKobo, refundingKobo: 0n })
  }

  #fees({ id }: OutClient, account: string, { fee, vat }: { fee: bigint; vat: bigint }): void {
    this.balances.post(account, `fee_income operator:${id}`, fee)
    this.balances.post(account, `vat_payable operator:${id}`, vat)
  }

  // Reverses part of a credit: takes back shares and fees in proportion, then takes the money from the
  // account; the client owes the rest.
  reverse(credit: OutCredit, kobo: bigint): void {
    const { client, account, part, bank } = credit
    const before = credit.leftKobo
    credit.leftKobo -= kobo
    const remainderOf = (whole: bigint, left: bigint) => (whole * left) / part.kobo
    for (const [code, whole] of part.shared?.to ?? []) {
      const gone = credit.goneKobo.get(code) ?? 0n
      const due = whole - gone - remainderOf(whole, credit.leftKobo)
      credit.goneKobo.set(code, gone + due)
      const from = shareOf(client, code)
      this.balances.post(from, account, least(due, this.balances.of(from)))
    }
    if (part.charged) {
      const { fee, vat } = part.charged
      const back = (whole: bigint) =>
        remainderOf(whole, credit.leftKobo) - remainderOf(whole, before)
      this.#fees(client, account, { fee: back(fee), vat: back(vat) })
    }
    const amount = least(kobo, this.balances.of(account))
    this.balances.post(account, bankAccount(bank), amount)
    this.balances.post(`receivable client:${client.id}`, bankAccount(bank), kobo - amount)
  }

  suspend(item: Pick<Suspended, 'bank' | 'sessionId' | 'kobo'>): void {
    this.balances.post(bankAccount(item.bank), `suspense bank:${item.bank}`, item.kobo)
    this.items.push({ ...item, reversedKobo: 0n, state: 'open', shortKobo: 0n })
  }

  // Reverses a suspended credit. Money that has left suspense becomes a shortfall of the bank.
  reverseItem(item: Suspended, kobo: bigint): void {
    item.reversedKobo += kobo
    const bank = bankAccount(item.bank)
    if (item.state !== 'open') {
      item.shortKobo += kobo
      this.balances.post(`shortfall bank:${item.bank}`, bank, kobo)
      return
    }
    this.balances.post(`suspense bank:${item.bank}`, bank, kobo)
    if (item.reversedKobo === item.kobo) item.state = 'closed'
  }

  // All money that the client could pay out, before debts and holds.
  total(client: OutClient): bigint {
    return this.#sources(client).reduce((sum, name) => sum + this.balances.of(name), 0n)
  }

  #sources(client: OutClient): string[] {
    return [available(client), ...client.collections.map(({ number }) => collection(number))]
  }

  // Draws money from the client's accounts. Returns false, and changes nothing, if there is not enough: the
  // amount that the client owes must stay, unless this pays the debt, and holds take what they lack first.
  draw(client: OutClient, to: readonly (readonly [name: string, kobo: bigint])[]): boolean {
    const debt = `receivable client:${client.id}`
    const owed = to.some(([name]) => name === debt) ? 0n : -this.balances.of(debt)
    const due = this.holds.due(client)
    const stopped = this.#sources(client).reduce((sum, name) => sum + sumTaken(due, name), 0n)
    const whole = to.reduce((sum, [, kobo]) => sum + kobo, 0n)
    if (this.total(client) - stopped < owed + whole) return false
    this.holds.take(due)
    for (const [name, koboToDraw] of to) {
      let left = koboToDraw
      for (const source of this.#sources(client)) {
        const amount = least(left, this.balances.of(source))
        if (amount > 0n) this.balances.post(source, name, amount)
        left -= amount
      }
    }
    return true
  }

  // Settles a payout with the result that a bank or a person gave.
  settle(payout: OutPayout, status: string, bank: string): void {
    payout.status = status
    if (status === 'confirmed') this.#pay(payout, bank)
    else if (payout.item) this.#putBack(payout, payout.item)
    else {
      this.balances.post(payout.holding, payout.back, payout.kobo)
      const { client, fee, vat, credit } = payout
      if (client) this.#fees(client, available(client), { fee: -fee, vat: -vat })
      if (credit) credit.refundingKobo -= payout.kobo
    }
  }

  // The bank paid the payout, and charged for it.
  #pay({ reference, holding, kobo, item }: OutPayout, code: string): void {
    const bank = bankAccount(code)
    this.balances.post(holding, bank, kobo)
    const { fee, duty, vat } = chargesOn(reference, kobo)
    this.balances.post(`bank_cost bank:${code}`, bank, fee)
    this.balances.post(`stamp_duty bank:${code}`, bank, duty)
    this.balances.post(`input_vat bank:${code}`, bank, vat)
    if (item) item.state = 'closed'
  }

  // A return failed: its money goes back to suspense, except the part that the bank has reversed meanwhile,
  // which covers the shortfall.
  #putBack({ holding, kobo }: OutPayout, item: Suspended): void {
    const coveredKobo = least(kobo, item.shortKobo)
    item.shortKobo -= coveredKobo
    this.balances.post(holding, `shortfall bank:${item.bank}`, coveredKobo)
    this.balances.post(holding, `suspense bank:${item.bank}`, kobo - coveredKobo)
    item.state = kobo === coveredKobo ? 'closed' : 'open'
  }
}

export const least = (one: bigint, other: bigint) => (one < other ? one : other)
