// The sidebar of the reference, in the order one integrates: first what a first payment needs.

type Group = { name: string; tags: readonly string[] }

export const TAG_GROUPS: readonly Group[] = [
  { name: 'Get started', tags: ['Authentication', 'Sandbox'] },
  {
    name: 'Collect',
    tags: ['Payments', 'Collection accounts', 'Credits', 'Timelines', 'Limits', 'Branding'],
  },
  { name: 'Be notified', tags: ['Webhooks', 'Events'] },
  { name: 'Resolve', tags: ['Suspense', 'Refunds'] },
  { name: 'Pay out', tags: ['Balances', 'Payouts', 'Settlements', 'Fees', 'Splits'] },
  { name: 'Look things up', tags: ['Overview', 'Ledger', 'Audit log'] },
  { name: 'Operate', tags: ['Operator', 'Reconciliation', 'Accounting', 'Operations'] },
  { name: 'Connect a bank', tags: ['Rails'] },
]

// Of the dashboard’s own pages.
export const INTERNAL_TAGS: readonly string[] = ['Dashboard']

export const TAGS = TAG_GROUPS.flatMap(({ tags }) => tags.map((name) => ({ name })))
