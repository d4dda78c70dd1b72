// Claims queued payouts to send them: by a connector, in a file (`batchId`), or by hand. The claim makes them
// `sending` and is committed before any bank receives them. So after any crash, no worker claims them again
// (I47), unless their sender reports that nothing was sent (queueAgain). movePayouts() moves queued payouts
// away from banks where orders fail.
//
// claimPayouts() claims no payout while payouts are held, none that was requested before a restore (I82),
// none that is blocked (holds.ts), none for a connector whose orders fail, and none in a currency that
// connectors and files do not pay: the operator sends such returns by hand.

import type { PayoutInstruction } from '#banks/connector.ts'
import { isWaiting } from '#db/due.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { quotedArray } from '#db/sql.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { PayoutId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import { awaitHolders } from '#records/call-rates.ts'
import { claimOrders, isTrialDue, RETRY_MAX_MS, readRoutes } from '#routing/bank-route.ts'
import type { Sealer } from '#seal.ts'
import { BLOCKED, isUnderReview, isUnscreened, MAY_BE_SENT } from './holds.ts'
import { type Payout, recordRouting } from './payout.ts'
import { chooseSendingBank, type Sending } from './sending-bank.ts'
import { transition } from './states.ts'

// The first and the longest wait before an order that could not be sent is sent again.
const FIRST_MS = 5_000
const LONGEST_MS = 300_000

export type ClaimedPayout = PayoutInstruction & { id: PayoutId }

// SQL condition on a payout `p`: it is approved, and no hold or restore keeps it from being sent.
export const IS_TO_BE_SENT = `status = 'queued' and approval in ('not_needed', 'approved')
                              and ${MAY_BE_SENT}`
// SQL condition on a payout `p`: a connector or a file may take it now. A payout that could not be sent waits
// before the next attempt.
const isDue = (now: string) => `${IS_TO_BE_SENT} and currency = '${CURRENCY}'
  and not ${isWaiting('send_after', { now, longest: LONGEST_MS })} and not ${isUnscreened(now)}`

type Claiming = {
  bankCode: string
  limit: number
  batchId?: bigint | undefined // The file; undefined if a connector sends the payouts.
  sentOver?: string | undefined // The fingerprint of the connection that sends the payouts.
  by: string
  detail?: string // The file's reference.
}

// SQL condition on a bank `b`: it has payouts to send, and routing lets it take orders
// (src/routing/bank-route.ts).
const hasWorkFor = (now: string) => `
  exists (select from payouts p
           where bank_code = b.code and ${isDue(now)} and ${BLOCKED} is null)
  and not exists (select from bank_routes r
                   where r.bank_code = b.code and r.direction = 'out' and r.state = 'left'
                     and ${isWaiting('r.retry_at', { now, longest: RETRY_MAX_MS })})`

// SQL condition: one of these banks has a payout to send, and takes orders.
export const hasPayoutsToSend = (bankCodes: readonly string[]) => `exists (
  select from unnest(${quotedArray(bankCodes)}) as b (code)
   where ${hasWorkFor('clock.now')})`

// Returns those of the banks that have payouts to send and take orders.
export async function findSendingBanks(
  db: Queryable,
  bankCodes: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows } = await db.query<{ bankCode: string }>({
    name: 'find-sending-banks',
    text: `select code as bank_code from unnest($1::text[]) as b (code)
            where ${hasWorkFor('$2')}`,
    values: [bankCodes, now],
  })
  return rows.map(({ bankCode }) => bankCode)
}

// Claims the oldest payouts first. The caller commits before it sends anything.
export async function claimPayouts(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  { bankCode, limit, batchId, sentOver, by, detail }: Claiming,
): Promise<ClaimedPayout[]> {
  await awaitHolders(tx)
  // A connector whose orders have failed may send only one payout now, as a trial, or none. Files are not
  // limited.
  const claimable = batchId === undefined ? await claimOrders(tx, now, { bankCode, limit }) : limit
  if (claimable === 0) return []
  const payouts = await transition<Payout>(tx, {
    name: 'claim-payouts',
    rows: `select id from payouts p
            where bank_code = $1 and ${isDue('$3')} and ${BLOCKED} is null
            order by id limit $2 for no key update skip locked`,
    from: 'queued',
    to: 'sending',
    set: 'sending_at = $3, batch_id = $4, sent_over = $5',
    values: [bankCode, claimable, now, batchId ?? null, sentOver ?? null],
    returning: `r.reference, r.amount_kobo, r.currency, r.narration, r.to_bank_code,
                r.to_account_sealed, r.to_account_name`,
    by,
    now,
    detail: detail ?? null,
  })
  // An update returns its rows in no fixed order.
  return payouts
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, reference, amountKobo, currency, narration, ...to }) => ({
      id,
      reference,
      amountKobo,
      currency,
      narration,
      to: {
        bankCode: to.toBankCode,
        accountNumber: sealer.open(to.toAccountSealed),
        accountName: to.toAccountName,
      },
    }))
}

