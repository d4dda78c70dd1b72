// Every string of the sandbox bank.

export const sandboxBankStrings = {
  where: 'Destination',
  open: 'Open payments',
  accounts: 'Accounts',
  expired: 'Expired',
  none: {
    open: 'No open payments. Create a payment request and initiate a payment.',
    accounts: 'No collection accounts yet. Create one first.',
    expired:
      'No expired payments. To test a late transfer, create a payment request with ' +
      'expiresInSeconds: 60, initiate a payment, and come back after its grace period.',
  },
  due: (amount: string) => `${amount} due`,
  what: 'Scenario',
  kinds: {
    exact: ['Exact', 'The amount due.'],
    under: ['Underpayment', 'Half of the amount due: a part payment.'],
    over: ['Overpayment', '₦500.00 more than due. The excess goes to suspense.'],
    late: ['Late', 'Received after expiry. Goes to suspense.'],
    duplicate: ['Duplicate', 'Reported twice, booked once.'],
    reversed: ['Reversal', 'Sent, then reversed by the bank.'],
  } as Record<string, readonly [string, string]>,
  amount: 'Amount (NGN)',
  usual: 'Default for this scenario',
  amountNeeded: 'Enter an amount.',
  send: 'Send transfer',
  sending: 'Sending…',
  happened: 'Result',
  whereFirst: 'Select a destination first.',
  nothingYet: 'Select a destination and a scenario. The result appears here.',
  steps: {
    credit: 'Transfer reported',
    again: 'Same transfer reported again',
    reversal: 'Transfer reversed',
  } as Record<string, string>,
  answered: (code: string) => `code ${code}`,
  booked: 'Booked in full.',
  partly: (amount: string, why: string) => `${amount} is in suspense: ${why}.`,
  suspended: (why: string) => `In suspense: ${why}.`,
  duplicate: 'Duplicate session ID. Nothing was booked twice.',
  reversed: 'The funds were debited.',
  rejected: 'Rejected.',
  event: (type: string) => `Event ${type}`,
  listening: 'Waiting for events…',
  see: 'View credit',
  seeSuspense: 'View suspense',
} as const
