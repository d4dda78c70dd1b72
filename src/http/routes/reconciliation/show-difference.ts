// One difference with its history, as it is read, and as it is after somebody resolved it.

import { withSnapshot } from '#db/snapshot.ts'
import { timingWindows } from '#domain/reconciliation/daily-proof.ts'
import { getDifference, readHistory } from '#domain/reconciliation/differences.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import type { DifferenceId } from '#ids.ts'
import { presentChange, presentDifferences } from './difference-presenters.ts'

export function showDifference(deps: Deps, by: Identity, id: DifferenceId) {
  const { db, clock, sealer, banks } = deps
  return withSnapshot(db, async (tx) => {
    const at = { now: clock(), windows: timingWindows(banks), viewer: toViewer(deps, by) }
    const difference = await getDifference(tx, at, id)
    const [shown] = await presentDifferences({ db: tx, sealer }, [difference])
    const history = (await readHistory(tx, id)).map(presentChange)
    return { ...(shown as NonNullable<typeof shown>), history }
  })
}
