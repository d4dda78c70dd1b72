// What a bank's answer names enters the books as if the bank had reported it: credits through the
// credit path, what cannot be booked as rail items. All of it is safe to repeat: most of it is
// known already.

import { withoutFutureTime } from '#banks/credit-fields.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import type { BatchResult } from '#db/batcher.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { CreditResult } from '#domain/credits/decide-credits.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { type NewRailItem, storeRailItems } from '#domain/credits/rail-items.ts'
import { railItemOf } from '#domain/credits/unbookable-items.ts'
import type { CreditId } from '#ids.ts'
import type { Sealer } from '#seal.ts'

// In one go: money that is being reported meanwhile does not wait behind a long list.
const SUBMITTED_MAX = 200

export type SubmitCredits = (
  credits: readonly IncomingCredit[],
) => Promise<BatchResult<CreditResult>[]>

export type FindingDeps = {
  batchPool: Pool
  sealer: Sealer
  submitCredits: SubmitCredits
  now: Date
}

// The credits that were not known before. Throws unless all of it is committed.
export async function takeFindings(
  deps: FindingDeps,
  bankCode: string,
  items: readonly ParsedItem[],
): Promise<CreditId[]> {
  const found: CreditId[] = []
  for (let at = 0; at < items.length; at += SUBMITTED_MAX) {
    found.push(...(await takeSome(deps, bankCode, items.slice(at, at + SUBMITTED_MAX))))
  }
  return found
}

async function takeSome(
  { batchPool, sealer, submitCredits, now }: FindingDeps,
  bankCode: string,
  items: readonly ParsedItem[],
): Promise<CreditId[]> {
  const credits = items.flatMap((item) =>
    item.ok
      ? [{ ...withoutFutureTime(item.credit, now), bankCode, source: 'requery' as const }]
      : [],
  )
  const results = (await submitCredits(credits)).map((result) => {
    if (!result.ok) throw result.error
    return result.value
  })
  const inOrder = results.values()
  const unbookable = items.flatMap((item) => {
    const code = item.ok ? inOrder.next().value?.status : item.code
    return keptItem(bankCode, item, code) ?? []
  })
  if (unbookable.length > 0) {
    await withTransaction(batchPool, (tx) => storeRailItems(tx, { sealer, now }, unbookable))
  }
  return results.flatMap((result) => (result.status === 'taken' ? [result.creditId] : []))
}

// Without a session id its words identify it: overlapping lists name it again and again.
function keptItem(
  bankCode: string,
  item: ParsedItem,
  code: string | undefined,
): NewRailItem | undefined {
  const placeOf = () => (item.ok ? '' : (item.money?.text ?? ''))
  return railItemOf({ bankCode, item, code, placeOf })
}
