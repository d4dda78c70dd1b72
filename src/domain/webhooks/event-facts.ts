// Converts an event's facts between the outbox and its rendering: kobo inside, naira outside.
//
// Kobo are stored as text, since JSON numbers are doubles. Older events hold naira (`amountPaid:
// 2000.1`). The outbox is append-only, so this file reads both forms.

import type { EventFacts, EventType } from '#domain/records/event-types.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'

export type StoredFacts = Readonly<Record<string, unknown>>

// Events of earlier releases may have fewer facts.
export type Facts<Type extends EventType> = Partial<EventFacts[Type]>

const MONEY = [
  'accountBalance',
  'amountPaid',
  'amountReversed',
  'amountShortfall',
  'amountReceivable',
  'amountSuspended',
  'amountAssigned',
  'amountReturned',
  'refundedAmount',
  'returnedAmount',
  'amount',
  'fee',
  'vat',
  'gross',
  'fees',
  'reversed',
  'refunds',
  'paidOut',
  'recovered',
  'reserved',
  'released',
  'carried',
  'net',
]
const PARTS: Record<string, readonly string[]> = {
  reversal: ['amount', 'shortfall', 'receivable'],
  refund: ['amount'],
}

export function readFacts<Type extends EventType>(stored: StoredFacts): Facts<Type> {
  return withParts(inKobo(stored, MONEY), inKobo) as Facts<Type>
}

export function showFacts(facts: object): Record<string, unknown> {
  return withParts(inNaira(facts, MONEY), inNaira)
}

// A reversal or a refund has money of its own.
function withParts(
  facts: Record<string, unknown>,
  convert: (part: StoredFacts, money: readonly string[]) => Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries(facts).map(([name, value]) => {
    const money = PARTS[name]
    return [name, money && value ? convert(value as StoredFacts, money) : value]
  })
  return Object.fromEntries(entries)
}

// Keeps the order, which the rendering keeps too.
function inKobo(stored: StoredFacts, money: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(stored).map(([name, value]) => {
    if (money.includes(name)) return [`${name}Kobo`, koboOf(value)]
    return [name, money.includes(nairaName(name)) ? kobo(BigInt(value as string)) : value]
  })
  return Object.fromEntries(entries)
}

function inNaira(facts: object, money: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(facts).map(([name, value]) => {
    const naira = nairaName(name)
    return money.includes(naira) ? [naira, toNaira(value as Kobo)] : [name, value]
  })
  return Object.fromEntries(entries)
}

function nairaName(name: string): string {
  return name.endsWith('Kobo') ? name.slice(0, -'Kobo'.length) : ''
}
