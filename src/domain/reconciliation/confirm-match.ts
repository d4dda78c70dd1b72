// Confirms that a line is for the item it is suggested for. What the item leaves of the line, or
// wants of it, stands in a difference of its own: amount_differs.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { StatementLineId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Difference } from './locked-differences.ts'
import { insertPair, readItem } from './record-resolutions.ts'

// Answers what is left of the line. The caller holds the difference and the matching of its bank.
export async function confirmMatch(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  difference: Difference,
): Promise<Kobo> {
  const { suggestedKind, suggestedId, amountKobo } = difference
  const item = { kind: suggestedKind as string, id: suggestedId as bigint }
  const found = await readItem(tx, difference, item)
  if (!found || found.leftKobo === 0n) throw new Refusal('suggestion_gone')
  const { leftKobo } = found
  await insertPair(tx, now, {
    lineId: difference.lineId as StatementLineId,
    item,
    amountKobo: leftKobo,
    rule: 'confirmed',
    matchedBy: actor,
  })
  return kobo(amountKobo - leftKobo)
}
