// Queued payouts that must not be sent as things are: the client is suspended (I97), the account is not to
// be paid any more, or the bank took back the money that would be refunded or returned. They wait, and can
// be cancelled or, if they are returns, failed; operators are told. Those of a suspended client wait until
// it is resumed, and raise no alert: an operator suspended it.

import type { Due } from '#client-time.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { RefusalCode } from '#errors.ts'
import type { PayoutId } from '#ids.ts'

// Of a refund `p`: more is refunded of its source than that holds since (I58).
const IS_UNCOVERED = `
  (select sum(q.amount_kobo) from payouts q
    where q.credit_id = p.credit_id and q.item_id is not distinct from p.item_id
      and q.refund_id is not null and q.status not in ('failed', 'cancelled'))
  > case when p.item_id is null
         then (select c.amount_kobo - c.suspended_kobo - c.reversed_kobo
                 from credits c where c.id = p.credit_id)
         else coalesce((select i.amount_kobo from suspense_items i
                         where i.id = p.item_id and i.state = 'assigned'), 0) end`

// Of what is being returned of a credit: the bank took it back itself, so the payer has it (I59). Should
// a return of the credit fail, that is made good with it first, and another may be covered again.
export const isTakenBack = (creditId: string) => `
  exists (select from reversals v where v.credit_id = ${creditId} and v.shortfall_kobo > 0)`

const SUSPENDED = 'client_suspended'

// Why the payout `p` is blocked; null: it is not. An account that was given another name since is not the
// one that was approved.
export const BLOCKED = `
  case when exists (select from clients where clients.id = p.client_id and not clients.is_active)
       then '${SUSPENDED}'
       when p.bank_account_id is not null
       then (select case when not b.is_active then 'bank_account_inactive'
                         when b.status = 'mismatch' or p.to_account_name
                              not in (b.account_name, coalesce(b.name_at_bank, b.account_name))
                         then 'bank_account_mismatch' end
               from bank_accounts b where b.id = p.bank_account_id)
       when p.refund_id is not null and ${IS_UNCOVERED} then 'refund_credit_reversed'
       when p.purpose = 'return' and ${isTakenBack('p.credit_id')} then 'return_credit_reversed' end`

export const BLOCKS = [
  SUSPENDED,
  'bank_account_inactive',
  'bank_account_mismatch',
  'refund_credit_reversed',
  'return_credit_reversed',
] as const satisfies readonly RefusalCode[]
type Block = (typeof BLOCKS)[number]

// Null: it is not queued, or nothing blocks it.
export async function findBlock(db: Queryable, id: PayoutId): Promise<Block | null> {
  const { rows } = await db.query<{ block: Block | null }>({
    name: 'find-payout-block',
    text: `select ${BLOCKED} as block from payouts p where p.id = $1 and p.status = 'queued'`,
    values: [id],
  })
  return rows[0]?.block ?? null
}

type BlockedPayout = { reference: string; bankCode: string; block: Block }

export async function alertBlocked(tx: Transaction, { now, only }: Due): Promise<void> {
  const { rows } = await tx.query<BlockedPayout>({
    name: 'blocked-payouts',
    text: `select p.reference, p.bank_code as "bankCode", w.block
             from payouts p cross join lateral (select ${BLOCKED} as block) as w
            where p.status = 'queued' and w.block <> '${SUSPENDED}' and ${livesIn('p.client_id', '$1')}
              and not exists (select from alerts
                               where kind = 'payout_blocked' and cleared_at is null
                                 and subject = 'payout/' || p.reference)
            order by p.id limit 100`,
    values: [only ?? null],
  })
  const alerts = rows.map(({ reference, bankCode, block }) => ({
    kind: 'payout_blocked' as const,
    subject: `payout/${reference}`,
    detail: { bankCode, reason: block },
  }))
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  if (only === undefined) await clearUnblocked(tx, now)
}

// It was cancelled, or may be sent again.
async function clearUnblocked(tx: Transaction, now: Date): Promise<void> {
  await tx.query({
    name: 'clear-unblocked-payouts',
    text: `update alerts set cleared_at = $1
            where kind = 'payout_blocked' and cleared_at is null
              and not exists (select from payouts p
                               where p.reference = substr(subject, length('payout/') + 1)
                                 and p.status = 'queued' and ${BLOCKED} <> '${SUSPENDED}')`,
    values: [now],
  })
}
