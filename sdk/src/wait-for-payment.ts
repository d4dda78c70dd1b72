// Waits until a payment is decided: paid, cancelled, reversed, or expired with its grace period
// over. Polls the service, so that it works where no webhook can be received.

import type { Api } from './api.ts'
import { ManillaError } from './errors.ts'
import type { DataOf } from './operations.ts'
import { wait } from './waiting.ts'

const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 5_000

export type DecidedPayment = DataOf<'get', '/api/v1/payments/{reference}'>
export type WaitOptions = {
  signal?: AbortSignal | undefined
  /** Throws `wait_timed_out` after it. Default: no limit. */
  timeoutMs?: number | undefined
}

// Polls a payment, at growing intervals, until it is decided or the time is over.
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
    const remainingMs = endsAt - Date.now()
    if (remainingMs <= 0) {
      const message = `Payment ${reference} is still ${payment.status} after ${timeoutMs} ms.`
      throw new ManillaError('wait_timed_out', message)
    }
    await wait(Math.min(pauseMs, remainingMs), signal)
  }
}

// An expired payment may still be paid until its grace period is over by the service's clock. Only an
// update after that moment shows that the service has moved any paid money to suspense.
function isDecided({ status, amountPaid, updatedAt, closesAt }: DecidedPayment): boolean {
  if (status === 'Processing' || status === 'PartPayment') return false
  return status !== 'Expired' || (amountPaid === 0 && updatedAt >= closesAt)
}
