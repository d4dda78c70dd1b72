// Decides which items of a bank's report become rail items: those that name money and could not be
// booked, by whatever route they came.

import type { BankCharges, ParsedItem } from '#banks/notifications.ts'
import { formatKobo } from '#money.ts'
import type { NewRailItem } from './rail-items.ts'

// An item with a session ID is identified by its content, otherwise by the caller's `placeOf`.
export function railItemOf({
  bankCode,
  item,
  code = '',
  placeOf,
}: {
  bankCode: string
  item: ParsedItem
  code: string | undefined // Why it was not booked.
  placeOf: () => string
}): NewRailItem | undefined {
  const about = { bankCode, call: 'credits', outcome: 'rejected', reason: code } as const
  if (item.ok) {
    if (code !== 'session_reused') return undefined
    const { sessionId, amountKobo, charges, ...rest } = item.credit
    const amount = formatKobo(amountKobo)
    const body = JSON.stringify({ sessionId, amount, ...rest, ...(charges && inNaira(charges)) })
    return { ...about, responseCode: '02', sessionId, amount, body, identity: body }
  }
  if (!item.money) return undefined
  const { sessionId } = item
  const { amount, text: body } = item.money
  const identity = sessionId === null ? placeOf() : body
  return { ...about, responseCode: '00', sessionId, amount, body, identity }
}

function inNaira({ feeKobo, vatKobo, dutyKobo }: BankCharges) {
  return { fee: formatKobo(feeKobo), vat: formatKobo(vatKobo), duty: formatKobo(dutyKobo) }
}
