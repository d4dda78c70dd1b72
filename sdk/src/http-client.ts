// Sends requests to the service: with a token, a timeout for each attempt, retries where they are
// safe, and the same idempotency key in all of them.

import { AccessToken } from './access-token.ts'
import { errorOf, ManillaConnectionError, ManillaError, parseObject } from './errors.ts'
import { type Repeatable, retryDelay } from './retries.ts'
import { WAIT_MS_MAX, wait } from './waiting.ts'

const TIMEOUT_MS = 30_000
const RETRIES_MAX = 4

export type ManillaOptions = {
  baseUrl: string
  clientId: string
  clientSecret: string
  /** Default: the global fetch. */
  fetch?: typeof fetch
  /** For each attempt; default 30 seconds. */
  timeoutMs?: number
  /** Further attempts after the first; default 4. */
  maxRetries?: number
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /**
   * For a POST. Random by default, and the same for all attempts of one call. Pass your own to
   * repeat a call safely after a crash. null sends no key, and then no attempt follows a network
   * error.
   */
  idempotencyKey?: string | null | undefined
  /** `if-match`, or the content-type of a body that is not JSON. */
  headers?: Record<string, string> | undefined
}

export type Query = Readonly<Record<string, unknown>>
export type Request = CallOptions & {
  method: string
  path: string
  query?: Query | undefined
  body?: unknown
}
type PreparedRequest = { url: string; init: RequestInit; signal?: AbortSignal | undefined }

export class HttpClient {
  readonly #baseUrl: string
  readonly #options: ManillaOptions
  readonly #token: AccessToken

  constructor(options: ManillaOptions) {
    const { baseUrl, clientId, clientSecret } = options
    if (!/^https?:\/\/[^/]/i.test(baseUrl)) throw new TypeError('baseUrl is not an http(s) URL')
    if (!clientId || !clientSecret) throw new TypeError('clientId and clientSecret are required')
    this.#baseUrl = baseUrl.replace(/(?<!\/)\/+$/, '')
    this.#options = options
    this.#token = new AccessToken(() => this.#logIn())
  }

  /** The parsed body of a 2xx. */
  async json<Body>(request: Request): Promise<Body> {
    const { text, status } = await this.#authorized(request, readText)
    const body = parseObject(text)
    if (body) return body as Body
    throw new ManillaError('unreadable_response', 'The response is not JSON.', { status })
  }

  async text(request: Request): Promise<string> {
    return (await this.#authorized(request, readText)).text
  }

  /** The response as it comes, for streams. The timeout and the signal apply to its headers. */
  open(request: Request): Promise<Response> {
    return this.#authorized(request, async (response) => response)
  }

  // Sends a request with a token. If the service refuses the token, gets a new one and sends the request
  // once more.
  async #authorized<T>(request: Request, read: (response: Response) => Promise<T>): Promise<T> {
    const { signal } = request
    const prepared = this.#prepare(request)
    const hasIdempotencyKey = new Headers(prepared.init.headers).has('idempotency-key')
    const repeatable =
      hasIdempotencyKey || /^(?:GET|PUT)$/.test(request.method) ? 'always' : 'if_refused'
    // Sends the request with a token. After a 401 the token is dropped, so that the next attempt logs in
    // again.
    const attempt = async (): Promise<T> => {
      const token = await this.#token.get(signal)
      const headers = { ...(prepared.init.headers as object), authorization: `Bearer ${token}` }
      const authorized = { ...prepared, init: { ...prepared.init, headers } }
      try {
        return await this.#retried(authorized, repeatable, read)
      } catch (error) {
        if (error instanceof ManillaError && error.status === 401) this.#token.drop(token)
        throw error
      }
    }
    try {
      return await attempt()
    } catch (error) {
      const isTokenRefused =
        error instanceof ManillaError &&
        (error.code === 'token_expired' || error.code === 'unauthorized')
      if (!isTokenRefused) throw error
      return attempt()
    }
  }

  // Adds the default headers and, to a POST, an idempotency key that all attempts of the call share.
  #prepare({ method, path, query, body, headers = {}, ...request }: Request): PreparedRequest {
    const allHeaders: Record<string, string> = { accept: 'application/json' }
    for (const [name, value] of Object.entries(headers)) allHeaders[name.toLowerCase()] = value
    const isJson = body !== undefined && !allHeaders['content-type']
    if (isJson) allHeaders['content-type'] = 'application/json'
    if (method === 'POST' && request.idempotencyKey !== null) {
      allHeaders['idempotency-key'] = request.idempotencyKey ?? randomKey()
    }
    const init: RequestInit = { method, headers: allHeaders }
    if (body !== undefined) init.body = isJson ? JSON.stringify(body) : (body as string)
    return { url: this.#baseUrl + path + queryText(query), init, signal: request.signal }
  }

  async #logIn() {
    const { clientId, clientSecret } = this.#options
    const init = {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    }
    const prepared = { url: `${this.#baseUrl}/api/Account/login`, init }
    const { text, status } = await this.#retried(prepared, 'always', readText)
    const body = parseObject(text) as { access_token: string; expires_in: number } | undefined
    if (typeof body?.access_token === 'string' && body.expires_in > 0) return body
    throw new ManillaError('unreadable_response', 'The response to the login has no token.', {
      status,
    })
  }

  // Repeats the attempt while its failure is temporary and a repetition is safe.
  async #retried<T>(
    prepared: PreparedRequest,
    repeatable: Repeatable,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { maxRetries = RETRIES_MAX } = this.#options
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(prepared, read)
      } catch (error) {
        if (!(error instanceof ManillaError) || attempt >= maxRetries) throw error
        const delayMs = retryDelay(error, attempt, repeatable)
        if (delayMs === undefined) throw error
        await wait(delayMs, prepared.signal)
      }
    }
  }

  // Makes one attempt with a timeout. It does without AbortSignal.any, which browsers of 2023 lack.
  async #attempt<T>(
    { url, init, signal }: PreparedRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { fetch: send = globalThis.fetch, timeoutMs = TIMEOUT_MS } = this.#options
    signal?.throwIfAborted()
    const abort = new AbortController()
    const onAbort = () => abort.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    let isLate = false
    // `isLate` tells a timeout from a lost connection, because both reject the request.
    const onTimeout = () => {
      isLate = true
      abort.abort()
    }
    const timer = setTimeout(onTimeout, Math.min(timeoutMs, WAIT_MS_MAX))
    try {
      const response = await send(url, { ...init, signal: abort.signal })
      if (!response.ok) throw errorOf(response, await response.text())
      return await read(response)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ManillaError) throw error
      throw isLate
        ? new ManillaConnectionError('timed_out', `No answer within ${timeoutMs} ms.`)
        : new ManillaConnectionError('connection_failed', `Cannot reach ${new URL(url).origin}.`, {
            cause: error,
          })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

async function readText(response: Response): Promise<{ text: string; status: number }> {
  return { text: await response.text(), status: response.status }
}

// Returns the query with its question mark, without the parameters that have no value.
function queryText(query: Query = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(entries as [string, string][]).toString()
  return text && `?${text}`
}

// Returns a random idempotency key. Does not use crypto.randomUUID, which browsers deny to pages served over
// http.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
