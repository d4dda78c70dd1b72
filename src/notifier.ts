// Wakes a waiting loop of this process early. This is only an optimisation: loops also poll, because another
// process may create work.

export class Notifier {
  #isCalled = false
  #resume: (() => void) | undefined

  // Wakes the waiting loop. If the loop is not waiting, its next wait returns at once, so that no call is
  // lost between checking for work and waiting.
  call(): void {
    this.#isCalled = true
    this.#resume?.()
  }

  // Waits until call() is called, the time is over or the signal aborts. Returns at once if call() was called
  // since the last wait.
  async wait(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal?.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, timeoutMs)
      const stop = () => resolve()
      signal?.addEventListener('abort', stop)
      this.#resume = resolve
      await promise
      this.#resume = undefined
      signal?.removeEventListener('abort', stop)
      clearTimeout(timer)
    }
    this.#isCalled = false
  }
}
