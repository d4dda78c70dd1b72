// Every string of bank accounts.

export const bankAccountsStrings = {
  one: 'Bank account',
  name: 'Account name',
  number: 'Account number',
  bank: 'Bank',
  status: 'Name enquiry',
  statuses: {
    confirmed: 'Confirmed',
    mismatch: 'Mismatch',
    unconfirmed: 'No answer yet',
  } as Record<string, string>,
  statusTexts: {
    confirmed: '',
    mismatch:
      'The bank has another name for this account, so nothing can be paid to it. ' +
      'Add the account again with the correct name.',
    unconfirmed:
      'The bank hasn’t answered yet and is asked again. Until then, payouts to this account need approval.',
  } as Record<string, string>,
  use: 'Use',
  default: 'Default',
  active: 'Active',
  inactive: 'Inactive',
  nameAtBank: 'Name at the bank',
  reference: 'Reference',
  added: 'Added',
  enquired: 'Bank answered',
  none: 'No bank accounts yet',
  noneText: 'Add the bank account that payouts and settlements go to.',
  noneAsk: 'Only owners and finance users can add bank accounts.',
  add: 'Add bank account',
  addText: 'We ask the bank whose account it is. The first account becomes the default.',
  nameHint: 'As the bank has it.',
  digits10: '10 digits',
  chooseBank: 'Choose a bank',
  makeDefault: 'Make default',
  madeDefault: 'Default bank account changed.',
  deactivate: 'Deactivate',
  deactivateTitle: (name: string) => `Deactivate ${name}?`,
  deactivateText: 'Nothing more is paid to this account. You can activate it again.',
  lastDefault: 'It’s the default: settlements wait until another account is the default.',
  deactivated: 'Bank account deactivated.',
  activate: 'Activate',
  activated: 'Bank account activated.',
} as const
