// Random books, and the statement of an honest bank: written from a bank's behaviour, not from the
// matching code. Lines are named by narration, items by kind and id.

import type { seededRandom } from '../support/random.ts'
import type { Books, Line } from './books.ts'

export type Random = ReturnType<typeof seededRandom>
type Credit = NonNullable<Books['credits']>[number]
type Payout = NonNullable<Books['payouts']>[number]
type Reversal = NonNullable<Books['reversals']>[number]
type Return = NonNullable<Books['returns']>[number]

export type Size = { credits: number; payouts: number; reversals: number; returns: number }

// The bank's lines for an item: the first is the item's own.
export type Told = { item: string; credit?: Credit; lines: Line[] }

export const DAYS = Array.from(
  { length: 6 },
  (_, at) => `2026-11-${String(at + 2).padStart(2, '0')}`,
)
const LAST = DAYS.at(-1) as string

const serial = (prefix: string, id: number) => `${prefix}${String(id).padStart(15, '0')}`
const nextDay = (day: string) => DAYS[DAYS.indexOf(day) + 1] ?? day

export function randomBooks(random: Random, size: Size) {
  const credits = times(size.credits, (id) => randomCredit(random, id))
  const payouts = times(size.payouts, (id) => randomPayout(random, id))
  const reversals = times(size.reversals, (id) => randomReversal(random, id, random.pick(credits)))
  const returns = times(size.returns, (id) => randomReturn(random, id, random.pick(credits)))
  const report = [
    ...credits.map((credit) => tellCredit(random, credit)),
    ...payouts.map((payout) => tellPayout(random, payout)),
    ...reversals.map((each) => tellReversal(random, each, credits)),
    ...returns.map((each) => tellReturn(random, each)),
  ]
  const books = { credits, payouts, reversals, returns }
  return { books, told: report }
}

function times<T>(count: number, make: (id: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at + 1))
}

// In the last minutes of a day, banks may book on the next.
function moment(random: Random): string {
  const day = random.pick(DAYS)
  return random.integer(1, 20) === 1 && day !== LAST
    ? `${day}T23:5${random.integer(0, 9)}`
    : `${day}T${String(random.integer(0, 22)).padStart(2, '0')}:15`
}

const dayOf = (at: string) => (at.includes('T23:5') ? nextDay(at.slice(0, 10)) : at.slice(0, 10))

// Ids of credits follow time.
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

function tellCredit(random: Random, credit: Credit): Told {
  const { id, amountKobo, at, feeKobo = 0, vatKobo = 0, dutyKobo = 0 } = credit
  const day = dayOf(at)
  const own = { day, kind: 'credit', narration: `C${id}` }
  const line = { item: `credit ${id}`, credit }
  const charges = feeKobo + vatKobo + dutyKobo
  const named = { ...own, sessionId: credit.sessionId }
  if (charges > 0 && random.integer(0, 1) === 0) {
    return { ...line, lines: [{ ...named, amountKobo: amountKobo - charges }] }
  }
  const parts = [
    { kind: 'fee', amountKobo: -feeKobo },
    { kind: 'vat', amountKobo: -vatKobo },
    { kind: 'stamp_duty', amountKobo: -dutyKobo },
  ].filter((part) => part.amountKobo !== 0)
  const apart = parts.map((part) => {
    return { day, sessionId: credit.sessionId, narration: `${part.kind} of C${id}`, ...part }
  })
  const isSameDay = at.slice(0, 10) === day
  const ways: Omit<Line, 'amountKobo'>[] = [
    named,
    { ...own, bankReference: serial('X', id) },
    { ...own, endToEndId: credit.sessionId },
    // Amounts of credits are all different.
    ...(isSameDay ? [{ ...own, narration: `C${id} TO ${credit.accountNumber}` }] : []),
  ]
  return { ...line, lines: [{ ...random.pick(ways), amountKobo }, ...apart] }
}

function tellPayout(random: Random, payout: Payout): Told {
  const { id, amountKobo, costKobo = 0, costVatKobo = 0 } = payout
  const own = { day: dayOf(payout.at), kind: 'payout', narration: `P${id}` }
  const ways: Omit<Line, 'amountKobo'>[] = [
    { ...own, sessionId: payout.bankReference },
    { ...own, bankReference: payout.bankReference },
    { ...own, endToEndId: payout.reference },
    { ...own, narration: `P${id} NIP/${payout.reference}/ADA` },
  ]
  const line = random.pick(ways)
  const cost = costKobo + costVatKobo
  const isOne = random.integer(0, 1) === 0
  const lines = isOne
    ? [{ ...line, amountKobo: -amountKobo - cost }]
    : [
        { ...line, amountKobo: -amountKobo },
        { ...line, kind: 'fee', narration: `cost of ${line.narration}`, amountKobo: -cost },
      ]
  return { item: `payout ${id}`, lines }
}

function tellReversal(random: Random, reversal: Reversal, credits: readonly Credit[]): Told {
  const { id, amountKobo, creditId } = reversal
  const credit = credits.find((each) => each.id === creditId) as Credit
  const sessionId = random.pick([reversal.sessionId, credit.sessionId])
  const line = { day: dayOf(reversal.at), narration: `V${id}`, sessionId, isReversal: true }
  return { item: `reversal ${id}`, lines: [{ ...line, amountKobo: -amountKobo }] }
}

function tellReturn(random: Random, returned: Return): Told {
  const { id, amountKobo } = returned
  const own = { day: dayOf(returned.at), kind: 'return', narration: `R${id}` }
  const ways: Omit<Line, 'amountKobo'>[] = [
    { ...own, bankReference: returned.bankReference },
    { ...own, narration: `R${id} ${returned.reference}` },
  ]
  return { item: `return ${id}`, lines: [{ ...random.pick(ways), amountKobo: -amountKobo }] }
}
