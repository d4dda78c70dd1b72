// The expected settlements of the simulation of money out: what they take, reserve and pay. A settlement
// takes the balance of each account at the cut-off, less what has left since. Holds take what they lack
// first, also from reserves that are due.

import { available, collection, least, type OutBooks, type OutClient } from './out-books.ts'
import { type HoldTake, sumTaken } from './out-holds.ts'

const DAY_MS = 86_400_000
const WAT_MS = 3_600_000

export type Terms = {
  schedule: string
  minimumKobo: bigint
  reserveBps: number
  reserveDays: number
}

type Take = readonly [from: string, to: string, kobo: bigint]
type Reserve = {
  kobo: bigint
  releaseMs: number
  by: OutSettlement
  releasedBy: OutSettlement | null
}

export type Share = { code: string | null; kobo: bigint }
export type OutSettlement = {
  reference: string
  status: 'closed' | 'approved' | 'cancelled'
  cutOffMs: number
  toSeq: number
  moves: Take[]
  shares: Share[] // The client first.
  netKobo: bigint
}

export class Settlements {
  readonly client: OutClient
  readonly all: OutSettlement[] = []
  readonly #books: OutBooks
  readonly #reserves: Reserve[] = []
  terms: Terms = { schedule: 'manual', minimumKobo: 0n, reserveBps: 0, reserveDays: 0 }
  handledToMs = 0

  constructor(client: OutClient, books: OutBooks) {
    this.client = client
    this.#books = books
  }

  get latest(): OutSettlement | undefined {
    return this.all.filter(({ status }) => status !== 'cancelled').at(-1)
  }

  // Closes a settlement; returns it, or the code of the refusal. The caller approves it if it needs no
  // approval.
  close(cutOffMs: number, minimumKobo = 0n): OutSettlement | string {
    const previous = this.latest
    if (previous && cutOffMs <= previous.cutOffMs) return 'cut_off_passed'
    const held = this.#books.holds.due(this.client)
    const takes = this.#takes(cutOffMs, held)
    const due = this.#reserves.filter(
      ({ releasedBy, releaseMs }) => !releasedBy && releaseMs <= cutOffMs,
    )
    const dueKobo = sum(due.map(({ kobo }) => kobo))
    if (takes.length === 0 && dueKobo === 0n && !this.#hasMoves(cutOffMs)) return 'settlement_empty'
    const reserves = this.#heldOf(due, held)
    const heldKobo = sum(reserves.takes.map(({ kobo }) => kobo))
    const released = reserves.isLacking ? 0n : dueKobo - heldKobo
    const settling = this.#settling(null)
    const total = sum(takes.filter(([, to]) => to === settling).map(([, , kobo]) => kobo))
    const owed = -this.#books.balances.of(this.#owned('receivable'))
    const recovered = least(owed, total + released)
    const reservable = least(total, total + released - recovered)
    const reserved = (reservable * BigInt(this.terms.reserveBps)) / 10_000n
    const shares: Share[] = [{ code: null, kobo: total + released - recovered - reserved }]
    for (const code of Object.keys(this.client.subaccounts)) {
      const to = this.#settling(code)
      shares.push({
        code,
        kobo: sum(takes.filter((take) => take[1] === to).map((take) => take[2])),
      })
    }
    const netKobo = sum(shares.map(({ kobo }) => kobo))
    if (netKobo < minimumKobo) return 'settlement_below_minimum'
    const moves: Take[] = [
      ...takes,
      [this.#owned('reserve'), settling, released],
      [settling, this.#owned('receivable'), recovered],
      [settling, this.#owned('reserve'), reserved],
    ]
    const toSeq = this.#books.balances.seq // The next settlement covers what holds take now.
    this.#books.holds.take([...held, ...reserves.takes])
    this.#useUp(due, heldKobo)
    const closed = {
      reference: '',
      status: 'closed' as const,
      cutOffMs,
      toSeq,
      moves,
      shares,
      netKobo,
    }
    return this.#enter(closed, released > 0n ? due : [], reserved)
  }

  // How much of the due reserves the holds take. Holds do not take a reserve whose settlement can still be
  // cancelled, because cancelling gives the reserve back.
  #heldOf(due: readonly Reserve[], others: readonly HoldTake[]) {
    const kobo = sum(due.filter(({ by }) => by.status !== 'closed').map((each) => each.kobo))
    if (due.length === 0) return { takes: [], isLacking: false }
    return this.#books.holds.dueOf(this.client, kobo, others)
  }

  // Reduces the reserves by what holds took, beginning with those that were due first.
  #useUp(due: readonly Reserve[], kobo: bigint): void {
    let left = kobo
    const usable = due.filter(({ by }) => by.status !== 'closed')
    for (const reserve of usable.sort((one, other) => one.releaseMs - other.releaseMs)) {
      const used = least(left, reserve.kobo)
      reserve.kobo -= used
      left -= used
    }
  }

  // Records a closed settlement: its movements, the reserves that it releases, and its own reserve.
  #enter(closed: OutSettlement, due: readonly Reserve[], reserved: bigint): OutSettlement {
    for (const [from, to, kobo] of closed.moves) this.#books.balances.move(from, to, kobo)
    for (const reserve of due) reserve.releasedBy = closed
    const releaseMs = closed.cutOffMs + this.terms.reserveDays * DAY_MS
    if (reserved > 0n)
      this.#reserves.push({ kobo: reserved, releaseMs, by: closed, releasedBy: null })
    this.all.push(closed)
    return closed
  }

