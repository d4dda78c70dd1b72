// A client's OpenID Connect provider, for the sign-in of its users: the settings, and connections to it.
//
// The user who sets a provider can make it name any user of the client. So the people behind that user (I93)
// stand behind every user who has no second factor with us. A user with a second factor is always asked for
// it (I155).

import type { Configuration, IDToken, ServerMetadata } from 'openid-client'
import { type Agent, fetch } from 'undici'
import { type Clock, systemClock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { createGuardedAgent, type Mode } from '#ssrf-guard.ts'
import { refuseRole } from './manage-users.ts'
import { type Client, ROLES, type Role } from './permissions.ts'
import { hasSecondFactor } from './second-factors.ts'
import { lockUserOf, type SignedInSession } from './sessions.ts'

type RoleMapping = { value: string; role: Role }

export type Provider = {
  clientId: ClientId
  clientCode: string
  issuer: string
  providerClientId: string
  clientSecretSealed: Buffer
  roleClaim: string | null
  roles: readonly RoleMapping[]
  createsUsers: boolean
  trustsEmail: boolean
  isEnforced: boolean
  setByUser: UserId // The user who last changed the settings.
  setByPeople: readonly UserId[] // The people behind that user (I93).
  updatedAt: Date
}

const PROVIDER_COLUMNS = `
  p.client_id, c.client_id as client_code, p.issuer, p.provider_client_id, p.client_secret_sealed,
  p.role_claim, p.roles, p.creates_users, p.trusts_email, p.is_enforced, p.set_by_user,
  p.set_by_people, p.updated_at`

// Whether the client's users must sign in with the provider.
export async function isProviderEnforced(db: Queryable, clientId: ClientId): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'is-provider-enforced',
    text: 'select from sign_in_providers where client_id = $1 and is_enforced',
    values: [clientId],
  })
  return rowCount === 1
}

export async function findProvider(
  db: Queryable,
  clientId: ClientId,
): Promise<Provider | undefined> {
  const { rows } = await db.query<Provider>({
    name: 'find-provider',
    text: `select ${PROVIDER_COLUMNS} from sign_in_providers p join clients c on c.id = p.client_id
            where p.client_id = $1`,
    values: [clientId],
  })
  return rows[0]
}

// Like findProvider, by the login id of an active client: for users who are about to sign in.
export async function findProviderOf(
  db: Queryable,
  clientCode: string,
): Promise<Provider | undefined> {
  const { rows } = await db.query<Provider>({
    name: 'find-provider-of-client',
    text: `select ${PROVIDER_COLUMNS} from sign_in_providers p join clients c on c.id = p.client_id
            where c.client_id = $1 and c.is_active`,
    values: [clientCode],
  })
  return rows[0]
}

// Serialises sign-ins of the same client. Returns undefined if the provider's settings have changed or the
// client was suspended.
export async function lockProvider(
  tx: Transaction,
  { clientId, updatedAt }: Pick<Provider, 'clientId' | 'updatedAt'>,
): Promise<Provider | undefined> {
  const { rows } = await tx.query<Provider>({
    name: 'lock-provider',
    text: `select ${PROVIDER_COLUMNS} from sign_in_providers p join clients c on c.id = p.client_id
            where p.client_id = $1 and p.updated_at = $2 and c.is_active for update of p`,
    values: [clientId, updatedAt],
  })
  return rows[0]
}

// The person who sets the provider decides who the client's users are, so their role must be allowed to give
// every role of the client.
export function mayManageProvider(role: Role, { isOperator }: Pick<Client, 'isOperator'>): boolean {
  return isOperator ? role === 'operator' : role === 'owner'
}

export type ProviderSettings = Pick<
  Provider,
  | 'issuer'
  | 'providerClientId'
  | 'roleClaim'
  | 'roles'
  | 'createsUsers'
  | 'trustsEmail'
  | 'isEnforced'
> & { clientSecret: string | undefined } // Undefined keeps the stored secret.

type ProviderChange = { session: SignedInSession; sealer: Sealer; settings: ProviderSettings }

