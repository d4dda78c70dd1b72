// Makes random books and the statement lines that an honest bank would write about them. Written from how
// banks behave, not from the matching code.

import type { seededRandom } from '../support/random.ts'
import type { Books, Line } from './books.ts'

export type Random = ReturnType<typeof seededRandom>
type Credit = NonNullable<Books['credits']>[number]
type Payout = NonNullable<Books['payouts']>[number]
type Reversal = NonNullable<Books['reversals']>[number]
type Return = NonNullable<Books['returns']>[number]

export type Size = { credits: number; payouts: number; reversals: number; returns: number }

// An item and the lines that the bank writes about it. The first line has the item's amount, further ones its
// charges.
export type ReportedItem = { item: string; credit?: Credit; lines: Line[] }

export const DAYS = Array.from(
  { length: 6 },
  (_, at) => `2026-11-${String(at + 2).padStart(2, '0')}`,
)
const LAST = DAYS.at(-1) as string

const serial = (prefix: string, id: number) => `${prefix}${String(id).padStart(15, '0')}`
const nextDay = (day: string) => DAYS[DAYS.indexOf(day) + 1] ?? day

// Makes random books. `reported` has, for each credit, payout, reversal and return of the books, the lines
// with which the bank's statement reports it.
export function randomBooks(random: Random, size: Size) {
  const credits = times(size.credits, (id) => randomCredit(random, id))
  const payouts = times(size.payouts, (id) => randomPayout(random, id))
  const reversals = times(size.reversals, (id) => randomReversal(random, id, random.pick(credits)))
  const returns = times(size.returns, (id) => randomReturn(random, id, random.pick(credits)))
  const reported = [
    ...credits.map((credit) => reportCredit(random, credit)),
    ...payouts.map((payout) => reportPayout(random, payout)),
    ...reversals.map((reversal) => reportReversal(random, reversal, credits)),
    ...returns.map((returned) => reportReturn(random, returned)),
  ]
  const books = { credits, payouts, reversals, returns }
  return { books, reported }
}

function times<T>(count: number, make: (id: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at + 1))
}

// A random time. Rarely it is in the last minutes of a day, because banks may book such items on the next day
// (dayOf).
function moment(random: Random): string {
  const day = random.pick(DAYS)
  return random.integer(1, 20) === 1 && day !== LAST
    ? `${day}T23:5${random.integer(0, 9)}`
    : `${day}T${String(random.integer(0, 22)).padStart(2, '0')}:15`
}

const dayOf = (at: string) => (at.includes('T23:5') ? nextDay(at.slice(0, 10)) : at.slice(0, 10))

// A credit id that grows with the time of the credit, as the service's ids do.
export function creditId(at: string, n: number): number {
  return (Date.parse(`${at}Z`) / 60_000) * 10_000 + n
}

function randomCredit(random: Random, n: number): Credit {
  const hasCharges = random.integer(1, 4) === 1
  const at = moment(random)
  const id = creditId(at, n)
  return {
    id,
    sessionId: serial('S', id),
    amountKobo: 1_000_000 + n * 100 + random.integer(0, 99),
    at,
    accountNumber: `01${String(random.integer(0, 999)).padStart(8, '0')}`,
    otherIds: [serial('X', id)],
    ...(hasCharges ? { feeKobo: 1_000, vatKobo: 75, dutyKobo: random.pick([0, 5_000]) } : {}),
  }
}

function randomPayout(random: Random, id: number): Payout {
  return {
    id,
    reference: serial('PYT', id),
    bankReference: serial('B', id),
    amountKobo: random.integer(10_000, 900_000),
    at: moment(random),
    costKobo: random.pick([0, 1_000]),
    costVatKobo: 75,
  }
}

function randomReversal(random: Random, id: number, { id: creditId }: Credit): Reversal {
  const amountKobo = random.integer(1_000, 900_000)
  return { id, sessionId: serial('V', id), creditId, amountKobo, at: moment(random) }
}

