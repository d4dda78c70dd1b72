// Whether an event stream has fallen silent. A connection can die without either side hearing of it, and
// a browser then shows it as open for ever; so the service sends an event `beat` every 15 seconds.

const SILENCE_MAX_MS = 40_000

// Once started it calls after so long a silence; `heard` says that something came.
export function watchSilence(onSilence: () => void) {
  let timer: number | undefined
  const stop = () => window.clearTimeout(timer)
  const heard = () => {
    stop()
    timer = window.setTimeout(onSilence, SILENCE_MAX_MS)
  }
  return { heard, stop }
}
