// The kinds of alerts, as the service has them (src/domain/records/alert-kinds.ts; a test compares the two).
// What each means, and what to do about it, the API says.

export const ALERT_KINDS = [
  'numbers_exhausted',
  'session_reused',
  'wrong_bank',
  'rail_item_rejected',
  'reversal_shortfall',
  'endpoint_disabled',
  'bank_silent',
  'audit_failed',
] as const
