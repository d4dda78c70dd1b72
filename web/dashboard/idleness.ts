// Tracks whether the user is active. While the user is idle, requests that timers and events send are marked,
// and do not keep the session alive.

const IDLE_AFTER_MS = 60_000
const SIGNS = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'click'] // Also from assistive devices.

let seenAtMs = Date.now()

const see = () => (seenAtMs = Date.now())

for (const sign of SIGNS) document.addEventListener(sign, see, { capture: true, passive: true })
window.addEventListener('popstate', see)
document.addEventListener('visibilitychange', () => document.hidden || see())

export function isIdle(): boolean {
  return Date.now() - seenAtMs > IDLE_AFTER_MS
}
