// Confirms that a line is for its suggested item, with the bank's charges if the line is net of them. The
// rest of the line becomes a difference: amount_differs.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { StatementLineId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Difference } from './locked-differences.ts'
import { insertPair, type Pair, readItem } from './record-resolutions.ts'

// The kind of charge that the bank may have withheld from an item, or charged with it.
const CHARGES_OF: Readonly<Record<string, string>> = { credit: 'charges', payout: 'payout_cost' }

// Returns the rest of the line. The caller holds the difference and the matching of its bank.
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
  const stored = await readItem(tx, difference, item)
  if (!stored || stored.leftKobo === 0n) throw new Refusal('suggestion_gone')
  await pair(item, stored.leftKobo)
  const restKobo = kobo(amountKobo - stored.leftKobo)
  const kind = CHARGES_OF[item.kind]
  if (restKobo === 0n || kind === undefined) return restKobo
  const charges = { kind, id: item.id }
  const withheld = await readItem(tx, difference, charges)
  if (withheld?.leftKobo !== restKobo) return restKobo
  await pair(charges, restKobo)
  return kobo(0n)
}
