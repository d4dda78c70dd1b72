// The kinds of alerts, as the service has them (src/domain/records/alert-kinds.ts; a test compares the two).
// What each means, and what to do about it, the API says.

export const ALERT_KINDS = [
  'numbers_exhausted',
  'pool_low',
  'number_refused',
  'account_change_refused',
  'session_reused',
  'wrong_bank',
  'rail_item_rejected',
  'reversal_shortfall',
  'endpoint_disabled',
  'audit_failed',
] as const
