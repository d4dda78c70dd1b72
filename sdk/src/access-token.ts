// The bearer token: fetched with the first request, shared by concurrent ones, renewed shortly before
// it expires or when the service no longer accepts it.

import { orAborted } from './waiting.ts'

// A token is renewed this long before it expires, or half-way through a short life.
const MARGIN_MS = 30_000

export type LogIn = () => Promise<{ access_token: string; expires_in: number }>

export class AccessToken {
  readonly #logIn: LogIn
  #current: { text: string; renewAt: number } | undefined
  #pending: Promise<string> | undefined

  constructor(logIn: LogIn) {
    this.#logIn = logIn
  }

  // Concurrent callers wait for the same login. Each can stop waiting without cancelling it for the others.
  get(signal?: AbortSignal): Promise<string> {
    if (this.#current && Date.now() < this.#current.renewAt) {
      return Promise.resolve(this.#current.text)
    }
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined
    })
    return orAborted(this.#pending, signal)
  }

  // Forgets a token that the service refused, unless another request has replaced it already.
  drop(text: string): void {
    if (this.#current?.text === text) this.#current = undefined
  }

  async #renew(): Promise<string> {
    const requestedAt = Date.now()
    const { access_token: text, expires_in: seconds } = await this.#logIn()
    const lifeMs = seconds * 1000
    this.#current = { text, renewAt: requestedAt + Math.max(lifeMs / 2, lifeMs - MARGIN_MS) }
    return text
  }
}
