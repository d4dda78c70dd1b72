// Every sentence of the payer's page.

export const STRINGS = {
  notFoundTitle: 'This payment link does not work',
} as const
