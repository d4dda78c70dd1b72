// Identity checks: ask a verification service whether the BVN and the NIN of a collection account belong to
// its customer. There is one check per identifier (BVN or NIN).
//
// I140: an account's tier is above 1 only while its present BVN and NIN are verified. The trigger
// keep_tier_verified enforces this. Every change of a number or of the name, and every erasure, ends the
// checks.
// I141: only the outcome of an answer is stored. A late answer, to a question about a number or name that has
// changed since, has no effect.
//
// Locks: the account with its ledger account, as in accounts/change.ts, then its checks.

import { type Clock, SECOND_MS, watDay } from '#clock.ts'
import { isDue, waitOfAttempts } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { reportAccountUpdates } from '#records/account-updates.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import type { IdentityAnswer, IdentityQuestion } from './identity-api.ts'
import { isSamePerson, scoreNames } from './names.ts'
import { type CheckOutcome, type CheckStatus, concludeCheck, requeueChecks } from './states.ts'
import { formerTier, type Identifier, type KycTier, tierInForce } from './tiers.ts'

export type IdentityCheck = {
  identifier: Identifier
  status: CheckStatus
  nameScore: number | null
  failure: string | null
  checkedAt: Date | null
}

// Queues a check for each BVN and NIN of these accounts that has none yet. The accounts may have been
// inserted by the same transaction.
export async function queueChecks(
  tx: Transaction,
  now: Date,
  ids: readonly AccountId[],
): Promise<void> {
  await tx.query({
    name: 'queue-identity-checks',
    text: `insert into identity_checks
             (client_id, account_id, identifier, number_hash, reference, requested_at, due_at)
           select a.client_id, a.id, i.identifier, i.number_hash, gen_random_uuid(), $2, $2
             from collection_accounts a
             cross join lateral (values ('bvn', a.bvn_hash), ('nin', a.nin_hash))
                   as i (identifier, number_hash)
            where a.id = any($1::bigint[]) and a.erased_at is null and i.number_hash is not null
           on conflict (account_id, identifier) do nothing`,
    values: [numberArray(ids), now],
  })
}

// Queues checks because a client requests them: for identifiers that were never checked, and for those whose
// check did not verify them. The caller has locked the account.
export async function verifyAgain(tx: Transaction, now: Date, id: AccountId): Promise<void> {
  await requeueChecks(tx, now, id)
  await queueChecks(tx, now, [id])
}

