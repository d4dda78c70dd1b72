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

type SignInDeps = { db: Pool; sealer: Sealer; providers: ProviderConnections }

type Beginning = { clientCode: string; redirectUri: string; isFresh: boolean }

// Begins a sign-in with the client's provider. Returns the provider's address, where the browser goes next,
// and the token for the browser's cookie.
export async function beginProviderSignIn(
  { db, sealer, providers }: SignInDeps,
  now: Date,
  { clientCode, redirectUri, isFresh }: Beginning,
): Promise<{ url: string; token: string }> {
  const provider = await findProviderOf(db, clientCode)
  if (!provider) throw new Refusal('provider_not_found')
  // The token stays in the browser's cookie. The provider repeats `state` and `nonce`, and later compares
  // `verifier` with its hash, which the address contains (PKCE).
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

// `callback` is the address at which the browser came back, with the parameters that the provider added.
type BrowserReturn = SignInCaller & { token: string; callback: URL }

// Signs the user in when the provider has sent the browser back with a code, or asks for the user's second
// factor. Failures of the provider, and refusals after its answer, are recorded in the audit log.
export async function completeProviderSignIn(
  deps: SignInDeps,
  clock: () => Date,
  browser: BrowserReturn,
): Promise<SignInOutcome> {
  const { db, sealer, providers } = deps
  const state = browser.callback.searchParams.get('state') ?? ''
  const pendingSignIn = await takeState(db, clock(), { token: browser.token, state })
  if (!pendingSignIn) return { refused: 'provider_sign_in_expired' }
  const provider = await findProvider(db, pendingSignIn.clientId)
  if (provider?.updatedAt.getTime() !== pendingSignIn.providerSetAt.getTime()) {
    return { refused: 'provider_sign_in_expired' }
  }
  // No email address is known yet: attempts are counted for the browser's token instead.
  const source = { caller: browser.caller, email: `provider ${browser.token}` }
  await countAttemptFrom(db, clock(), source)
  try {
    const { nonce, isFresh } = pendingSignIn
    const verifier = sealer.open(pendingSignIn.verifierSealed)
    const { callback } = browser
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
        signIn: { ...browser, ...source },
      }
      return signInByIdentity(tx, clock(), arrival)
    })
  } catch (error) {
    const refused = refusalOf(error)
    if (!refused) throw error
    const { message: reason } = error as Error
    await recordFailure(db, clock(), { provider, refused, reason, address: browser.address })
    return { refused }
  }
}

// Thrown if the provider has answered, but the user is not admitted here. The client's audit
// log records the reason for the client's administrators.
class NotAdmitted extends Error {
  readonly refused: RefusalCode

  constructor(refused: RefusalCode, reason: string) {
    super(reason)
    this.refused = refused
  }
}

// Returns the code of the error if it refuses the sign-in, or undefined for any other error.
function refusalOf(error: unknown): RefusalCode | undefined {
  if (error instanceof ProviderFailure || error instanceof NotAdmitted) return error.refused
  return error instanceof Refusal ? error.code : undefined
}

// `emailFault` says why the provider's address of the user does not count.
type Identity = {
  issuer: string
  subject: string
  email: string | undefined
  emailFault: string | undefined
}

// Ignores an email address that the provider has not verified, unless the client's settings trust it.
function readIdentity(provider: Provider, claims: Claims): Identity {
  const { iss: issuer, sub: subject, email } = claims
  if (!subject || subject.length > SUBJECT_LENGTH_MAX || /[\x00-\x1f]/.test(subject)) {
    throw new NotAdmitted('provider_sign_in_failed', 'the subject is not valid')
  }
  const emailFault = findEmailFault(provider, claims)
  const isUsable = emailFault === undefined && typeof email === 'string'
  return { issuer, subject, email: isUsable ? email : undefined, emailFault }
}

// Names the claim because of which the provider's address of the user does not count, or returns undefined.
function findEmailFault({ trustsEmail }: Provider, claims: Claims): string | undefined {
  const { email, email_verified: isVerified } = claims
  const isMissing = 'is in neither the ID token nor UserInfo'
  if (email === undefined) return `the claim email ${isMissing}`
  const isEmail =
    typeof email === 'string' &&
    email.length <= EMAIL_LENGTH_MAX &&
    /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(email)
  if (!isEmail) return 'the claim email is no email address'
  if (isVerified === true || (isVerified === undefined && trustsEmail)) return undefined
  return isVerified === undefined
    ? `the claim email_verified ${isMissing}`
    : 'the claim email_verified is not true'
}

