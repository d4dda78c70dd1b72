// KYC data of collection accounts, their limits, limit profiles, and the operator's ceilings.
//
// KYC data is what the service knows about the holder besides the BVN. A NIN is sealed like a BVN, and opened
// only to be shown masked and to be verified. identity/tiers.ts decides the tier (I95).

import { isDeepStrictEqual } from 'node:util'
import { type Client, isInMerchantScope } from '#access/permissions.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import {
  KYC_TIERS,
  type KycTier,
  LOWEST_TIER,
  limitTierOf,
  TIER_BY_DEFAULT,
} from '#identity/tiers.ts'
import type { AccountId, ClientId, LimitProfileId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'

export type Kyc = {
  ninSealed: Buffer | null
  ninHash: Buffer | null
  kycTier: KycTier // The tier that the client set.
  tierInForce: KycTier | null // Null if no tier is assigned yet (identity/tiers.ts).
  verifiedName: string | null // The name that the client's own verification returned.
}

export type KycInput = {
  nin?: string | null | undefined
  kycTier?: KycTier | null | undefined
  verifiedName?: string | null | undefined
}

// The KYC columns of a new account.
export function kycOf(sealer: Sealer, { nin, kycTier, verifiedName }: KycInput): Kyc {
  return {
    ...sealedNin(sealer, nin ?? null),
    kycTier: kycTier ?? TIER_BY_DEFAULT,
    tierInForce: LOWEST_TIER, // Nothing is verified yet.
    verifiedName: verifiedName ?? null,
  }
}

// Returns a NIN encrypted, and as a keyed hash: lists find accounts by the hash.
export function sealedNin(sealer: Sealer, nin: string | null) {
  return {
    ninSealed: nin === null ? null : sealer.seal(nin),
    ninHash: nin === null ? null : hashNin(sealer, nin),
  }
}

export function hashNin(sealer: Sealer, nin: string): Buffer {
  return sealer.hash('nin', nin)
}

// Limits of a collection account: per credit, per day (West Africa Time) and for its balance. A
// credit over a limit is suspended. Manual assignments are not limited, but are included in the day's amount.
//
// I20: a limit is taken from the first of these that sets it: the account itself, the profile that it names,
// the profile of its tier, and the default at its creation. It is looked up when a credit is judged, so a
// change of a profile applies to all its accounts from the next credit on. The operator's ceiling for the
// tier caps it (I142).

export type AccountLimits = {
  perCreditKobo: Kobo | null
  perDayKobo: Kobo | null
  balanceMaxKobo: Kobo | null
}

export type LimitViolation = 'over_credit_limit' | 'over_daily_limit' | 'over_balance_limit'

// Returns the first violated limit, in the order of LimitViolation; undefined if the limits allow the credit.
export function findLimitViolation(
  { perCreditKobo, perDayKobo, balanceMaxKobo }: AccountLimits,
  { todayKobo, balanceKobo }: { todayKobo: Kobo; balanceKobo: Kobo },
  amountKobo: Kobo,
): LimitViolation | undefined {
  if (perCreditKobo !== null && amountKobo > perCreditKobo) return 'over_credit_limit'
  if (perDayKobo !== null && todayKobo + amountKobo > perDayKobo) return 'over_daily_limit'
  const isFull = balanceMaxKobo !== null && balanceKobo + amountKobo > balanceMaxKobo
  return isFull ? 'over_balance_limit' : undefined
}

// SQL scalars: the limits of an account `a` without profiles and ceilings. SQL condition: whether any profile
// or ceiling exists. The statement that locks accounts reads both, so that profiles and ceilings cost nothing
// where there are none.
export const PLAIN_LIMITS = {
  perCredit: 'coalesce(a.own_per_credit_kobo, a.default_per_credit_kobo)',
  perDay: 'coalesce(a.own_per_day_kobo, a.default_per_day_kobo)',
  balanceMax: 'a.own_balance_max_kobo',
} as const
export const HAS_PROFILES = `(select exists (select from limit_profiles)
                                  or exists (select from collection_ceilings))`

// SQL scalars: the limits in force of an account `a`, in a query with limitJoins. The joined tables are tiny
// and not locked.
const LIMITS = {
  perCredit: `least(coalesce(a.own_per_credit_kobo, named.per_credit_kobo, tiered.per_credit_kobo,
                             a.default_per_credit_kobo), ceiling.per_credit_kobo)`,
  perDay: `least(coalesce(a.own_per_day_kobo, named.per_day_kobo, tiered.per_day_kobo,
                          a.default_per_day_kobo), ceiling.per_day_kobo)`,
  balanceMax: `least(coalesce(a.own_balance_max_kobo, named.balance_max_kobo,
                              tiered.balance_max_kobo), ceiling.balance_max_kobo)`,
} as const

const limitJoins = (tier: string) => `
  left join limit_profiles named on named.id = a.limit_profile_id
  left join limit_profile_tiers t on t.client_id = a.client_id and t.tier = ${tier}
  left join limit_profiles tiered on tiered.id = t.profile_id
  left join collection_ceilings ceiling on ceiling.client_id = a.client_id and ceiling.tier = ${tier}`

export type LimitsInForce = AccountLimits & { limitProfile: string | null }

// Reads the limits in force of these accounts.
export async function readLimits(
  db: Queryable,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, LimitsInForce>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<LimitsInForce & { id: AccountId }>({
    name: 'limits-of-accounts',
    text: `select a.id, named.code as limit_profile, ${LIMITS.perCredit} as per_credit_kobo,
                  ${LIMITS.perDay} as per_day_kobo, ${LIMITS.balanceMax} as balance_max_kobo
             from collection_accounts a ${limitJoins(limitTierOf('a'))}
            where a.id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

export async function readLimitsOfTiers(
  db: Queryable,
  accounts: readonly { id: AccountId; tier: KycTier }[],
): Promise<ReadonlyMap<AccountId, AccountLimits>> {
  const { rows } = await db.query<AccountLimits & { id: AccountId }>({
    name: 'limits-of-tiers',
    text: `select a.id, ${LIMITS.perCredit} as per_credit_kobo, ${LIMITS.perDay} as per_day_kobo,
                  ${LIMITS.balanceMax} as balance_max_kobo
             from unnest($1::bigint[], $2::smallint[]) as assumed (id, tier)
             join collection_accounts a on a.id = assumed.id ${limitJoins('assumed.tier')}`,
    values: [numberArray(accounts.map(({ id }) => id)), accounts.map(({ tier }) => tier)],
  })
  return new Map(rows.map(({ id, ...limits }) => [id, limits]))
}

// Limit profiles: named limits that a client's collection accounts share, either by naming the profile
// or by having a tier that it applies to. An account's own limits come first.
//
// Every write of a client's profiles locks that client, so that two concurrent writes cannot use
// the same code or tier. Assigning a profile to an account locks the profile against deletion.

export const PROFILES_MAX = 100

// Accounts of these `tiers` use the profile unless they name another one.
export type ProfileTerms = AccountLimits & { name: string; tiers: readonly KycTier[] }

export type LimitProfile = ProfileTerms & {
  id: LimitProfileId
  code: string
  accounts: bigint // The number of accounts that name the profile.
  createdAt: Date
  updatedAt: Date
}

type By = { client: Client; actor: string; now: Date }

// SQL query: limit profiles `p`, each with the number of accounts that the client may see. For a client
// without a restriction to merchantCodes, the count reads only the index.
function selectProfiles({ merchantCodes }: Client): string {
  const isVisible = merchantCodes ? isInMerchantScope('a.merchant_code', 'p.client_id') : 'true'
  return `
  select p.id, p.code, p.name, p.per_credit_kobo, p.per_day_kobo, p.balance_max_kobo,
         array(select t.tier from limit_profile_tiers t
                where t.profile_id = p.id order by t.tier) as tiers,
         (select count(*) from collection_accounts a
           where a.client_id = p.client_id and a.limit_profile_id = p.id
             and ${isVisible}) as accounts,
         p.created_at, p.updated_at
    from limit_profiles p`
}

export async function getProfile(
  db: Queryable,
  client: Client,
  code: string,
): Promise<LimitProfile> {
  const { rows } = await db.query<LimitProfile>({
    name: client.merchantCodes ? 'get-limit-profile-of-merchants' : 'get-limit-profile',
    text: `${selectProfiles(client)} where p.client_id = $1 and p.code = $2`,
    values: [client.id, code],
  })
  if (!rows[0]) throw new Refusal('limit_profile_not_found')
  return rows[0]
}

export async function listProfiles(
  db: Queryable,
  client: Client,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<LimitProfile[]> {
  const { rows } = await db.query<LimitProfile>(
    listQuery({
      select: selectProfiles(client),
      where: [['p.client_id = $', client.id]],
      id: 'p.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Creates a limit profile. Refuses a code that the client has already, and more than PROFILES_MAX profiles.
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
  return getProfile(tx, by.client, code)
}

// Replaces the terms of a profile, from the next credit on. Does nothing if they are equal.
export async function replaceProfile(
  tx: Transaction,
  by: By,
  { code, terms }: { code: string; terms: ProfileTerms },
): Promise<LimitProfile> {
  const clientId = by.client.id
  await lockProfiles(tx, clientId)
  const before = await getProfile(tx, by.client, code)
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
  return getProfile(tx, by.client, code)
}

// Deletes a profile. Accounts that get the profile by tier lose it. Refuses if an account names the profile.
export async function deleteProfile(tx: Transaction, by: By, code: string): Promise<void> {
  const clientId = by.client.id
  await lockProfiles(tx, clientId)
  const before = await getProfile(tx, by.client, code)
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

// Finds the profile, and keeps it from being deleted until the commit. Accounts may still be assigned to it.
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

// The client's profiles are written by one transaction at a time.
async function lockProfiles(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-limit-profiles',
    text: `select pg_advisory_xact_lock(hashtext('limit_profiles'), hashtext($1))`,
    values: [clientId.toString()],
  })
}

// Makes the profile apply to exactly these tiers. Refuses a tier that another profile has.
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

// Records a change of a profile, with its terms before and after.
async function audit(
  tx: Transaction,
  { client, actor, now }: By,
  { action, code, before, after }: ProfileChange,
): Promise<void> {
  const detail = { before: before && auditView(before), after: after && auditView(after) }
  const subject = `limit-profile/${code}`
  await writeAuditLog(tx, now, { clientId: client.id, actor, action, subject, detail })
}

// The terms for comparison and for the audit log. Amounts are texts, because JSON has no bigint.
function auditView({ name, perCreditKobo, perDayKobo, balanceMaxKobo, tiers }: ProfileTerms) {
  return {
    name,
    perCreditKobo: perCreditKobo?.toString() ?? null,
    perDayKobo: perDayKobo?.toString() ?? null,
    balanceMaxKobo: balanceMaxKobo?.toString() ?? null,
    tiers: [...tiers].sort(),
  }
}

// Ceilings: the operator's limits on the collection accounts of a client, by KYC tier.
//
// I142: the limits in force are never above the ceiling of the account's tier, whatever the client sets.
// A client may set lower limits and read its ceilings. Only the operator writes ceilings.

export type Ceiling = AccountLimits & { tier: KycTier }

const NO_LIMITS: AccountLimits = { perCreditKobo: null, perDayKobo: null, balanceMaxKobo: null }

// Returns one ceiling for each tier, ordered by tier.
export async function readCeilings(db: Queryable, clientId: ClientId): Promise<Ceiling[]> {
  const { rows } = await db.query<Ceiling>({
    name: 'read-collection-ceilings',
    text: `select tier, per_credit_kobo, per_day_kobo, balance_max_kobo
             from collection_ceilings where client_id = $1`,
    values: [clientId],
  })
  return KYC_TIERS.map((tier) => rows.find((row) => row.tier === tier) ?? { tier, ...NO_LIMITS })
}

// Replaces all ceilings, from the next credit on, and records the change in the operator's audit log
// (`clientId` is the operator's). A tier without any limit is not stored; readCeilings adds it again.
export async function replaceCeilings(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  { client, ceilings }: { client: Pick<Client, 'id' | 'clientId'>; ceilings: readonly Ceiling[] },
): Promise<Ceiling[]> {
  // One transaction at a time replaces a client's ceilings.
  await tx.query('select from clients where id = $1 for no key update', [client.id])
  const before = await readCeilings(tx, client.id)
  await tx.query({
    name: 'drop-collection-ceilings',
    text: 'delete from collection_ceilings where client_id = $1',
    values: [client.id],
  })
  const tiersWithCeilings = ceilings.filter((each) =>
    Object.keys(NO_LIMITS).some((limit) => each[limit as Limit]),
  )
  await tx.query({
    name: 'write-collection-ceilings',
    text: `insert into collection_ceilings
             (client_id, tier, per_credit_kobo, per_day_kobo, balance_max_kobo)
           select $1, c.* from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[]) as c`,
    values: [
      client.id,
      tiersWithCeilings.map(({ tier }) => tier),
      numberArray(tiersWithCeilings.map(({ perCreditKobo }) => perCreditKobo)),
      numberArray(tiersWithCeilings.map(({ perDayKobo }) => perDayKobo)),
      numberArray(tiersWithCeilings.map(({ balanceMaxKobo }) => balanceMaxKobo)),
    ],
  })
  const after = await readCeilings(tx, client.id)
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'client.ceilings',
    subject: `client/${client.clientId}`,
    detail: { before: before.map(toAudited), after: after.map(toAudited) },
  })
  return after
}

type Limit = keyof AccountLimits

const toAudited = ({ tier, perCreditKobo, perDayKobo, balanceMaxKobo }: Ceiling) => ({
  tier,
  perCredit: formatOrNull(perCreditKobo),
  perDay: formatOrNull(perDayKobo),
  balanceMax: formatOrNull(balanceMaxKobo),
})

function formatOrNull(amountKobo: Kobo | null): string | null {
  return amountKobo === null ? null : formatKobo(amountKobo)
}