export async function readChecks(
  db: Queryable,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, readonly IdentityCheck[]>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<IdentityCheck & { accountId: AccountId }>({
    name: 'read-identity-checks',
    text: `select account_id, identifier, status, name_score, failure, checked_at
             from identity_checks where account_id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return Map.groupBy(rows, ({ accountId }) => accountId)
}

// Computes the tier in force of an account from its checks, stores it if it has changed, and returns it. The
// caller has locked the account in an earlier statement. One statement that locked the account and read the
// checks would see the checks as they were before it waited for the lock.
export async function assignTier(
  tx: Transaction,
  now: Date,
  id: AccountId,
): Promise<{ tier: KycTier | null; isChanged: boolean }> {
  const { rows } = await tx.query<{
    kycTier: KycTier
    tierInForce: KycTier | null
    hasNin: boolean
    verified: Identifier[]
  }>({
    name: 'read-tier-facts',
    text: `select a.kyc_tier, a.tier_in_force, a.nin_hash is not null as has_nin,
                  array(select c.identifier from identity_checks c
                         where c.account_id = a.id and c.status = 'verified') as verified
             from collection_accounts a where a.id = $1`,
    values: [id],
  })
  const facts = rows[0]
  if (!facts) throw new Error(`no collection account ${id}`)
  const tier = tierInForce(facts, watDay(now))
  // The tier of an account that is older than verification is not lowered here: an operator does that, after
  // reading a report (accounts/assign-tiers.ts).
  const isLower = facts.tierInForce === null && tier < formerTier(facts)
  if (isLower || tier === facts.tierInForce) return { tier: facts.tierInForce, isChanged: false }
  await writeTiers(tx, [{ id, tier }])
  return { tier, isChanged: true }
}

// Stores the tiers in force of several accounts.
export async function writeTiers(
  tx: Transaction,
  accounts: readonly { id: AccountId; tier: KycTier }[],
): Promise<void> {
  await tx.query({
    name: 'write-tiers-in-force',
    text: `update collection_accounts a set tier_in_force = n.tier
             from unnest($1::bigint[], $2::smallint[]) as n (id, tier) where a.id = n.id`,
    values: [numberArray(accounts.map(({ id }) => id)), accounts.map(({ tier }) => tier)],
  })
}

const WAIT_SECONDS = 30 // Doubles with each attempt.
const WAIT_SECONDS_MAX = 3_600
const ATTEMPTS_MAX = 20 // They take about half a day. While the service is down, there are fewer attempts.

export type DueCheck = {
  id: bigint
  accountId: AccountId
  attempts: number // Includes this attempt.
  question: IdentityQuestion
}

// SQL condition: a check is due.
export const isCheckDue = (now: string) =>
  isDue('due_at', { now, longest: waitOfAttempts(WAIT_SECONDS_MAX * SECOND_MS) })

// Claims due checks for this process, for `leaseMs` or until the next attempt, whichever is later. If the
// process dies, the check is then due again. The wait before the next attempt doubles with each attempt, up
// to WAIT_SECONDS_MAX.
export async function claimChecks(
  tx: Transaction,
  { now, sealer, leaseMs, limit }: { now: Date; sealer: Sealer; leaseMs: number; limit: number },
): Promise<DueCheck[]> {
  const { rows } = await tx.query<
    Omit<DueCheck, 'question'> &
      Pick<IdentityQuestion, 'reference' | 'identifier' | 'name'> & { numberSealed: Buffer }
  >({
    name: 'claim-identity-checks',
    text: `with due as (
             select id, account_id from identity_checks where ${isCheckDue('$1')}
              order by due_at, id limit $2 for no key update skip locked)
           update identity_checks c
              set attempts = c.attempts + 1,
                  due_at = $1 + greatest($3::float8 / 1000,
                                         least(${WAIT_SECONDS} * 2 ^ least(c.attempts, 10),
                                               ${WAIT_SECONDS_MAX})) * interval '1 second'
             from due join collection_accounts a on a.id = due.account_id
            where c.id = due.id
           returning c.id, c.account_id, c.attempts, c.reference, c.identifier,
                     a.account_name as name,
                     case c.identifier when 'bvn' then a.bvn_sealed else a.nin_sealed end
                       as number_sealed`,
    values: [now, limit, leaseMs],
  })
  return rows.map(({ reference, identifier, name, numberSealed, ...check }) => {
    return {
      ...check,
      question: { reference, identifier, name, number: sealer.open(numberSealed) },
    }
  })
}

type LockedAccount = {
  clientId: ClientId
  accountNumber: string
  accountBalanceKobo: Kobo
  isActive: boolean
  isDefault: boolean
}

// Stores the outcome of a check, and the account's new tier. Without an answer, the check stays queued until
// its last attempt. Returns false if the answer came too late: the account has another number or name by now.
export async function recordAnswer(
  tx: Transaction,
  clock: Clock,
  { check, answer }: { check: DueCheck; answer: IdentityAnswer },
): Promise<boolean> {
  const now = clock()
  const { id, accountId, attempts, question } = check
  const { reference, identifier } = question
  if (answer.status === 'no_answer' && attempts < ATTEMPTS_MAX) {
    await tx.query({
      name: 'note-identity-failure',
      text: 'update identity_checks set failure = $3 where id = $1 and reference = $2',
      values: [id, reference, answer.reason],
    })
    return true
  }
  const account = await lockAccount(tx, accountId)
  const { to, nameScore } = toOutcome(question, answer)
  const isConcluded = await concludeCheck(tx, {
    id,
    reference,
    to,
    nameScore,
    failure: answer.status === 'no_answer' ? answer.reason : null,
    checkedAt: answer.status === 'no_answer' ? null : now,
  })
  if (!isConcluded) return false
  const { tier, isChanged } = await assignTier(tx, now, accountId)
  const { clientId, accountNumber, ...facts } = account
  const changes = ['identity', ...(isChanged ? ['kycTier'] : [])]
  await pipeline([
    writeAuditLog(tx, now, {
      clientId,
      actor: ACTOR,
      action: 'account.verify',
      subject: `account/${accountNumber}`,
      detail: { identifier, status: to, nameScore, kycTier: tier },
    }),
    reportAccountUpdates(tx, now, [
      { clientId, collectionAccountId: accountId, facts: { ...facts, changes } },
    ]),
  ])
  return true
}

const ACTOR = 'identity'

// Decides the outcome of a check. The name must match too: a number of somebody else proves nothing.
function toOutcome(
  { name }: IdentityQuestion,
  answer: IdentityAnswer,
): { to: CheckOutcome; nameScore: number | null } {
  if (answer.status === 'no_answer') return { to: 'unanswered', nameScore: null }
  if (answer.status === 'not_found') return { to: 'not_found', nameScore: null }
  const nameScore = scoreNames(name, answer.name)
  return { to: isSamePerson(nameScore) ? 'verified' : 'name_mismatch', nameScore }
}

// Locks an account and its ledger account, and returns the facts that events state.
async function lockAccount(tx: Transaction, id: AccountId): Promise<LockedAccount> {
  const { rows } = await tx.query<LockedAccount>({
    name: 'lock-account-to-verify',
    text: `select a.client_id, a.account_number, l.credits_kobo - l.debits_kobo as account_balance_kobo,
                  a.is_active, a.is_default
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = $1
              for no key update of l, a`,
    values: [id],
  })
  if (!rows[0]) throw new Error(`no collection account ${id}`)
  return rows[0]
}
