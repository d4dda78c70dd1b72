// Every kind of alert: its title, and what an operator does about it. Shown by the API and the
// dashboard, and listed in docs/operating.md.

export type AlertKind =
  | 'numbers_exhausted'
  | 'pool_low'
  | 'number_refused'
  | 'account_change_refused'
  | 'session_reused'
  | 'wrong_bank'
  | 'rail_item_rejected'
  | 'reversal_shortfall'
  | 'endpoint_disabled'
  | 'audit_failed'

type About = {
  title: string
  remedy: string
  // It is cleared by whatever finds that all is well again. Others end when they are acknowledged:
  // should the same happen once more, it is raised anew.
  isClearedByItself?: true
}

export const ALERT_KINDS: Readonly<Record<AlertKind, About>> = {
  numbers_exhausted: {
    title: 'No account number is left at a bank',
    remedy:
      'Ask the bank for another range, or why it reserves no numbers; until then, use another bank.',
  },
  pool_low: {
    title: 'A bank reserves no numbers, and few are left',
    remedy: 'Ask the bank why its calls fail; when they work again, the pool fills by itself.',
    isClearedByItself: true,
  },
  number_refused: {
    title: 'A bank reserved a number that cannot be used',
    remedy: 'It has not ten digits, or is in use already: ask the bank what it reserved.',
  },
  account_change_refused: {
    title: 'A bank refused to rename or block an account',
    remedy: 'Read its reason in the alert, and have the bank make the change.',
  },
  session_reused: {
    title: 'A bank sent a known session id on other terms',
    remedy: 'The second message was rejected: ask the bank which of the two is right.',
  },
  wrong_bank: {
    title: 'A bank reported a credit to another bank’s number',
    remedy: 'The money is in suspense with the bank that reported it: ask that bank what it holds.',
  },
  rail_item_rejected: {
    title: 'A bank reported money that could not be booked',
    remedy: 'Read the item under rail items, and have the bank report it again, corrected.',
  },
  reversal_shortfall: {
    title: 'A bank took back money that had left already',
    remedy: 'Recover the shortfall from whoever got the money, or settle it with the bank.',
  },
  endpoint_disabled: {
    title: 'A webhook endpoint was disabled after days of failures',
    remedy:
      'Tell the client: once its receiver answers again, it can activate the endpoint and replay.',
  },
  audit_failed: {
    title: 'The books do not add up',
    remedy:
      'Stop payouts and returns, look at the findings of the audit, and keep the database as it is.',
    isClearedByItself: true,
  },
}

export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]
