// Workers of reports: one counts events into totals, another watches the archive of the database's log.

import { withTransaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { type ArchiveState, readArchiveState } from './figures.ts'
import { countEvents, findUncounted } from './hourly-totals.ts'

// Counts new events into hourly totals, one page of one client at a time, so that a long backlog of one
// client does not delay others.
export function countTotalsRound({ db }: Pick<Deps, 'db'>): Round {
  return async (signal) => {
    let more = false
    for (const clientId of await findUncounted(db)) {
      if (signal.aborted) break
      const isFull = await withTransaction(db, (tx) => countEvents(tx, clientId))
      more ||= isFull
    }
    return { more }
  }
}

const ALERT = { kind: 'archive_failing', subject: 'archive' } as const

// Raises an alert while the database server, embedded or external, fails to archive its log: new writes
// cannot be restored, and the log grows. Clears the alert when archiving works again.
export function watchArchiveRound({ db, clock }: Deps): Round {
  return async () => {
    const now = clock()
    const state = await readArchiveState(db, now)
    await withTransaction(db, async (tx) => {
      if (!state.isFailing) return clearAlert(tx, now, ALERT)
      const alert = { ...ALERT, detail: toAlertDetail(state) }
      return appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
    })
    return { more: false }
  }
}

function toAlertDetail({ failedFile, lastArchivedAt }: ArchiveState) {
  return { failedFile, lastArchivedAt: lastArchivedAt?.toISOString() ?? null }
}
