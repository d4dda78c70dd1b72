// Every string of Today.

export const todayStrings = {
  net: 'Net today',
  less: (gross: string, went: string) => `Gross ${gross}, less ${went}`,
  credits: 'Credits',
  rate: 'Success rate',
  suspense: 'In suspense',
  webhooks: 'Failing webhooks',
  yesterday: (value: string) => `Yesterday ${value}`,
  ended: (paid: string, ended: string) => `${paid} of ${ended} payments`,
  noneEnded: 'No closed payments yet',
  items: (items: number) =>
    items === 0 ? 'Nothing to review' : `${items} ${items === 1 ? 'item' : 'items'} to review`,
  failing: 'View recent attempts',
  well: 'All healthy',
  newest: 'Recent credits',
  live: 'Live',
  notLive: 'Disconnected',
  came: (amount: string) => `${amount} received.`,
  to: (number: string, bank: string) => `to ${number}, ${bank}`,
  counting: 'Totals are still being calculated.',
  restricted: 'Totals aren’t available because your access is limited to some merchants.',
  none: 'No credits yet',
  noneText: 'Create a collection account or payment request, then send a transfer to its number.',
} as const
