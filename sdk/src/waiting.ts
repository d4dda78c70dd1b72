// Waits that an AbortSignal can end: for a time, or for a promise.

// The longest timer (2^31 ms). A longer one would fire at once.
export const WAIT_MS_MAX = 2 ** 31 - 1

// Resolves after `ms`, or rejects when the signal aborts.
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, WAIT_MS_MAX),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

// Waits for a promise until the signal aborts. The promise itself is not aborted, so that other callers can
// go on waiting for it.
export function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
      .catch(() => {})
  })
}
