// Requests without an answer yet. Whoever left would not learn the outcome, and would send the same
// again under another idempotency key: until it is here no dialog or drawer closes, Back leads nowhere,
// and the browser asks before it leaves the page.

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
