// Chooses the bank of a payment or payout that names none: a pure decision from facts.
//
//   1. health   a bank that is left is passed over; one that returns takes a share of the orders
//   2. room     free numbers for a payment, money for a payout: enough before little before none
//   3. cost     of this amount, as far as it is known
//   4. room     the most of it; then the order of the settings
//
// A bank whose trial is due comes first: one order decides whether it returns. While every bank is left, the
// best of them is chosen all the same: a payout waits there, and a payment gets a number, since a transfer
// usually arrives even while calls fail or notifications are late. Refusing the payer would lose it for sure.

export const PASSED_OVER = [
  'failing',
  'silent',
  'returning',
  'empty',
  'little_room',
  'costlier',
  'less_room',
] as const
export type PassedOver = (typeof PASSED_OVER)[number]

export const WHYS = ['trial', 'only', 'room', 'cost', 'most_room', 'order', 'last_resort'] as const
export type Why = (typeof WHYS)[number]

export type Candidate = {
  bankCode: string
  share: number // Of the orders that it may take now, from 0 (it is left) to 1.
  leftFor: 'failing' | 'silent' | null // Why it is left.
  isTrial: boolean // It is left, and one order may try it.
  room: 'enough' | 'little' | 'none'
  amountLeft: bigint // Numbers, or money. The more, the better.
  costKobo: bigint
}

export type Decision = {
  bankCode: string | null // Null: no bank has room.
  why: Why
  over: { bank: string; reason: PassedOver }[] // Those with a reason of their own, …
  others: number // … and how many more rank lower for their cost or room.
}

const NAMED_MAX = 8
const ROOMS = { enough: 0, little: 1, none: 2 } as const

// `draw`: from 0 to 1, anew for each order.
export function rankBanks(candidates: readonly Candidate[], draw: number): Decision {
  const roomy = candidates.filter(({ room }) => room !== 'none')
  const trial = roomy.find(({ isTrial }) => isTrial)
  const whole = roomy.filter(({ share }) => share > draw)
  const returning = roomy.filter(({ share }) => share > 0)
  const usable = whole.length > 0 ? whole : returning
  const ranked = (usable.length > 0 ? usable : roomy).toSorted(compare)
  const chosen = trial ?? ranked[0]
  const passed = candidates.filter((each) => each !== chosen)
  const told = passed.map((each) => ({ each, reason: reasonFor(each, { chosen, draw }) }))
  const isOwn = ({ reason }: { reason: PassedOver }) =>
    reason !== 'costlier' && reason !== 'less_room'
  const over = told.filter(isOwn).map(({ each, reason }) => ({ bank: each.bankCode, reason }))
  return {
    bankCode: chosen?.bankCode ?? null,
    why: whyOf({ chosen, trial, usable, ranked }),
    over: over.slice(0, NAMED_MAX),
    others: passed.length - Math.min(over.length, NAMED_MAX),
  }
}

// Sorting keeps the order of the settings among equals.
function compare(one: Candidate, other: Candidate): number {
  return (
    ROOMS[one.room] - ROOMS[other.room] ||
    sign(one.costKobo - other.costKobo) ||
    sign(other.amountLeft - one.amountLeft)
  )
}

const sign = (value: bigint) => (value > 0n ? 1 : value < 0n ? -1 : 0)

type Passing = { chosen: Candidate | undefined; draw: number }

function reasonFor(each: Candidate, { chosen, draw }: Passing): PassedOver {
  if (each.leftFor !== null) return each.leftFor
  if (each.room === 'none') return 'empty'
  if (each.share <= draw) return 'returning'
  if (each.room === 'little' && chosen?.room !== 'little') return 'little_room'
  return chosen && each.costKobo > chosen.costKobo ? 'costlier' : 'less_room'
}

type Choosing = {
  chosen: Candidate | undefined
  trial: Candidate | undefined
  usable: readonly Candidate[]
  ranked: readonly Candidate[]
}

function whyOf({ chosen, trial, usable, ranked }: Choosing): Why {
  if (trial) return 'trial'
  if (!chosen || usable.length === 0) return 'last_resort'
  const second = ranked[1]
  if (!second) return 'only'
  if (second.room !== chosen.room) return 'room'
  if (second.costKobo !== chosen.costKobo) return 'cost'
  return second.amountLeft === chosen.amountLeft ? 'order' : 'most_room'
}