// Claims a payout that an operator has paid at the bank, so that no worker sends it. The caller has locked
// the payout. A payout that passed screening can still be confirmed when rules change, because the operator
// may have paid it.
export async function markSentByHand(
  tx: Transaction,
  now: Date,
  { id, by }: { id: PayoutId; by: string },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'is-payout-under-review',
    text: `select from payouts p
            where id = $1 and p.screening is distinct from 'clear' and ${isUnderReview('$2')}`,
    values: [id, now],
  })
  if (rowCount) throw new Refusal('payout_under_review')
  await transition(tx, {
    name: 'send-payout-by-hand',
    rows: [id],
    from: 'queued',
    to: 'sending',
    set: 'sending_at = $2',
    values: [now],
    by,
    now,
  })
}

export const UNREACHABLE_ALERT_MS = 1_800_000

// Returns 5 s, 10 s, 20 s, … up to five minutes, shortened at random by up to half, so that payouts are not
// all sent again at once. `chance` is from 0 to 1. `times` is how often the order could not be sent before.
export function sendAgainAfterMs(times: number, chance: number): number {
  const fullWaitMs = Math.min(FIRST_MS * 2 ** Math.min(times, 20), LONGEST_MS)
  return Math.round(fullWaitMs * (1 - chance / 2))
}

// `chance`: a random number from 0 to 1, by which sendAgainAfterMs() shortens the wait.
type Unsent = { id: PayoutId; claimedAt: Date; reason: string; by: string; chance: number }

// Queues a payout again if its order certainly never reached the bank: the connection or the login failed,
// or, at banks where a recipient must be created first, that request failed. A worker tries again later, so a
// short outage fails no payout (I105).
//
//   sending ──certainly not sent──▶ queued, not before `send_after`
//
// Only the process that claimed the payout calls this. Returns false and changes nothing if the payout is no
// longer in that claim. A payout that may have reached the bank becomes unknown instead, and is never sent
// again (I47). A payout in a payout file (`batch_id`) is not queued again either: it waits for the bank's
// report. A queued payout can be cancelled.
// Locks: the payout.
export async function queueAgain(
  tx: Transaction,
  now: Date,
  { id, claimedAt, reason, by, chance }: Unsent,
): Promise<boolean> {
  const { rows } = await tx.query<{ times: number }>({
    name: 'lock-unsent-payout',
    text: `select unsent_times as times from payouts
            where id = $1 and status = 'sending' and batch_id is null and sending_at = $2
              for no key update`,
    values: [id, claimedAt],
  })
  if (!rows[0]) return false
  const sendAfter = new Date(now.getTime() + sendAgainAfterMs(rows[0].times, chance))
  await transition(tx, {
    name: 'queue-payout-again',
    rows: [id],
    from: 'sending',
    to: 'queued',
    set: `sending_at = null, sent_over = null, send_after = $2,
          unsent_times = unsent_times + 1, unsent_since = coalesce(unsent_since, $3)`,
    values: [sendAfter, now],
    by,
    now,
    detail: reason,
  })
  return true
}

const MOVED_MAX = 100

// SQL condition: routing chose the payout's bank, and no bank can have received the payout.
const IS_MOVABLE = `${IS_TO_BE_SENT} and purpose in ('payout', 'settlement')
                  and sending_at is null and batch_id is null and currency = '${CURRENCY}'`

// SQL condition: a payout may move away from a bank where orders fail.
export const HAS_PAYOUTS_TO_MOVE = `exists (
  select from bank_routes r join payouts p on p.bank_code = r.bank_code
   where r.direction = 'out' and r.state = 'left' and ${IS_MOVABLE})`

type Moving = Pick<Sending, 'now' | 'bankConnections' | 'metrics'>

// Moves queued payouts from banks where orders fail to a bank that can take them. I106: moves only payouts
// whose bank routing chose and that no bank can have received; a trigger refuses all others
// (payouts_keep_bank). If no other bank can be used, they wait. If a bank's trial is due, its payouts stay.
// Returns how many were moved.
//
// Locks: payouts in id order.
export async function movePayouts(db: Pool, moving: Moving): Promise<number> {
  const routes = await readRoutes(db)
  const failingRoutes = routes.filter(
    ({ direction, state }) => direction === 'out' && state === 'left',
  )
  let moved = 0
  for (const route of failingRoutes) {
    if (isTrialDue(route, moving.now)) continue
    moved += await withTransaction(db, (tx) => movePayoutsFrom(tx, moving, route.bankCode))
  }
  return moved
}

// Moves up to MOVED_MAX payouts of one bank, oldest first.
async function movePayoutsFrom(tx: Transaction, moving: Moving, bankCode: string): Promise<number> {
  const { rows } = await tx.query<{ id: PayoutId; amountKobo: Kobo }>({
    name: 'lock-payouts-to-move',
    text: `select id, amount_kobo from payouts p
            where bank_code = $1 and ${IS_MOVABLE}
            order by id limit ${MOVED_MAX} for no key update skip locked`,
    values: [bankCode],
  })
  let moved = 0
  for (const { id, amountKobo } of rows) {
    const choice = await chooseSendingBank(tx, { ...moving, currency: CURRENCY, amountKobo })
    // No other bank can be used now, so the remaining payouts wait.
    if (choice.why === 'last_resort' || choice.bankCode === bankCode) break
    await tx.query({
      name: 'move-payout',
      text: `update payouts set bank_code = $2, send_after = null, unsent_since = null
              where id = $1 and ${IS_MOVABLE}`,
      values: [id, choice.bankCode],
    })
    await recordRouting(tx, moving.now, { payoutIds: [id], routing: choice })
    moved++
  }
  return moved
}
