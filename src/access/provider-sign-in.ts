// Signing in with the client's OpenID Connect provider.
//
//   begun ──the browser comes back──▶ proven ──second factor, if the user has one──▶ session
//
// The first step gives the browser a token in a cookie, and each later step needs it. So an attacker cannot
// make another browser finish the attacker's sign-in. `state` and code work once. The provider replaces only
// the password (I155).

import type { Pool, Queryable } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { countAttemptFrom, countCode, uncountSignIn } from './attempts.ts'
import { type CheckedAssertion, usePasskey } from './passkeys.ts'
import { hashPassword, hashToken, randomToken } from './passwords.ts'
import {
  type Claims,
  decideRole,
  findProvider,
  findProviderOf,
  lockProvider,
  type Provider,
  type ProviderConnections,
  ProviderFailure,
} from './providers.ts'
import { useCode } from './second-factors.ts'
import { failSignIn, type SignInCaller, type SignInOutcome, succeedSignIn } from './sign-in.ts'
import {
  changeUser,
  createUser,
  findUser,
  findUserByEmail,
  lockUser,
  recordGrant,
  setPassword,
  sharedSalt,
  type User,
} from './users.ts'

export const PROVIDER_SIGN_IN_MS = 10 * 60_000
const SUBJECT_LENGTH_MAX = 255 // OpenID Connect Core, section 2.
const EMAIL_LENGTH_MAX = 254

type Parts = { db: Pool; sealer: Sealer; providers: ProviderConnections }

type Beginning = { clientCode: string; redirectUri: string; isFresh: boolean }

