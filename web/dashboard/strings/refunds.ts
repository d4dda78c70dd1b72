// Every string of refunds, in the drawers of payments and credits.

export const refundsStrings = {
  title: 'Refunds',
  one: 'Refund',
  refunded: 'Refunded',
  amount: 'Amount',
  amountHint: (left: string) => `Up to ${left}`,
  reason: 'Reason',
  reasonHint: 'Kept with the refund and in the audit log.',
  text: 'Paid from your available balance to the account the money came from. Fees aren’t given back.',
  goOn: 'Continue',
  sureTitle: (amount: string) => `Refund ${amount}?`,
  sureText: 'The money leaves your available balance now. A refund can’t be undone once it’s sent.',
  sure: (amount: string) => `Refund ${amount}`,
  requested: (reference: string) => `Refund ${reference} requested.`,
  to: (name: string, number: string) => `To ${name}, ${number}`,
  failure: (reason: string) => `Failed: ${reason}`,
  cancel: 'Cancel refund',
  cancelText: 'Nothing of it was sent yet. The money is available again at once.',
  keep: 'Keep it',
  cancelled: (reference: string) => `Refund ${reference} cancelled.`,
  more: 'Only the latest refunds are shown.',
  problems: {
    insufficient_balance:
      'Your available balance is less than this amount. Refund less, or wait for more payments.',
    refund_payer_unknown:
      'The bank didn’t report the account this money came from, so it can’t be refunded here.',
    refund_not_queued: 'It’s being sent to the bank, so it can no longer be cancelled.',
    refund_too_large: 'This is more than is left to refund.',
  } as Record<string, string>,
} as const
