// Every sentence of the payer's page.

export const strings = {
  test: 'Sandbox: no real money moves',
  payTo: (merchant: string) => `Pay ${merchant}`,
  due: 'Amount to pay',
  remaining: 'Still to pay',

  chooseTitle: 'Choose a bank to send it to',
  chooseHint: 'You can pay from any bank. A transfer within the same bank is often the quickest.',
  oneBankTitle: 'Pay by bank transfer',
  oneBankHint: (bank: string) =>
    `You get an account number at ${bank} that is only for this payment.`,
  oneBankButton: 'Show the account number',
  otherBank: 'Use another bank',
  otherBankHint: 'You get one more account number. Money sent to either one counts.',
  asking: 'Getting your account number…',
  problems: {
    network: 'That did not get through. Check your connection and try again.',
    numbers_exhausted: 'This bank has no account number free just now. Choose another bank.',
    bank_not_supported: 'This bank is not available. Choose another bank.',
    other: 'That did not work. Try again in a moment.',
  },

  send: (amount: string) => `Send ${amount} to this account`,
  sendExactly: (amount: string) => `Send exactly ${amount}, in one transfer, to this account`,
  accountNumber: 'Account number',
  bank: 'Bank',
  accountName: 'Account name',
  copy: 'Copy account number',
  copied: 'Copied',
  copiedAnnouncement: 'Account number copied',
  copyFailedSaid: 'Copying did not work. Select the number and copy it by hand.',
  waiting: 'Waiting for your transfer',
  waitingHint: 'This page changes by itself when it arrives. You can close it and come back.',
  reloadHint: 'This page looks again every 15 seconds.',
  timeLeft: 'Time left',
  minutesLeft: (minutes: number) =>
    `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left to pay`,
  partPaid: (paid: string, amount: string, rest: string) =>
    `${paid} of ${amount} received, send the remaining ${rest}`,
  held: (amount: string, merchant: string) =>
    `${amount} that you sent could not be used for this payment. It is kept safe; ask ${merchant} ` +
    'to send it back.',

  paidTitle: 'Payment received',
  paidHint: (merchant: string) => `Thank you. ${merchant} has your payment.`,
  receipt: 'Receipt',
  paidTo: 'Paid to',
  amount: 'Amount',
  purpose: 'For',
  merchantRef: 'Order reference',
  paymentReference: 'Payment reference',
  paidInto: 'Paid into',
  date: 'Date',
  print: 'Print or save',
  back: (merchant: string) => `Back to ${merchant}`,
  returning: (merchant: string, seconds: number) => `Back to ${merchant} in ${seconds} s`,
  stay: 'Stay here',

  expiredTitle: 'The time to pay is over',
  stillCounts: (left: string) =>
    `If you have just sent it, keep this page open: money that arrives in the next ${left} minutes ` +
    'still counts.',
  alreadyPaid: 'If you have already paid',
  alreadyPaidHint: (merchant: string) =>
    `Your money is not lost. If it arrives now it is kept safe, and ${merchant} can use it for your ` +
    'order or send it back. Give them this reference.',
  notPaid: 'If you have not paid yet',
  notPaidHint: (merchant: string) =>
    `Please do not send money to the account number you saw. Ask ${merchant} for a new payment link.`,
  cancelledTitle: 'This payment was cancelled',
  cancelledHint: (merchant: string) => `${merchant} cancelled it. Please do not send money for it.`,
  reversedTitle: 'This payment was taken back',
  reversedHint: (merchant: string) =>
    `It had been paid, and a bank has since taken the money back. Ask ${merchant} what happens next.`,
  reference: 'Reference',

  offline: 'You are offline. Checking again…',
  offlineSaid: 'You are offline',
  onlineSaid: 'You are online again',

  missingTitle: 'This payment link does not work',
  missingHint:
    'Part of it may be missing. Open it again from where you got it, or ask whoever sent it for a new one.',
  unavailableTitle: 'This payment cannot be shown just now',
  unavailableHint:
    'Nothing is lost, and nothing you sent goes missing. Please try again in a moment.',
  tryAgain: 'Try again',
} as const

// What the browser's tab says.
export const titles = {
  open: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
  Successful: 'Payment received',
  Expired: 'Time is over',
  Cancelled: 'Payment cancelled',
  Reversed: 'Payment taken back',
} as const
