// Posts one event to a local handler of webhooks, as the service would: the same signed body, 15 seconds
// for an answer, no redirects.

import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf } from './problems.ts'
import type { Terminal } from './terminal.ts'

const TIMEOUT_MS = 15_000
const RETRY_MS = [1_000, 5_000] // The last one applies to every further attempt.
const UNREACHABLE = /^(?:connection refused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

export type Event = { id: string; type: string; sequence: number }
export type Outcome = {
  isAccepted: boolean
  status: number | null
  latencyMs: number
  attempts: number
  error: string | null
}
export type Handler = {
  terminal: Terminal
  url: string
  secret: string
  attemptsMax: number
  onWaiting(event: Event, reason: string): void
  onRetry(event: Event, reason: string): void
  retryMs?: readonly number[]
}

// Posts the event until the handler accepts it or the attempts are used up. Waiting for a handler that does
// not listen counts as no attempt. Returns undefined if interrupted.
export async function forwardEvent(handler: Handler, event: Event): Promise<Outcome | undefined> {
  const { terminal, attemptsMax, onWaiting, onRetry, retryMs = RETRY_MS } = handler
  const { interrupted } = terminal
  for (let attempts = 1, isWaiting = false; !interrupted.aborted; ) {
    const { isUnreachable, ...result } = await post(handler, event)
    const outcome = { ...result, attempts }
    if (!isUnreachable && (outcome.isAccepted || attempts >= attemptsMax)) return outcome
    if (isUnreachable && !isWaiting) onWaiting(event, outcome.error ?? '')
    if (!isUnreachable) onRetry(event, outcome.error ?? '')
    isWaiting = isUnreachable
    const delay = isUnreachable ? retryMs[0] : (retryMs[attempts - 1] ?? retryMs.at(-1))
    if (!isUnreachable) attempts++
    await pause(delay, undefined, { signal: interrupted }).catch(() => {})
  }
  return undefined
}

// Posts the event once. Ctrl-C does not abort the request, so that a handler never receives an event twice.
async function post({ terminal, url, secret }: Handler, event: Event) {
  const body = JSON.stringify(event)
  const began = performance.now()
  const latencyMs = () => Math.round(performance.now() - began)
  try {
    const response = await terminal.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Manilla-Webhooks/1',
        ...signatureOf(secret, event.id, { body, now: terminal.now() }),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    const { ok, status } = response
    const error = ok ? null : `HTTP ${status}`
    return { isAccepted: ok, status, latencyMs: latencyMs(), error, isUnreachable: false }
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError'
    const reason = isLate ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(error)
    const isUnreachable = UNREACHABLE.test(reason)
    return { isAccepted: false, status: null, latencyMs: latencyMs(), error: reason, isUnreachable }
  }
}

// Signs by Standard Webhooks 1.0 (docs/webhooks.md).
function signatureOf(secret: string, id: string, { body, now }: { body: string; now: Date }) {
  const seconds = Math.floor(now.getTime() / 1000)
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  }
}
