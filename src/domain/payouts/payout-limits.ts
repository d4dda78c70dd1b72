// I50: how much a client may pay out, as the operator has set it: in one payout, and in a day (West
// Africa Time). The limit per day counts whatever left the client that day, settlements and refunds
// included, unless it came back. Settlements are counted and never refused: they were approved, and
// their amounts are not the client's choice. Returns are payers' money and count for nothing.
//
// Locks: the settings of each client with a limit, so that its payouts are counted one by one.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import { watDayStart } from '#wat-time.ts'
import type { NewPayout, Purpose } from './payouts.ts'

const LIMITED: readonly Purpose[] = ['payout', 'refund']

type Limits = { clientId: ClientId; perPayoutKobo: Kobo | null; perDayKobo: Kobo | null }

export async function refuseOverLimits(
  tx: Transaction,
  now: Date,
  payouts: readonly Pick<NewPayout, 'clientId' | 'purpose' | 'amountKobo' | 'currency'>[],
): Promise<void> {
  const limited = payouts.filter(
    ({ clientId, purpose, currency }) =>
      clientId !== null && LIMITED.includes(purpose) && currency === CURRENCY,
  )
  if (limited.length === 0) return
  const clientIds = [...new Set(limited.map(({ clientId }) => clientId as ClientId))]
  const { rows } = await tx.query<Limits>({
    name: 'lock-payout-limits',
    text: `select client_id as "clientId", per_payout_kobo as "perPayoutKobo",
                  per_day_kobo as "perDayKobo"
             from payout_settings
            where client_id = any($1::bigint[]) and num_nonnulls(per_payout_kobo, per_day_kobo) > 0
            order by client_id for no key update`,
    values: [numberArray(clientIds)],
  })
  for (const limits of rows) {
    const amounts = limited.flatMap(({ clientId, amountKobo }) =>
      clientId === limits.clientId ? [amountKobo] : [],
    )
    await refuseOver(tx, now, { limits, amounts })
  }
}

type Asked = { limits: Limits; amounts: readonly Kobo[] }

async function refuseOver(tx: Transaction, now: Date, { limits, amounts }: Asked): Promise<void> {
  const { clientId, perPayoutKobo, perDayKobo } = limits
  if (perPayoutKobo !== null && amounts.some((amountKobo) => amountKobo > perPayoutKobo)) {
    throw new Refusal('payout_limit')
  }
  if (perDayKobo === null) return
  const paidKobo = await paidOutSince(tx, { clientId, since: watDayStart(now) })
  const askedKobo = amounts.reduce<bigint>((sum, amountKobo) => sum + amountKobo, 0n)
  if (paidKobo + askedKobo > perDayKobo) throw new Refusal('daily_payout_limit')
}

// A statement of its own, after the lock: it sees what the holder before has written.
async function paidOutSince(
  tx: Transaction,
  { clientId, since }: { clientId: ClientId; since: Date },
): Promise<bigint> {
  const { rows } = await tx.query<{ kobo: bigint }>({
    name: 'paid-out-since',
    text: `select coalesce(sum(amount_kobo), 0)::bigint as kobo
             from payouts
            where client_id = $1 and requested_at >= $2 and purpose <> 'return'
              and status not in ('failed', 'cancelled') and currency = $3`,
    values: [clientId, since, CURRENCY],
  })
  return rows[0]?.kobo ?? 0n
}
