// Runs worker rounds: immediately while there is more work, otherwise after a pause that a notifier
// can cut short.
//
// Shutdown never interrupts a round. Long rounds watch the signal and end themselves.

import type { Clock } from '#clock.ts'
import { maintainPartitions } from '#db/migrate.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Logger } from '#log.ts'
import { Notifier } from '#notifier.ts'
import { type Tracer, within } from '#trace-context.ts'

export type Deps = { db: Pool; clock: Clock; log: Logger }

export type Round = (signal: AbortSignal) => Promise<{ more: boolean }>

// `stop` finishes work that a round started without waiting for it.
export type Worker = {
  name: string
  pauseMs: number
  // The worker runs only while this SQL condition holds (due-work.ts). The condition may use clock.now and
  // clock.real_now.
  due?: string
  round: Round
  isDone?: boolean // The start did the first round's work, so the loop begins with a pause.
  notifier?: Notifier
  stop?: () => Promise<void>
}

type LoopOptions = {
  signal: AbortSignal
  onError: (error: unknown, worker: string) => void
  onRound?: ((worker: string, tookMs: number) => void) | undefined
  tracer?: Tracer | undefined
}

// Most rounds, several a second, find no work. Traces keep only rounds that report more work, fail, write
// events, or take at least this long.
const LONG_ROUND_MS = 100

// Resolves once the signal is aborted and all work that was started has finished.
export async function runWorker(
  { name, pauseMs, round, isDone = false, notifier = new Notifier(), stop }: Worker,
  { signal, onError, onRound, tracer }: LoopOptions,
): Promise<void> {
  if (isDone) await notifier.wait(pauseMs, signal)
  while (!signal.aborted) {
    const begunMs = performance.now()
    const span = tracer?.start(`worker ${name}`, { isHeld: true })
    let failure: unknown
    const more = await within(span, () => round(signal)).then(
      (result) => result.more,
      (error) => {
        failure = error
        within(span, () => onError(error, name))
        return false
      },
    )
    const tookMs = performance.now() - begunMs
    if (more || failure || tookMs >= LONG_ROUND_MS) span?.keep()
    span?.end(failure)
    onRound?.(name, tookMs)
    if (!more) await notifier.wait(pauseMs, signal)
  }
  await stop?.().catch((error) => onError(error, name))
}

// Returns a function that runs one round at once, outside the workers' loop. A failure is only logged: the
// workers retry.
export function runNow(round: Round, log: Logger, maxMs?: number): () => Promise<void> {
  return async () => {
    const signal = maxMs ? AbortSignal.timeout(maxMs) : new AbortController().signal
    await round(signal).catch((error) => log.error({ err: error }, 'worker round failed'))
  }
}

// Creates partitions ahead of time and drops old ones.
//
// DDL needs an exclusive lock, and writers queue behind it. So maintenance gives up quickly behind a slow
// reader, such as the integrity check, and retries later: partitions are created weeks ahead.

const TABLE_WAIT_MAX = '500ms' // The longest delay of writers.
const LOCK_NOT_AVAILABLE = '55P03'

export function maintainPartitionsRound({ db, clock, log }: Deps) {
  return async () => {
    try {
      const changes = await withTransaction(db, async (tx) => {
        // Waiting for another process that maintains partitions has no limit, because this wait blocks no
        // writer.
        await tx.query(`select pg_advisory_xact_lock(hashtext('maintain_partitions'))`)
        await tx.query(`set local lock_timeout = '${TABLE_WAIT_MAX}'`)
        return maintainPartitions(tx, clock())
      })
      if (changes.length > 0) log.info({ did: changes }, 'partitions maintained')
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
      log.info('partition maintenance postponed: table locked')
    }
    return { more: false }
  }
}
