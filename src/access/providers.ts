// A client's OpenID Connect provider, with which its users sign in.
//
// The user who sets a provider can make it name any user of the client. So the people behind that user (I93)
// stand behind every user who has no second factor with us. A user with a second factor is always asked for
// it (I155).

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { refuseRole } from './manage-users.ts'
import { type Client, ROLES, type Role } from './permissions.ts'
import { hasSecondFactor } from './second-factors.ts'
import { lockUserOf, type SignedInSession } from './sessions.ts'

export type RoleMapping = { value: string; role: Role }

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
  setByUser: UserId
  setByPeople: readonly UserId[]
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

// Serialises sign-ins of the same client. Undefined: the provider's settings changed meanwhile.
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

// Ends the sessions that the provider opened. If the provider becomes the only way to sign in, also ends
// those that passwords opened. The caller's own session stays.
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
  // A mistake in the settings of an enforced provider locks everybody out but those with a second factor.
  if (settings.isEnforced && !(await hasSecondFactor(tx, user.id))) {
    throw new Refusal('second_factor_needed')
  }
  const existing = await findProvider(tx, client.id)
  const secret = settings.clientSecret
  if (secret === undefined && existing?.issuer !== settings.issuer) {
    // The stored secret must not be sent to another provider.
    throw new Refusal('invalid_request', [{ field: 'clientSecret', message: 'Is required.' }])
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
  if (isOtherProvider || settings.isEnforced) {
    await endSessions(tx, session, {
      all: isOtherProvider && settings.isEnforced,
      throughProvider: isOtherProvider,
    })
  }
  const { clientSecret: _, ...recorded } = settings
  await record(tx, now, {
    session,
    action: 'provider.set',
    detail: { ...recorded, newSecret: secret !== undefined },
  })
  return (await findProvider(tx, client.id)) as Provider
}

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
  await record(tx, now, { session, action: 'provider.remove', detail: { issuer: rows[0].issuer } })
}

// A sign-in locks its user. So either the sign-in is over, and the change ends its session, or the sign-in
// sees the change.
async function lockUsers(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-users-of-client',
    text: 'select from users where client_id = $1 order by id for update',
    values: [clientId],
  })
}

async function refuseOtherRoles(tx: Transaction, session: SignedInSession): Promise<void> {
  const role = await lockUserOf(tx, session)
  if (!mayManageProvider(role, session.client)) throw new Refusal('role_not_allowed')
}

type Ended = { all: boolean; throughProvider: boolean }

async function endSessions(
  tx: Transaction,
  { client, sessionId }: SignedInSession,
  { all, throughProvider }: Ended,
): Promise<void> {
  await tx.query({
    name: 'end-sessions-of-client',
    text: `delete from sessions
            where client_id = $1 and id <> $2 and ($3 or through_provider = $4)`,
    values: [client.id, sessionId, all, throughProvider],
  })
}

type Entry = { session: SignedInSession; action: `provider.${string}`; detail: object }

function record(tx: Transaction, now: Date, { session, action, detail }: Entry): Promise<void> {
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

// Returns the role of the first mapping whose value is in the claim. Undefined: there are no mappings. Null:
// no mapping fits.
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
