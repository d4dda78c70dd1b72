// Raises an alert while the server, embedded or external, fails or stops to archive its log: new
// writes cannot be restored, and the log grows. Clears it when archiving works again.

import { withTransaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { type ArchiveState, readArchiveState } from '#domain/reports/archive-state.ts'
import type { Deps, Round } from './loop.ts'

const ALERT = { kind: 'archive_failing', subject: 'archive' } as const

export function watchArchiveRound({ db, clock }: Deps): Round {
  return async () => {
    const now = clock()
    const state = await readArchiveState(db, now)
    await withTransaction(db, async (tx) => {
      if (!state.isFailing) return clearAlert(tx, now, ALERT)
      const alert = { ...ALERT, detail: detailOf(state) }
      return appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
    })
    return { more: false }
  }
}

function detailOf({ failedFile, lastArchivedAt }: ArchiveState) {
  return { failedFile, lastArchivedAt: lastArchivedAt?.toISOString() ?? null }
}
