// Every string of payout files.

const payouts = (count: string) => (count === '1' ? '1 payout' : `${count} payouts`)

export const payoutFilesStrings = {
  one: 'Payout file',
  id: 'File',
  bank: 'Sending bank',
  format: 'Format',
  formats: { 'pain.001': 'pain.001', csv: 'CSV' } as Record<string, string>,
  formatChoices: { 'pain.001': 'ISO 20022 pain.001', csv: 'CSV' } as Record<string, string>,
  payouts: 'Payouts',
  amount: 'Total',
  status: 'Status',
  open: (count: string) => `${count} open`,
  states: { done: 'Complete', notDelivered: 'Not delivered' },
  count: payouts,
  confirmed: 'Confirmed',
  failed: 'Failed',
  waiting: 'Not reported yet',
  execution: 'Execution date',
  sha256: 'SHA-256',
  created: 'Created',
  createdBy: 'Created by',
  downloaded: 'First downloaded',
  downloadedBy: 'Downloaded by',
  notDeliveredAt: 'Not delivered',
  notDeliveredBy: 'Marked by',
  bankConfirmation: 'Bank’s confirmation',
  bankDigits: '3 to 6 digits',
  none: 'No payout files yet',
  noneText:
    'For banks without an API: create a file, upload it to the bank’s portal, ' +
    'and upload the bank’s report here.',
  download: 'Download',
  downloadNote: 'Contains full account numbers. Each download is recorded in the audit log.',
  create: 'Create file',
  createTitle: 'Create payout file',
  createText: 'Takes all queued and approved payouts of the bank. They’re sent by no other way.',
  chooseBank: 'Choose a bank',
  made: (id: string) => `${id} created.`,
  upload: 'Upload results',
  uploadText:
    'The bank’s report: pain.002 (XML), or CSV with reference, status, bankReference, reason.',
  file: 'Report',
  submit: 'Upload',
  done: 'Done',
  taken: 'Results',
  results: {
    confirmed: 'Confirmed',
    failed: 'Failed',
    pending: 'Still in progress',
    unchanged: 'Reported before',
  },
  problems: 'Lines that changed nothing',
  problem: (line: number, reference: string | null) =>
    reference === null ? `Line ${line}` : `Line ${line}, ${reference}`,
  fail: 'Mark as not delivered',
  failTitle: (count: string) => `Mark ${payouts(count)} as not paid?`,
  failText:
    'Only when the bank has confirmed that it hasn’t processed the file and never will. ' +
    'Open payouts fail, and their money may be paid out a second time. This can’t be undone.',
  confirmation: 'Bank’s confirmation',
  confirmationHint: 'Who confirmed it, when, and under which reference.',
  failedDone: (id: string) => `${id} marked as not delivered.`,
} as const
