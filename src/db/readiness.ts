// Whether a process may take requests: the database can be written to and has room for it, its schema is one
// that this build works with, and our clock agrees with it. The log says why not, once for each reason.

import type { Logger } from '#log.ts'
import { findSchemaProblem } from './applied-schema.ts'
import type { ClockCheck } from './clock-check.ts'
import { watchDisk } from './disk-space.ts'
import { isWritable, type Pool } from './pool.ts'

type Options = { probes: Pool; log: Logger; isClockRight: ClockCheck }

export function watchReadiness(options: Options): () => Promise<boolean> {
  const { probes: pool, log, isClockRight } = options
  const findDiskProblem = watchDisk(pool)
  let told: string | undefined
  return async () => {
    const problem = (await isWritable(pool))
      ? ((await findSchemaProblem(pool)) ?? (await findDiskProblem()))
      : 'it is read-only'
    if (problem && problem !== told) log.error({ problem }, 'not ready because of the database')
    told = problem
    return problem === undefined && isClockRight()
  }
}
