// Every kind of alert, with its title and the operator's remedy. The API and the dashboard show
// them, and docs/operating.md lists them.

export type AlertKind =
  | 'numbers_exhausted'
  | 'pool_low'
  | 'number_refused'
  | 'account_change_refused'
  | 'session_reused'
  | 'wrong_bank'
  | 'rail_item_rejected'
  | 'reversal_outstanding'
  | 'reversal_shortfall'
  | 'reversal_receivable'
  | 'endpoint_disabled'
  | 'account_name_review'
  | 'bank_silent'
  | 'payout_unknown'
  | 'payout_contradicted'
  | 'payout_returned'
  | 'payout_needs_authorization'
  | 'payout_blocked'
  | 'payouts_held'
  | 'payouts_waiting'
  | 'payout_file_overdue'
  | 'reconciliation_difference'
  | 'statement_missing'
  | 'audit_failed'
  | 'archive_failing'

type About = {
  title: string
  remedy: string
  // The code that detects recovery clears it. Other alerts end when an operator acknowledges them,
  // and are raised again if the condition recurs.
  isClearedByItself?: true
}

export const ALERT_KINDS: Readonly<Record<AlertKind, About>> = {
  numbers_exhausted: {
    title: 'A bank has no account numbers left',
    remedy:
      'Request another number range from the bank, or ask why it isn’t reserving numbers. Until ' +
      'then, use another bank.',
  },
  pool_low: {
    title: 'A bank isn’t reserving numbers, and few are left',
    remedy: 'Ask the bank why its API fails. The pool refills automatically once it works again.',
    isClearedByItself: true,
  },
  number_refused: {
    title: 'A bank reserved a number that can’t be used',
    remedy:
      'The number doesn’t have ten digits or is already in use. Ask the bank what it reserved.',
  },
  account_change_refused: {
    title: 'A bank refused to rename or block an account',
    remedy: 'See the alert for the reason, and have the bank make the change.',
  },
  session_reused: {
    title: 'A bank reused an identifier with different details',
    remedy: 'The second message was rejected. Ask the bank which of the two is correct.',
  },
  wrong_bank: {
    title: 'A bank reported a credit to another bank’s account number',
    remedy:
      'The funds are in suspense. Ask the bank that reported the credit whether it holds them.',
  },
  rail_item_rejected: {
    title: 'A bank message couldn’t be booked',
    remedy: 'Open the message in Rejected messages, and ask the bank to correct and resend it.',
  },
  reversal_outstanding: {
    title: 'A credit was booked that its bank had already reversed',
    remedy:
      'The reversal came before the credit, and not again. Ask the bank to send it again, or book it ' +
      'from the statement; until then, don’t pay the money out.',
    isClearedByItself: true,
  },
  reversal_shortfall: {
    title: 'A bank reversed a credit whose funds had already left',
    remedy: 'Recover the shortfall from the recipient, or settle it with the bank.',
  },
  reversal_receivable: {
    title: 'A bank reversed a credit that the client had already been paid out',
    remedy: 'The client owes the amount. Recover it from its balance, or write it off.',
  },
  endpoint_disabled: {
    title: 'A webhook endpoint was disabled after repeated failures',
    remedy:
      'Notify the client. Once its receiver works again, it can enable the endpoint and replay events.',
  },
  account_name_review: {
    title: 'A client’s name in account names waits for review',
    remedy:
      'Banks and payers see the former name until then. Open the client, and approve the name if it is ' +
      'the client’s own. Reject one that passes for a bank or somebody else.',
    isClearedByItself: true,
  },
  bank_silent: {
    title: 'A bank has reported nothing for longer than usual',
    remedy:
      'If the bank can list transfers, they are being requeried. Ask it about its notifications.',
    isClearedByItself: true,
  },
  payout_unknown: {
    title: 'A bank hasn’t said what became of a payout',
    remedy:
      'Ask the bank what became of the payout’s reference. Confirm it in Payouts if the bank has paid ' +
      'it. Fail it only if the bank states that it has not paid it and never will: “not found” is no ' +
      'proof. Don’t send the money again.',
    isClearedByItself: true,
  },
  payout_contradicted: {
    title: 'A bank’s report contradicts a payout',
    remedy:
      'Nothing was changed. Ask the bank what it paid; if it was not what Payouts shows, book it from ' +
      'the statement in Reconciliation, or correct it with the bank and the client.',
  },
  payout_returned: {
    title: 'A bank gave back a payout after it had confirmed it',
    remedy:
      'Its money is available to the client again. Ask the client for the right account, and pay it ' +
      'again as a new payout. Reconciliation shows whether the statement has the money, too; if it ' +
      'never does, ask the bank.',
  },
  payout_needs_authorization: {
    title: 'A bank waits for a one-time password or an approval before it pays',
    remedy:
      'Have the provider switch off one-time passwords (two-factor authorisation) and approvals for ' +
      'transfers by API, and release or cancel the payout there. Don’t send the money again.',
    isClearedByItself: true,
  },
  payout_blocked: {
    title: 'A queued payout can’t be sent',
    remedy:
      'See the alert for the reason: its bank account is inactive or another’s, or the bank reversed ' +
      'the credit that it refunds or returns. Have the client cancel it, or activate the account; ' +
      'mark a return as failed.',
    isClearedByItself: true,
  },
  payouts_held: {
    title: 'Payouts are held',
    remedy:
      'Nothing is sent. After a restore, compare the banks’ statements with Payouts, then run ' +
      'manilla admin payouts release.',
    isClearedByItself: true,
  },
  payouts_waiting: {
    title: 'Payouts of a bank are not being sent',
    remedy:
      'Create a payout file, or send returns by hand, if the bank has no API. If it has, see why its ' +
      'calls fail and that a worker runs. They are sent once the bank can be reached, or can be cancelled.',
    isClearedByItself: true,
  },
  payout_file_overdue: {
    title: 'A payout file hasn’t been downloaded or reported',
    remedy:
      'Not downloaded: take it to the bank, or mark it as not delivered. Not reported: ask the bank for ' +
      'its report, and upload it.',
    isClearedByItself: true,
  },
  reconciliation_difference: {
    title: 'A bank’s statement differs from the books',
    remedy:
      'Open the day in Reconciliation, and resolve each difference: book it, match it, or note why ' +
      'it differs.',
    isClearedByItself: true,
  },
  statement_missing: {
    title: 'A bank’s statement hasn’t arrived',
    remedy: 'Import the statement of that day, or ask the bank for it.',
    isClearedByItself: true,
  },
  audit_failed: {
    title: 'The books don’t balance',
    remedy:
      'Stop payouts and returns (manilla admin payouts hold), review the findings, and don’t change ' +
      'the database.',
    isClearedByItself: true,
  },
  archive_failing: {
    title: 'The database isn’t archiving its log',
    remedy:
      'What is written now can’t be restored, and the log takes up disk space. Check the space and ' +
      'permissions of the backup directory.',
    isClearedByItself: true,
  },
}

export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]
