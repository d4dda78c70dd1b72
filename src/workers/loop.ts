// Runs worker rounds: immediately while there is more work, otherwise after a pause that a notifier
// can cut short.
//
// Shutdown never interrupts a round. Long rounds watch the signal and end themselves.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import type { Logger } from '#log.ts'
import { Notifier } from '#notifier.ts'
import { type Tracer, within } from '#trace-context.ts'

export type Deps = { db: Pool; clock: Clock; log: Logger }

export type Round = (signal: AbortSignal) => Promise<{ more: boolean }>

// `stop` finishes work that rounds started without waiting for it.
export type Worker = {
  name: string
  pauseMs: number
  round: Round
  isDone?: boolean // The start already did the first round's work, so the loop starts with a pause.
  notifier?: Notifier
  stop?: () => Promise<void>
}

type LoopOptions = {
  signal: AbortSignal
  onError: (error: unknown, worker: string) => void
  onRound?: ((worker: string, tookMs: number) => void) | undefined
  tracer?: Tracer | undefined
}

// Most rounds, several a second, find no work. Traces keep only rounds with more work, rounds that
// failed or wrote events, and rounds that took this long.
const LONG_ROUND_MS = 100

// Resolves once the signal is aborted and everything started has finished.
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

// Runs a round immediately for a request. On failure the workers retry.
export function runNow(round: Round, log: Logger, maxMs?: number): () => Promise<void> {
  return async () => {
    const signal = maxMs ? AbortSignal.timeout(maxMs) : new AbortController().signal
    await round(signal).catch((error) => log.error({ err: error }, 'worker round failed'))
  }
}
