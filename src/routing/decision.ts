// Chooses the bank of a payment or payout that names none: a pure decision from facts (rankBanks), its
// explanation for timelines (describeDecision), and the router of payments in this process (PaymentRouter).
//
//   1. health   an avoided bank is passed over; a returning bank takes a share of the orders
//   2. room     free numbers for a payment, money for a payout: enough before little before none
//   3. cost     of this amount, as far as it is known
//   4. room     the bank with the most room first; then the order of the settings
//
// A bank whose trial is due comes first: one order decides whether it returns. While every bank is avoided,
// the best of them is still chosen: a payout waits there, and a payment gets a number, because a transfer
// usually arrives even while calls fail or notifications are late. Refusing the payer would certainly lose
// the payment.

import type { FreeNumbers } from '#accounts/number-pools.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Kobo } from '#money.ts'
import { type BankRoute, isTrialDue, shareOf } from './bank-route.ts'

const PASSED_OVER = [
  'failing',
  'silent',
  'returning',
  'empty',
  'little_room',
  'costlier',
  'less_room',
] as const
type PassedOver = (typeof PASSED_OVER)[number]

const WHYS = ['trial', 'only', 'room', 'cost', 'most_room', 'order', 'last_resort'] as const
export type Why = (typeof WHYS)[number]

export type Candidate = {
  bankCode: string
  share: number // The bank's share of the orders now, from 0 (avoided) to 1.
  avoidedFor: 'failing' | 'silent' | null // Why the bank is avoided; null if it is not.
  isTrial: boolean // The bank is avoided, and this order may try it.
  room: 'enough' | 'little' | 'none'
  amountLeft: bigint // The bank's free numbers (for a payment), or its money in kobo (for a payout).
  costKobo: bigint
}

export type Decision = {
  bankCode: string | null // null if no bank has room.
  why: Why
  // At most 8 banks that were passed over for another reason than cost or room.
  over: { bank: string; reason: PassedOver }[]
  others: number // The number of other banks that were passed over, because they rank lower.
}

const NAMED_BANKS_MAX = 8
const ROOMS = { enough: 0, little: 1, none: 2 } as const

// Chooses a bank and says why the others were passed over. `draw` is a random number from 0 to 1, new for
// each order. A bank may take the order if its share is greater than `draw`, so a bank with a share of 0.2
// may take a fifth of the orders. If the draw leaves no bank, any bank with a share may take the order. If
// no bank has a share, any bank with room may. A bank whose trial is due comes before all of them.
export function rankBanks(candidates: readonly Candidate[], draw: number): Decision {
  const withRoom = candidates.filter(({ room }) => room !== 'none')
  const trial = withRoom.find(({ isTrial }) => isTrial)
  const drawn = withRoom.filter(({ share }) => share > draw)
  const withShare = withRoom.filter(({ share }) => share > 0)
  const usable = drawn.length > 0 ? drawn : withShare
  const ranked = (usable.length > 0 ? usable : withRoom).toSorted(compareCandidates)
  const chosen = trial ?? ranked[0]
  const passedOver = candidates.filter((candidate) => candidate !== chosen)
  const reasons = passedOver.map((candidate) => ({
    candidate,
    reason: reasonToPassOver(candidate, { chosen, draw }),
  }))
  // Banks that only rank lower are counted (`others`), not named.
  const isNamed = ({ reason }: { reason: PassedOver }) =>
    reason !== 'costlier' && reason !== 'less_room'
  const named = reasons
    .filter(isNamed)
    .map(({ candidate, reason }) => ({ bank: candidate.bankCode, reason }))
  return {
    bankCode: chosen?.bankCode ?? null,
    why: reasonOfChoice({ chosen, trial, usable, ranked }),
    over: named.slice(0, NAMED_BANKS_MAX),
    others: passedOver.length - Math.min(named.length, NAMED_BANKS_MAX),
  }
}

// Sorts by room, then cost, then the amount left. Sorting keeps the order of the settings among equals.
function compareCandidates(one: Candidate, other: Candidate): number {
  return (
    ROOMS[one.room] - ROOMS[other.room] ||
    signOf(one.costKobo - other.costKobo) ||
    signOf(other.amountLeft - one.amountLeft)
  )
}