  // Gives everything back, so that the next settlement takes it again.
  cancel(settlement: OutSettlement): void {
    settlement.status = 'cancelled'
    for (const [from, to, kobo] of settlement.moves) this.#books.balances.move(to, from, kobo)
    const others = this.#reserves.filter(({ by }) => by !== settlement)
    this.#reserves.splice(0, this.#reserves.length, ...others)
    for (const other of others) if (other.releasedBy === settlement) other.releasedBy = null
  }

  // Moves each party's share from settling to paying; returns the shares, each of which becomes a payout.
  approve(settlement: OutSettlement): Share[] {
    settlement.status = 'approved'
    const paid = settlement.shares.filter(({ kobo }) => kobo > 0n)
    for (const { code, kobo } of paid) {
      this.#books.balances.move(this.#settling(code), this.paying(code), kobo)
    }
    return paid
  }

  paying(code: string | null): string {
    return `paying ${this.#party(code)}`
  }

  backOf(code: string | null): string {
    return code === null ? available(this.client) : `subaccount ${this.#party(code)}`
  }

  #settling(code: string | null): string {
    return `settling ${this.#party(code)}`
  }

  #party(code: string | null): string {
    const { id, subaccounts } = this.client
    return code === null ? `client:${id}` : `subaccount:${subaccounts[code]}`
  }

  #owned(kind: 'receivable' | 'reserve'): string {
    return `${kind} client:${this.client.id}`
  }

  // Every account that is settled, and the destination of its money.
  #accounts(): [from: string, to: string][] {
    const clientAccounts = [
      available(this.client),
      ...this.client.collections.map((each) => collection(each.number)),
    ]
    return [
      ...clientAccounts.map((from): [string, string] => [from, this.#settling(null)]),
      ...Object.keys(this.client.subaccounts).map((code): [string, string] => [
        this.backOf(code),
        this.#settling(code),
      ]),
    ]
  }

  // The amount that a settlement takes from each account: the balance at the cut-off, but no more than is
  // left now, after the holds took theirs (`holdTakes`).
  #takes(cutOffMs: number, holdTakes: readonly HoldTake[]): Take[] {
    const { balances } = this.#books
    return this.#accounts().flatMap(([from, to]): Take[] => {
      const balance = balances.of(from)
      let movedAfterCutOff = 0n
      for (const { atMs, kobo } of balances.moves(from)) {
        if (atMs < cutOffMs) break
        movedAfterCutOff += kobo
      }
      const leftKobo = balance - sumTaken(holdTakes, from)
      const kobo = least(leftKobo, balance - movedAfterCutOff)
      return kobo > 0n ? [[from, to, kobo]] : []
    })
  }

  // Whether anything moved since the last settlement.
  #hasMoves(cutOffMs: number): boolean {
    const previous = this.latest
    return this.#accounts().some(([name]) => {
      for (const { seq, atMs } of this.#books.balances.moves(name)) {
        if (previous && seq <= previous.toSeq && atMs < previous.cutOffMs) return false
        if (atMs < cutOffMs) return true
      }
      return false
    })
  }

  // The times at which the schedule should have closed a settlement since the last one: weekdays, at its time
  // in Lagos.
  dueSlots(nowMs: number): { atMs: number; cutOffMs: number }[] {
    const match = /^(daily|T\+1)@(\d\d):(\d\d)$/.exec(this.terms.schedule)
    if (!match) return []
    const slots: { atMs: number; cutOffMs: number }[] = []
    const clockMs = (Number(match[2]) * 60 + Number(match[3])) * 60_000
    let day = Math.floor((this.handledToMs + WAT_MS) / DAY_MS)
    for (; ; day++) {
      const midnight = day * DAY_MS - WAT_MS
      const atMs = midnight + clockMs
      if (atMs > nowMs) return slots
      const weekday = new Date(day * DAY_MS).getUTCDay()
      if (atMs <= this.handledToMs || weekday === 0 || weekday === 6) continue
      slots.push({ atMs, cutOffMs: match[1] === 'T+1' ? midnight : atMs })
    }
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, each) => total + each, 0n)
}