// Stores the client's sign-in provider. If it replaces another one, ends the sessions that the former
// provider opened. If the provider becomes the only way to sign in, ends the sessions that were opened
// without it. The caller's own session stays.
export async function setProvider(
  tx: Transaction,
  now: Date,
  { session, sealer, settings }: ProviderChange,
): Promise<Provider> {
  const { client, user } = session
  await lockUsers(tx, client.id)
  await refuseOtherRoles(tx, session)
  for (const role of new Set(settings.roles.map((mapping) => mapping.role))) {
    const by = { actor: `user:${user.email}`, role: user.role, clientId: client.id, session }
    await refuseRole(tx, by, { clientId: client.id, role })
  }
  // A mistake in the settings of an enforced provider locks out every user without a second factor, so the
  // caller must have one.
  if (settings.isEnforced && !(await hasSecondFactor(tx, user.id))) {
    throw new Refusal('second_factor_needed')
  }
  const existing = await findProvider(tx, client.id)
  const secret = settings.clientSecret
  if (secret === undefined && existing?.issuer !== settings.issuer) {
    // The stored secret must not be sent to another provider.
    throw invalidField('clientSecret', 'Is required.')
  }
  const sealed = secret === undefined ? existing?.clientSecretSealed : sealer.seal(secret)
  await tx.query({
    name: 'set-provider',
    text: `insert into sign_in_providers (client_id, issuer, provider_client_id, client_secret_sealed,
                 role_claim, roles, creates_users, trusts_email, is_enforced, set_by_user,
                 set_by_people, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, people_of($10, $11), $11)
           on conflict (client_id) do update
             set issuer = excluded.issuer, provider_client_id = excluded.provider_client_id,
                 client_secret_sealed = excluded.client_secret_sealed,
                 role_claim = excluded.role_claim, roles = excluded.roles,
                 creates_users = excluded.creates_users, trusts_email = excluded.trusts_email,
                 is_enforced = excluded.is_enforced, set_by_user = excluded.set_by_user,
                 set_by_people = excluded.set_by_people, updated_at = excluded.updated_at`,
    values: [
      client.id,
      settings.issuer,
      settings.providerClientId,
      sealed,
      settings.roleClaim,
      JSON.stringify(settings.roles),
      settings.createsUsers,
      settings.trustsEmail,
      settings.isEnforced,
      user.id,
      now,
    ],
  })
  const isOtherProvider = existing !== undefined && existing.issuer !== settings.issuer
  // The sessions of a replaced provider end. If the new provider is enforced, the sessions that were opened
  // without it end. If both apply, all sessions end.
  if (isOtherProvider || settings.isEnforced) {
    await endSessions(tx, session, {
      all: isOtherProvider && settings.isEnforced,
      throughProvider: isOtherProvider,
    })
  }
  const { clientSecret: _, ...recorded } = settings
  await recordSettingChange(tx, now, {
    session,
    action: 'provider.set',
    detail: { ...recorded, newSecret: secret !== undefined },
  })
  return (await findProvider(tx, client.id)) as Provider
}

// Removes the client's sign-in provider, and ends the sessions that it opened, except the caller's.
export async function removeProvider(
  tx: Transaction,
  now: Date,
  session: SignedInSession,
): Promise<void> {
  await lockUsers(tx, session.client.id)
  await refuseOtherRoles(tx, session)
  const { rows } = await tx.query<{ issuer: string }>({
    name: 'remove-provider',
    text: 'delete from sign_in_providers where client_id = $1 returning issuer',
    values: [session.client.id],
  })
  if (!rows[0]) throw new Refusal('provider_not_found')
  await endSessions(tx, session, { all: false, throughProvider: true })
  await recordSettingChange(tx, now, {
    session,
    action: 'provider.remove',
    detail: { issuer: rows[0].issuer },
  })
}

// Locks all users of the client before its provider changes. A sign-in locks its user. So either the sign-in
// is over, and the change ends its session, or the sign-in sees the change.
async function lockUsers(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-users-of-client',
    text: 'select from users where client_id = $1 order by id for no key update',
    values: [clientId],
  })
}

// Locks the signed-in user, and refuses a user whose current role may not change the provider.
async function refuseOtherRoles(tx: Transaction, session: SignedInSession): Promise<void> {
  const role = await lockUserOf(tx, session)
  if (!mayManageProvider(role, session.client)) throw new Refusal('role_not_allowed')
}

