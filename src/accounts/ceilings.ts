// Ceilings: the operator's limits on the collection accounts of a client, by KYC tier.
//
// I142: the limits in force are never above the ceiling of the account's tier, whatever the client sets
// (limits.ts). A client may set lower limits and read its ceilings. Only the operator writes ceilings.

import type { Client } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { KYC_TIERS, type KycTier } from '#identity/tiers.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { AccountLimits } from './limits.ts'

export type Ceiling = AccountLimits & { tier: KycTier }

const NONE: AccountLimits = { perCreditKobo: null, perDayKobo: null, balanceMaxKobo: null }

// Returns one ceiling for each tier, in the order of the tiers.
export async function readCeilings(db: Queryable, clientId: ClientId): Promise<Ceiling[]> {
  const { rows } = await db.query<Ceiling>({
    name: 'read-collection-ceilings',
    text: `select tier, per_credit_kobo, per_day_kobo, balance_max_kobo
             from collection_ceilings where client_id = $1`,
    values: [clientId],
  })
  return KYC_TIERS.map((tier) => rows.find((row) => row.tier === tier) ?? { tier, ...NONE })
}

// Replaces all ceilings, from the next credit on. Recorded in the operator's audit log.
export async function replaceCeilings(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  { client, ceilings }: { client: Pick<Client, 'id' | 'clientId'>; ceilings: readonly Ceiling[] },
): Promise<Ceiling[]> {
  await tx.query('select from clients where id = $1 for no key update', [client.id])
  const before = await readCeilings(tx, client.id)
  await tx.query({
    name: 'drop-collection-ceilings',
    text: 'delete from collection_ceilings where client_id = $1',
    values: [client.id],
  })
  const set = ceilings.filter((each) => Object.keys(NONE).some((limit) => each[limit as Limit]))
  await tx.query({
    name: 'write-collection-ceilings',
    text: `insert into collection_ceilings
             (client_id, tier, per_credit_kobo, per_day_kobo, balance_max_kobo)
           select $1, c.* from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[]) as c`,
    values: [
      client.id,
      set.map(({ tier }) => tier),
      numberArray(set.map(({ perCreditKobo }) => perCreditKobo)),
      numberArray(set.map(({ perDayKobo }) => perDayKobo)),
      numberArray(set.map(({ balanceMaxKobo }) => balanceMaxKobo)),
    ],
  })
  const after = await readCeilings(tx, client.id)
  await writeAuditLog(tx, now, {
    ...{ clientId, actor, action: 'client.ceilings', subject: `client/${client.clientId}` },
    detail: { before: before.map(auditView), after: after.map(auditView) },
  })
  return after
}

type Limit = keyof AccountLimits

const auditView = ({ tier, perCreditKobo, perDayKobo, balanceMaxKobo }: Ceiling) => ({
  tier,
  perCredit: formatOrNull(perCreditKobo),
  perDay: formatOrNull(perDayKobo),
  balanceMax: formatOrNull(balanceMaxKobo),
})

function formatOrNull(amountKobo: Kobo | null): string | null {
  return amountKobo === null ? null : formatKobo(amountKobo)
}
