// Talks to OpenID Connect providers: discovery, keys, and the exchange of a code for an ID token, by
// openid-client. Providers are named by clients, so connections go through the SSRF guard.
//
// Discovery and keys are cached for five minutes. A key that is not known is looked for again after a minute
// at the earliest, so that forged tokens cause no load on the provider.

import type { Configuration, IDToken } from 'openid-client'
import { type Agent, fetch } from 'undici'
import { type Clock, systemClock } from '#clock.ts'
import type { Sealer } from '#seal.ts'
import { createGuardedAgent, type Mode } from '#ssrf-guard.ts'
import type { Provider } from './providers.ts'

const FRESH_MS = 5 * 60_000
const CACHED_MAX = 1_000
const TIMEOUT_SECONDS = 10
const RESPONSE_BYTES_MAX = 256 * 1024
const TOLERANCE_SECONDS = 60 // The permitted difference between the provider's clock and ours.
const ISSUED_SECONDS_MAX = 600 // An ID token is issued for the code just exchanged.
const REASON_LENGTH_MAX = 300
const SCOPE = 'openid email profile'

// Loaded on demand: most processes never see a provider.
const library = () => import('openid-client')

type Cached = { untilMs: number; configuration: Promise<Configuration> }
type Options = { mode: Mode; clock: Clock; sealer: Sealer }

type Request = {
  redirectUri: string
  state: string
  nonce: string
  verifier: string
  isFresh: boolean
}
type Exchange = Omit<Request, 'redirectUri'> & { callback: URL }

// The verified claims of the provider about the user.
export type Claims = Readonly<IDToken>

// The client's audit log records the reason. The browser gets only the code.
export class ProviderFailure extends Error {
  readonly refused: 'provider_unavailable' | 'provider_sign_in_failed'

  constructor(refused: ProviderFailure['refused'], reason: string) {
    super(reason)
    this.refused = refused
  }
}

export class ProviderConnections {
  readonly #mode: Mode
  readonly #clock: Clock
  readonly #sealer: Sealer
  readonly #agent: Agent
  readonly #cache = new Map<string, Cached>()

  constructor({ mode, clock, sealer }: Options) {
    this.#mode = mode
    this.#clock = clock
    this.#sealer = sealer
    this.#agent = createGuardedAgent({ mode })
  }

  // Returns the address to which the browser goes.
  async authorizationUrl(provider: Provider, request: Request): Promise<string> {
    const client = await library()
    const configuration = await this.#configurationOf(provider)
    // A browser would run the code of a javascript: address.
    const page = URL.parse(configuration.serverMetadata().authorization_endpoint ?? '')
    const isPlain = page?.protocol === 'http:' && this.#mode === 'sandbox'
    if (page?.protocol !== 'https:' && !isPlain) {
      throw new ProviderFailure('provider_unavailable', 'its sign-in page is not at https')
    }
    const { redirectUri, state, nonce, verifier, isFresh } = request
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: SCOPE,
      response_type: 'code',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isFresh ? { prompt: 'login', max_age: '0' } : {}),
    })
    return url.href
  }

  async exchange(provider: Provider, { callback, ...expected }: Exchange): Promise<Claims> {
    const client = await library()
    const configuration = await this.#configurationOf(provider)
    const tokens = await client
      .authorizationCodeGrant(configuration, callback, {
        expectedState: expected.state,
        expectedNonce: expected.nonce,
        pkceCodeVerifier: expected.verifier,
        idTokenExpected: true,
        ...(expected.isFresh ? { maxAge: 0 } : {}),
      })
      .catch((error: unknown) => {
        throw toFailure(error)
      })
    const claims = tokens.claims() as IDToken
    const ageSeconds = this.#clock().getTime() / 1000 - claims.iat
    if (ageSeconds < -TOLERANCE_SECONDS || ageSeconds > ISSUED_SECONDS_MAX + TOLERANCE_SECONDS) {
      throw new ProviderFailure('provider_sign_in_failed', 'the ID token was not issued just now')
    }
    return claims
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  async #configurationOf(provider: Provider): Promise<Configuration> {
    const key = `${provider.clientId} ${provider.updatedAt.getTime()}`
    const nowMs = this.#clock().getTime()
    const cached = this.#cache.get(key)
    if (cached && cached.untilMs > nowMs && cached.untilMs <= nowMs + FRESH_MS) {
      return cached.configuration
    }
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear()
    const configuration = this.#discover(provider)
    this.#cache.set(key, { untilMs: nowMs + FRESH_MS, configuration })
    try {
      return await configuration
    } catch (error) {
      this.#cache.delete(key)
      throw error instanceof ProviderFailure ? error : unavailable(error)
    }
  }

  async #discover({ issuer, providerClientId, clientSecretSealed }: Provider) {
    const client = await library()
    const secret = this.#sealer.open(clientSecretSealed)
    const metadata = {
      client_secret: secret,
      [client.clockTolerance]: TOLERANCE_SECONDS,
      [client.clockSkew]: Math.round((this.#clock().getTime() - systemClock().getTime()) / 1000),
    }
    const execute = this.#mode === 'live' ? [] : [client.allowInsecureRequests]
    const options = { [client.customFetch]: this.#fetch, execute, timeout: TIMEOUT_SECONDS }
    const found = await client.discovery(
      new URL(issuer),
      providerClientId,
      metadata,
      undefined,
      options,
    )
    const server = found.serverMetadata()
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    const configuration = new client.Configuration(
      server,
      providerClientId,
      metadata,
      takesPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret),
    )
    configuration[client.customFetch] = this.#fetch
    configuration.timeout = TIMEOUT_SECONDS
    for (const extension of execute) extension(configuration)
    // Verifies the signature of ID tokens, although they come from the provider itself over TLS.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  // Redirects are not followed: openid-client asks for that.
  readonly #fetch = async (url: string, init: object): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'manual', dispatcher: this.#agent })
    const { status, headers } = response
    const body = await readBody(response.body)
    return new Response(body.length > 0 ? body : null, { status, headers: [...headers] })
  }
}

async function readBody(stream: AsyncIterable<Uint8Array> | null): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream ?? []) {
    size += chunk.length
    if (size > RESPONSE_BYTES_MAX) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function toFailure(error: unknown): ProviderFailure {
  const { name, code } = error as Error & { code?: string }
  if (name === 'TypeError' || code === 'OAUTH_TIMEOUT') return unavailable(error)
  return new ProviderFailure('provider_sign_in_failed', reasonOf(error))
}

function unavailable(error: unknown): ProviderFailure {
  return new ProviderFailure('provider_unavailable', reasonOf(error))
}

// Neither the library's messages nor those of their causes contain codes or tokens. The cause's message is
// more precise.
function reasonOf(error: unknown): string {
  const { message, cause, error: oauthError } = error as Error & { error?: unknown }
  const deeper = cause instanceof Error ? cause.message : oauthError
  const reason = typeof deeper === 'string' && deeper !== '' ? `${message}: ${deeper}` : message
  return cleanText(reason).slice(0, REASON_LENGTH_MAX)
}

function cleanText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, ' ')
}
