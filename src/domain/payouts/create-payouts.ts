// Creates payouts: rows only. The caller posts the transfers into the account that holds the money
// until the bank has it (paying, refunding), caused by the payout, in the same transaction.
//
// Locks: the settings of the clients that have limits, in id order (payout-limits.ts).

import { numberArray, plainArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { recordPayoutChanges, recordRouting } from './payout-changes.ts'
import { refuseOverLimits } from './payout-limits.ts'
import { type NewPayout, newPayoutReference } from './payouts.ts'

// In the order given. Refused where a client exceeds its limits (I50).
export async function createPayouts(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  payouts: readonly NewPayout[],
): Promise<{ id: PayoutId; reference: string }[]> {
  if (payouts.length === 0) return []
  await refuseOverLimits(tx, now, payouts)
  const { rows } = await tx.query<{ id: PayoutId; reference: string }>({
    name: 'create-payouts',
    text: `insert into payouts
             (reference, client_id, purpose, bank_code, to_bank_code, to_account_sealed,
              to_account_name, amount_kobo, currency, narration, fee_kobo, vat_kobo, fee_rule_id,
              bank_account_id, subaccount_id, settlement_id, credit_id, approval, requested_by,
              requested_by_user, requested_at, approvers_needed)
           select n.reference, n.client_id, n.purpose, n.bank_code, n.to_bank_code,
                  n.to_account_sealed, n.to_account_name, n.amount_kobo, n.currency, n.narration,
                  n.fee_kobo, n.vat_kobo, n.fee_rule_id, n.bank_account_id, n.subaccount_id,
                  n.settlement_id, n.credit_id, n.approval, n.requested_by, u.id, $21,
                  greatest(n.approvers, 1)
             from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bytea[],
                         $7::text[], $8::bigint[], $9::text[], $10::text[], $11::bigint[],
                         $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
                         $17::bigint[], $18::text[], $19::text[], $20::bigint[]) with ordinality
                  as n (reference, client_id, purpose, bank_code, to_bank_code, to_account_sealed,
                        to_account_name, amount_kobo, currency, narration, fee_kobo, vat_kobo,
                        fee_rule_id, bank_account_id, subaccount_id, settlement_id, credit_id,
                        approval, requested_by, approvers, place)
             left join users u
               on u.client_id = n.client_id and n.requested_by = 'user:' || u.email
            order by n.place
           returning id, reference`,
    values: [...columns(sealer, payouts), now],
  })
  const byActor = Map.groupBy(rows, (_row, index) => (payouts[index] as NewPayout).requestedBy)
  for (const [changedBy, made] of byActor) {
    const payoutIds = made.map(({ id }) => id)
    await recordPayoutChanges(tx, now, { payoutIds, change: 'queued', changedBy })
  }
  const byRouting = Map.groupBy(rows, (_row, index) => (payouts[index] as NewPayout).routing)
  for (const [routing, made] of byRouting) {
    if (routing) await recordRouting(tx, now, { payoutIds: made.map(({ id }) => id), routing })
  }
  return rows
}

function columns(sealer: Sealer, payouts: readonly NewPayout[]): unknown[] {
  const texts = (of: (payout: NewPayout) => string) => payouts.map(of)
  const numbers = (of: (payout: NewPayout) => bigint | null | undefined) =>
    numberArray(payouts.map((payout) => of(payout) ?? null))
  return [
    texts(({ reference }) => reference ?? newPayoutReference()),
    numbers(({ clientId }) => clientId),
    plainArray(texts(({ purpose }) => purpose)),
    plainArray(texts(({ bankCode }) => bankCode)),
    texts(({ to }) => to.bankCode),
    payouts.map(({ to }) => sealer.seal(to.accountNumber)),
    texts(({ to }) => to.accountName),
    numbers(({ amountKobo }) => amountKobo),
    texts(({ currency }) => currency),
    texts(({ narration }) => narration),
    numbers(({ fee }) => fee?.feeKobo ?? 0n),
    numbers(({ fee }) => fee?.vatKobo ?? 0n),
    numbers(({ fee }) => fee?.ruleId),
    numbers(({ bankAccountId }) => bankAccountId),
    numbers(({ subaccountId }) => subaccountId),
    numbers(({ settlementId }) => settlementId),
    numbers(({ creditId }) => creditId),
    plainArray(texts(({ approversNeeded }) => (approversNeeded > 0 ? 'needed' : 'not_needed'))),
    texts(({ requestedBy }) => requestedBy),
    numbers(({ approversNeeded }) => BigInt(approversNeeded)),
  ]
}
