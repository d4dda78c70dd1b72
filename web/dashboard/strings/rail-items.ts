// Every string of Rail items.

export const railItemsStrings = {
  one: 'Rail item',
  outcome: 'Outcome',
  reason: 'Reason',
  amount: 'Amount (as sent)',
  bank: 'Bank',
  call: 'Message type',
  answered: 'Response code',
  sessionId: 'Session ID',
  received: 'Received',
  body: 'Message body',
  opened: 'Your access is recorded in the audit log.',
  none: 'No rail items',
  noneText: 'Bank messages that couldn’t be booked appear here.',
} as const
