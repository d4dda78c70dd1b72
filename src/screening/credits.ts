// Screens booked credits, ordered by id, in a worker. By then the bank has its answer and the money is
// booked. A credit that breaks a rule is held (holds/hold.ts). This file also refuses moves of money whose
// hold is due, and raises an alert when screening is late.
//
//   decide   one transaction per batch: stores the decisions, and the position of screening (I146)
//   hold     one transaction per decision, which also stores the hold's id in the decision. So a crash
//            never leads to a second hold
//
// A transaction draws an id before it commits, so a lower id may appear after a higher one. Only credits up
// to settledCreditId() are screened, because no lower id can appear any more.
//
// Locks: screening_progress. To hold: the decision, the case, then the locks of the hold.

import { setTimeout } from 'node:timers/promises'
import { joinCase } from '#cases/case.ts'
import { watDay } from '#clock.ts'
import { idBounds } from '#db/bounds.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { placeHold } from '#holds/hold.ts'
import type { ClientId, CreditId, HoldId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { CURRENCY } from '#money.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { insertDecisions } from './decisions.ts'
import { readPeriods } from './lists.ts'
import type { RecentCounts } from './recent.ts'
import { rulesInForce } from './rule.ts'
import { nextRange, ruleSetAt, screenRange } from './screen.ts'

// Ids and times of credits do not always have the same order. Screening goes on for an hour after the last
// rule ended, because credits from before the end may still follow.
const DISORDER_MS = 3_600_000

// SQL condition: whether a rule for credits is in force. $1 is now; the rule must end after $2.
const IN_FORCE = `subject = 'credit' and effective_from <= $1
  and (effective_to is null or effective_to > $2)`

// SQL condition: whether credits wait to be screened or held, or the first rule has come into force.
export const HAS_UNSCREENED_CREDITS = `(
  exists (select from screening_progress where credit_id < (select last_value from credit_ids))
  or exists (select from screening_decisions
              where credit_id is not null and hold_id is null and unheld_reason is null)
  or not exists (select from screening_progress)
     and exists (select from screening_rules
                  where subject = 'credit' and effective_from <= clock.now
                    and (effective_to is null or effective_to > clock.now)))`

// Whether screening has begun, or must begin because a rule is in force now ($1 and $2 of IN_FORCE are both
// `now`). Without rules, this query is the whole cost of screening.
export async function isScreening(db: Queryable, now: Date): Promise<boolean> {
  const { rows } = await db.query<{ isOn: boolean }>({
    name: 'is-screening',
    text: `select exists (select from screening_progress)
                  or exists (select from screening_rules where ${IN_FORCE}) as is_on`,
    values: [now, now],
  })
  return rows[0]?.isOn === true
}

const WAIT_MS = 10
const WAITS_MAX = 100

// Returns the last drawn id, once every credit with this id or a lower one is committed or never will be. A
// transaction locks the sequence before it draws an id, and holds the lock until it ends. Returns undefined
// if a transaction takes longer than WAITS_MAX waits; the caller tries again later.
async function settledCreditId(db: Queryable): Promise<bigint | undefined> {
  const { rows } = await db.query<{ id: bigint }>({
    name: 'last-drawn-credit-id',
    text: 'select last_value - case when is_called then 0 else 1 end as id from credit_ids',
  })
  let drawing = await findDrawing(db, null)
  for (let waits = 0; drawing.length > 0; waits++) {
    if (waits === WAITS_MAX) return undefined
    await setTimeout(WAIT_MS)
    drawing = await findDrawing(db, drawing)
  }
  return rows[0]?.id
}

// Returns the ids of the transactions that hold the lock on the sequence of credit ids. Drawing an id takes
// the lock until the transaction ends, so their credits may be uncommitted. With `among`, returns only the
// transactions in that list.
async function findDrawing(db: Queryable, among: readonly string[] | null): Promise<string[]> {
  const { rows } = await db.query<{ drawing: string }>({
    name: 'transactions-drawing-credit-ids',
    text: `select virtualtransaction as drawing from pg_locks
            where locktype = 'relation' and relation = 'credit_ids'::regclass
              and database = (select oid from pg_database where datname = current_database())
              and mode = 'RowExclusiveLock' and granted and pid <> pg_backend_pid()
              and ($1::text[] is null or virtualtransaction = any($1))`,
    values: [among],
  })
  return rows.map(({ drawing }) => drawing)
}

type Deps = { batchPool: Pool; sealer: Sealer; sharedAccounts: SharedAccounts; now: Date }

// Screens the next credits. Returns whether there are more. Uses the counts in memory (`recent`) only if they
// cover all credits before the next one; without them, the database is asked about every account number.
export async function screenCredits(
  { batchPool, sealer, now }: Deps,
  recent: RecentCounts,
): Promise<boolean> {
  const lastId = await settledCreditId(batchPool)
  if (lastId === undefined) return false
  const next = await findNextCredit(batchPool)
  const hasCounts = next && (await recent.catchUp(batchPool, next))
  const reading = { sealer, now, recent: hasCounts ? recent : undefined }
  return withTransaction(batchPool, (tx) => screenBatch(tx, reading, lastId))
}

// Returns the id of the last screened credit and the time of the credit after it. Returns undefined if there
// is no credit to screen, or screening has not begun.
async function findNextCredit(
  db: Queryable,
): Promise<{ afterId: bigint; firstAt: Date } | undefined> {
  const { rows } = await db.query<{ afterId: bigint; firstAt: Date }>({
    name: 'first-credit-to-screen',
    text: `select p.credit_id as after_id, c.received_at as first_at
             from screening_progress p
            cross join lateral (select received_at from credits where id > p.credit_id
                                 order by id limit 1) as c`,
  })
  return rows[0]
}

// Screens one batch, and stores the decisions together with the position of screening, so that a crash
// leaves neither without the other (I146). Stops screening altogether if no rule is in force. Returns
// whether there are more credits.
async function screenBatch(
  tx: Transaction,
  { sealer, now, recent }: { sealer: Sealer; now: Date; recent: RecentCounts | undefined },
  lastId: bigint,
): Promise<boolean> {
  const afterId = await lockProgress(tx, now)
  if (afterId === undefined) return false
  const range = await nextRange(tx, { afterId, lastId })
  if (range && recent && !recent.isThrough(afterId)) return true // Another worker was faster.
  const inForce = range && (await readScreening(tx, range.firstAt, range.lastAt))
  if (!inForce?.rules.length && !(await isScreeningNeeded(tx, now))) {
    await tx.query('delete from screening_progress')
    return false
  }
  if (!range || !inForce) return false
  const screened = await screenRange(tx, { ...inForce, sealer, recent }, range)
  // A credit that breaks a rule is always held: it is booked already and can no longer be refused.
  const decisions = screened.map(({ id, clientId, receivedAt, hits }) => {
    const ruleSet = ruleSetAt(inForce, receivedAt)
    return { creditId: id, payoutId: null, clientId, outcome: 'hold', ruleSet, hits } as const
  })
  const newDecisions = await insertDecisions(tx, now, decisions)
  await tx.query({
    name: 'count-screened-credits',
    text: `insert into screening_days as d (day, credits, decisions) values ($1, $2, $3)
           on conflict (day) do update
             set credits = d.credits + $2, decisions = d.decisions + $3`,
    values: [watDay(now), range.count, newDecisions],
  })
  await tx.query({
    name: 'advance-screening',
    text: 'update screening_progress set credit_id = $1, screened_at = $2',
    values: [range.lastId, now],
  })
  return range.lastId < lastId
}

// Returns the rules for credits in force at any time from `from` to `to`, and all periods of lists.
export async function readScreening(db: Queryable, from: Date, to: Date) {
  const [rules, lists] = [
    await rulesInForce(db, { subject: 'credit', from, to }),
    await readPeriods(db),
  ]
  return { rules, lists }
}

// Locks and returns the last screened id. Returns undefined if another worker has the lock, or if no rule is
// in force. The first call starts just before the first credit that a rule applies to.
async function lockProgress(tx: Transaction, now: Date): Promise<bigint | undefined> {
  const progress = await tx.query({
    name: 'find-screening-progress',
    text: 'select from screening_progress',
  })
  if (!progress.rowCount) await beginScreening(tx, now)
  const { rows } = await tx.query<{ creditId: bigint }>({
    name: 'lock-screening-progress',
    text: 'select credit_id from screening_progress for update skip locked',
  })
  return rows[0]?.creditId
}

// Starts screening just before the first credit that a rule in force applies to.
async function beginScreening(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<{ from: Date | null }>({
    name: 'begin-of-screening',
    text: `select min(effective_from) as "from" from screening_rules where ${IN_FORCE}`,
    values: [now, now],
  })
  if (!rows[0]?.from) return
  const { firstId } = await idBounds(tx, 'credits', { from: rows[0].from })
  await tx.query({
    name: 'begin-screening',
    text: `insert into screening_progress (credit_id, screened_at) values ($1, $2)
           on conflict do nothing`,
    values: [firstId - 1n, now],
  })
}

// Whether a rule is in force, or was within the last hour (DISORDER_MS).
async function isScreeningNeeded(tx: Transaction, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'is-screening-needed',
    text: `select from screening_rules where ${IN_FORCE} limit 1`,
    values: [now, new Date(now.getTime() - DISORDER_MS)],
  })
  return rowCount === 1
}