// Returns the hash of a random password, to be stored for a user who is new or still has a temporary
// password. Undefined if the user has chosen a password. Call before the transaction, because hashing takes
// long.
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
  signIn: BrowserReturn & { email: string }
}

// Finds, links or creates the user whom the provider named, and signs them in with the role that the claims
// give. The hash of a random password (`spareHash`) replaces a temporary password, which somebody else knows.
// A user with a second factor must send it first (I155): that is an attempt of its own, so the attempt that
// completeProviderSignIn counted for the IP address is uncounted.
async function signInByIdentity(
  tx: Transaction,
  now: Date,
  arrival: Arrival,
): Promise<SignInOutcome> {
  const { identity, claims, spareHash, isFresh, signIn } = arrival
  const provider = await lockProvider(tx, arrival.provider)
  if (!provider) throw new NotAdmitted('provider_sign_in_expired', 'the provider was changed')
  const role = decideRole(provider, claims) // Undefined if the provider does not decide roles.
  if (role === null) {
    throw new NotAdmitted('provider_role_missing', `no value of ${provider.roleClaim} gives a role`)
  }
  const linkedUser = await findByIdentity(tx, provider, identity)
  const existingUser = linkedUser ?? (await linkByEmail(tx, now, { provider, identity }))
  const user =
    existingUser ?? (await createByProvider(tx, now, { ...arrival, role: role ?? 'support' }))
  const lockedUser = await lockUser(tx, { id: user.id, clientId: user.clientId, byId: undefined })
  if (!lockedUser?.isActive) throw new NotAdmitted('provider_user_unknown', 'the user is disabled')
  // The last owner or operator of the client keeps the role, or nobody could invite users.
  if (role !== undefined && role !== lockedUser.role && !lockedUser.isLast) {
    await changeUser(tx, lockedUser, { role })
    await recordGrant(tx, now, { by: setterOf(provider), user, isNewPassword: false })
    const detail = { from: lockedUser.role, to: role }
    await recordProviderChange(tx, now, { provider, user, action: 'user.change_role', detail })
  }
  if (lockedUser.isPasswordTemporary) {
    if (spareHash === undefined) {
      throw new NotAdmitted('try_again', `the password of ${user.email} was reset meanwhile`)
    }
    await setPassword(tx, now, { id: user.id, hash: spareHash, isTemporary: false })
  }
  if (lockedUser.hasTotp || lockedUser.hasPasskey) {
    await uncountSignIn(tx, signIn, [])
    await storeProvenUser(tx, { token: signIn.token, userId: user.id })
    return { refused: lockedUser.hasPasskey ? 'passkey_needed' : 'code_needed' }
  }
  await countAsProviderPeople(tx, now, { provider, user })
  await deletePendingSignIn(tx, signIn.token)
  const proof = { provenAt: isFresh ? now : null }
  return succeedSignIn(tx, now, { signIn, user, how: 'provider', provider: proof })
}

// Finds the user who is linked to this account at the provider.
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
  const { email, emailFault = 'the provider names no email address' } = identity
  if (email === undefined) throw new NotAdmitted('provider_email_missing', emailFault)
  const user = await findUserByEmail(tx, provider.clientId, email)
  if (user) await linkIdentity(tx, now, { identity, user })
  return user
}

// Refuses a user who is linked to another account at the same provider: the provider may have reassigned the
// address of a person who left.
async function linkIdentity(
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

// Creates a user whom nobody invited, if the client's settings allow it.
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
  if (spareHash === undefined) {
    throw new NotAdmitted('try_again', `${email} was removed meanwhile`)
  }
  const { clientId, setByUser } = provider
  const user = await createUser(tx, now, {
    clientId,
    email,
    role,
    passwordHash: spareHash,
    createdBy: setByUser,
  })
  await recordGrant(tx, now, { by: setterOf(provider), user, isNewPassword: true })
  await linkIdentity(tx, now, { identity, user })
  await recordProviderChange(tx, now, { provider, user, action: 'user.create', detail: { role } })
  return user
}

// The user who set the provider. Access that the provider gives counts as granted by them.
function setterOf({ setByUser, clientId }: Provider) {
  return { userId: setByUser, clientId }
}

