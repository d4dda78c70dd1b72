// Banks that payers had better not choose now: an alert of one of these kinds stands with the bank's
// code as its subject, until the condition has ended.

const TROUBLE_KINDS = ['bank_silent', 'bank_unreachable']

// As an expression: an array of bank codes.
export const TROUBLED_BANKS = `array(
  select subject from alerts
   where kind in (${TROUBLE_KINDS.map((kind) => `'${kind}'`).join(', ')}) and cleared_at is null)`
