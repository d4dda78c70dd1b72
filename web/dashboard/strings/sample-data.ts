// Every string of sample data.

export const sampleDataStrings = {
  add: 'Add sample data',
  adding: 'Adding sample data…',
  text: 'Creates a collection account and a payment, and sends each a sandbox transfer.',
  added: 'Sample data added: an account and a payment, both paid.',
} as const