// Ends sessions of the client's users, except the caller's own: all, or only those that were opened through
// the provider (`throughProvider` is true) or without it (false).
async function endSessions(
  tx: Transaction,
  { client, sessionId }: SignedInSession,
  { all, throughProvider }: { all: boolean; throughProvider: boolean },
): Promise<void> {
  await tx.query({
    name: 'end-sessions-of-client',
    text: `delete from sessions
            where client_id = $1 and id <> $2 and ($3 or through_provider = $4)`,
    values: [client.id, sessionId, all, throughProvider],
  })
}

type Entry = { session: SignedInSession; action: `provider.${string}`; detail: object }

// Writes a change of the client's provider settings to its audit log.
function recordSettingChange(
  tx: Transaction,
  now: Date,
  { session, action, detail }: Entry,
): Promise<void> {
  const { client, user } = session
  const actor = `user:${user.email}`
  return writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action,
    subject: `client/${client.clientId}`,
    detail,
  })
}

// Returns the role of the first mapping whose value is in the claim: undefined if there are no mappings, null
// if no mapping matches.
export function decideRole(
  { roleClaim, roles }: Pick<Provider, 'roleClaim' | 'roles'>,
  claims: Readonly<Record<string, unknown>>,
): Role | null | undefined {
  if (roleClaim === null) return undefined
  const claim = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : undefined
  const values = Array.isArray(claim) ? claim : [claim]
  const role = roles.find(({ value }) => values.includes(value))?.role
  return role !== undefined && ROLES.includes(role) ? role : null
}

// Talks to OpenID Connect providers: discovery, keys, and the exchange of a code for an ID token, by
// openid-client. Providers are named by clients, so connections go through the SSRF guard.
//
// Discovery and keys are cached for five minutes. An unknown key is looked up again after a minute at the
// earliest, so that forged tokens cause no load on the provider.

const CACHED_MS = 5 * 60_000
const CACHED_MAX = 1_000
const TIMEOUT_SECONDS = 10
const RESPONSE_BYTES_MAX = 256 * 1024
const TOLERANCE_SECONDS = 60 // The permitted difference between the provider's clock and ours.
const ISSUED_SECONDS_MAX = 600 // An ID token is issued for the code just exchanged.
const REASON_LENGTH_MAX = 300
const SCOPE = 'openid email profile'

// Loaded on demand: most processes never see a provider.
const loadOpenIdClient = () => import('openid-client')

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

type ConnectionOptions = { mode: Mode; clock: Clock; sealer: Sealer; timeoutSeconds?: number }

export class ProviderConnections {
  readonly #mode: Mode
  readonly #clock: Clock
  readonly #sealer: Sealer
  readonly #agent: Agent
  readonly #timeoutSeconds: number
  readonly #cache = new Map<string, { untilMs: number; configuration: Promise<Configuration> }>()

  constructor({ mode, clock, sealer, timeoutSeconds = TIMEOUT_SECONDS }: ConnectionOptions) {
    this.#mode = mode
    this.#timeoutSeconds = timeoutSeconds
    this.#clock = clock
    this.#sealer = sealer
    this.#agent = createGuardedAgent({ mode })
  }

