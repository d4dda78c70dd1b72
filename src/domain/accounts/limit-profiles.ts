// Limit profiles: named limits that a client's collection accounts share, either by naming the profile
// or by having a tier that it applies to. An account's own limits come first (account-limits.ts).
//
// Every write of a client's profiles locks that client, so that two concurrent writes cannot use
// the same code or tier. Assigning a profile to an account locks the profile against deletion.

import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, LimitProfileId } from '#ids.ts'
import type { AccountLimits } from './account-limits.ts'
import type { KycTier } from './kyc.ts'

export const PROFILES_MAX = 100

// `tiers`: accounts of these tiers use this profile unless they name another.
export type ProfileTerms = AccountLimits & { name: string; tiers: readonly KycTier[] }

export type LimitProfile = ProfileTerms & {
  id: LimitProfileId
  code: string
  createdAt: Date
  updatedAt: Date
}

type By = { client: Client; actor: string; now: Date }

const SELECT_PROFILE = `
  select p.id, p.code, p.name, p.per_credit_kobo as "perCreditKobo",
         p.per_day_kobo as "perDayKobo", p.balance_max_kobo as "balanceMaxKobo",
         array(select t.tier from limit_profile_tiers t
                where t.profile_id = p.id order by t.tier) as tiers,
         p.created_at as "createdAt", p.updated_at as "updatedAt"
    from limit_profiles p`

export async function getProfile(
  db: Queryable,
  clientId: ClientId,
  code: string,
): Promise<LimitProfile> {
  const { rows } = await db.query<LimitProfile>({
    name: 'get-limit-profile',
    text: `${SELECT_PROFILE} where p.client_id = $1 and p.code = $2`,
    values: [clientId, code],
  })
  if (!rows[0]) throw new Refusal('limit_profile_not_found')
  return rows[0]
}

export async function listProfiles(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<LimitProfile[]> {
  const { rows } = await db.query<LimitProfile>({
    name: 'list-limit-profiles',
    text: `${SELECT_PROFILE}
            where p.client_id = $1 and ($2::bigint is null or p.id < $2)
            order by p.id desc limit $3`,
    values: [clientId, beforeId, limit],
  })
  return rows
}

export async function createProfile(
  tx: Transaction,
  by: By,
  { code, terms }: { code: string; terms: ProfileTerms },
): Promise<LimitProfile> {
  const clientId = by.client.id
  await lockProfiles(tx, clientId)
  if (await lockProfile(tx, { clientId, code })) throw new Refusal('limit_profile_exists')
  const { rows } = await tx.query<{ id: LimitProfileId }>({
    name: 'create-limit-profile',
    text: `insert into limit_profiles (client_id, code, name, per_credit_kobo, per_day_kobo,
                                       balance_max_kobo, created_at, updated_at)
           select $1, $2, $3, $4, $5, $6, $7, $7
            where (select count(*) from limit_profiles where client_id = $1) < ${PROFILES_MAX}
           returning id`,
    values: [clientId, code, ...columnsOf(terms), by.now],
  })
  if (!rows[0]) throw new Refusal('too_many_limit_profiles')
  await assignTiers(tx, clientId, { id: rows[0].id, tiers: terms.tiers })
  await audit(tx, by, { action: 'limit_profile.create', code, before: null, after: terms })
  return getProfile(tx, clientId, code)
}

// Applies from the next credit on. Does nothing if the terms are equal.
export async function replaceProfile(
  tx: Transaction,
  by: By,
  { code, terms }: { code: string; terms: ProfileTerms },
): Promise<LimitProfile> {
  const clientId = by.client.id
  await lockProfiles(tx, clientId)
  const before = await getProfile(tx, clientId, code)
  if (isDeepStrictEqual(auditView(before), auditView(terms))) return before
  await tx.query({
    name: 'replace-limit-profile',
    text: `update limit_profiles
              set name = $2, per_credit_kobo = $3, per_day_kobo = $4, balance_max_kobo = $5,
                  updated_at = $6
            where id = $1`,
    values: [before.id, ...columnsOf(terms), by.now],
  })
  await assignTiers(tx, clientId, { id: before.id, tiers: terms.tiers })
  await audit(tx, by, { action: 'limit_profile.update', code, before, after: terms })
  return getProfile(tx, clientId, code)
}

// Accounts that get the profile by tier lose it. Refuses if an account names it.
export async function deleteProfile(tx: Transaction, by: By, code: string): Promise<void> {
  const clientId = by.client.id
  await lockProfiles(tx, clientId)
  const before = await getProfile(tx, clientId, code)
  await tx.query({
    name: 'lock-limit-profile-to-delete',
    text: 'select from limit_profiles where id = $1 for update',
    values: [before.id],
  })
  const { rowCount } = await tx.query({
    name: 'delete-limit-profile',
    text: `delete from limit_profiles
            where id = $1 and not exists (
                    select from collection_accounts where client_id = $2 and limit_profile_id = $1)`,
    values: [before.id, clientId],
  })
  if (rowCount === 0) throw new Refusal('limit_profile_in_use')
  await audit(tx, by, { action: 'limit_profile.delete', code, before, after: null })
}

export async function lockProfile(
  tx: Transaction,
  { clientId, code }: { clientId: ClientId; code: string },
): Promise<{ id: LimitProfileId } | undefined> {
  const { rows } = await tx.query<{ id: LimitProfileId }>({
    name: 'lock-limit-profile',
    text: 'select id from limit_profiles where client_id = $1 and code = $2 for key share',
    values: [clientId, code],
  })
  return rows[0]
}

async function lockProfiles(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-limit-profiles',
    text: `select pg_advisory_xact_lock(hashtext('limit_profiles'), hashtext($1))`,
    values: [clientId.toString()],
  })
}

