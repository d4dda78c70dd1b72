// Assigns tiers to accounts that were created before identity verification existed, and to all accounts after
// the rules for tiers have changed. Until then the limits of such an account are those of its former tier
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
import { recordActions } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'
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

export async function reportTiers(db: Pool, scope: Scope): Promise<TierMove[]> {
  const moves = new Map<string, TierMove>()
  await eachPage(db, scope, async (tx, assignments) => {
    const over = await findOverLimit(tx, scope.now, assignments)
    for (const each of assignments) count(moves, each, over.get(each.id))
  })
  return [...moves.values()]
}

// Returns how many accounts got their first tier, or another one.
export async function assignTiers(db: Pool, scope: Scope, actor: string): Promise<number> {
  let assigned = 0
  await eachPage(db, scope, async (tx, assignments) => {
    await writeTiers(
      tx,
      assignments.map(({ id, to }) => ({ id, tier: to })),
    )
    await record(tx, { now: scope.now, actor }, assignments)
    assigned += assignments.length
  })
  return assigned
}

// Returns how many accounts have been queued for the first time.
export async function queueMissingChecks(db: Pool, scope: Scope): Promise<number> {
  let queued = 0
  await eachRow(db, scope, async (tx, rows) => {
    const ids = rows.filter(({ hasChecks }) => !hasChecks).map(({ id }) => id)
    await queueChecks(tx, scope.now, ids)
    queued += ids.length
  })
  return queued
}

type Work<T> = (tx: Transaction, rows: readonly T[]) => Promise<void>

function eachPage(db: Pool, scope: Scope, work: Work<Assignment>): Promise<void> {
  return eachRow(db, scope, async (tx, rows) => {
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

async function eachRow(db: Pool, { clientId }: Scope, work: Work<Row>): Promise<void> {
  let after = '0'
  for (;;) {
    const last = await withTransaction(db, async (tx) => {
      const rows = await lockPage(tx, { clientId, after })
      await work(tx, rows)
      return rows.length === PAGE ? rows.at(-1)?.id : undefined
    })
    if (last === undefined) return
    after = String(last)
  }
}

// The second statement sees changes that were committed while the first statement waited for the locks.
async function lockPage(
  tx: Transaction,
  { clientId, after }: { clientId: ClientId | null; after: string },
): Promise<Row[]> {
  const { rows: locked } = await tx.query<{ id: AccountId }>({
    name: 'lock-accounts-of-tiers',
    text: `select a.id from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id > $1 and a.erased_at is null and ($2::bigint is null or a.client_id = $2)
            order by a.id limit ${PAGE}
              for no key update of l, a`,
    values: [after, clientId],
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
  const over = new Map<AccountId, OverLimit>()
  for (const { id, balanceKobo } of moving) {
    const { balanceMaxKobo = null, perDayKobo = null } = limits.get(id) ?? {}
    const isOverBalance = balanceMaxKobo !== null && balanceKobo > balanceMaxKobo
    const isOverDay =
      perDayKobo !== null && (await creditedSince(tx, id, watDayStart(now))) > perDayKobo
    over.set(id, { isOverBalance, isOverDay })
  }
  return over
}

function count(moves: Map<string, TierMove>, account: Assignment, over?: OverLimit): void {
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
  if (over?.isOverBalance) move.overBalance++
  if (over?.isOverDay) move.overDay++
  const isOver = over?.isOverBalance || over?.isOverDay
  if (isOver && move.examples.length < EXAMPLES_MAX) move.examples.push(accountNumber)
}

// Records only accounts whose limits move to another tier.
async function record(
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
  await appendEvents(
    tx,
    now,
    moved.map(({ id, clientId, balanceKobo, isActive, isDefault }) => ({
      clientId,
      type: 'account.updated',
      collectionAccountId: id,
      facts: { accountBalanceKobo: balanceKobo, isActive, isDefault, changes: ['kycTier'] },
    })),
  )
}
