// Every kind of alert: what it is called, and what an operator does about it. The API shows both, and
// so does the dashboard; docs/operating.md lists them.

export type AlertKind =
  | 'numbers_exhausted'
  | 'session_reused'
  | 'wrong_bank'
  | 'rail_item_rejected'
  | 'reversal_shortfall'
  | 'endpoint_disabled'
  | 'bank_silent'
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
      'Ask the bank for another range and add it to the settings; until then, use another bank.',
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
  bank_silent: {
    title: 'A bank has reported nothing for longer than usual',
    remedy:
      'Its transfers are requeried where it can list them; ask the bank about its notifications.',
    isClearedByItself: true,
  },
  audit_failed: {
    title: 'The books do not add up',
    remedy:
      'Stop payouts and returns, look at the findings of the audit, and keep the database as it is.',
    isClearedByItself: true,
  },
}

export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]
