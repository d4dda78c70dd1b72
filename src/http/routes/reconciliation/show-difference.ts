// One difference with its history, as it is read, and as it is after somebody resolved it.

import { withSnapshot } from '#db/snapshot.ts'
import { timingWindows } from '#domain/reconciliation/daily-proof.ts'
import { getDifference, readHistory } from '#domain/reconciliation/differences.ts'
import type { Deps } from '#http/deps.ts'
import type { DifferenceId } from '#ids.ts'
import { presentChange, presentDifferences } from './difference-presenters.ts'

export function showDifference({ db, clock, sealer, banks }: Deps, id: DifferenceId) {
  return withSnapshot(db, async (tx) => {
    const at = { now: clock(), windows: timingWindows(banks) }
    const difference = await getDifference(tx, at, id)
    const [shown] = await presentDifferences({ db: tx, sealer }, [difference])
    const history = (await readHistory(tx, id)).map(presentChange)
    return { ...(shown as NonNullable<typeof shown>), history }
  })
}
