// Whether anybody is at the page. What it loads by itself, by timers and events, says that nobody is,
// and so keeps no session from ending.

const IDLE_AFTER_MS = 60_000
const SIGNS = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'click'] // Also of assistive devices.

let seenAtMs = Date.now() // Somebody opened the page.

const see = () => (seenAtMs = Date.now())

for (const sign of SIGNS) document.addEventListener(sign, see, { capture: true, passive: true })
window.addEventListener('popstate', see)
document.addEventListener('visibilitychange', () => document.hidden || see())

export function isIdle(): boolean {
  return Date.now() - seenAtMs > IDLE_AFTER_MS
}
