// Runs worker rounds: immediately while there is more work, otherwise after a pause that a notifier
// cuts short.
//
// Shutdown never interrupts a round. Long rounds watch the signal and end themselves.

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
  onRound?: ((worker: string, tookMs: number) => void) | undefined
}

// Resolves once the signal is aborted and all that was begun has finished.
export async function runWorker(
  { name, pauseMs, round, notifier = new Notifier(), stop }: Worker,
  { signal, onError, onRound }: LoopOptions,
): Promise<void> {
  while (!signal.aborted) {
    const begunMs = performance.now()
    const more = await round(signal).then(
      (result) => result.more,
      (error) => {
        onError(error, name)
        return false
      },
    )
    onRound?.(name, performance.now() - begunMs)
    if (!more) await notifier.wait(pauseMs, signal)
  }
  await stop?.().catch((error) => onError(error, name))
}

// Runs a worker round immediately on behalf of a request. On failure the workers retry.
export function runNow(round: Round, log: Logger, maxMs?: number): () => Promise<void> {
  return async () => {
    const signal = maxMs ? AbortSignal.timeout(maxMs) : new AbortController().signal
    await round(signal).catch((error) => log.error({ err: error }, 'worker round failed'))
  }
}
