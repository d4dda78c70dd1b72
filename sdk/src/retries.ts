// Decides which failures to retry, and after how long: network errors, 429 and 503. A network error
// is retried only where repeating the request cannot do its work twice. A proxy that lost the
// service (502, 504) is a network error.

import { ManillaConnectionError, type ManillaError } from './errors.ts'

const FIRST_DELAY_MS = 250
const DELAY_MS_MAX = 8_000
// If the service asks for a longer wait than this, the request is not retried, and the caller gets the error.
const RETRY_AFTER_SECONDS_MAX = 60

export type Repeatable = 'always' | 'if_refused'

// Returns the delay in ms before the next attempt, or undefined for no retry. `attempt` counts from 0. After
// a lost connection, or a proxy's 502 or 504, the service may have done the work, so only a request that is
// always repeatable is retried. 429 and 503 say that nothing was done.
export function retryDelay(
  error: ManillaError,
  attempt: number,
  repeatable: Repeatable,
): number | undefined {
  const isLost = error.status === 502 || error.status === 504
  if (isLost || error instanceof ManillaConnectionError) {
    return repeatable === 'always' ? backoff(attempt) : undefined
  }
  if (error.status !== 429 && error.status !== 503) return undefined
  const { retryAfterSeconds = 0 } = error
  if (retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) return undefined
  return Math.max(retryAfterSeconds * 1000, backoff(attempt))
}

// The delay grows exponentially, and up to half of it is random, so that many clients do not retry at once.
function backoff(attempt: number): number {
  const full = Math.min(FIRST_DELAY_MS * 2 ** attempt, DELAY_MS_MAX)
  return full * (0.5 + Math.random() / 2)
}
