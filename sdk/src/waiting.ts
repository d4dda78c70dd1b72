// Waiting that an AbortSignal ends: for a while, or for a promise that others wait for too.

// The longest timer (2^31 ms). A longer one would fire at once.
export const WAIT_MS_MAX = 2 ** 31 - 1

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

// Other waiters keep the promise.
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
