// Reports that are not signed (I103): a credit becomes a hint, for which the bank is asked, and a reversal
// is kept for an operator if it names money.

import { rejection } from './credit-fields.ts'
import type { Parsed, ParsedItem } from './notifications.ts'

export function asHints(parsed: Parsed): Parsed {
  return 'malformed' in parsed ? parsed : { ...parsed, items: parsed.items.map(asHint) }
}

function asHint(item: ParsedItem): ParsedItem {
  if (!item.ok) {
    const { reversal: _, ...rest } = item
    return rest
  }
  const { sessionId: value, identifiedBy: kind = 'session_id' } = item.credit
  return { ...rejection('not_a_credit', value), hint: { kind, value } }
}
