// The banks of the simulation of money out. Each has its own books: incoming money, the payout orders that it
// received, and its charges. A bank's answers often do not match its books.

import assert from 'node:assert/strict'
import type { BankConnection, BankConnections, PayoutAnswer } from '#banks/connector.ts'
import type { seededRandom } from '../support/random.ts'

type Random = ReturnType<typeof seededRandom>

export type Entry = {
  bank: string
  kobo: bigint
  times: number // How often the bank paid the payout.
  isPaid: boolean
  isSilent: boolean
  dueMs: number
}

const SECOND_MS = 1_000
const DELAY_MS = 40_000
const FATES = ['pay', 'pay', 'pay', 'pay', 'reject', 'delay', 'drop', 'lost', 'silent', 'crash']
const LIMITS = { ratePerSecond: 5, concurrency: 4 }

// Thrown at the point where the process dies.
export class Crash extends Error {}

const UNKNOWN: PayoutAnswer = { status: 'unknown', reason: 'timeout' }

export class PayoutBanks {
  readonly book = new Map<string, Entry>()
  readonly told: string[] = [] // The reference of every order.
  readonly toldAt = new Map<string, number>()
  // The answers that a living process received.
  readonly answers = new Map<string, PayoutAnswer['status']>()
  readonly inKobo = new Map<string, bigint>()
  readonly #calledAt = new Map<string, number[]>() // By bank.
  readonly connections: BankConnections
  isCrashed = false
  isCalm = false // Set at the end of a simulation: from then on nothing fails.
  readonly #random: Random
  readonly #now: () => number

  constructor(codes: readonly string[], random: Random, now: () => number) {
    this.#random = random
    this.#now = now
    const connect = (bank: string): BankConnection =>
      ({
        calls: {
          sendMoney: async (order: { reference: string; amountKobo: bigint }) => {
            this.#note(bank)
            return this.#send(bank, order)
          },
          findPayout: async (reference: string) => {
            this.#note(bank)
            return this.#find(reference)
          },
        },
        limits: LIMITS,
        notFoundIsProof: true,
      }) as unknown as BankConnection
    this.connections = new Map(codes.map((code) => [code, connect(code)]))
  }

  receive(bank: string, kobo: bigint): void {
    this.inKobo.set(bank, (this.inKobo.get(bank) ?? 0n) + kobo)
  }

  // Records the time of a call.
  #note(bank: string): void {
    const times = this.#calledAt.get(bank) ?? []
    times.push(this.#now())
    this.#calledAt.set(bank, times)
  }

  // The bank gets an order, and fate decides what happens to the order and to the response.
  #send(bank: string, { reference, amountKobo: kobo }: { reference: string; amountKobo: bigint }) {
    this.told.push(reference)
    this.toldAt.set(reference, this.#now())
    const fate = this.isCalm ? 'pay' : this.#random.pick(FATES)
    if (fate === 'crash') this.isCrashed = true
    const answer = fate === 'lost' ? UNKNOWN : this.#enter({ bank, reference, kobo, fate })
    if (!this.isCrashed) this.answers.set(reference, answer.status)
    return answer
  }

  // Enters an order into the bank's books, and responds unless the response is dropped.
  #enter(order: { bank: string; reference: string; kobo: bigint; fate: string }): PayoutAnswer {
    const { bank, reference, kobo, fate } = order
    const known = this.book.get(reference)
    if (known)
      known.times += 1 // A bank that does not check for duplicates.
    else {
      const isSilent = fate === 'silent'
      const isPaid = fate !== 'reject' && (!isSilent || this.#random.integer(0, 1) === 1)
      const dueMs = this.#now() + (fate === 'delay' ? DELAY_MS : 0)
      this.book.set(reference, { bank, kobo, times: 1, isPaid, isSilent, dueMs })
    }
    return fate === 'drop' ? UNKNOWN : this.#find(reference)
  }

  #find(reference: string): PayoutAnswer {
    const entry = this.book.get(reference)
    if (!entry) return { status: 'not_found' }
    if (entry.isSilent || entry.dueMs > this.#now()) return UNKNOWN
    return entry.isPaid
      ? { status: 'confirmed', bankReference: bankReferenceOf(reference) }
      : { status: 'failed', reason: 'The account is closed.' }
  }

  // The bank's own balance, which counts only the payouts that `isBooked` selects.
  balance(bank: string, isBooked: (reference: string) => boolean): bigint {
    let kobo = this.inKobo.get(bank) ?? 0n
    for (const [reference, entry] of this.book) {
      if (entry.bank !== bank || !entry.isPaid || !isBooked(reference)) continue
      const { fee, duty, vat } = chargesOn(reference, entry.kobo)
      kobo -= BigInt(entry.times) * (entry.kobo + fee + duty + vat)
    }
    return kobo
  }

  // Asserts that no bank received the same order twice (I47).
  assertToldOnce(): void {
    assert.equal(new Set(this.told).size, this.told.length, 'a payout was sent twice')
    for (const [reference, { times }] of this.book) assert.equal(times, 1, reference)
  }

  // Asserts that no bank got more calls within a second than its rate limit (I40).
  assertNotRushed(): void {
    for (const times of this.#calledAt.values()) {
      for (const [index, ms] of times.entries()) {
        const later = times[index + LIMITS.ratePerSecond]
        assert(later === undefined || later - ms >= SECOND_MS, 'a bank was called too fast')
      }
    }
  }
}

export function bankReferenceOf(reference: string): string {
  return `BANK-${reference}`
}

type Charges = { fee: bigint; duty: bigint; vat: bigint }

// The bank's charges for a payout, by the NIP tariff. Returns (references with RTN) are free.
export function chargesOn(reference: string, kobo: bigint): Charges {
  if (reference.startsWith('RTN')) return { fee: 0n, duty: 0n, vat: 0n }
  const fee = kobo <= 5_000_00n ? 10_00n : kobo <= 50_000_00n ? 25_00n : 50_00n
  const duty = kobo >= 10_000_00n ? 50_00n : 0n
  // VAT is 7.5% of the fee, rounded half up to whole kobo.
  return { fee, duty, vat: (fee * 75n + 500n) / 1_000n }
}
