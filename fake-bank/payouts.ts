// The payouts that Manilla ordered from the simulated bank, at most one per reference. The control API sets
// how the bank handles them:
//
//   confirm      pays, and answers so
//   reject       refuses permanently
//   delay        answers "pending"; pays after `delayMs`
//   silent       neither pays nor answers, not even queries about payouts
//   drop_answer  pays, and the connection breaks before the answer

import { makeSessionId } from '#banks/nuban.ts'
import type { Clock } from '#clock.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Statement } from './statement.ts'

export const PAYOUT_BEHAVIOURS = ['confirm', 'reject', 'delay', 'silent', 'drop_answer'] as const
type PayoutBehaviour = (typeof PAYOUT_BEHAVIOURS)[number]

const DELAY_MS = 60_000
export const SWITCH_INSTITUTION = '999998' // No bank has this code, so no transfer looks like a real one.
const SERIALS = 10 ** 12

export type PayoutOrder = {
  reference: string
  amountKobo: Kobo
  to: { bankCode: string; accountNumber: string; accountName: string }
  narration: string
}

export type PayoutFate = { behaviour: PayoutBehaviour; delayMs?: number }

export type Payout = PayoutOrder & {
  bankReference: string
  status: 'confirmed' | 'failed' | 'reversed' | 'pending'
  reason: string | null
  at: Date
  dueMs: number
}

// The new status of a payout, which some banks report to Manilla without being asked.
export type PayoutNews = { payout: Payout; newStatus: Exclude<Payout['status'], 'pending'> }

// `dropped` and `silent` mean that the bank sends no answer.
type PayoutResult =
  | { answer: 'payout' | 'dropped'; payout: Payout }
  | { answer: 'conflict' | 'silent' }

export class Payouts {
  readonly #statement: Statement
  readonly #clock: Clock
  readonly #byReference = new Map<string, Payout>()
  readonly #fates = new Map<string, PayoutFate>()
  #serial: number
  #unanswered = 0
  behaviour: PayoutBehaviour = 'confirm'
  delayMs = DELAY_MS
  reason = 'The beneficiary bank is not available'
  report: (news: PayoutNews) => void = () => {}

  constructor({ statement, clock }: { statement: Statement; clock: Clock }) {
    this.#statement = statement
    this.#clock = clock
    this.#serial = clock().getTime() // A restarted bank issues other references.
  }

  // Gives one order its own behaviour instead of the bank's.
  decideFate(reference: string, fate: PayoutFate): void {
    this.#fates.set(reference, fate)
  }

  // Receives an order. A repeated reference returns the first payout, or a conflict if the terms differ.
  placeOrder(order: PayoutOrder): PayoutResult {
    const { behaviour, delayMs = this.delayMs } = this.#fates.get(order.reference) ?? this
    if (this.#isSilent(behaviour)) return { answer: 'silent' }
    this.settleDue()
    const existingPayout = this.#byReference.get(order.reference)
    if (existingPayout && !hasSameTerms(existingPayout, order)) return { answer: 'conflict' }
    const payout = existingPayout ?? this.#make(order, { behaviour, delayMs })
    return { answer: behaviour === 'drop_answer' ? 'dropped' : 'payout', payout }
  }

  find(reference: string): Payout | undefined | 'silent' {
    if (this.#isSilent(this.behaviour)) return 'silent'
    this.settleDue()
    return this.#byReference.get(reference)
  }

  get unanswered(): number {
    return this.#unanswered
  }

  all(): readonly Payout[] {
    this.settleDue()
    return [...this.#byReference.values()]
  }

  // The beneficiary's bank sends the money of a paid payout back. Returns false if there is no such payout.
  reverse(reference: string): boolean {
    this.settleDue()
    const payout = this.#byReference.get(reference)
    if (payout?.status !== 'confirmed') return false
    Object.assign(payout, { status: 'reversed', reason: 'Reversed by the beneficiary bank' })
    this.#statement.add({
      at: this.#clock(),
      kind: 'payout',
      reference: payout.bankReference,
      amountKobo: payout.amountKobo,
      narration: `Reversal of ${payout.reference}`,
    })
    this.report({ payout: { ...payout }, newStatus: 'reversed' })
    return true
  }

  // Pays every pending payout whose delay is over. There is no timer: every query calls this first.
  settleDue(): void {
    const nowMs = this.#clock().getTime()
    for (const payout of this.#byReference.values()) {
      if (payout.status === 'pending' && payout.dueMs <= nowMs) this.#pay(payout)
    }
  }

  // Acts as if this much time had passed.
  bringForward(ms: number): void {
    for (const payout of this.#byReference.values()) payout.dueMs -= ms
  }

  clear(): void {
    this.#byReference.clear()
    this.#fates.clear()
    this.behaviour = 'confirm'
  }

  #make(order: PayoutOrder, { behaviour, delayMs }: Required<PayoutFate>): Payout {
    const at = this.#clock()
    const unique = String(++this.#serial % SERIALS)
    const payout: Payout = {
      ...order,
      bankReference: makeSessionId({ institution: SWITCH_INSTITUTION, now: at, unique }),
      status: 'pending',
      reason: null,
      at,
      dueMs: at.getTime() + (behaviour === 'delay' ? delayMs : 0),
    }
    const reason = behaviour === 'reject' ? this.reason : this.#refusalReason(order)
    this.#byReference.set(order.reference, payout)
    if (reason !== null) {
      Object.assign(payout, { status: 'failed', reason })
      this.report({ payout: { ...payout }, newStatus: 'failed' })
    }
    this.settleDue()
    return payout
  }

  // Counts the calls that get no answer, so that tests can wait for one.
  #isSilent(behaviour: PayoutBehaviour): boolean {
    if (behaviour !== 'silent') return false
    this.#unanswered += 1
    return true
  }

  // Returns null if the balance covers this order as well as all pending payouts.
  #refusalReason({ amountKobo }: PayoutOrder): string | null {
    const pending = [...this.#byReference.values()].filter(({ status }) => status === 'pending')
    const promisedKobo = pending.reduce((sum, payout) => sum + payout.amountKobo, 0n)
    return this.#statement.balanceKobo - promisedKobo < amountKobo ? 'Insufficient funds' : null
  }

  #pay(payout: Payout): void {
    payout.status = 'confirmed'
    this.#statement.add({
      at: this.#clock(),
      kind: 'payout',
      reference: payout.bankReference,
      amountKobo: kobo(-payout.amountKobo),
      narration: payout.narration,
    })
    this.report({ payout: { ...payout }, newStatus: 'confirmed' })
  }
}

// Whether an order repeats an earlier one with its reference. It may differ only in its narration and the
// name of the account.
function hasSameTerms(one: PayoutOrder, other: PayoutOrder): boolean {
  return (
    one.amountKobo === other.amountKobo &&
    one.to.bankCode === other.to.bankCode &&
    one.to.accountNumber === other.to.accountNumber
  )
}
