// Chooses the next random operation of a simulation. Prefers edge cases: amounts that are a kobo off, times
// that are a millisecond off, operations that are repeated, or made by the wrong client or on the wrong
// object.

import type { Op } from '../support/model.ts'
import type { Books } from '../support/model-books.ts'
import { Account, type Credit, Payment, type Policy, type Rules } from '../support/model-places.ts'
import { MODEL_SPLITS } from '../support/model-splits.ts'
import type { seededRandom } from '../support/random.ts'
import { chooseCredits, paymentOf } from './credit-choices.ts'
import { chooseFindings } from './findings.ts'
import { BANK_CODES, CLIENTS, OPERATOR, SMALL_BANK } from './world.ts'

export type Random = ReturnType<typeof seededRandom>

const RECENT_MAX = 120
const DAY_MS = 86_400_000
const LONG_MS = 1_800_000
export const UNKNOWN = '00000000-0000-4000-8000-000000000000'
export const NOBODY = '0000000000000000000000000000000@000'

// Weights per hundred operations.
const WEIGHTS: readonly (readonly [kind: Op['do'], weight: number])[] = [
  ['account', 3],
  ['deactivate', 1],
  ['activate', 1],
  ['limit', 1],
  ['advice', 15],
  ['initiate', 22],
  ['cancel', 2],
  ['credits', 20],
  ['findings', 5],
  ['reversal', 10],
  ['assign', 9],
  ['return', 4],
  ['read', 7],
]

export class Choices {
  readonly random: Random
  readonly books: Books
  // Outcomes that have not occurred yet, as Sights names them. Operations that may lead to them are chosen
  // more often.
  wanted: readonly string[] = []
  hasSplits = false // Whether the clients have splits.
  readonly #probes: Op[] = [] // Operations to run before random ones.
  #sessions = 0

  readonly isTimeless: boolean // In a world with a real clock: no operation may depend on the exact time.

  constructor(random: Random, books: Books, isTimeless = false) {
    this.random = random
    this.books = books
    this.isTimeless = isTimeless
  }

