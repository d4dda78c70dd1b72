// Detects an event stream whose connection is dead but appears open. The service sends an event `beat` every
// 15 seconds.

const SILENCE_MAX_MS = 40_000

// Calls `onSilence` once SILENCE_MAX_MS have passed since the last `restart`.
export function watchSilence(onSilence: () => void) {
  let timer: number | undefined
  const stop = () => window.clearTimeout(timer)
  // Callers call this whenever the stream shows that it is alive: the wait for SILENCE_MAX_MS starts again.
  const restart = () => {
    stop()
    timer = window.setTimeout(onSilence, SILENCE_MAX_MS)
  }
  return { restart, stop }
}
