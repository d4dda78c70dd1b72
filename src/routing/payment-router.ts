// Chooses the bank of a payment if the request names none. The facts are in memory, and a worker of this
// process refreshes them every few seconds (src/requery/workers.ts), so a choice costs no statement.

import type { FreeNumbers } from '#accounts/number-pools.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Kobo } from '#money.ts'
import { type BankRoute, isTrialDue, shareOf } from './bank-route.ts'
import { type Candidate, type Decision, rankBanks } from './decision.ts'

type PaymentFacts = {
  routes: readonly BankRoute[]
  numbers: ReadonlyMap<string, FreeNumbers> // By bank code. Absent: not known.
  withheldPerMille: ReadonlyMap<string, number> // By bank code, from recent credits. Absent: not known.
}

type Deps = {
  banks: readonly BankSettings[]
  clock: Clock
  random?: () => number
  onChoice?: (decision: Decision) => void
}

const PER_MILLE = 1_000n

export class PaymentRouter {
  readonly #deps: Deps
  readonly #empty = new Set<string>() // Banks that ran out of numbers since the last refresh.
  readonly #tried = new Map<string, number>() // The last trial of each bank, by its retry time.
  #news = new Set<string>()
  #facts: PaymentFacts = { routes: [], numbers: new Map(), withheldPerMille: new Map() }

  constructor(deps: Deps) {
    this.#deps = { ...deps, banks: deps.banks.filter((bank) => issuesNumbers(bank, 'dynamic')) }
  }

  renew(facts: PaymentFacts): void {
    this.#facts = facts
    this.#empty.clear()
  }

  noteEmpty(bankCode: string): void {
    this.#empty.add(bankCode)
  }

  // Whether the bank still issues numbers for payments.
  has(bankCode: string): boolean {
    return this.#deps.banks.some(({ code }) => code === bankCode)
  }

  // Whether it still issues numbers for payments, and routing has not left it.
  isNotLeft(bankCode: string): boolean {
    return this.has(bankCode) && this.#routeOf(bankCode)?.state !== 'left'
  }

  // Returns the banks that were given a payment as a trial since the last call of takeTried().
  takeTried(): string[] {
    const tried = [...this.#news]
    this.#news = new Set()
    return tried
  }

  // Returns trials that could not be written, for the next attempt.
  giveBackTried(bankCodes: readonly string[]): void {
    for (const bankCode of bankCodes) this.#news.add(bankCode)
  }

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
    const isIts = (route: BankRoute) => route.bankCode === bankCode && route.direction === 'in'
    return this.#facts.routes.find(isIts)
  }

  // A bank whose calls fail gets no payment as a trial: its calls alone show when it works again. A silent
  // bank does get one, because only money makes it report again.
  #candidate(bankCode: string, amountKobo: Kobo, now: Date): Candidate {
    const route = this.#routeOf(bankCode)
    const numbers = this.#facts.numbers.get(bankCode)
    const perMille = this.#facts.withheldPerMille.get(bankCode) ?? 0
    const isUntried = route && this.#tried.get(bankCode) !== route.retryAt?.getTime()
    const isEmpty = numbers?.free === 0 || this.#empty.has(bankCode)
    return {
      bankCode,
      share: route ? shareOf(route, now) : 1,
      leftFor: route?.reason ?? null,
      isTrial: route?.reason === 'silent' && isUntried === true && isTrialDue(route, now),
      room: isEmpty ? 'none' : numbers?.isLow ? 'little' : 'enough',
      amountLeft: BigInt(numbers?.free ?? 0),
      costKobo: (amountKobo * BigInt(perMille)) / PER_MILLE,
    }
  }

  #noteTrial(bankCode: string): void {
    this.#news.add(bankCode)
    this.#tried.set(bankCode, this.#routeOf(bankCode)?.retryAt?.getTime() ?? 0)
  }
}
