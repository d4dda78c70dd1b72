// Every string of search.

export const searchStrings = {
  label: 'Search',
  placeholder: 'Reference, amount, name or number',
  hits: 'Search results',
  nothing: 'No results.',
  recent: 'Recent searches',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  groups: {
    payment: 'Payments',
    advice: 'Payment requests',
    account: 'Collection accounts',
    credit: 'Credits',
    event: 'Events',
    payout: 'Payouts',
    settlement: 'Settlements',
    refund: 'Refunds',
    return: 'Returns',
    statement: 'Bank statements',
  },
} as const
