// Keeps the page current: an event stream of the payment's state, with polling as a fallback. Every
// message is the whole state, so nothing can be missed.

import { watchSilence } from '../silence.ts'
import type { Checkout } from './checkout.ts'

const POLL_MS = 3_000
const RESPONSE_MAX_MS = 10_000

type Listener = {
  onCheckout: (checkout: Checkout) => void
  onOffline: (isOffline: boolean) => void
}

// Follows the payment until the page closes. `onOffline` tells whether the service can be reached.
export function followCheckout(adviceReference: string, { onCheckout, onOffline }: Listener) {
  const query = new URLSearchParams({ adviceReference })
  let stream: EventSource | undefined
  let isStreaming = false
  let isAsking = false
  const silence = watchSilence(openStream)

  // Opens the event stream, again if it has been silent, because browsers do not reconnect after a refusal.
  // Until the stream sends something, the timer below polls.
  function openStream(): void {
    stream?.close()
    isStreaming = false
    silence.restart()
    stream = new EventSource(`/pay/api/stream?${query}`)
    stream.onopen = onAlive
    stream.addEventListener('beat', onAlive)
    stream.onmessage = ({ data }) => {
      onAlive()
      onCheckout(JSON.parse(data))
    }
    stream.onerror = () => {
      isStreaming = false
      void readStatus()
    }
  }

  // Any message proves that the stream works.
  function onAlive(): void {
    isStreaming = true
    onOffline(false)
    silence.restart()
  }

  // Polls the state once. Skips the poll while an earlier one is still under way.
  async function readStatus(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      const signal = AbortSignal.timeout(RESPONSE_MAX_MS)
      const answer = await fetch(`/pay/api/status?${query}`, { signal, cache: 'no-store' })
      if (answer.ok) onCheckout((await answer.json()).data)
      onOffline(false)
    } catch {
      onOffline(true)
    } finally {
      isAsking = false
    }
  }

  openStream()
  setInterval(() => {
    if (!isStreaming) void readStatus()
  }, POLL_MS)
  addEventListener('offline', () => {
    isStreaming = false
    onOffline(true)
  })
  addEventListener('online', () => {
    openStream()
    void readStatus()
  })
  return { readStatus }
}
