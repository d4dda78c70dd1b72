// Takes the credit of a line that a person decided to book, by the path of every credit, and matches the
// two. Safe to repeat, and after a crash at any point:
//
//   decided (committed) ─▶ credit taken (a batch of its own) ─▶ matched, and the difference cleared
//
// A credit that came meanwhile by another route is a duplicate (I12) and is matched all the same. If the
// books have it on other terms, nothing is booked and the difference is open again.

import type { BatchResult } from '#db/batcher.ts'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { CreditResult } from '#domain/credits/decide-credits.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { DifferenceId, StatementLineId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { bookingOf } from './allowed-actions.ts'
import {
  type Difference,
  getDifference,
  isBeingBooked,
  lockDifference,
  readLine,
} from './locked-differences.ts'
import { insertPair, readItem, writeChange } from './record-resolutions.ts'
import { statementCredit } from './statement-credit.ts'

export type FinishDeps = {
  batchPool: Pool
  sealer: Sealer
  submitCredits: (credits: readonly IncomingCredit[]) => Promise<BatchResult<CreditResult>[]>
  now: Date
}

// Does nothing if there is nothing to finish. Throws the refusal of the books, also of an earlier
// attempt.
export async function finishBooking(deps: FinishDeps, id: DifferenceId): Promise<void> {
  const { batchPool, now } = deps
  const difference = await getDifference(batchPool, id)
  if (!isBeingBooked(difference)) return refuseFailed(batchPool, difference)
  const result = await take(deps, difference)
  const refusal = await withTransaction(batchPool, (tx) => settle(tx, now, { id, result }))
  if (refusal) throw new Refusal(refusal)
}

// A later statement may have shown that no credit is missing.
async function take(
  { batchPool, sealer, submitCredits, now }: FinishDeps,
  difference: Difference,
): Promise<CreditResult> {
  if (bookingOf(difference) !== 'credit') return { status: 'session_reused' }
  const line = await readLine(batchPool, difference.lineId as StatementLineId)
  const [result] = await submitCredits([statementCredit(line, { sealer, now })])
  if (!result?.ok) throw result?.error
  return result.value
}

type TakenCredit = { id: DifferenceId; result: CreditResult }

async function settle(
  tx: Transaction,
  now: Date,
  { id, result }: TakenCredit,
): Promise<RefusalCode | undefined> {
  const difference = await lockDifference(tx, id)
  if (!isBeingBooked(difference)) return undefined // Another process finished it, or a rule matched it.
  if (result.status === 'session_reused') return fail(tx, now, difference)
  const item = { kind: 'credit', id: result.creditId }
  const stored = await readItem(tx, difference, item)
  if (stored?.leftKobo !== difference.amountKobo) return fail(tx, now, difference)
  await insertPair(tx, now, {
    lineId: difference.lineId as StatementLineId,
    item,
    amountKobo: stored.leftKobo,
    rule: 'booked',
    matchedBy: difference.decidedBy as string,
  })
  await tx.query({
    name: 'clear-booked-difference',
    text: `update differences set state = 'cleared' where id = $1`,
    values: [id],
  })
  const detail = { item: `credit/${result.creditId}`, status: result.status }
  await writeChange(tx, now, { id, change: 'cleared', actor: null, detail })
  return undefined
}

// The history keeps the decision.
async function fail(tx: Transaction, now: Date, { id }: Difference): Promise<RefusalCode> {
  await tx.query({
    name: 'fail-booking',
    text: `update differences
              set action = null, reason = null, asked_by = null, asked_by_user = null,
                  asked_at = null, decided_by = null, decided_by_user = null, decided_at = null
            where id = $1`,
    values: [id],
  })
  const code: RefusalCode = 'line_known_otherwise'
  await writeChange(tx, now, { id, change: 'failed', actor: null, detail: { code } })
  return code
}

async function refuseFailed(db: Pool, { id, state }: Difference): Promise<void> {
  if (state !== 'open') return
  const { rows } = await db.query<{ change: string }>({
    name: 'last-difference-change',
    text: `select change from difference_changes
            where difference_id = $1 and change <> 'assigned' order by id desc limit 1`,
    values: [id],
  })
  if (rows[0]?.change === 'failed') throw new Refusal('line_known_otherwise')
}

const WAIT_MS = 30_000 // The deciding process finishes it; after this time, that process is gone.
const ROUND_MAX = 100

export async function findUnfinished(db: Pool, now: Date): Promise<DifferenceId[]> {
  const { rows } = await db.query<{ id: DifferenceId }>({
    name: 'unfinished-bookings',
    text: `select id from differences
            where state = 'open' and action is not null and decided_at < $1
            order by decided_at limit $2`,
    values: [new Date(now.getTime() - WAIT_MS), ROUND_MAX],
  })
  return rows.map(({ id }) => id)
}