  next(): Op {
    const probe = this.#probes.shift()
    if (probe) return probe
    const kind = this.#kind()
    switch (kind) {
      case 'account':
        return this.#newAccount()
      case 'activate':
      case 'deactivate':
      case 'limit':
        return this.#accountChange(kind)
      case 'initiate':
        return this.#initiation()
      case 'cancel': {
        const { reference, client } = this.recent(this.books.advices) ?? {}
        const by = this.chance(5) ? this.random.pick(CLIENTS) : (client?.name ?? OPERATOR)
        return { do: 'cancel', client: by, advice: reference ?? UNKNOWN }
      }
      case 'credits':
        return chooseCredits(this)
      case 'findings':
        return this.isTimeless ? chooseCredits(this) : chooseFindings(this)
      case 'reversal':
        return this.#reversal()
      case 'assign':
        return this.#assignment()
      case 'return': {
        const credit = this.#suspended()
        return { do: 'return', client: this.#deskOf(credit), credit: credit?.name ?? NOBODY }
      }
      case 'read': {
        const payment = this.recent(this.books.payments)
        const client = this.chance(90) && payment ? payment.client.name : this.random.pick(CLIENTS)
        return { do: 'read', client, payment: payment?.reference ?? UNKNOWN }
      }
      default:
        return this.#newAdvice()
    }
  }

  chance(percent: number): boolean {
    return this.random.integer(1, 100) <= percent
  }

  kobo(min: number, max: number): bigint {
    return BigInt(this.random.integer(min, max))
  }

  newSession(): string {
    this.#sessions += 1
    return `000013261115090000${String(this.#sessions).padStart(12, '0')}`
  }

  // A random object, mostly a recent one, because more can still happen to it.
  recent<T>(objects: ReadonlyMap<string, T>, max = RECENT_MAX): T | undefined {
    const list = [...objects.values()]
    const from = this.chance(85) ? Math.max(0, list.length - max) : 0
    return list[this.random.integer(from, list.length - 1)]
  }

  // A payment that still waits for money, if there is one.
  openPayment(): Payment | undefined {
    const list = [...this.books.payments.values()].slice(-RECENT_MAX)
    return this.random.pick(list.filter((payment) => payment.end === null))
  }

  // Mostly moves the clock to a payment's expiry or closing, or a millisecond before or after, and then reads
  // and pays that payment. Otherwise moves the clock by a random time.
  wait(): Op {
    const { random, books } = this
    if (this.chance(3) && !this.#isToRunDry) return { do: 'wait', ms: DAY_MS }
    const coming = [...books.payments.values()]
      .slice(-RECENT_MAX)
      .filter(({ end }) => end === null)
      .flatMap((payment) => [payment.expiresAt, payment.closesAt].map((at) => ({ at, payment })))
      .filter(({ at }) => at > books.now + 1)
      .sort((one, other) => one.at - other.at)
    const moment = coming[random.integer(0, Math.min(2, coming.length - 1))]
    if (!moment || this.chance(25)) return { do: 'wait', ms: random.integer(1, 20_000) }
    const { reference, client } = moment.payment
    this.#probes.push({ do: 'read', client: client.name, payment: reference })
    this.#probes.push({ do: 'credits', credits: [paymentOf(this, moment.payment)], isList: false })
    return { do: 'wait', ms: moment.at + random.pick([0, 0, 0, -1, 1]) - books.now }
  }

  // A new fee rule. It must not run beside other operations, because it would apply to only some of them.
  rule(): Op {
    const minKobo = this.chance(50) ? 0n : this.kobo(1, 2_00)
    const isCustomers = this.chance(40)
    const rule = {
      flatKobo: this.chance(50) ? 0n : this.kobo(1, 3_00),
      bps: this.chance(20) ? 0 : this.random.integer(1, 2_000),
      minKobo,
      capKobo: this.chance(50) ? null : minKobo + this.kobo(1, 20_00),
      waiveBelowKobo: this.chance(50) ? 0n : this.kobo(1, 300_00),
      isVatIncluded: this.chance(30),
      isCustomers,
      isSubaccounts: !isCustomers && this.chance(50),
    }
    return { do: 'rule', client: this.random.pick(CLIENTS), rule }
  }

  #kind(): Op['do'] {
    if (this.wanted.length > 0 && this.chance(40)) return kindOf(this.random.pick(this.wanted))
    let remaining = this.random.integer(1, 100)
    for (const [kind, weight] of WEIGHTS) {
      remaining -= weight
      if (remaining <= 0) return kind
    }
    return 'advice'
  }

  // Whether to use up a bank's numbers. Long waits must not happen then, because used numbers would become
  // free again.
  get #isToRunDry(): boolean {
    return this.wanted.includes('initiate numbers_exhausted')
  }