// A decision on a credit that is about to be held.
type ToHold = {
  id: bigint
  reference: string
  creditId: CreditId
  currency: string
  clientId: ClientId
  clientName: string
  sessionId: string
  rule: string // The reference of the first rule that the credit broke; if not found, of the decision.
  ruleName: string
  rules: string
}

const HOLDS_MAX = 100

type Holding = Pick<Deps, 'sealer' | 'sharedAccounts' | 'now'>

// SQL scalar: the client that the credit of the decision `d` belongs to. Unidentified money belongs to a
// client once it is assigned.
const OWNER = `coalesce(d.client_id, (
  select coalesce(a.client_id, p.client_id)
    from suspense_items i
    left join collection_accounts a on a.id = i.assigned_account_id
    left join payments p on p.id = i.assigned_payment_id
   where i.credit_id = d.credit_id and i.state = 'assigned' order by i.id limit 1))`

// Holds the credits of decisions that have no hold yet, one transaction each. Each credit is added to the
// case of its client, its first rule and the day, and its hold names that case (I133). Unidentified money
// stays in suspense: it cannot be returned until two people release its decision (requests.ts). If it is
// assigned to a client first, the transaction that assigns it also holds it (holdAssigned). Returns whether
// there were decisions without a hold.
export async function holdCredits(deps: Deps): Promise<boolean> {
  const { rows } = await deps.batchPool.query<{ id: bigint }>({
    name: 'decisions-to-hold',
    text: `select d.id from screening_decisions d
            where d.credit_id is not null and d.hold_id is null and d.unheld_reason is null
              and ${OWNER} is not null
            order by d.id limit ${HOLDS_MAX}`,
  })
  for (const { id } of rows) {
    await withTransaction(deps.batchPool, (tx) => holdCredit(tx, deps, id))
  }
  return rows.length > 0
}

