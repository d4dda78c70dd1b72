// Every string of balances.

export const balancesStrings = {
  title: 'Balances',
  at: 'As of the end of',
  now: 'Now',
  parts: {
    available: 'Available',
    pending: 'Pending',
    reserved: 'Reserved',
    inTransit: 'In transit',
    subaccounts: 'Subaccounts',
    receivable: 'Owed by you',
  },
  notes: {
    available: 'To pay out or refund',
    pending: 'Part payments not yet complete',
    reserved: 'Held back from settlements',
    inTransit: 'Not yet confirmed by banks',
    subaccounts: 'Shares not yet settled',
    receivable: 'Reversed after it was paid out',
  },
} as const
