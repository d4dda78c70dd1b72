// Detects a silent event stream. A dead connection can look open for ever, so the service sends an event
// `beat` every 15 seconds.

const SILENCE_MAX_MS = 40_000

// Calls back after a silence of this length; `heard` restarts it.
export function watchSilence(onSilence: () => void) {
  let timer: number | undefined
  const stop = () => window.clearTimeout(timer)
  const heard = () => {
    stop()
    timer = window.setTimeout(onSilence, SILENCE_MAX_MS)
  }
  return { heard, stop }
}
