// Screens the beneficiaries of payouts before they are sent (I147). A queued payout waits until it has been
// screened by every rule and list version in force (payouts/holds.ts: isUnscreened). So does a payout in a
// file until the first download of the file.
//
//   clear     the payout may be sent, until a rule or a list changes
//   held      two people release or refuse the payout (requests.ts); a released payout becomes clear
//   refused   the payout is cancelled, or fails if it is in a file, and its money is available again
//
// Locks: the file, the payout, then the locks of settling it.

import type { Pool, Queryable } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { ClientId, PayoutId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { lockFileOf } from '#payouts/files.ts'
import { isUnscreened, MAY_BE_STOPPED } from '#payouts/holds.ts'
import { lockPayout, type OutcomeHooks, settlePayout } from '#payouts/settle.ts'
import { insertDecisions } from './decisions.ts'
import type { Hit } from './judge.ts'
import { type ListPeriod, loadIndex, readPeriods } from './lists.ts'
import { type Rule, rulesInForce } from './rule.ts'
import { listInputs, ruleSetAt } from './screen.ts'

export const REFUSED = 'Refused by screening.'
const BATCH_MAX = 200

// A payout that waits to be screened; `name` is the beneficiary's.
type Waiting = { id: PayoutId; reference: string; clientId: ClientId | null; name: string }

// SQL condition: whether the payout `p` waits to be screened.
const IS_WAITING = (now: string) =>
  `${MAY_BE_STOPPED} and p.screening is distinct from 'held' and ${isUnscreened(now)}`

type Deps = {
  batchPool: Pool
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  now: Date
}

// SQL condition: whether any payout waits to be screened.
export const HAS_UNSCREENED_PAYOUTS = `exists (
  select from payouts p where ${IS_WAITING('clock.now')})`

// Screens the next payouts. Returns whether there may be more.
export async function screenPayouts(deps: Deps): Promise<boolean> {
  const { batchPool, now } = deps
  const { rows } = await batchPool.query<Waiting>({
    name: 'payouts-to-screen',
    text: `select id, reference, client_id, to_account_name as name from payouts p
            where ${IS_WAITING('$1')} order by id limit ${BATCH_MAX}`,
    values: [now],
  })
  if (rows.length === 0) return false
  const rules = await rulesInForce(batchPool, { subject: 'payout', from: now, to: now })
  const lists = await readPeriods(batchPool)
  const ruleSet = ruleSetAt({ rules, lists }, now)
  const clear: PayoutId[] = []
  for (const payout of rows) {
    const hits = await judgePayout(batchPool, { rules, lists, at: now }, payout)
    if (hits.length === 0) clear.push(payout.id)
    else
      await withTransaction(batchPool, (tx) =>
        stopPayout(tx, deps, { payout, rules, ruleSet, hits }),
      )
  }
  await batchPool.query({
    name: 'clear-screened-payouts',
    text: `update payouts p set screening = 'clear', screened_at = $2
            where id = any($1::bigint[]) and ${MAY_BE_STOPPED}
              and screening is distinct from 'held'`,
    values: [clear.map(String), now],
  })
  return rows.length === BATCH_MAX
}

// Returns the rules that the beneficiary breaks. Depends only on the name, the client, the rules and the list
// versions in force at `at`.
export async function judgePayout(
  db: Queryable,
  { rules, lists, at }: { rules: readonly Rule[]; lists: readonly ListPeriod[]; at: Date },
  { clientId, name }: Pick<Waiting, 'clientId' | 'name'>,
): Promise<Hit[]> {
  const hits: Hit[] = []
  for (const { reference: rule, kind, params, clientId: ruleClientId } of rules) {
    if (ruleClientId !== null && ruleClientId !== clientId) continue
    const isCurrent = ({ name: list, from, to }: ListPeriod) =>
      list === params.list && from <= at && (!to || to > at)
    const list = lists.find(isCurrent)
    const match = list && (await loadIndex(db, list)).match(name, params.score ?? 0)
    if (list && match) hits.push({ rule, kind, inputs: listInputs(list, match) })
  }
  return hits
}

// SQL scalar: the time of screening, $3 by the clock. For a payout in a file it is always later than the
// claim, even if the clock was set back. From this the database constraint payouts_held_unsent knows that
// the payout was not claimed after it was stopped.
export const AFTER_CLAIM = `greatest($3, sending_at + interval '1 millisecond')`

type Stopping = { payout: Waiting; rules: readonly Rule[]; ruleSet: string; hits: Hit[] }

// Stores that a payout broke rules: it is refused if any of the rules says so, and held otherwise. Does
// nothing if the payout was claimed, downloaded or cancelled since, or if another worker was first.
async function stopPayout(
  tx: Transaction,
  { sharedAccounts, payoutHooks: hooks, now }: Deps,
  { payout: { id, reference, clientId }, rules, ruleSet, hits }: Stopping,
): Promise<void> {
  const brokenRules = rules.filter(({ reference }) => hits.some(({ rule }) => rule === reference))
  const isRefused = brokenRules.some(({ outcome }) => outcome === 'refuse')
  await lockFileOf(tx, reference)
  const { rowCount } = await tx.query({
    name: 'stop-screened-payout',
    text: `update payouts p set screening = $2, screened_at = ${AFTER_CLAIM}
            where id = $1 and ${MAY_BE_STOPPED} and screening is distinct from 'held'`,
    values: [id, isRefused ? 'refused' : 'held', now],
  })
  if (rowCount === 0) return
  const outcome = isRefused ? 'refuse' : 'hold'
  await insertDecisions(tx, now, [
    { creditId: null, payoutId: id, clientId, outcome, ruleSet, hits },
  ])
  if (isRefused) await refusePayout(tx, { sharedAccounts, hooks, now }, { id, by: 'screening' })
}

// Ends a payout that the caller has marked as refused. Returns whether this call settled it.
export async function refusePayout(
  tx: Transaction,
  deps: { sharedAccounts: SharedAccounts; hooks: OutcomeHooks; now: Date },
  { id, by }: { id: PayoutId; by: string },
): Promise<boolean> {
  const { batchId } = await lockPayout(tx, id)
  // A payout in a file is already being sent, so it can only fail. Any other is still queued.
  const status = batchId === null ? 'cancelled' : 'failed'
  const outcome = { status, reason: REFUSED } as const
  return (await settlePayout(tx, deps, { id, outcome, by })) === 'settled'
}
