// Notifiers somebody who waits for work before their time is up. Only ever earlier: whoever waits also
// looks by themselves, because the work may have come from another process.

export class Notifier {
  #isCalled = false
  #resume: (() => void) | undefined

  // While nobody waits it is remembered, so that no call falls between looking and waiting.
  call(): void {
    this.#isCalled = true
    this.#resume?.()
  }

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
