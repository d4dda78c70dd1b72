// Every string of Collection accounts.

export const accountsStrings = {
  one: 'Collection account',
  name: 'Name',
  partOfName: 'Part of the name',
  number: 'Account number',
  bank: 'Bank',
  balance: 'Balance',
  state: 'Status',
  active: 'Active',
  inactive: 'Inactive',
  email: 'Email',
  phone: 'Phone',
  merchant: 'Merchant ID',
  merchantCode: 'Merchant code',
  default: 'Default',
  yes: 'Yes',
  created: 'Created',
  none: 'No collection accounts yet',
  noneText: 'Create one to give a customer a permanent account number.',
} as const