function randomReturn(random: Random, id: number, { id: creditId }: Credit): Return {
  return {
    id,
    reference: serial('RTN', id),
    bankReference: serial('R', id),
    creditId,
    amountKobo: random.integer(1_000, 900_000),
    at: moment(random),
  }
}

// The bank writes one line with the net amount, or one with the gross amount and one for each charge. The
// line names the credit in one of the ways that banks use.
function reportCredit(random: Random, credit: Credit): ReportedItem {
  const { id, amountKobo, at, feeKobo = 0, vatKobo = 0, dutyKobo = 0 } = credit
  const day = dayOf(at)
  const base = { day, kind: 'credit', narration: `C${id}` }
  const item = { item: `credit ${id}`, credit }
  const charges = feeKobo + vatKobo + dutyKobo
  const baseWithId = { ...base, sessionId: credit.sessionId }
  if (charges > 0 && random.integer(0, 1) === 0) {
    return { ...item, lines: [{ ...baseWithId, amountKobo: amountKobo - charges }] }
  }
  const parts = [
    { kind: 'fee', amountKobo: -feeKobo },
    { kind: 'vat', amountKobo: -vatKobo },
    { kind: 'stamp_duty', amountKobo: -dutyKobo },
  ].filter((part) => part.amountKobo !== 0)
  const chargeLines = parts.map((part) => {
    return { day, sessionId: credit.sessionId, narration: `${part.kind} of C${id}`, ...part }
  })
  const isSameDay = at.slice(0, 10) === day
  const ways: Omit<Line, 'amountKobo'>[] = [
    baseWithId,
    { ...base, bankReference: serial('X', id) },
    { ...base, endToEndId: credit.sessionId },
    // Without any identifier: by account number, amount and day, since no two credits have the same amount.
    ...(isSameDay ? [{ ...base, narration: `C${id} TO ${credit.accountNumber}` }] : []),
  ]
  return { ...item, lines: [{ ...random.pick(ways), amountKobo }, ...chargeLines] }
}

// The bank writes the payout and its cost in one line or in two.
function reportPayout(random: Random, payout: Payout): ReportedItem {
  const { id, amountKobo, costKobo = 0, costVatKobo = 0 } = payout
  const base = { day: dayOf(payout.at), kind: 'payout', narration: `P${id}` }
  const ways: Omit<Line, 'amountKobo'>[] = [
    { ...base, sessionId: payout.bankReference },
    { ...base, bankReference: payout.bankReference },
    { ...base, endToEndId: payout.reference },
    { ...base, narration: `P${id} NIP/${payout.reference}/ADA` },
  ]
  const line = random.pick(ways)
  const cost = costKobo + costVatKobo
  const isOneLine = random.integer(0, 1) === 0
  const lines = isOneLine
    ? [{ ...line, amountKobo: -amountKobo - cost }]
    : [
        { ...line, amountKobo: -amountKobo },
        { ...line, kind: 'fee', narration: `cost of ${line.narration}`, amountKobo: -cost },
      ]
  return { item: `payout ${id}`, lines }
}

// The bank names the reversal by its own session id or by the credit's.
function reportReversal(
  random: Random,
  reversal: Reversal,
  credits: readonly Credit[],
): ReportedItem {
  const { id, amountKobo, creditId } = reversal
  const credit = credits.find((known) => known.id === creditId) as Credit
  const sessionId = random.pick([reversal.sessionId, credit.sessionId])
  const line = { day: dayOf(reversal.at), narration: `V${id}`, sessionId, isReversal: true }
  return { item: `reversal ${id}`, lines: [{ ...line, amountKobo: -amountKobo }] }
}

// The bank names the return by its own reference or by ours.
function reportReturn(random: Random, returned: Return): ReportedItem {
  const { id, amountKobo } = returned
  const base = { day: dayOf(returned.at), kind: 'return', narration: `R${id}` }
  const ways: Omit<Line, 'amountKobo'>[] = [
    { ...base, bankReference: returned.bankReference },
    { ...base, narration: `R${id} ${returned.reference}` },
  ]
  return { item: `return ${id}`, lines: [{ ...random.pick(ways), amountKobo: -amountKobo }] }
}