  // Returns the address of the provider's sign-in page, with the parameters of this sign-in.
  async authorizationUrl(provider: Provider, request: Request): Promise<string> {
    const client = await loadOpenIdClient()
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

  // Exchanges the code in the callback for an ID token, and returns its verified claims.
  async exchange(provider: Provider, { callback, ...expected }: Exchange): Promise<Claims> {
    const client = await loadOpenIdClient()
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
    return withUserInfo(provider, claims, {
      isPublished: configuration.serverMetadata().userinfo_endpoint !== undefined,
      ask: () =>
        client.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch((error) => {
          throw toFailure(error, 'UserInfo: ')
        }),
    })
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  // Returns the configuration of the provider, from the cache or by discovery. The key contains the time of
  // the settings, so that changed settings are discovered at once.
  async #configurationOf(provider: Provider): Promise<Configuration> {
    const key = `${provider.clientId} ${provider.updatedAt.getTime()}`
    const nowMs = this.#clock().getTime()
    const cached = this.#cache.get(key)
    // The last comparison ignores entries from before the clock was set back.
    if (cached && cached.untilMs > nowMs && cached.untilMs <= nowMs + CACHED_MS) {
      return cached.configuration
    }
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear()
    const configuration = this.#discover(provider)
    this.#cache.set(key, { untilMs: nowMs + CACHED_MS, configuration })
    try {
      return await configuration
    } catch (error) {
      this.#cache.delete(key)
      throw error instanceof ProviderFailure ? error : unavailable(error)
    }
  }

  // Reads the provider's metadata, and prepares openid-client for this provider: how to authenticate, and how
  // far the test clock is from real time.
  async #discover({ issuer, providerClientId, clientSecretSealed }: Provider) {
    const client = await loadOpenIdClient()
    const secret = this.#sealer.open(clientSecretSealed)
    const metadata = {
      client_secret: secret,
      [client.clockTolerance]: TOLERANCE_SECONDS,
      [client.clockSkew]: Math.round((this.#clock().getTime() - systemClock().getTime()) / 1000),
    }
    const execute = this.#mode === 'live' ? [] : [client.allowInsecureRequests]
    const options = { [client.customFetch]: this.#fetch, execute, timeout: this.#timeoutSeconds }
    const discovered = await client.discovery(
      new URL(issuer),
      providerClientId,
      metadata,
      undefined,
      options,
    )
    const published: Readonly<ServerMetadata> = discovered.serverMetadata()
    // A provider that signs UserInfo without saying how signs it as it does ID tokens.
    const server = {
      userinfo_signing_alg_values_supported: published.id_token_signing_alg_values_supported ?? [],
      ...published,
    }
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    const configuration = new client.Configuration(
      server,
      providerClientId,
      metadata,
      takesPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret),
    )
    configuration[client.customFetch] = this.#fetch
    configuration.timeout = this.#timeoutSeconds
    for (const extension of execute) extension(configuration)
    // Verifies the signature of ID tokens, although they come from the provider itself over TLS.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  // Does not follow redirects, as openid-client requires.
  readonly #fetch = async (url: string, init: object): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'manual', dispatcher: this.#agent })
    const { status, headers } = response
    const body = await readBody(response.body)
    return new Response(body.length > 0 ? body : null, { status, headers: [...headers] })
  }
}

type UserInfo = { isPublished: boolean; ask: () => Promise<Readonly<Record<string, unknown>>> }

// Adds the claims that a sign-in needs and the ID token leaves out, as providers may (OpenID Connect Core,
// section 5.4): the UserInfo endpoint states them about the same subject. An address counts as verified only
// by the source that names it.
async function withUserInfo(
  { trustsEmail, roleClaim }: Provider,
  claims: Claims,
  { isPublished, ask }: UserInfo,
): Promise<Claims> {
  const { email, email_verified: isVerified } = claims
  const lacksEmail = email === undefined || (isVerified === undefined && !trustsEmail)
  const lacksRole = roleClaim !== null && !Object.hasOwn(claims, roleClaim)
  if (!isPublished || !(lacksEmail || lacksRole)) return claims
  const userInfo = await ask()
  const isSameEmail = email === undefined || email === userInfo.email
  const { email: itsEmail, email_verified: itsProof } = userInfo
  return {
    ...claims,
    ...(lacksEmail && isSameEmail && { email: itsEmail, email_verified: itsProof }),
    ...(lacksRole && Object.hasOwn(userInfo, roleClaim) && { [roleClaim]: userInfo[roleClaim] }),
  } as Claims
}

// Limits the size of a response: a client chooses the provider, so it may send anything.
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

// A TypeError is fetch's error for a failed connection, so the provider counts as unavailable.
// `source` names the endpoint in the reason.
function toFailure(error: unknown, source = ''): ProviderFailure {
  const { name, code } = error as Error & { code?: string }
  if (name === 'TypeError' || code === 'OAUTH_TIMEOUT') return unavailable(error, source)
  return new ProviderFailure('provider_sign_in_failed', `${source}${reasonOf(error)}`)
}

function unavailable(error: unknown, source = ''): ProviderFailure {
  return new ProviderFailure('provider_unavailable', `${source}${reasonOf(error)}`)
}

// Returns the reason of a failure, for the audit log: the message of the error and of its cause, which is
// more precise. openid-client's messages contain no codes or tokens.
function reasonOf(error: unknown): string {
  const { message, cause, error: oauthError } = error as Error & { error?: unknown }
  const deeper = cause instanceof Error ? cause.message : oauthError
  const reason = typeof deeper === 'string' && deeper !== '' ? `${message}: ${deeper}` : message
  return cleanText(reason).slice(0, REASON_LENGTH_MAX)
}

function cleanText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, ' ')
}