const signOf = (value: bigint) => (value > 0n ? 1 : value < 0n ? -1 : 0)

type Choice = { chosen: Candidate | undefined; draw: number }

// Returns why a bank was not chosen.
function reasonToPassOver(candidate: Candidate, { chosen, draw }: Choice): PassedOver {
  if (candidate.avoidedFor !== null) return candidate.avoidedFor
  if (candidate.room === 'none') return 'empty'
  if (candidate.share <= draw) return 'returning'
  if (candidate.room === 'little' && chosen?.room !== 'little') return 'little_room'
  return chosen && candidate.costKobo > chosen.costKobo ? 'costlier' : 'less_room'
}

type Ranking = {
  chosen: Candidate | undefined
  trial: Candidate | undefined
  usable: readonly Candidate[]
  ranked: readonly Candidate[]
}

// Returns why the chosen bank ranks before the second one.
function reasonOfChoice({ chosen, trial, usable, ranked }: Ranking): Why {
  if (trial) return 'trial'
  if (!chosen || usable.length === 0) return 'last_resort'
  const second = ranked[1]
  if (!second) return 'only'
  if (second.room !== chosen.room) return 'room'
  if (second.costKobo !== chosen.costKobo) return 'cost'
  return second.amountLeft === chosen.amountLeft ? 'order' : 'most_room'
}

// Sentences that say why a bank was chosen, for the timelines of payments and payouts. They contain no
// figures, because clients read them, and costs and balances at banks are the operator's.

type RoutedKind = 'payment' | 'payout'

const WHY_SENTENCES: Record<Why, Record<RoutedKind, string>> = {
  trial: {
    payment: 'one payment tries whether it works again',
    payout: 'one payout tries whether it works again',
  },
  only: { payment: 'no other bank can be used', payout: 'no other bank can be used' },
  room: { payment: 'it has enough numbers left', payout: 'it has enough money' },
  cost: { payment: 'it costs least', payout: 'it costs least' },
  most_room: { payment: 'it has the most numbers left', payout: 'it has the most money' },
  order: { payment: 'it is the first of equals', payout: 'it is the first of equals' },
  last_resort: {
    payment: 'every bank is failing or silent, and it ranks first',
    payout: 'no bank can be used, and it waits there',
  },
}

const PASSED_OVER_SENTENCES: Record<PassedOver, Record<RoutedKind, string>> = {
  failing: { payment: 'its calls fail', payout: 'its orders fail' },
  silent: { payment: 'it reports no transfers', payout: 'it reports no transfers' },
  returning: { payment: 'it is returning', payout: 'it is returning' },
  empty: { payment: 'it has no numbers left', payout: 'it has no money' },
  little_room: { payment: 'it has few numbers left', payout: 'it has too little money' },
  costlier: { payment: 'it costs more', payout: 'it costs more' },
  less_room: { payment: 'it has fewer numbers left', payout: 'it has less money' },
}

// The stored form of a decision. The bank is stored in a separate column.
export type StoredDecision = Omit<Decision, 'bankCode'>

export function toStored({ why, over, others }: Decision): StoredDecision {
  return { why, over, others }
}

// Says in a sentence why the bank was chosen, and which banks were passed over.
export function describeDecision(
  { why, over, others }: StoredDecision,
  { kind, nameBank }: { kind: RoutedKind; nameBank: (code: string) => string },
): string {
  const named = over.map(
    ({ bank, reason }) => `${nameBank(bank)} (${PASSED_OVER_SENTENCES[reason][kind]})`,
  )
  const lowerRanked =
    others === 0 ? [] : [`${others} other${others === 1 ? '' : 's'} that rank lower`]
  const passedOver = [...named, ...lowerRanked]
  const sentence = `The bank was chosen because ${WHY_SENTENCES[why][kind]}.`
  return passedOver.length === 0 ? sentence : `${sentence} Passed over: ${passedOver.join(', ')}.`
}

type PaymentFacts = {
  routes: readonly BankRoute[]
  numbers: ReadonlyMap<string, FreeNumbers> // By bank code; absent if not known.
  // By bank code: thousandths of a credit that the bank withholds, from recent credits; absent if not known.
  withheldPerMille: ReadonlyMap<string, number>
}

