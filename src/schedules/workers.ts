// Makes the runs of scheduled reports.

import { withTransaction } from '#db/transaction.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { type RunDeps, runSchedule } from './runs.ts'

export type SchedulesDeps = Pick<Deps, 'db' | 'clock'> & RunDeps

export function runSchedulesRound({ db, clock, ...deps }: SchedulesDeps): Round {
  return async () => ({ more: await withTransaction(db, (tx) => runSchedule(tx, clock(), deps)) })
}
