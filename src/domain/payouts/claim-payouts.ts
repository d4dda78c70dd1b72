// Takes queued payouts to be sent: by a connector, or in a file (`batchId`). They are `sending` from
// the commit of this transaction on, before any bank hears of them: so whatever dies later, nobody
// takes them again (I47), unless their sender says that nothing was sent (unsent-payouts.ts). None are
// taken while payouts are held, none that a restore knew (I82), none that are blocked
// (blocked-payouts.ts), none for a connector whose orders fail, and none in another currency than
// connectors and files pay: such a return is the operator's to send.

import type { PayoutInstruction } from '#banks/connector.ts'
import type { Due } from '#client-time.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { awaitHolders } from '#domain/records/sending-lock.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import { claimOrders } from '#domain/routing/bank-routes.ts'
import { RETRY_MAX_MS } from '#domain/routing/route-states.ts'
import type { PayoutId } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { BLOCKED } from './blocked-payouts.ts'
import { MAY_BE_SENT } from './hold-payouts.ts'
import { recordPayoutChanges } from './payout-changes.ts'
import type { Payout } from './payouts.ts'

export type ClaimedPayout = PayoutInstruction & { id: PayoutId }

// Of payouts `p`: what waits for nobody but who sends it, …
export const IS_TO_BE_SENT = `status = 'queued' and approval in ('not_needed', 'approved')
                              and ${MAY_BE_SENT}`
// … and that is a connector, or a file. What could not be sent before waits (unsent-payouts.ts).
const isDue = (now: string) => `${IS_TO_BE_SENT} and currency = '${CURRENCY}'
  and (send_after is null or send_after <= ${now})`

type Claiming = {
  bankCode: string
  limit: number
  batchId?: bigint | undefined // In a file, or else …
  sentOver?: string | undefined // … over the connection of this fingerprint.
  by: string
  detail?: string // The file's reference.
}

// The banks of these that have anything to send, and take orders (src/domain/routing/route-states.ts).
// Work of a client with a test clock does not wait for that.
export async function findSendingBanks(
  db: Queryable,
  bankCodes: readonly string[],
  { now, only }: Due,
): Promise<string[]> {
  const { rows } = await db.query<{ bankCode: string }>({
    name: 'find-sending-banks',
    text: `select code as "bankCode" from unnest($1::text[]) as b (code)
            where exists (select from payouts p
                           where bank_code = b.code and ${isDue('$3')}
                             and ${livesIn('client_id', '$2')} and ${BLOCKED} is null)
              and ($2::bigint is not null or not exists (
                     select from bank_routes r
                      where r.bank_code = b.code and r.direction = 'out' and r.state = 'left'
                        and r.retry_at > $3 and r.retry_at <= $4))`,
    values: [bankCodes, only ?? null, now, new Date(now.getTime() + RETRY_MAX_MS)],
  })
  return rows.map(({ bankCode }) => bankCode)
}

// The oldest first. Commit before anything is sent.
export async function claimPayouts(
  tx: Transaction,
  { sealer, now, only }: Due & { sealer: Sealer },
  { bankCode, limit, batchId, sentOver, by, detail }: Claiming,
): Promise<ClaimedPayout[]> {
  await awaitHolders(tx)
  const isRouted = batchId === undefined && only === undefined
  const most = isRouted ? await claimOrders(tx, now, { bankCode, limit }) : limit
  if (most === 0) return []
  const { rows } = await tx.query<Payout>({
    name: 'claim-payouts',
    text: `with due as materialized (
             select id from payouts p
              where bank_code = $1 and ${isDue('$3')}
                and ${livesIn('client_id', '$5')} and ${BLOCKED} is null
              order by id limit $2 for no key update skip locked)
           update payouts p set status = 'sending', sending_at = $3, batch_id = $4, sent_over = $6
             from due where p.id = due.id
           returning p.id, p.reference, p.amount_kobo as "amountKobo", p.currency, p.narration,
                     p.to_bank_code as "toBankCode", p.to_account_sealed as "toAccountSealed",
                     p.to_account_name as "toAccountName"`,
    values: [bankCode, most, now, batchId ?? null, only ?? null, sentOver ?? null],
  })
  if (rows.length === 0) return []
  const payoutIds = rows.map(({ id }) => id)
  const change = { payoutIds, change: 'sending', changedBy: by, detail: detail ?? null } as const
  await recordPayoutChanges(tx, now, change)
  return rows
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

// An operator has executed it at the bank: from here on nobody else sends it. The payout must be
// locked.
export async function sendByHand(
  tx: Transaction,
  now: Date,
  { id, by }: { id: PayoutId; by: string },
): Promise<void> {
  await tx.query({
    name: 'send-payout-by-hand',
    text: `update payouts set status = 'sending', sending_at = $2
            where id = $1 and status = 'queued'`,
    values: [id, now],
  })
  await recordPayoutChanges(tx, now, { payoutIds: [id], change: 'sending', changedBy: by })
}
