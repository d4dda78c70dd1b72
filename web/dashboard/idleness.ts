// Tracks whether the user is active. While the user is idle, requests that timers and events send are marked,
// and do not keep the session alive.

const IDLE_AFTER_MS = 60_000
// The events that show that the user is present. Assistive devices cause them too.
const ACTIVITY_EVENTS = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'click']

let lastActiveAtMs = Date.now()

const noteActivity = () => (lastActiveAtMs = Date.now())

for (const name of ACTIVITY_EVENTS)
  document.addEventListener(name, noteActivity, { capture: true, passive: true })
window.addEventListener('popstate', noteActivity)
document.addEventListener('visibilitychange', () => document.hidden || noteActivity())

export function isIdle(): boolean {
  return Date.now() - lastActiveAtMs > IDLE_AFTER_MS
}
