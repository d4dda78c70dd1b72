// A worker is a function that does one bounded round of work. This loop runs it: again at once
// while more is waiting, otherwise after a pause, which a wake cuts short.
//
// Stopping never cuts a round short, so no half-done attempt is mistaken for a failed one. A round
// that may take longer than a process is given to stop watches the signal, and ends itself.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import type { Logger } from '#log.ts'
import { Notifier } from '#notifier.ts'

export type Deps = { db: Pool; clock: Clock; log: Logger }

export type Round = (signal: AbortSignal) => Promise<{ more: boolean }>

// `stop` finishes what rounds have started and not waited for.
export type Worker = {
  name: string
  pauseMs: number
  round: Round
  notifier?: Notifier
  stop?: () => Promise<void>
}

type LoopOptions = {
  signal: AbortSignal
  onError: (error: unknown, worker: string) => void
}

// Resolves once the signal is aborted and all that was begun has finished.
export async function runWorker(
  { name, pauseMs, round, notifier = new Notifier(), stop }: Worker,
  { signal, onError }: LoopOptions,
): Promise<void> {
  while (!signal.aborted) {
    const more = await round(signal).then(
      (result) => result.more,
      (error) => {
        onError(error, name)
        return false
      },
    )
    if (!more) await notifier.wait(pauseMs, signal)
  }
  await stop?.().catch((error) => onError(error, name))
}
