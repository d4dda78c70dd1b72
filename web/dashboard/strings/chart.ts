// Every string of the chart of money in.

export const chartStrings = {
  title: 'Gross volume',
  span: 'Period',
  hours: '24 hours',
  days: '30 days',
  table: 'Show as table',
  when: 'Time',
  gross: 'Gross',
  credits: 'Credits',
  point: (when: string, amount: string, credits: string) =>
    `${when}: ${amount}, ${credits} credits`,
  sum: (amount: string) => `${amount} total`,
  description: (span: string, amount: string) =>
    `Bar chart of gross volume over the last ${span}: ${amount} total. Also available as a table.`,
} as const
