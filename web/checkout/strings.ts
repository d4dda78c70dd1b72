// Every string of the payment page.

export const strings = {
  test: 'Sandbox: no real money moves',
  payTo: (merchant: string) => `Pay ${merchant}`,
  due: 'Amount due',
  fees: {
    amount: 'Amount',
    fee: 'Fee',
    vat: 'VAT on fee',
    rounding: 'Rounding',
    total: 'Total to send',
  },
  remaining: 'Remaining',

  chooseTitle: 'Choose a bank',
  chooseHint: 'You can pay from any bank. Transfers within the same bank are often faster.',
  oneBankTitle: 'Pay by bank transfer',
  oneBankHint: (bank: string) => `Get a ${bank} account number for this payment only.`,
  oneBankButton: 'Get account number',
  otherBank: 'Use another bank',
  otherBankHint: 'You’ll get an additional account number. You can pay into either one.',
  asking: 'Getting your account number…',
  problems: {
    network: 'Couldn’t connect. Check your connection and try again.',
    numbers_exhausted:
      'No account numbers are available at this bank right now. Choose another bank.',
    bank_not_supported: 'This bank isn’t available. Choose another bank.',
    other: 'Something went wrong. Try again in a moment.',
  },

  send: (amount: string) => `Send ${amount} to this account`,
  sendExactly: (amount: string) => `Send exactly ${amount} to this account, in one transfer`,
  accountNumber: 'Account number',
  bank: 'Bank',
  accountName: 'Account name',
  copy: 'Copy account number',
  copyAmount: 'Copy amount',
  copyShort: 'Copy', // Beside the amount.
  copied: 'Copied',
  copiedAnnouncement: { number: 'Account number copied', amount: 'Amount copied' },
  copyFailedAnnouncement: 'Couldn’t copy. Select the text and copy it manually.',
  waiting: 'Waiting for your transfer',
  waitingHint: 'This page updates automatically. You can close it and come back.',
  reloadHint: 'This page refreshes every 15 seconds.',
  sent: 'I’ve sent the money',
  checking: 'We’re checking with the bank…',
  checkingHint: 'Most transfers arrive within a minute. We’ll keep checking.',
  noted: 'Thank you. We’re waiting for the bank to confirm.',
  notedHint: 'Most transfers arrive within a minute. Keep your bank’s receipt until then.',
  payWithin: (left: string) => `Pay within ${left}`,
  minutesLeft: (minutes: number) =>
    `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left to pay`,
  partPaid: (paid: string, amount: string, rest: string) =>
    `${paid} of ${amount} received. Send the remaining ${rest}.`,
  held: (amount: string, merchant: string) =>
    `${amount} you sent couldn’t be applied to this payment. It’s safe: ask ${merchant} for a refund.`,

  paidTitle: 'Payment received',
  paidHint: (merchant: string) => `Thank you. ${merchant} has received your payment.`,
  receipt: 'Receipt',
  paidTo: 'Paid to',
  amount: 'Amount',
  refunded: 'Refunded',
  purpose: 'For',
  merchantRef: 'Order reference',
  paymentReference: 'Payment reference',
  paidFrom: 'Paid from',
  paidInto: 'Paid into',
  date: 'Date',
  print: 'Print or save',
  back: (merchant: string) => `Back to ${merchant}`,
  returning: (merchant: string, seconds: number) => `Back to ${merchant} in ${seconds} s`,
  stay: 'Stay on this page',

  expiredTitle: 'This payment has expired',
  stillCounts: (left: string) =>
    `Just sent it? Keep this page open: transfers received in the next ${left} minutes still count.`,
  alreadyPaid: 'Already paid?',
  alreadyPaidHint: (merchant: string) =>
    `Your money is safe. ${merchant} can apply it to your order or refund it. Quote this reference.`,
  notPaid: 'Haven’t paid yet?',
  notPaidHint: (merchant: string) =>
    `Don’t send money to the account number you saw. Ask ${merchant} for a new payment link.`,
  cancelledTitle: 'This payment was cancelled',
  cancelledHint: (merchant: string) => `${merchant} cancelled it. Don’t send money for it.`,
  reversedTitle: 'This payment was reversed',
  reversedHint: (merchant: string) =>
    `The bank reversed it after it was paid. Contact ${merchant} for next steps.`,
  reference: 'Reference',

  help: (merchant: string) => `Need help? Contact ${merchant}`,
  helpSubject: (reference: string) => `Payment ${reference}`,
  scan: 'Pay from your phone',
  scanHint: 'Scan this code to open this page there.',
  scanAlt: 'QR code with the link to this page',

  offline: 'You’re offline. Reconnecting…',
  offlineAnnouncement: 'You’re offline',
  onlineAnnouncement: 'You’re back online',

  missingTitle: 'This payment link isn’t valid',
  missingHint:
    'Part of it may be missing. Open the original link again, or ask the sender for a new one.',
  unavailableTitle: 'This payment can’t be shown right now',
  unavailableHint: 'Your money is safe. Try again in a moment.',
  tryAgain: 'Try again',

  // Of a payment that nobody made, to show what the page looks like.
  sample: {
    title: 'Preview',
    customer: 'Ada Obi',
    narration: 'Order 1042: running shoes',
    merchantRef: 'ORD-1042',
    bank: 'Guaranty Trust Bank',
    otherBank: 'Wema Bank',
    payerBank: 'Zenith Bank',
  },
} as const

// What the browser's tab says.
export const titles = {
  open: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
  Successful: 'Payment received',
  Expired: 'Payment expired',
  Cancelled: 'Payment cancelled',
  Reversed: 'Payment reversed',
} as const
