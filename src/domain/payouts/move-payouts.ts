// Moves queued payouts away from banks that orders fail at, to a bank that takes them. I106: only what no
// bank can have been told of, and where nobody named the bank; a trigger refuses everything else
// (payouts_keep_bank). Where no other bank can be used, they wait.
//
// Locks: payouts in id order.

import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import { readRoutes } from '#domain/routing/bank-routes.ts'
import { isTrialDue } from '#domain/routing/route-states.ts'
import type { PayoutId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import { chooseSendingBank, type Sending } from './choose-sending-bank.ts'
import { IS_TO_BE_SENT } from './claim-payouts.ts'
import { recordRouting } from './payout-changes.ts'

const MOVED_MAX = 100

// It was chosen, not named, and no bank can have been told of it.
const MAY_MOVE = `${IS_TO_BE_SENT} and purpose in ('payout', 'settlement')
                  and sending_at is null and batch_id is null and currency = '${CURRENCY}'`

type Moving = Pick<Sending, 'now' | 'bankConnections' | 'metrics'>

// Answers how many were moved. One that waits for a trial that is due stays.
export async function movePayouts(db: Pool, moving: Moving): Promise<number> {
  const routes = await readRoutes(db)
  const left = routes.filter(({ direction, state }) => direction === 'out' && state === 'left')
  let moved = 0
  for (const route of left) {
    if (isTrialDue(route, moving.now)) continue
    moved += await withTransaction(db, (tx) => moveFrom(tx, moving, route.bankCode))
  }
  return moved
}

async function moveFrom(tx: Transaction, moving: Moving, bankCode: string): Promise<number> {
  const { rows } = await tx.query<{ id: PayoutId; amountKobo: Kobo }>({
    name: 'lock-payouts-to-move',
    text: `select id, amount_kobo as "amountKobo" from payouts p
            where bank_code = $1 and ${MAY_MOVE} and ${livesIn('client_id', '$2')}
            order by id limit ${MOVED_MAX} for no key update skip locked`,
    values: [bankCode, null],
  })
  let moved = 0
  for (const { id, amountKobo } of rows) {
    const choice = await chooseSendingBank(tx, { ...moving, currency: CURRENCY, amountKobo })
    if (choice.why === 'last_resort' || choice.bankCode === bankCode) break
    await tx.query({
      name: 'move-payout',
      text: `update payouts set bank_code = $2, send_after = null, unsent_since = null
              where id = $1 and ${MAY_MOVE}`,
      values: [id, choice.bankCode],
    })
    await recordRouting(tx, moving.now, { payoutIds: [id], routing: choice })
    moved++
  }
  return moved
}
