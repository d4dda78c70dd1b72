// Waits until a payment is decided: paid, cancelled, reversed, or expired with its grace period over.
// Asks the service from time to time, so that it works wherever a webhook cannot be received.

import type { Api } from './api.ts'
import { ManillaError } from './errors.ts'
import type { DataOf } from './operations.ts'
import { wait } from './waiting.ts'

const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 5_000

export type DecidedPayment = DataOf<'get', '/api/v1/payments/{reference}'>
export type WaitOptions = {
  signal?: AbortSignal | undefined
  /** Throws `wait_timed_out` after it. Default: as long as it takes. */
  timeoutMs?: number | undefined
}

export async function waitForPayment(
  api: Api,
  reference: string,
  { signal, timeoutMs = Number.POSITIVE_INFINITY }: WaitOptions = {},
): Promise<DecidedPayment> {
  const endsAt = Date.now() + timeoutMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, PAUSE_MS_MAX)) {
    const params = { reference }
    const payment = await api.call('get', '/api/v1/payments/{reference}', { params, signal })
    if (isDecided(payment)) return payment
    const leftMs = endsAt - Date.now()
    if (leftMs <= 0) {
      const message = `Payment ${reference} is still ${payment.status} after ${timeoutMs} ms.`
      throw new ManillaError('wait_timed_out', message)
    }
    await wait(Math.min(pauseMs, leftMs), signal)
  }
}

// Expired is not the end while the money may still count: until its grace period is over, by the
// service's clock, after which the service has moved what was paid to suspense.
function isDecided({ status, amountPaid, updatedAt, closesAt }: DecidedPayment): boolean {
  if (status === 'Processing' || status === 'PartPayment') return false
  return status !== 'Expired' || (amountPaid === 0 && updatedAt >= closesAt)
}