type Deps = {
  banks: readonly BankSettings[]
  clock: Clock
  random?: () => number
  onChoice?: (decision: Decision) => void
}

const PER_MILLE = 1_000n

// Chooses the bank of a payment if the request names none. The facts are in memory, and a worker of this
// process refreshes them every few seconds (requery/workers.ts), so a choice costs no SQL statement.
export class PaymentRouter {
  readonly #deps: Deps
  readonly #empty = new Set<string>() // Banks that ran out of numbers since the last refresh.
  // By bank: the retry time (BankRoute.retryAt) of its last trial. Each retry time allows one trial.
  readonly #tried = new Map<string, number>()
  #newTrials = new Set<string>() // Banks that got a trial since the last takeTrials().
  #facts: PaymentFacts = { routes: [], numbers: new Map(), withheldPerMille: new Map() }

  constructor(deps: Deps) {
    this.#deps = { ...deps, banks: deps.banks.filter((bank) => issuesNumbers(bank, 'dynamic')) }
  }

  // Replaces the facts. A worker calls this every few seconds.
  renew(facts: PaymentFacts): void {
    this.#facts = facts
    this.#empty.clear()
  }

  // Called when a bank had no number for a payment, so that the next payment chooses another bank.
  noteEmpty(bankCode: string): void {
    this.#empty.add(bankCode)
  }

  // Returns whether the bank issues numbers for payments by the present settings.
  has(bankCode: string): boolean {
    return this.#deps.banks.some(({ code }) => code === bankCode)
  }

  // Returns whether the bank issues numbers for payments, and routing does not avoid it.
  isNotAvoided(bankCode: string): boolean {
    return this.has(bankCode) && this.#routeOf(bankCode)?.state !== 'left'
  }

  // Returns the banks that were given a payment as a trial since the last call of takeTrials().
  takeTrials(): string[] {
    const tried = [...this.#newTrials]
    this.#newTrials = new Set()
    return tried
  }

  // Takes back trials that could not be written. The next takeTrials() returns them.
  giveBackTrials(bankCodes: readonly string[]): void {
    for (const bankCode of bankCodes) this.#newTrials.add(bankCode)
  }

  // Chooses a bank for a payment of this amount.
  choose(amountKobo: Kobo): Decision {
    const { banks, clock, random = Math.random, onChoice } = this.#deps
    const now = clock()
    const candidates = banks.map(({ code }) => this.#candidate(code, amountKobo, now))
    const decision = rankBanks(candidates, random())
    if (decision.why === 'trial' && decision.bankCode) this.#noteTrial(decision.bankCode)
    onChoice?.(decision)
    return decision
  }

  #routeOf(bankCode: string): BankRoute | undefined {
    const isItsRoute = (route: BankRoute) => route.bankCode === bankCode && route.direction === 'in'
    return this.#facts.routes.find(isItsRoute)
  }

  // A bank whose calls fail gets no payment as a trial: other calls show when it works again. A silent bank
  // does get a payment as a trial, because it reports only when money arrives.
  #candidate(bankCode: string, amountKobo: Kobo, now: Date): Candidate {
    const route = this.#routeOf(bankCode)
    const numbers = this.#facts.numbers.get(bankCode)
    const perMille = this.#facts.withheldPerMille.get(bankCode) ?? 0
    const isUntried = route && this.#tried.get(bankCode) !== route.retryAt?.getTime()
    const isEmpty = numbers?.free === 0 || this.#empty.has(bankCode)
    return {
      bankCode,
      share: route ? shareOf(route, now) : 1,
      avoidedFor: route?.reason ?? null,
      isTrial: route?.reason === 'silent' && isUntried === true && isTrialDue(route, now),
      room: isEmpty ? 'none' : numbers?.isLow ? 'little' : 'enough',
      amountLeft: BigInt(numbers?.free ?? 0),
      costKobo: (amountKobo * BigInt(perMille)) / PER_MILLE,
    }
  }

  #noteTrial(bankCode: string): void {
    this.#newTrials.add(bankCode)
    this.#tried.set(bankCode, this.#routeOf(bankCode)?.retryAt?.getTime() ?? 0)
  }
}
