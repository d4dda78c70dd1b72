// Assigns tiers to accounts that were created before identity verification existed, and to all accounts after
// the rules for tiers have changed. Until then, such accounts have the limits of their former tier
// (identity/tiers.ts). reportTiers shows in advance which limits would change, and which accounts would
// exceed the new limits by their balance or by the amount received today.
//
// Each page is a separate transaction, so an interrupted run can be repeated.

import { watDay, watDayStart } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { queueChecks, writeTiers } from '#identity/checks.ts'
import { formerTier, type Identifier, type KycTier, tierInForce } from '#identity/tiers.ts'
import type { AccountId, ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { reportAccountUpdates } from '#records/account-updates.ts'
import { recordActions } from '#records/audit-log.ts'
import { readLimitsOfTiers } from './limits.ts'
import { creditedSince } from './received-today.ts'

const PAGE = 500
const EXAMPLES_MAX = 5 // The number of accounts over a limit that the report lists.

type Row = {
  id: AccountId
  clientId: ClientId
  client: string
  accountNumber: string
  kycTier: KycTier
  tierInForce: KycTier | null
  hasNin: boolean
  verified: Identifier[]
  hasChecks: boolean
  balanceKobo: Kobo
  isActive: boolean
  isDefault: boolean
}

type Assignment = Row & { from: KycTier; to: KycTier }

// Accounts of a client whose limits would move from one tier to another. If `from` equals `to`, their limits
// stay.
export type TierMove = {
  client: string
  from: KycTier
  to: KycTier
  accounts: number
  unchecked: number // Accounts that the identity service has never checked.
  overBalance: number // Accounts with a balance above the new limit: every further credit is suspended.
  overDay: number // Accounts that have received more today than the new limit.
  examples: string[] // Account numbers of accounts over a limit.
}

type Scope = { clientId: ClientId | null; now: Date }

// Counts what assignTiers would change, and changes nothing.
export async function reportTiers(db: Pool, scope: Scope): Promise<TierMove[]> {
  const moves = new Map<string, TierMove>()
  await forEachPageOfChanges(db, scope, async (tx, assignments) => {
    const overLimits = await findOverLimit(tx, scope.now, assignments)
    for (const assignment of assignments)
      countMove(moves, assignment, overLimits.get(assignment.id))
  })
  return [...moves.values()]
}

// Stores the tier of each account whose tier in force is missing or has changed. Returns how many there were.
export async function assignTiers(db: Pool, scope: Scope, actor: string): Promise<number> {
  let assigned = 0
  await forEachPageOfChanges(db, scope, async (tx, assignments) => {
    await writeTiers(
      tx,
      assignments.map(({ id, to }) => ({ id, tier: to })),
    )
    await recordMoves(tx, { now: scope.now, actor }, assignments)
    assigned += assignments.length
  })
  return assigned
}

// Queues an identity check for each account that never had one. Returns how many accounts it queued.
export async function queueMissingChecks(db: Pool, scope: Scope): Promise<number> {
  let queued = 0
  await forEachPage(db, scope, async (tx, rows) => {
    const ids = rows.filter(({ hasChecks }) => !hasChecks).map(({ id }) => id)
    await queueChecks(tx, scope.now, ids)
    queued += ids.length
  })
  return queued
}

type Work<T> = (tx: Transaction, rows: readonly T[]) => Promise<void>

// Runs `work` for each page of accounts, with only those that have no tier in force yet or would get another
// one. `from` and `to` are the tiers whose limits apply before and after.
function forEachPageOfChanges(db: Pool, scope: Scope, work: Work<Assignment>): Promise<void> {
  return forEachPage(db, scope, async (tx, rows) => {
    const assignments = rows.map((row) => ({
      ...row,
      from: row.tierInForce ?? formerTier(row),
      to: tierInForce(row, watDay(scope.now)),
    }))
    await work(
      tx,
      assignments.filter(({ tierInForce: assigned, to }) => assigned !== to),
    )
  })
}

// Runs `work` for each page of accounts, in the order of ids.
async function forEachPage(db: Pool, { clientId }: Scope, work: Work<Row>): Promise<void> {
  let afterId = '0'
  for (;;) {
    const lastId = await withTransaction(db, async (tx) => {
      const rows = await lockPage(tx, { clientId, afterId })
      await work(tx, rows)
      return rows.length === PAGE ? rows.at(-1)?.id : undefined // Undefined after the last page.
    })
    if (lastId === undefined) return
    afterId = String(lastId)
  }
}

// Locks the accounts of the next page, then reads them. The second statement sees changes that were committed
// while the first statement waited for the locks.
async function lockPage(
  tx: Transaction,
  { clientId, afterId }: { clientId: ClientId | null; afterId: string },
): Promise<Row[]> {
  const { rows: locked } = await tx.query<{ id: AccountId }>({
    name: 'lock-accounts-of-tiers',
    text: `select a.id from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id > $1 and a.erased_at is null and ($2::bigint is null or a.client_id = $2)
            order by a.id limit ${PAGE}
              for no key update of l, a`,
    values: [afterId, clientId],
  })
  const { rows } = await tx.query<Row>({
    name: 'read-accounts-of-tiers',
    text: `select a.id, a.client_id, k.client_id as client, a.account_number, a.kyc_tier,
                  a.tier_in_force, a.nin_hash is not null as has_nin, a.is_active, a.is_default,
                  l.credits_kobo - l.debits_kobo as balance_kobo,
                  exists (select from identity_checks c where c.account_id = a.id) as has_checks,
                  array(select c.identifier from identity_checks c
                         where c.account_id = a.id and c.status = 'verified') as verified
             from collection_accounts a
             join ledger_accounts l on l.id = a.id
             join clients k on k.id = a.client_id
            where a.id = any($1::bigint[]) order by a.id`,
    values: [numberArray(locked.map(({ id }) => id))],
  })
  return rows
}

type OverLimit = { isOverBalance: boolean; isOverDay: boolean }

// Finds the accounts whose balance, or amount received today, exceeds the limits of their new tier.
async function findOverLimit(
  tx: Transaction,
  now: Date,
  assignments: readonly Assignment[],
): Promise<ReadonlyMap<AccountId, OverLimit>> {
  const moving = assignments.filter(({ from, to }) => from !== to)
  const limits = await readLimitsOfTiers(
    tx,
    moving.map(({ id, to }) => ({ id, tier: to })),
  )
  const overLimits = new Map<AccountId, OverLimit>()
  for (const { id, balanceKobo } of moving) {
    const { balanceMaxKobo = null, perDayKobo = null } = limits.get(id) ?? {}
    const isOverBalance = balanceMaxKobo !== null && balanceKobo > balanceMaxKobo
    const isOverDay =
      perDayKobo !== null && (await creditedSince(tx, id, watDayStart(now))) > perDayKobo
    overLimits.set(id, { isOverBalance, isOverDay })
  }
  return overLimits
}

// Adds the account to the report's line for its client, former tier and new tier.
function countMove(moves: Map<string, TierMove>, account: Assignment, overLimit?: OverLimit): void {
  const { client, from, to, hasChecks, accountNumber } = account
  const key = `${client}/${from}/${to}`
  const move = moves.get(key) ?? {
    client,
    from,
    to,
    accounts: 0,
    unchecked: 0,
    overBalance: 0,
    overDay: 0,
    examples: [],
  }
  moves.set(key, move)
  move.accounts++
  if (!hasChecks) move.unchecked++
  if (overLimit?.isOverBalance) move.overBalance++
  if (overLimit?.isOverDay) move.overDay++
  const isOver = overLimit?.isOverBalance || overLimit?.isOverDay
  if (isOver && move.examples.length < EXAMPLES_MAX) move.examples.push(accountNumber)
}

// Writes the audit log and events of accounts whose limits move to another tier. An account that keeps its
// limits, because it only got its first tier, is not recorded.
async function recordMoves(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  assignments: readonly Assignment[],
): Promise<void> {
  const moved = assignments.filter(({ from, to }) => from !== to)
  await recordActions(
    tx,
    now,
    moved.map(({ clientId, accountNumber, from, to }) => ({
      clientId,
      actor,
      action: 'account.tier',
      subject: `account/${accountNumber}`,
      detail: { from, to },
    })),
  )
  await reportAccountUpdates(
    tx,
    now,
    moved.map(({ id, clientId, balanceKobo, isActive, isDefault }) => ({
      clientId,
      collectionAccountId: id,
      facts: { accountBalanceKobo: balanceKobo, isActive, isDefault, changes: ['kycTier'] },
    })),
  )
}