// SQL condition: whether the decision `d` has led neither to a hold nor to a release.
const UNDECIDED = 'd.hold_id is null and d.unheld_reason is null'

// Refuses to move money in suspense whose credit broke a rule and is neither held nor released. The caller
// has locked the credit's suspense items.
export async function refuseStopped(tx: Transaction, creditId: CreditId): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'is-credit-stopped',
    text: `select from screening_decisions d where d.credit_id = $1 and ${UNDECIDED}`,
    values: [creditId],
  })
  if (rowCount) throw new Refusal('credit_held')
}

// Refuses to move a client's credit that broke a rule and is about to be held. Unidentified money may still
// be assigned.
export async function refuseUnheld(tx: Transaction, creditId: CreditId): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'is-credit-of-client-stopped',
    text: `select from screening_decisions d
            where d.credit_id = $1 and d.client_id is not null and ${UNDECIDED}`,
    values: [creditId],
  })
  if (rowCount) throw new Refusal('credit_held')
}

// Holds unidentified money that broke a rule and is being assigned, before its client can draw it. Waits if
// another transaction is releasing the decision.
export async function holdAssigned(
  tx: Transaction,
  deps: Holding,
  creditId: CreditId,
): Promise<void> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'lock-decisions-of-assigned',
    text: `select d.id from screening_decisions d where d.credit_id = $1 and ${UNDECIDED}
            order by d.id for no key update`,
    values: [creditId],
  })
  for (const { id } of rows) await holdCredit(tx, deps, id)
}

