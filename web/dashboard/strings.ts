// Every sentence of the dashboard.

export const STRINGS = {
  title: 'Manilla',
} as const