  #accountChange(kind: 'activate' | 'deactivate' | 'limit'): Op {
    const account = this.recent(this.books.accounts)?.number
    if (account === undefined) return this.#newAdvice()
    if (kind !== 'limit') return { do: kind, account }
    const limit = (max: number) => (this.chance(40) ? null : this.kobo(1, max))
    const dayKobo = this.isTimeless ? null : limit(2_000_00) // It may be just before midnight.
    const limits = { creditKobo: limit(500_00), dayKobo, balanceKobo: limit(5_000_00) }
    return { do: kind, account, limits }
  }

  #newAccount(): Op {
    const client = this.random.pick(CLIENTS)
    return { do: 'account', client, rules: this.#rules(300_00), split: this.#split() }
  }

  #split(): string | null {
    const isSplit = this.hasSplits && this.chance(50)
    return isSplit ? this.random.pick(Object.keys(MODEL_SPLITS)) : null
  }

  #newAdvice(): Op {
    const { random } = this
    const kobo = this.chance(20) ? this.kobo(1, 3) : this.kobo(1_00, 500_00)
    const terms = {
      kobo,
      policy: random.pick<Policy>(['allow_under', 'allow_under', 'exact', 'any']),
      expiresInMs: this.isTimeless ? LONG_MS : random.pick([60_000, 90_000, 300_000, LONG_MS]),
      graceMs: random.pick([0, 1_000, 60_000, 300_000]),
      merchantRef: this.chance(40) ? `order-${random.integer(1, 1_000_000)}` : null,
      rules: this.chance(15) ? this.#rules(Number(kobo)) : null,
      split: this.#split(),
    }
    const earlier = this.chance(8) ? this.recent(this.books.advicesByRef) : undefined
    if (!earlier) return { do: 'advice', client: random.pick(CLIENTS), terms }
    const changed = this.chance(50) ? {} : { kobo: earlier.terms.kobo + 1n }
    return { do: 'advice', client: earlier.client.name, terms: { ...earlier.terms, ...changed } }
  }

  #rules(aboutKobo: number): Rules | null {
    if (this.chance(60)) return null
    const minKobo = this.kobo(1, aboutKobo)
    return { minKobo, maxKobo: minKobo + this.kobo(1, aboutKobo), isListOnly: this.chance(70) }
  }

  #initiation(): Op {
    const some = this.#isToRunDry ? SMALL_BANK : this.random.pick(BANK_CODES)
    const bank = this.chance(2) ? '999' : some
    const waiting = [...this.books.advices.values()].slice(-RECENT_MAX).filter((a) => !a.payment)
    const isNew = waiting.length > 0 && this.chance(75)
    const advice = isNew ? this.random.pick(waiting) : this.recent(this.books.advices)
    return { do: 'initiate', advice: advice?.reference ?? UNKNOWN, bank }
  }

  // A reversal of a known credit, an unknown one, or a repeated report of an earlier reversal.
  #reversal(): Op {
    const { books, random } = this
    const sessionId = this.newSession()
    const earlier = this.chance(12) ? this.recent(books.reversals) : undefined
    if (earlier) {
      const known = [...books.reversals].find(([, reversal]) => reversal === earlier)
      const [session = '', bank = ''] = known?.[0].split('@') ?? []
      const kobo = this.chance(60) ? earlier.kobo : earlier.kobo + 1n
      const original = random.pick(earlier.of.identifiers).value
      return { do: 'reversal', bank, sessionId: session, original, kobo }
    }
    const credit = this.recent(books.credits)
    if (!credit || this.chance(4)) {
      const bank = random.pick(BANK_CODES)
      return { do: 'reversal', bank, sessionId, original: this.newSession(), kobo: 1n }
    }
    const left = credit.kobo - credit.reversedKobo
    const part = left > 1n ? this.kobo(1, Number(left)) : 1n
    const kobo = random.pick([left > 0n ? left : 1n, left > 0n ? left : 1n, part, part, left + 1n])
    const original = random.pick(credit.identifiers).value
    return { do: 'reversal', bank: credit.bank, sessionId, original, kobo }
  }

  // An assignment of suspended money, mostly to a payment or account where it fits.
  #assignment(): Op {
    const credit = this.#suspended()
    const client = this.#deskOf(credit)
    const name = credit?.name ?? NOBODY
    const item = credit?.item
    const place = item?.place
    if (place instanceof Account) {
      return { do: 'assign', client, credit: name, to: { account: place.number } }
    }
    const candidates = [...this.books.payments.values()].slice(-2 * RECENT_MAX)
    const fitting = candidates.filter(
      (payment) =>
        item && payment.dueKobo >= item.kobo && (item.owner ?? payment.client) === payment.client,
    )
    const list = fitting.length > 0 && this.chance(80) ? fitting : candidates
    const payment =
      place instanceof Payment && this.chance(70) ? place : this.random.pick(list.slice(-20))
    const account = this.recent(this.books.accounts)
    const toAccount = !payment || (account && this.chance(35))
    const to = toAccount
      ? { account: account?.number ?? '0000000000' }
      : { payment: payment.reference }
    return { do: 'assign', client, credit: name, to }
  }

  // A credit with a suspense item, mostly an open one.
  #suspended(): Credit | undefined {
    const list = [...this.books.credits.values()].slice(-2 * RECENT_MAX)
    const open = list.filter(({ item }) => item && this.books.stateOf(item) === 'open')
    const any = list.filter(({ item }) => item)
    return this.random.pick(this.chance(80) && open.length > 0 ? open : any)
  }

  // The client that may resolve the credit's suspense item; sometimes another one.
  #deskOf(credit: Credit | undefined): string {
    return this.chance(93) ? (credit?.item?.owner?.name ?? OPERATOR) : this.random.pick(CLIENTS)
  }
}

function kindOf(sight: string): Op['do'] {
  return sight.split(' ')[0] as Op['do']
}

// The credit's session id; undefined if the bank never used one.
export function sessionOf({ identifiers }: Credit): string | undefined {
  return identifiers.find(({ kind }) => kind === 'session_id')?.value
}
