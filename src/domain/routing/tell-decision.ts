// Why a bank was chosen, in words: in the timelines of payments and payouts. No figures: costs and balances
// at banks are the operator's, and its clients read it too.

import type { Decision, PassedOver, Why } from './rank-banks.ts'

export type RoutedKind = 'payment' | 'payout'

const WHYS: Record<Why, Record<RoutedKind, string>> = {
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

const PASSED: Record<PassedOver, Record<RoutedKind, string>> = {
  failing: { payment: 'its calls fail', payout: 'its orders fail' },
  silent: { payment: 'it reports no transfers', payout: 'it reports no transfers' },
  returning: { payment: 'it is returning', payout: 'it is returning' },
  empty: { payment: 'it has no numbers left', payout: 'it has no money' },
  little_room: { payment: 'it has few numbers left', payout: 'it has too little money' },
  costlier: { payment: 'it costs more', payout: 'it costs more' },
  less_room: { payment: 'it has fewer numbers left', payout: 'it has less money' },
}

// As it is stored: the bank itself is stored beside it.
export type StoredDecision = Omit<Decision, 'bankCode'>

export function toStored({ why, over, others }: Decision): StoredDecision {
  return { why, over, others }
}

type Telling = { kind: RoutedKind; nameBank: (code: string) => string }

export function tellDecision(
  { why, over, others }: StoredDecision,
  { kind, nameBank }: Telling,
): string {
  const named = over.map(({ bank, reason }) => `${nameBank(bank)} (${PASSED[reason][kind]})`)
  const lower = others === 0 ? [] : [`${others} other${others === 1 ? '' : 's'} that rank lower`]
  const passed = [...named, ...lower]
  const sentence = `The bank was chosen because ${WHYS[why][kind]}.`
  return passed.length === 0 ? sentence : `${sentence} Passed over: ${passed.join(', ')}.`
}
