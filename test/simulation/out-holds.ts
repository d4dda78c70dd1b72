// The expected holds of the simulation of money out, written from docs/holds.md: which account each takes
// money from, and where the money goes when two people end the hold.

import {
  available,
  type Balances,
  collection,
  least,
  type OutClient,
  type OutCredit,
  shareOf,
} from './out-books.ts'

export type HoldTarget =
  | { of: 'client' }
  | { of: 'merchant' } // The merchantCode of all accounts of the simulation.
  | { of: 'account'; number: string }
  | { of: 'credit'; credit: OutCredit }

export type OutHold = {
  reference: string
  client: OutClient
  target: HoldTarget
  kobo: bigint | null // Null: all.
  takenKobo: Map<string, bigint> // By account.
  heldKobo: bigint
  forfeitedKobo: bigint
  state: 'active' | 'released' | 'forfeited'
  request: { kind: 'release' | 'forfeit'; kobo: bigint | null } | null
}

export type HoldTake = { hold: OutHold; from: string; kobo: bigint }

export class Holds {
  readonly all: OutHold[] = []
  readonly #balances: Balances
  // The order in which accounts were opened. Only the service knows it.
  opened: ReadonlyMap<string, number> = new Map()

  constructor(balances: Balances) {
    this.#balances = balances
  }

  activeOf(client: OutClient): OutHold[] {
    return this.all.filter((hold) => hold.client === client && hold.state === 'active')
  }

  isHeld(credit: OutCredit): boolean {
    return this.activeOf(credit.client).some(
      ({ target }) => target.of === 'credit' && target.credit === credit,
    )
  }

  isAllHeld(client: OutClient): boolean {
    return this.activeOf(client).some(({ target, kobo }) => target.of === 'client' && kobo === null)
  }

  // Places a hold, and lets the client's holds take what they lack.
  place(hold: Pick<OutHold, 'client' | 'target' | 'kobo'>): OutHold {
    const placed: OutHold = {
      ...hold,
      reference: '',
      takenKobo: new Map(),
      heldKobo: 0n,
      forfeitedKobo: 0n,
      state: 'active',
      request: null,
    }
    this.all.push(placed)
    this.take(this.due(hold.client))
    return placed
  }

  // The money that the client's holds lack and can take now. The oldest hold takes first, from the oldest
  // account first.
  due(client: OutClient): HoldTake[] {
    const takes: HoldTake[] = []
    for (const hold of this.activeOf(client)) {
      let lacking = lackingOf(hold)
      for (const from of this.#accountsOf(hold)) {
        const left = this.#balances.of(from) - sumTaken(takes, from)
        const kobo = lacking === null ? left : least(left, lacking)
        if (kobo <= 0n) continue
        takes.push({ hold, from, kobo })
        if (lacking !== null) lacking -= kobo
      }
    }
    return takes
  }

  // How much of a due reserve the holds on all of the client's money take, after they have taken `others`.
  // `isLacking`: they lack still more.
  dueOf(client: OutClient, reserveKobo: bigint, others: readonly HoldTake[]) {
    const takes: HoldTake[] = []
    let left = reserveKobo
    let isLacking = false
    for (const hold of this.activeOf(client)) {
      if (hold.target.of !== 'client') continue
      const before = others.reduce((sum, take) => (take.hold === hold ? sum + take.kobo : sum), 0n)
      const limit = lackingOf(hold)
      const kobo = limit === null ? left : least(left, limit - before)
      if (kobo > 0n) takes.push({ hold, from: reserve(client), kobo })
      left -= kobo
      if (limit === null || limit > before + kobo) isLacking = true
    }
    return { takes, isLacking }
  }

  take(takes: readonly HoldTake[]): void {
    for (const { hold, from, kobo } of takes) {
      this.#balances.post(from, held(hold), kobo)
      hold.takenKobo.set(from, (hold.takenKobo.get(from) ?? 0n) + kobo)
      hold.heldKobo += kobo
    }
  }

  // Gives the money back to the accounts it was taken from. A part that was forfeited counts as taken from
  // the accounts that were opened first.
  release(hold: OutHold): void {
    let gone = hold.forfeitedKobo
    for (const from of this.#inOrder([...hold.takenKobo.keys()])) {
      const kobo = hold.takenKobo.get(from) as bigint
      const lost = least(gone, kobo)
      gone -= lost
      const to = from === reserve(hold.client) ? available(hold.client) : from
      this.#balances.post(held(hold), to, kobo - lost)
    }
    hold.heldKobo = 0n
    hold.state = 'released'
  }

  forfeit(hold: OutHold, kobo: bigint | null): void {
    const amount = kobo ?? hold.heldKobo
    this.#balances.post(held(hold), `forfeited operator:${hold.client.id}`, amount)
    hold.heldKobo -= amount
    hold.forfeitedKobo += amount
    if (kobo === null) hold.state = 'forfeited'
  }

  #accountsOf({ client, target }: OutHold): string[] {
    const collections = client.collections.map(({ number }) => collection(number))
    const shares = (codes: Iterable<string>) => [...codes].map((code) => shareOf(client, code))
    switch (target.of) {
      case 'client':
        return this.#inOrder([
          available(client),
          ...collections,
          ...shares(Object.keys(client.subaccounts)),
        ])
      case 'merchant':
        return this.#inOrder(collections)
      case 'account':
        return [collection(target.number)]
      case 'credit': {
        const { account, part } = target.credit
        return this.#inOrder([account, ...shares(part.shared?.to.keys() ?? [])])
      }
    }
  }

  // The accounts in the order in which they were opened. Leaves out those that are not open yet, which have
  // no money.
  #inOrder(names: readonly string[]): string[] {
    const order = (name: string) => this.opened.get(name) ?? Number.POSITIVE_INFINITY
    return names
      .filter((name) => this.opened.has(name))
      .sort((one, other) => order(one) - order(other))
  }
}

const reserve = ({ id }: OutClient) => `reserve client:${id}`
const held = ({ client }: OutHold) => `held client:${client.id}`

// How much the hold lacks; null if it takes everything. A hold of a credit never takes more than what is left
// after reversals.
function lackingOf({ kobo, target, heldKobo, forfeitedKobo }: OutHold): bigint | null {
  if (kobo === null) return null
  const limit = target.of === 'credit' ? least(kobo, target.credit.leftKobo) : kobo
  return limit - heldKobo - forfeitedKobo
}

// How much these takes remove from one account.
export function sumTaken(takes: readonly HoldTake[], name: string): bigint {
  return takes.reduce((sum, { from, kobo }) => (from === name ? sum + kobo : sum), 0n)
}
