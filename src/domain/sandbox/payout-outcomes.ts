// The sandbox bank's answers to a client's next payouts, as the client chose them: for all payouts in
// turn, or for those to one account.
//
//   ok           pays at once           never        neither pays nor answers
//   failed       refuses                answer_lost  pays, but the answer is lost, as in a crash
//   slow         pays after ten seconds

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'

export const PAYOUT_OUTCOMES = ['ok', 'failed', 'slow', 'never', 'answer_lost'] as const
export type PayoutOutcome = (typeof PAYOUT_OUTCOMES)[number]

type ChosenOutcome = {
  clientId: ClientId
  outcome: PayoutOutcome
  accountHash: Buffer | null // Null: the next payout, whatever its account.
  times: number
}

// Replaces unused choices for the same payouts.
export async function setPayoutOutcome(
  tx: Transaction,
  now: Date,
  { clientId, outcome, accountHash, times }: ChosenOutcome,
): Promise<void> {
  await tx.query({
    name: 'lock-payout-outcomes',
    text: `select pg_advisory_xact_lock(hashtext('sandbox_payout_outcomes'), hashtext($1))`,
    values: [clientId.toString()],
  })
  await tx.query({
    name: 'drop-payout-outcomes',
    text: `delete from sandbox_payout_outcomes
            where client_id = $1 and payout_reference is null
              and account_hash is not distinct from $2`,
    values: [clientId, accountHash],
  })
  await tx.query({
    name: 'set-payout-outcome',
    text: `insert into sandbox_payout_outcomes (client_id, outcome, account_hash, created_at)
           select $1, $2, $3, $4 from generate_series(1, $5::int)`,
    values: [clientId, outcome, accountHash, now, times],
  })
}

// Uses up a choice for this payout; a choice for its account comes first. A payout that the bank has
// already seen gets its first answer again. One statement, so two concurrent payouts never use the same
// choice.
export async function choosePayoutOutcome(
  db: Queryable,
  { reference, accountHash }: { reference: string; accountHash: Buffer },
): Promise<PayoutOutcome | undefined> {
  const { rows } = await db.query<{ outcome: PayoutOutcome }>({
    name: 'choose-payout-outcome',
    text: `with chosen as materialized (
             select o.id
               from payouts p
               join sandbox_payout_outcomes o on o.client_id = p.client_id
              where p.reference = $1 and o.payout_reference is null
                and (o.account_hash is null or o.account_hash = $2)
                and not exists (select from sandbox_payouts where reference = $1)
              order by o.account_hash is null, o.id
              limit 1
                for no key update of o skip locked)
           update sandbox_payout_outcomes o set payout_reference = $1
             from chosen where o.id = chosen.id
           returning o.outcome`,
    values: [reference, accountHash],
  })
  return rows[0]?.outcome
}
