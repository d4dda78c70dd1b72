// Decides whether a credit breaks a rule, from the earlier credits to the same account number. Pure: the
// same credits always get the same decisions, however they were divided into batches.
//
// A rule uses the credit and at most the LOOKBACK - 1 credits before it, ordered by id.

import { DAY_MS, MINUTE_MS } from '#clock.ts'
import type { ClientId, CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { PARAMS, type Param, type Params, type Rule } from './rule.ts'

export const LOOKBACK = 1_000

// The facts of a credit that the rules use.
export type Facts = {
  id: CreditId
  clientId: ClientId | null
  accountNumber: string
  amountKobo: Kobo
  receivedAt: Date
  payer: () => string | null // A keyed hash of the payer's account, else of its name; null if unknown.
}

// The values that broke the rule. They are stored with the decision, and replay.ts compares them.
export type Inputs = Readonly<Record<string, string | number | null>>
export type Hit = { rule: string; kind: Rule['kind']; inputs: Inputs } // `rule` is the reference of the rule.

type HistoryKind = Exclude<Rule['kind'], 'list'>
type History = { credits: readonly Facts[]; at: number } // Ordered by id; `at` is the judged credit's index.
type Judge = (params: Required<Params>, history: History) => Inputs | null

// Values that no credit can reach, for the parameters that a rule lacks.
const UNREACHABLE: Required<Params> = {
  count: Number.POSITIVE_INFINITY,
  amountKobo: `${2n ** 63n}`,
  minutes: 0,
  percent: 0,
  days: 0,
  list: '',
  score: 0,
}

// Returns the values that break the rule, or null if the credit does not break it. A limit that the rule
// does not set is replaced by one that no credit reaches.
export function judgeByHistory(
  { kind, params }: { kind: HistoryKind; params: Params },
  history: History,
): Inputs | null {
  return JUDGES[kind]({ ...UNREACHABLE, ...params }, history)
}

// Returns the time span of the credits that a rule uses; 0 for a list rule.
export function windowMs({ kind, params }: Pick<Rule, 'kind' | 'params'>): number {
  const needs = (param: Param) => PARAMS[kind].needed.includes(param)
  if (needs('minutes')) return (params.minutes ?? 0) * MINUTE_MS
  return needs('days') ? (params.days ?? 0) * DAY_MS : 0
}

// Whether an amount is just below the rule's amount, so that it looks split up to avoid a limit.
function isInBand(params: Params, kobo: bigint): boolean {
  const { from, below } = bandOf(params)
  return kobo >= from && kobo < below
}

// Returns the amounts of a structuring rule: from `percent` below the rule's amount, up to but not including
// it.
export function bandOf({ amountKobo = '0', percent = 0 }: Params) {
  const below = BigInt(amountKobo)
  return { from: below - (below * BigInt(percent)) / 100n, below }
}

// Yields the judged credit (`credits[at]`) and the credits received within `ms` before it, back in time: at
// most LOOKBACK in all.
function* within({ credits, at }: History, ms: number): Generator<Facts> {
  const since = (credits[at] as Facts).receivedAt.getTime() - ms
  for (let index = at; index > at - LOOKBACK && index >= 0; index--) {
    const credit = credits[index] as Facts
    if (credit.receivedAt.getTime() > since) yield credit
  }
}

// One function per kind of rule. `velocity`: too many credits, or too much money, within minutes.
// `structuring`: too many credits just below an amount. `new_payer`: a large credit from a payer who is not
// known at the number. `many_payers`: too many payers within minutes.
const JUDGES: Readonly<Record<HistoryKind, Judge>> = {
  velocity({ count, amountKobo, minutes }, history) {
    let credits = 0
    let sumKobo = 0n
    for (const credit of within(history, minutes * MINUTE_MS)) {
      credits += 1
      sumKobo += credit.amountKobo
      if (credits >= count || sumKobo >= BigInt(amountKobo)) {
        return { credits, amountKobo: `${sumKobo}`, since: credit.receivedAt.toISOString() }
      }
    }
    return null
  },
  structuring(params, history) {
    if (!isInBand(params, (history.credits[history.at] as Facts).amountKobo)) return null
    let credits = 0
    let sumKobo = 0n
    for (const credit of within(history, params.minutes * MINUTE_MS)) {
      if (!isInBand(params, credit.amountKobo)) continue
      credits += 1
      sumKobo += credit.amountKobo
      if (credits >= params.count) {
        return { credits, amountKobo: `${sumKobo}`, since: credit.receivedAt.toISOString() }
      }
    }
    return null
  },
  new_payer({ amountKobo, days }, history) {
    const credit = history.credits[history.at] as Facts
    if (credit.amountKobo < BigInt(amountKobo)) return null
    const payer = credit.payer()
    const [, ...earlier] = within(history, days * DAY_MS) // The first is the judged credit.
    if (payer !== null && earlier.some((earlierCredit) => earlierCredit.payer() === payer))
      return null
    return { payer, amountKobo: `${credit.amountKobo}`, creditsBefore: earlier.length }
  },
  many_payers({ count, minutes }, history) {
    const payers = new Set<string>()
    let credits = 0
    for (const credit of within(history, minutes * MINUTE_MS)) {
      credits += 1
      const payer = credit.payer()
      if (payer !== null) payers.add(payer)
      if (payers.size >= count) {
        return { payers: payers.size, credits, since: credit.receivedAt.toISOString() }
      }
    }
    return null
  },
}