// Returns the address to which the browser goes, and the token that it keeps.
export async function beginProviderSignIn(
  { db, sealer, providers }: Parts,
  now: Date,
  { clientCode, redirectUri, isFresh }: Beginning,
): Promise<{ url: string; token: string }> {
  const provider = await findProviderOf(db, clientCode)
  if (!provider) throw new Refusal('provider_not_found')
  const [token, state, nonce, verifier] = [
    randomToken(),
    randomToken(),
    randomToken(),
    randomToken(),
  ]
  const request = { redirectUri, state, nonce, verifier, isFresh }
  const url = await providers.authorizationUrl(provider, request).catch((error: unknown) => {
    throw error instanceof ProviderFailure ? new Refusal(error.refused) : error
  })
  await db.query({
    name: 'begin-provider-sign-in',
    text: `insert into provider_sign_ins (browser_hash, client_id, provider_set_at, state_hash, nonce,
                                          verifier_sealed, is_fresh, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      hashToken(token),
      provider.clientId,
      provider.updatedAt,
      hashToken(state),
      nonce,
      sealer.seal(verifier),
      isFresh,
      new Date(now.getTime() + PROVIDER_SIGN_IN_MS),
    ],
  })
  return { url, token }
}

type Begun = {
  clientId: ClientId
  providerSetAt: Date
  nonce: string
  verifierSealed: Buffer
  isFresh: boolean
}

// `callback` is the address to which the provider sent the browser, with its parameters.
type Return = SignInCaller & { token: string; callback: URL }

export async function completeProviderSignIn(
  parts: Parts,
  clock: () => Date,
  back: Return,
): Promise<SignInOutcome> {
  const { db, sealer, providers } = parts
  const state = back.callback.searchParams.get('state') ?? ''
  const begun = await takeState(db, clock(), { token: back.token, state })
  if (!begun) return { refused: 'provider_sign_in_expired' }
  const provider = await findProvider(db, begun.clientId)
  if (provider?.updatedAt.getTime() !== begun.providerSetAt.getTime()) {
    return { refused: 'provider_sign_in_expired' }
  }
  const source = { caller: back.caller, email: `provider ${back.token}` }
  await countAttemptFrom(db, clock(), source)
  try {
    const { nonce, isFresh } = begun
    const verifier = sealer.open(begun.verifierSealed)
    const { callback } = back
    const claims = await providers.exchange(provider, { callback, state, nonce, verifier, isFresh })
    const identity = readIdentity(provider, claims)
    const spareHash = await spareHashFor(db, provider, identity)
    return await withTransaction(db, async (tx) => {
      const arrival = {
        provider,
        identity,
        claims,
        spareHash,
        isFresh,
        signIn: { ...back, ...source },
      }
      return arrive(tx, clock(), arrival)
    })
  } catch (error) {
    if (!(error instanceof ProviderFailure) && !(error instanceof NotAdmitted)) throw error
    await recordFailure(db, clock(), { provider, error, address: back.address })
    return { refused: error.refused }
  }
}

// The client's audit log records the reason for the client's administrators.
class NotAdmitted extends Error {
  readonly refused: RefusalCode

  constructor(refused: RefusalCode, reason: string) {
    super(reason)
    this.refused = refused
  }
}

type Identity = { issuer: string; subject: string; email: string | undefined }

function readIdentity({ trustsEmail }: Provider, claims: Claims): Identity {
  const { iss: issuer, sub: subject, email, email_verified: isVerified } = claims
  if (!subject || subject.length > SUBJECT_LENGTH_MAX || /[\x00-\x1f]/.test(subject)) {
    throw new NotAdmitted('provider_sign_in_failed', 'the subject is not valid')
  }
  const isTrusted = isVerified === true || (trustsEmail && isVerified === undefined)
  const isEmail =
    typeof email === 'string' &&
    email.length <= EMAIL_LENGTH_MAX &&
    /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(email)
  return { issuer, subject, email: isTrusted && isEmail ? email : undefined }
}

// Returns the hash of a random password, for a user who has no password that only they know; undefined if the
// user has one. Call before the transaction, because hashing takes long.
async function spareHashFor(
  db: Queryable,
  { clientId }: Provider,
  { issuer, subject, email }: Identity,
): Promise<string | undefined> {
  const { rows } = await db.query({
    name: 'has-own-password',
    text: `select from users u left join provider_identities i on i.user_id = u.id
            where u.client_id = $1 and not u.is_password_temporary
              and (i.issuer = $2 and i.subject = $3 or u.email = lower($4))`,
    values: [clientId, issuer, subject, email ?? null],
  })
  if (rows.length > 0) return undefined
  return hashPassword(randomToken(), email === undefined ? undefined : await sharedSalt(db, email))
}

type Arrival = {
  provider: Provider
  identity: Identity
  claims: Claims
  spareHash: string | undefined
  isFresh: boolean
  signIn: Return & { email: string }
}

async function arrive(tx: Transaction, now: Date, arrival: Arrival): Promise<SignInOutcome> {
  const { identity, claims, spareHash, isFresh, signIn } = arrival
  const provider = await lockProvider(tx, arrival.provider)
  if (!provider) throw new NotAdmitted('provider_sign_in_expired', 'the provider was changed')
  const role = decideRole(provider, claims)
  if (role === null) {
    throw new NotAdmitted('provider_role_missing', `no value of ${provider.roleClaim} gives a role`)
  }
  const known = await findByIdentity(tx, provider, identity)
  const found = known ?? (await linkByEmail(tx, now, { provider, identity }))
  const user = found ?? (await createByProvider(tx, now, { ...arrival, role: role ?? 'support' }))
  const locked = await lockUser(tx, { id: user.id, clientId: user.clientId, byId: undefined })
  if (!locked?.isActive) throw new NotAdmitted('provider_user_unknown', 'the user is disabled')
  if (role !== undefined && role !== locked.role && !locked.isLast) {
    await changeUser(tx, locked, { role })
    await recordGrant(tx, now, { by: setterOf(provider), user, isNewPassword: false })
    const detail = { from: locked.role, to: role }
    await record(tx, now, { provider, user, action: 'user.change_role', detail })
  }
  if (locked.isPasswordTemporary) {
    if (spareHash === undefined) throw new Refusal('try_again') // The password was reset a moment ago.
    await setPassword(tx, now, { id: user.id, hash: spareHash, isTemporary: false })
  }
  if (locked.hasTotp || locked.hasPasskey) {
    await uncountSignIn(tx, signIn, [])
    await waitForSecondFactor(tx, { token: signIn.token, userId: user.id })
    return { refused: locked.hasPasskey ? 'passkey_needed' : 'code_needed' }
  }
  await standBehind(tx, now, { provider, user })
  await endWaiting(tx, signIn.token)
  const ofProvider = { provenAt: isFresh ? now : null }
  return succeedSignIn(tx, now, { signIn, user, how: 'provider', provider: ofProvider })
}

async function findByIdentity(
  tx: Transaction,
  { clientId }: Provider,
  { issuer, subject }: Identity,
): Promise<User | undefined> {
  const { rows } = await tx.query<{ userId: UserId }>({
    name: 'find-provider-identity',
    text: `select user_id from provider_identities
            where client_id = $1 and issuer = $2 and subject = $3`,
    values: [clientId, issuer, subject],
  })
  return rows[0] && findUser(tx, rows[0].userId)
}

type Newcomer = { provider: Provider; identity: Identity }

// Links the user with this address at the first sign-in after an invitation. Returns undefined if there is no
// such user.
async function linkByEmail(
  tx: Transaction,
  now: Date,
  { provider, identity }: Newcomer,
): Promise<User | undefined> {
  const { email } = identity
  if (email === undefined) {
    throw new NotAdmitted('provider_user_unknown', 'the provider names no verified email address')
  }
  const user = await findUserByEmail(tx, provider.clientId, email)
  if (user) await link(tx, now, { identity, user })
  return user
}

// Refuses a user who is linked to another account at the same provider: the provider may have reassigned the
// address of a person who left.
async function link(
  tx: Transaction,
  now: Date,
  { identity, user }: { identity: Identity; user: User },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'link-provider-identity',
    text: `insert into provider_identities as i (user_id, client_id, issuer, subject, linked_at)
           values ($1, $2, $3, $4, $5)
           on conflict (user_id) do update
             set issuer = excluded.issuer, subject = excluded.subject,
                 linked_at = excluded.linked_at
           where i.issuer <> excluded.issuer`,
    values: [user.id, user.clientId, identity.issuer, identity.subject, now],
  })
  if (rowCount !== 1) {
    const reason = `${user.email} is linked to another account of the provider`
    throw new NotAdmitted('provider_user_unknown', reason)
  }
}

async function createByProvider(
  tx: Transaction,
  now: Date,
  {
    provider,
    identity,
    spareHash,
    role,
  }: Newcomer & Pick<Arrival, 'spareHash'> & { role: User['role'] },
): Promise<User> {
  const { email } = identity
  if (!provider.createsUsers || email === undefined) {
    throw new NotAdmitted('provider_user_unknown', `nobody invited ${email}`)
  }
  if (spareHash === undefined) throw new Refusal('try_again') // The user was added and removed just now.
  const { clientId, setByUser } = provider
  const user = await createUser(tx, now, {
    clientId,
    email,
    role,
    passwordHash: spareHash,
    createdBy: setByUser,
  })
  await recordGrant(tx, now, { by: setterOf(provider), user, isNewPassword: true })
  await link(tx, now, { identity, user })
  await record(tx, now, { provider, user, action: 'user.create', detail: { role } })
  return user
}

function setterOf({ setByUser, clientId }: Provider) {
  return { userId: setByUser, clientId }
}

// From now on a user without a second factor is also treated as the people behind the provider, like a user
// whose password those people set. The sign-in is treated like opening an invitation's link, so that the user
// becomes independent once they have a second factor.
async function standBehind(
  tx: Transaction,
  now: Date,
  { provider, user }: { provider: Provider; user: User },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'stand-behind-user',
    text: `update users
              set password_by = array(select distinct unnest(
                    array_remove(people_of(id, $3), id) || $2::uuid[])),
                  own_from = null, link_used_at = $3
            where id = $1
              and (own_from is not null or link_used_at is null
                   or not coalesce(password_by, '{}') @> $2::uuid[])`,
    values: [user.id, provider.setByPeople, now],
  })
  if (rowCount === 0) return
  await recordGrant(tx, now, { by: setterOf(provider), user, isNewPassword: false })
}

type Waiting = { token: string; userId: UserId }

async function waitForSecondFactor(tx: Transaction, { token, userId }: Waiting): Promise<void> {
  await tx.query({
    name: 'provider-sign-in-proven',
    text: 'update provider_sign_ins set user_id = $2 where browser_hash = $1',
    values: [hashToken(token), userId],
  })
}

async function endWaiting(tx: Transaction, token: string): Promise<void> {
  await tx.query({
    name: 'end-provider-sign-in',
    text: 'delete from provider_sign_ins where browser_hash = $1',
    values: [hashToken(token)],
  })
}

type SecondFactor = SignInCaller & {
  token: string
  code?: string | undefined
  passkey?: CheckedAssertion | undefined
}

export async function finishProviderSignIn(
  { db, sealer }: Pick<Parts, 'db' | 'sealer'>,
  clock: () => Date,
  signIn: SecondFactor,
): Promise<SignInOutcome> {
  const source = { caller: signIn.caller, email: `provider ${signIn.token}` }
  await countAttemptFrom(db, clock(), source)
  return withTransaction(db, async (tx) => {
    const now = clock()
    const waiting = await lockWaiting(tx, now, signIn.token)
    const user = waiting && (await lockActiveUser(tx, waiting.userId))
    const provider = waiting && user && (await findProvider(tx, user.clientId))
    if (!waiting || !user || provider?.updatedAt.getTime() !== waiting.providerSetAt.getTime()) {
      return { refused: 'provider_sign_in_expired' }
    }
    const attempt = await countCode(tx, now, user.id)
    if (attempt.isLocked) {
      return { refused: 'too_many_attempts', retryAfterSeconds: attempt.retryAfterSeconds }
    }
    const how = await useFactor(tx, { sealer, now }, { userId: user.id, signIn })
    if (!how) {
      const refused = signIn.passkey ? 'invalid_passkey' : 'invalid_code'
      const { address } = signIn
      return failSignIn(tx, now, { address, comparedUsers: [user], locked: new Set(), refused })
    }
    await endWaiting(tx, signIn.token)
    const ofProvider = { provenAt: waiting.isFresh ? now : null }
    const successful = { signIn: { ...signIn, ...source }, user, how, provider: ofProvider }
    return succeedSignIn(tx, now, successful)
  })
}

async function lockWaiting(tx: Transaction, now: Date, token: string) {
  const { rows } = await tx.query<{ userId: UserId; isFresh: boolean; providerSetAt: Date }>({
    name: 'lock-provider-sign-in',
    text: `select user_id, is_fresh, provider_set_at from provider_sign_ins
            where browser_hash = $1 and user_id is not null and expires_at > $2 for update`,
    values: [hashToken(token), now],
  })
  return rows[0]
}

async function lockActiveUser(tx: Transaction, id: UserId): Promise<User | undefined> {
  await tx.query({
    name: 'lock-provider-user',
    text: 'select from users where id = $1 for no key update',
    values: [id],
  })
  const user = await findUser(tx, id)
  return user?.isActive ? user : undefined
}

async function useFactor(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  { userId, signIn: { code, passkey: checked } }: { userId: UserId; signIn: SecondFactor },
): Promise<'totp' | 'recovery' | 'passkey' | undefined> {
  if (!checked) return useCode(tx, { sealer, now, userId, code: code ?? '' })
  const { passkey, counter } = checked
  if (!passkey || counter === undefined) return undefined
  return (await usePasskey(tx, now, { id: passkey.id, userId, counter })) ? 'passkey' : undefined
}

// Uses up the state. Runs outside a transaction, so that the state is used up even if the sign-in fails.
async function takeState(
  db: Queryable,
  now: Date,
  { token, state }: { token: string; state: string },
): Promise<Begun | undefined> {
  const { rows } = await db.query<Begun>({
    name: 'take-provider-state',
    text: `update provider_sign_ins set state_hash = null
            where browser_hash = $1 and state_hash = $2 and expires_at > $3
           returning client_id, provider_set_at, nonce, verifier_sealed, is_fresh`,
    values: [hashToken(token), hashToken(state), now],
  })
  return rows[0]
}

export async function deleteExpiredProviderSignIns(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-provider-sign-ins',
    text: 'delete from provider_sign_ins where expires_at <= $1',
    values: [now],
  })
}

type Failure = { provider: Provider; error: Error & { refused: RefusalCode }; address: string }

function recordFailure(db: Pool, now: Date, { provider, error, address }: Failure): Promise<void> {
  return withTransaction(db, (tx) =>
    writeAuditLog(tx, now, {
      clientId: provider.clientId,
      actor: `address:${address}`,
      action: 'provider.sign_in_failed',
      subject: `client/${provider.clientCode}`,
      detail: { code: error.refused, reason: error.message },
    }),
  )
}

type Entry = { provider: Provider; user: User; action: `user.${string}`; detail: object }

function record(tx: Transaction, now: Date, { provider, user, action, detail }: Entry) {
  return writeAuditLog(tx, now, {
    clientId: provider.clientId,
    actor: 'provider',
    action,
    subject: `user/${user.email}`,
    detail: { ...detail, issuer: provider.issuer },
  })
}