async function assignTiers(
  tx: Transaction,
  clientId: ClientId,
  { id, tiers }: { id: LimitProfileId; tiers: readonly KycTier[] },
): Promise<void> {
  await tx.query({
    name: 'unassign-tiers',
    text: `delete from limit_profile_tiers
            where profile_id = $1 and not tier = any($2::smallint[])`,
    values: [id, tiers],
  })
  const { rowCount } = await tx.query({
    name: 'tiers-of-other-profiles',
    text: `select from limit_profile_tiers
            where client_id = $1 and tier = any($2::smallint[]) and profile_id <> $3`,
    values: [clientId, tiers, id],
  })
  if (rowCount !== 0) throw new Refusal('tier_taken')
  await tx.query({
    name: 'assign-tiers',
    text: `insert into limit_profile_tiers (client_id, tier, profile_id)
           select $1, tier, $3 from unnest($2::smallint[]) as tier on conflict do nothing`,
    values: [clientId, tiers, id],
  })
}

const columnsOf = ({ name, perCreditKobo, perDayKobo, balanceMaxKobo }: ProfileTerms) => [
  name,
  perCreditKobo,
  perDayKobo,
  balanceMaxKobo,
]

type ProfileChange = {
  action: `limit_profile.${'create' | 'update' | 'delete'}`
  code: string
  before: ProfileTerms | null
  after: ProfileTerms | null
}

async function audit(
  tx: Transaction,
  { client, actor, now }: By,
  { action, code, before, after }: ProfileChange,
): Promise<void> {
  const detail = { before: before && auditView(before), after: after && auditView(after) }
  const subject = `limit-profile/${code}`
  await writeAuditLog(tx, now, { clientId: client.id, actor, action, subject, detail })
}

function auditView({ name, perCreditKobo, perDayKobo, balanceMaxKobo, tiers }: ProfileTerms) {
  return {
    name,
    perCreditKobo: perCreditKobo?.toString() ?? null,
    perDayKobo: perDayKobo?.toString() ?? null,
    balanceMaxKobo: balanceMaxKobo?.toString() ?? null,
    tiers: [...tiers].sort(),
  }
}
