// Counts requests in flight. A user who left the page now would not learn the outcome, and might repeat the
// request under another idempotency key. So no dialog or drawer closes, Back does nothing, and the browser
// asks for confirmation before it leaves the page.

let count = 0

export const isInFlight = () => count > 0

export async function staying<Result>(work: () => Promise<Result>): Promise<Result> {
  count++
  window.addEventListener('beforeunload', ask)
  try {
    return await work()
  } finally {
    count--
    if (count === 0) window.removeEventListener('beforeunload', ask)
  }
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
