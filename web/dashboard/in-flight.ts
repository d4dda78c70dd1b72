// Counts requests in flight. A user who leaves the page during a request does not learn its result, and
// might repeat it under another idempotency key. So until the response arrives no dialog or drawer closes,
// Back does nothing, and the browser asks before it leaves the page.

let count = 0

export const isInFlight = () => count > 0

// Runs a request that changes something, and keeps the user on the page until it has ended.
export async function keepPageOpenDuring<Result>(work: () => Promise<Result>): Promise<Result> {
  count++
  window.addEventListener('beforeunload', confirmLeaving)
  try {
    return await work()
  } finally {
    count--
    if (count === 0) window.removeEventListener('beforeunload', confirmLeaving)
  }
}

function confirmLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