// Adds a credit to its case and places the hold. Stores in the decision the hold, or the reason why there is
// none. Does nothing if another worker has locked the decision, or has already handled it.
async function holdCredit(tx: Transaction, deps: Holding, id: bigint): Promise<void> {
  const { rows } = await tx.query<ToHold>({
    name: 'lock-decision-to-hold',
    text: `select d.id, d.reference, d.credit_id, c.currency, c.session_id, k.id as client_id,
                  k.client_id as client_name, coalesce(f.reference, d.reference) as rule,
                  coalesce(f.name, d.reference) as rule_name,
                  (select string_agg(distinct r.name, ', ')
                     from jsonb_array_elements(d.hits) as h
                     join screening_rules r on r.reference = h ->> 'rule') as rules
             from screening_decisions d
             join credits c on c.id = d.credit_id
             join clients k on k.id = ${OWNER}
             left join screening_rules f on f.reference = d.hits -> 0 ->> 'rule'
            where d.id = $1 and d.hold_id is null and d.unheld_reason is null
              for no key update of d skip locked`,
    values: [id],
  })
  const [decision] = rows
  if (!decision) return
  const operatorId = (await findOperator(tx)) ?? null
  const by = { actor: 'screening', operatorId, now: deps.now, sealer: deps.sealer }
  const caseReference = await joinCase(tx, by, caseOf(decision, deps.now))
  const holdResult =
    decision.currency === CURRENCY
      ? await tryHold(tx, deps, { ...decision, operatorId, caseReference })
      : ({ why: 'currency' } as const)
  await tx.query({
    name: 'keep-hold-of-decision',
    text: `update screening_decisions set hold_id = $2, unheld_reason = $3, client_id = $4
            where id = $1`,
    values: [
      id,
      'holdId' in holdResult ? holdResult.holdId : null,
      'why' in holdResult ? holdResult.why : null,
      decision.clientId,
    ],
  })
}

// Returns the case that the credit belongs to: one per client, rule and day.
function caseOf({ creditId, sessionId, clientId, clientName, rule, ruleName }: ToHold, now: Date) {
  const day = watDay(now)
  return {
    ...({ kind: 'own_rule', clientId, creditId, sessionId, reportedAt: now } as const),
    key: `screening/${clientName}/${rule}/${day}`,
    summary: `Credits of ${clientName} on ${day} that broke the rule ${ruleName}`,
  }
}

type Placed = { holdId: HoldId } | { why: 'nothing_left' }
type InCase = ToHold & { operatorId: ClientId | null; caseReference: string }

// Places the hold, unless the bank has taken the money back. The refusal needs no rollback, because
// placeHold() refuses before it writes.
async function tryHold(
  tx: Transaction,
  { sharedAccounts, now }: Holding,
  { reference, creditId, clientId, clientName, rules, operatorId, caseReference }: InCase,
): Promise<Placed> {
  const by = { clientId: operatorId ?? clientId, actor: 'screening', now, sharedAccounts }
  const hold = { clientId, clientName, target: { kind: 'credit', creditId } as const }
  const terms = { amountKobo: null, caseReference, deadlineAt: null }
  const reason = `Screening ${reference}: ${rules}`.slice(0, 500)
  try {
    const { id } = await placeHold(tx, by, { ...hold, ...terms, reason })
    return { holdId: id }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'hold_too_large') return { why: 'nothing_left' }
    throw error
  }
}

// Returns the operator whose audit log records the holds that screening places: the first active client that
// is an operator.
async function findOperator(tx: Transaction): Promise<ClientId | undefined> {
  const { rows } = await tx.query<{ id: ClientId }>({
    name: 'first-operator',
    text: 'select id from clients where is_operator and is_active order by id limit 1',
  })
  return rows[0]?.id
}

const LATE = { kind: 'screening_late', subject: 'credits' } as const

// Raises an alert when the oldest unscreened credit is older than the setting.
export async function watchScreening(
  tx: Transaction,
  now: Date,
  { lateMinutes }: { lateMinutes: number },
): Promise<void> {
  const { rows } = await tx.query<{ since: Date | null }>({
    name: 'oldest-unscreened-credit',
    text: `select case when exists (select from screening_progress)
                       then (select received_at from credits
                              where id > (select credit_id from screening_progress)
                              order by id limit 1)
                       else (select min(effective_from) from screening_rules where ${IN_FORCE}) end
                  as since`,
    values: [now, now],
  })
  const since = rows[0]?.since
  if (!since || now.getTime() - since.getTime() < lateMinutes * 60_000) {
    await clearAlert(tx, now, LATE)
    return
  }
  const detail = { unscreenedSince: since.toISOString(), minutes: lateMinutes }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [{ ...LATE, detail }]))
}
