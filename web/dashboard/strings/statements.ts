// Every string of statements of an account.

export const statementsStrings = {
  title: 'Statement',
  from: 'From',
  to: 'To',
  csv: 'Download CSV',
  print: 'Print',
} as const
