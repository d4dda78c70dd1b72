// An OpenID Connect provider on loopback with discovery, keys and tokens, for tests of sign-in by provider.
// `authorize` stands for the page on which a user signs in: it returns the parameters of the redirect.

import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'

export const PROVIDER_CLIENT = { id: 'manilla-at-idp', secret: 'the secret of manilla at the idp' }

type Claims = Record<string, unknown>
type Key = { kid: string; privateKey: CryptoKey; jwk: JWK }
type Grant = { nonce: string; challenge: string; redirectUri: string; claims: Claims }

// How the UserInfo endpoint answers. Its claims are those of the user, with these changes.
export type UserInfo = {
  claims?: Claims
  form?: 'json' | 'jwt' | 'unsigned'
  signWith?: Key
  status?: number
  hangs?: boolean
}

// Faults of the provider's next tokens and token responses.
export type Mischief = {
  claims?: Claims // They replace claims of the ID token; the value undefined removes a claim.
  alg?: 'none' | 'HS256'
  hmacSecret?: string
  signWith?: Key // Instead of a published key.
  kid?: string
  status?: number // The status of the token endpoint's answer.
  body?: unknown
}

export async function startIdentityProvider(clock: () => Date): Promise<IdentityProvider> {
  const provider = new IdentityProvider(clock)
  await provider.start()
  return provider
}

export class IdentityProvider {
  readonly calls = { discovery: 0, keys: 0, token: 0, userInfo: 0 }
  readonly newKey = newKey
  readonly #clock: () => Date
  readonly #grants = new Map<string, Grant>()
  readonly #subjects = new Map<string, unknown>() // By access token.
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  #keys: Key[] = []
  #mischief: Mischief = {}
  #discovery: Claims = {}
  issuer = ''
  user: Claims = {} // The person who signs in at the provider's page.
  userInfo: UserInfo | undefined // Undefined: the provider has no such endpoint.

  constructor(clock: () => Date) {
    this.#clock = clock
  }

  async start(): Promise<void> {
    await this.rotateKeys()
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  // Signs a user in who came with the URL of an authorization request. Returns the parameters with which the
  // provider redirects the browser back.
  authorize(url: string, claims: Claims): Record<'code' | 'state' | 'iss', string> {
    const { searchParams } = new URL(url)
    const parameter = (name: string) => searchParams.get(name) ?? ''
    const code = randomUUID()
    this.#grants.set(code, {
      nonce: parameter('nonce'),
      challenge: parameter('code_challenge'),
      redirectUri: parameter('redirect_uri'),
      claims,
    })
    return { code, state: parameter('state'), iss: this.issuer }
  }

  misbehave(mischief: Mischief): void {
    this.#mischief = mischief
  }

  // Replaces members of the discovery document in later responses.
  publish(discovery: Claims): void {
    this.#discovery = discovery
  }

  currentKey(): Key {
    return this.#keys[0] as Key
  }

  publicKey(): JWK {
    return this.currentKey().jwk
  }

  async rotateKeys(): Promise<void> {
    this.#keys = [await newKey()]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.issuer)
    if (pathname === '/.well-known/openid-configuration') {
      this.calls.discovery++
      return sendJson(response, this.#describe())
    }
    if (pathname === '/keys') {
      this.calls.keys++
      return sendJson(response, { keys: this.#keys.map(({ jwk }) => jwk) })
    }
    if (pathname === '/authorize') {
      const url = request.url ?? ''
      const redirectUri = new URL(url, this.issuer).searchParams.get('redirect_uri') ?? ''
      const parameters = new URLSearchParams(this.authorize(`${this.issuer}${url}`, this.user))
      response.writeHead(302, { location: `${redirectUri}?${parameters}` }).end()
      return
    }
    if (pathname === '/userinfo') return this.#answerUserInfo(request, response)
    if (pathname !== '/token') return sendJson(response, { error: 'not_found' }, 404)
    this.calls.token++
    const { status, body } = this.#mischief
    if (status !== undefined) return sendJson(response, body ?? {}, status)
    if (request.headers.authorization !== basicOf(PROVIDER_CLIENT)) {
      return sendJson(response, { error: 'invalid_client' }, 401)
    }
    const grant = this.#redeemCode(new URLSearchParams(await textOf(request)))
    if (!grant) return sendJson(response, { error: 'invalid_grant' }, 400)
    const idToken = await this.#sign({ nonce: grant.nonce, ...grant.claims })
    const token = { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300 }
    this.#subjects.set(token.access_token, grant.claims.sub)
    sendJson(response, { ...token, id_token: idToken })
  }

  // States claims about the user whose access token it gets, as JSON or as a signed JWT.
  async #answerUserInfo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.calls.userInfo++
    const { claims = {}, form = 'json', signWith, status, hangs } = this.userInfo ?? {}
    if (hangs) return
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (status !== undefined) return sendJson(response, {}, status)
    if (!this.#subjects.has(token)) return sendJson(response, { error: 'invalid_token' }, 401)
    const stated = { sub: this.#subjects.get(token), ...claims }
    if (form === 'json') return sendJson(response, stated)
    response.writeHead(200, { 'content-type': 'application/jwt' })
    const payload: Claims = { iss: this.issuer, aud: PROVIDER_CLIENT.id, ...stated }
    if (form === 'unsigned') return void response.end(new UnsecuredJWT(payload).encode())
    const key = signWith ?? this.currentKey()
    const header = { alg: 'RS256', kid: this.currentKey().kid }
    response.end(await new SignJWT(payload).setProtectedHeader(header).sign(key.privateKey))
  }

  #describe(): Claims {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(this.userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
      ...this.#discovery,
    }
  }

  // A code works once, and only with the redirect address and the PKCE verifier of its authorization request.
  #redeemCode(form: URLSearchParams): Grant | undefined {
    const code = form.get('code') ?? ''
    const grant = this.#grants.get(code)
    this.#grants.delete(code)
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const isRight = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri')
    return isRight ? grant : undefined
  }

  // Signs an ID token with these claims, changed by the current mischief.
  async #sign(claims: Claims): Promise<string> {
    const { claims: changes, alg, hmacSecret, signWith, kid } = this.#mischief
    const now = Math.floor(this.#clock().getTime() / 1000)
    const usual = {
      iss: this.issuer,
      aud: PROVIDER_CLIENT.id,
      iat: now,
      exp: now + 300,
      auth_time: now,
    }
    const payload = { ...usual, ...claims, ...changes }
    if (alg === 'none') return new UnsecuredJWT(payload).encode()
    if (alg === 'HS256') {
      const secret = new TextEncoder().encode(hmacSecret)
      return new SignJWT(payload).setProtectedHeader({ alg }).sign(secret)
    }
    const key = signWith ?? this.currentKey()
    const header = { alg: 'RS256', kid: kid ?? key.kid }
    return new SignJWT(payload).setProtectedHeader(header).sign(key.privateKey)
  }
}

// A new key with which the provider signs tokens, and its public part as a JWK.
async function newKey(): Promise<Key> {
  const kid = randomUUID()
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  return { kid, privateKey, jwk: { ...jwk, kid, alg: 'RS256', use: 'sig' } }
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

// The header of HTTP Basic authentication, with the encoding of RFC 6749 (appendix B) that libraries differ
// in.
function basicOf({ id, secret }: typeof PROVIDER_CLIENT): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll('%20', '+').replaceAll('-', '%2D')
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
