// Confirms that a line is for the item it is suggested for, with the bank's charges if it is net of
// them. What is left stands in a difference of its own: amount_differs.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { StatementLineId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Difference } from './locked-differences.ts'
import { insertPair, type Pair, readItem } from './record-resolutions.ts'

// What the bank may have withheld, or charged with it, by the item it belongs to.
const CHARGES_OF: Readonly<Record<string, string>> = { credit: 'charges', payout: 'payout_cost' }

// Answers what is left of the line. The caller holds the difference and the matching of its bank.
export async function confirmMatch(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  difference: Difference,
): Promise<Kobo> {
  const { suggestedKind, suggestedId, amountKobo } = difference
  const item = { kind: suggestedKind as string, id: suggestedId as bigint }
  const pair = (of: Pair['item'], leftKobo: Kobo) =>
    insertPair(tx, now, {
      lineId: difference.lineId as StatementLineId,
      item: of,
      amountKobo: leftKobo,
      rule: 'confirmed',
      matchedBy: actor,
    })
  const found = await readItem(tx, difference, item)
  if (!found || found.leftKobo === 0n) throw new Refusal('suggestion_gone')
  await pair(item, found.leftKobo)
  const restKobo = kobo(amountKobo - found.leftKobo)
  const kind = CHARGES_OF[item.kind]
  if (restKobo === 0n || kind === undefined) return restKobo
  const charges = { kind, id: item.id }
  const withheld = await readItem(tx, difference, charges)
  if (withheld?.leftKobo !== restKobo) return restKobo
  await pair(charges, restKobo)
  return kobo(0n)
}