// The people who configured the provider could sign in as a user who has no second factor. So requests of
// this user count as requests of those people too (I93), as if they had set the user's password. The sign-in
// is treated like opening an invitation's link, so that the user becomes independent once they have a second
// factor.
async function countAsProviderPeople(
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

type ProvenUser = { token: string; userId: UserId }

// Stores who the user is, until the same browser sends their second factor (finishProviderSignIn).
async function storeProvenUser(tx: Transaction, { token, userId }: ProvenUser): Promise<void> {
  await tx.query({
    name: 'provider-sign-in-proven',
    text: 'update provider_sign_ins set user_id = $2 where browser_hash = $1',
    values: [hashToken(token), userId],
  })
}

// Deletes the completed sign-in, so that the browser's cookie cannot be used again.
async function deletePendingSignIn(tx: Transaction, token: string): Promise<void> {
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

// Checks the second factor of a user whose identity the provider has confirmed (storeProvenUser), and
// signs them in, unless the provider's settings have changed in the meantime.
export async function finishProviderSignIn(
  { db, sealer }: Pick<SignInDeps, 'db' | 'sealer'>,
  clock: () => Date,
  signIn: SecondFactor,
): Promise<SignInOutcome> {
  // No email address is typed, so attempts are counted for the browser's token instead.
  const source = { caller: signIn.caller, email: `provider ${signIn.token}` }
  await countAttemptFrom(db, clock(), source)
  return withTransaction(db, async (tx) => {
    const now = clock()
    const pendingSignIn = await lockPendingSignIn(tx, now, signIn.token)
    const user = pendingSignIn && (await lockActiveUser(tx, pendingSignIn.userId))
    const provider = pendingSignIn && user && (await findProvider(tx, user.clientId))
    if (
      !pendingSignIn ||
      !user ||
      provider?.updatedAt.getTime() !== pendingSignIn.providerSetAt.getTime()
    ) {
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
    await deletePendingSignIn(tx, signIn.token)
    const proof = { provenAt: pendingSignIn.isFresh ? now : null }
    const successful = { signIn: { ...signIn, ...source }, user, how, provider: proof }
    return succeedSignIn(tx, now, successful)
  })
}

// Finds and locks the browser's sign-in that waits for a second factor.
async function lockPendingSignIn(tx: Transaction, now: Date, token: string) {
  const { rows } = await tx.query<{ userId: UserId; isFresh: boolean; providerSetAt: Date }>({
    name: 'lock-provider-sign-in',
    text: `select user_id, is_fresh, provider_set_at from provider_sign_ins
            where browser_hash = $1 and user_id is not null and expires_at > $2 for update`,
    values: [hashToken(token), now],
  })
  return rows[0]
}

// Locks the user before a second factor is used up. Returns undefined for a removed or disabled user.
async function lockActiveUser(tx: Transaction, id: UserId): Promise<User | undefined> {
  await tx.query({
    name: 'lock-provider-user',
    text: 'select from users where id = $1 for no key update',
    values: [id],
  })
  const user = await findUser(tx, id)
  return user?.isActive ? user : undefined
}

// Uses up the code or the passkey. Returns undefined if it is wrong.
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

// Finds the browser's pending sign-in by the `state` of the callback, and uses the state up. Runs outside a
// transaction, so that the state is used up even if the sign-in fails.
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

// A worker calls this regularly. An expired sign-in cannot be completed.
export async function deleteExpiredProviderSignIns(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-provider-sign-ins',
    text: 'delete from provider_sign_ins where expires_at <= $1',
    values: [now],
  })
}

type Failure = { provider: Provider; refused: RefusalCode; reason: string; address: string }

// Tells the client's administrators, in the audit log, why a sign-in failed.
function recordFailure(
  db: Pool,
  now: Date,
  { provider, refused, reason, address }: Failure,
): Promise<void> {
  return withTransaction(db, (tx) =>
    writeAuditLog(tx, now, {
      clientId: provider.clientId,
      actor: `address:${address}`,
      action: 'provider.sign_in_failed',
      subject: `client/${provider.clientCode}`,
      detail: { code: refused, reason },
    }),
  )
}

type Entry = { provider: Provider; user: User; action: `user.${string}`; detail: object }

// Writes a change that the provider's answer caused to the audit log, with the actor `provider`.
function recordProviderChange(
  tx: Transaction,
  now: Date,
  { provider, user, action, detail }: Entry,
) {
  return writeAuditLog(tx, now, {
    clientId: provider.clientId,
    actor: 'provider',
    action,
    subject: `user/${user.email}`,
    detail: { ...detail, issuer: provider.issuer },
  })
}
