// Keeps the page current: an event stream of the payment's state, with polling as a fallback. Every
// message is the whole state, so nothing can be missed.

import { watchSilence } from '../silence.ts'
import type { Checkout } from './checkout.ts'

const POLL_MS = 3_000
const RESPONSE_MAX_MS = 10_000

type Listener = { onCheckout: (checkout: Checkout) => void; onOffline: (is: boolean) => void }

export function followCheckout(adviceReference: string, { onCheckout, onOffline }: Listener) {
  const query = new URLSearchParams({ adviceReference })
  let stream: EventSource | undefined
  let isStreaming = false
  let isAsking = false
  const silence = watchSilence(openStream)

  // Polls until the stream sends something. Browsers do not reconnect after a refusal, so a silent stream is
  // opened again.
  function openStream(): void {
    stream?.close()
    isStreaming = false
    silence.restart()
    stream = new EventSource(`/pay/api/stream?${query}`)
    stream.onopen = onEvent
    stream.addEventListener('beat', onEvent)
    stream.onmessage = ({ data }) => {
      onEvent()
      onCheckout(JSON.parse(data))
    }
    stream.onerror = () => {
      isStreaming = false
      void ask()
    }
  }

  function onEvent(): void {
    isStreaming = true
    onOffline(false)
    silence.restart()
  }

  async function ask(): Promise<void> {
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
    if (!isStreaming) void ask()
  }, POLL_MS)
  addEventListener('offline', () => {
    isStreaming = false
    onOffline(true)
  })
  addEventListener('online', () => {
    openStream()
    void ask()
  })
  return { ask }
}
