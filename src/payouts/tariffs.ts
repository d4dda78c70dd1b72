// Tariffs: the prices that banks charge us for a payout. A tariff applies from a date on, to one bank or to
// all banks that have no separate tariff. The tariff in force when a payout is confirmed sets its cost. Costs
// are whole kobo; VAT is rounded half up.
//
// A tariff can be withdrawn until a minute before it begins. The withdrawal takes less than a minute, so no
// payout is booked by a withdrawn tariff.

import type { Clock } from '#clock.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'

export type Tariff = {
  bandLimitsKobo: readonly bigint[] // Ascending: the greatest amount of each band but the last.
  bandFeesKobo: readonly bigint[] // Has one more fee, for amounts above the last limit.
  vatBps: number
  dutyKobo: Kobo
  dutyFromKobo: Kobo
}

// `costKobo` includes the stamp duty.
export type PayoutCost = { costKobo: Kobo; dutyKobo: Kobo; costVatKobo: Kobo }

const WHOLE_BPS = 10_000n
const NO_COST: PayoutCost = { costKobo: kobo(0n), dutyKobo: kobo(0n), costVatKobo: kobo(0n) }

// Computes the bank's charge for a payout of this amount. VAT is rounded half up, and not charged on stamp
// duty.
export function computePayoutCost(tariff: Tariff, amountKobo: Kobo): PayoutCost {
  const bandIndex = tariff.bandLimitsKobo.filter((limit) => amountKobo > limit).length
  const feeKobo = tariff.bandFeesKobo[bandIndex] as bigint
  const dutyKobo = amountKobo >= tariff.dutyFromKobo ? tariff.dutyKobo : 0n
  const vatKobo = (2n * feeKobo * BigInt(tariff.vatBps) + WHOLE_BPS) / (2n * WHOLE_BPS)
  return {
    costKobo: kobo(feeKobo + dutyKobo),
    dutyKobo: kobo(dutyKobo),
    costVatKobo: kobo(vatKobo),
  }
}

// PostgreSQL arrays of bigint arrive as arrays of text.
type TariffRow = Omit<Tariff, 'bandLimitsKobo' | 'bandFeesKobo'> & {
  bandLimits: readonly string[]
  bandFees: readonly string[]
}

const TARIFF_COLUMNS = `
  band_limits_kobo::text[] as band_limits, band_fees_kobo::text[] as band_fees,
  vat_bps, duty_kobo, duty_from_kobo`

function toTariff({ bandLimits, bandFees, ...columns }: TariffRow): Tariff {
  return { ...columns, bandLimitsKobo: bandLimits.map(BigInt), bandFeesKobo: bandFees.map(BigInt) }
}

// Returns the bank's charge for a payout by the tariff in force: the bank's own, or else the one of all
// banks. Tariffs are in naira; payouts in other currencies have no cost.
export async function readCost(
  db: Queryable,
  {
    bankCode,
    amountKobo,
    currency,
    now,
  }: { bankCode: string; amountKobo: Kobo; currency: string; now: Date },
): Promise<PayoutCost> {
  if (currency !== CURRENCY) return NO_COST
  const { rows } = await db.query<TariffRow>({
    name: 'find-payout-tariff',
    text: `select ${TARIFF_COLUMNS} from payout_tariffs
            where (bank_code = $1 or bank_code is null) and effective_from <= $2
            order by bank_code is null, effective_from desc limit 1`,
    values: [bankCode, now],
  })
  return rows[0] ? computePayoutCost(toTariff(rows[0]), amountKobo) : NO_COST
}

// Returns the tariffs in force, by bank. Omits banks without a tariff.
export async function readTariffs(
  db: Queryable,
  now: Date,
  bankCodes: readonly string[],
): Promise<Map<string, Tariff>> {
  const { rows } = await db.query<TariffRow & { bankCode: string }>({
    name: 'read-tariffs-in-force',
    text: `select b.code as bank_code, t.* from unnest($1::text[]) as b (code)
            cross join lateral (select ${TARIFF_COLUMNS} from payout_tariffs
                                 where (bank_code = b.code or bank_code is null)
                                   and effective_from <= $2
                                 order by bank_code is null, effective_from desc limit 1) as t`,
    values: [bankCodes, now],
  })
  return new Map(rows.map(({ bankCode, ...row }) => [bankCode, toTariff(row)]))
}

export type DatedTariff = Tariff & {
  id: bigint
  bankCode: string | null
  effectiveFrom: Date
  createdAt: Date
}

export async function listTariffs(
  db: Queryable,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<DatedTariff[]> {
  const { rows } = await db.query<TariffRow & Omit<DatedTariff, keyof Tariff>>(
    listQuery({
      select: `select ${TARIFF_COLUMNS}, ${DATED_COLUMNS} from payout_tariffs`,
      where: [],
      id: 'id',
      after: beforeId,
      limit,
    }),
  )
  return rows.map(({ id, bankCode, effectiveFrom, createdAt, ...row }) => ({
    ...toTariff(row),
    id,
    bankCode,
    effectiveFrom,
    createdAt,
  }))
}

const DATED_COLUMNS = `
  id, bank_code, effective_from, created_at`

// Creates a tariff. It replaces the previous one from `effectiveFrom` on, because the latest tariff that has
// begun applies. This time is never in the past, so that costs that are already booked stay right.
export async function createTariff(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  {
    bankCode,
    tariff,
    effectiveFrom = now,
  }: { bankCode: string | null; tariff: Tariff; effectiveFrom?: Date | undefined },
): Promise<DatedTariff> {
  if (effectiveFrom < now) {
    const message = 'Must not be in the past.'
    throw new Refusal('invalid_request', [
      { field: 'effectiveFrom', message },
    ] satisfies FieldError[])
  }
  await lockTariffs(tx)
  const { rowCount } = await tx.query({
    name: 'overlapping-payout-tariffs',
    text: `select from payout_tariffs
            where bank_code is not distinct from $1 and effective_from >= $2 limit 1`,
    values: [bankCode, effectiveFrom],
  })
  if (rowCount !== 0) throw new Refusal('tariff_overlaps')
  await tx.query({
    name: 'create-payout-tariff',
    text: `insert into payout_tariffs
             (bank_code, band_limits_kobo, band_fees_kobo, vat_bps, duty_kobo, duty_from_kobo,
              effective_from, created_by, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      bankCode,
      numberArray(tariff.bandLimitsKobo),
      numberArray(tariff.bandFeesKobo),
      tariff.vatBps,
      tariff.dutyKobo,
      tariff.dutyFromKobo,
      effectiveFrom,
      actor,
      now,
    ],
  })
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'payout_tariff.create',
    subject: `bank/${bankCode ?? 'all'}`,
    detail: {
      effectiveFrom: effectiveFrom.toISOString(),
      bandFeesKobo: tariff.bandFeesKobo.map(String),
    },
  })
  return (await listTariffs(tx, { beforeId: null, limit: 1 }))[0] as DatedTariff
}

const WITHDRAWAL_LEAD_MS = 60_000

// Deletes a tariff that does not begin within a minute. The previous tariff then continues.
export async function withdrawTariff(
  tx: Transaction,
  { clientId, actor, clock }: { clientId: ClientId; actor: string; clock: Clock },
  id: bigint,
): Promise<void> {
  await lockTariffs(tx)
  const { rows } = await tx.query<Pick<DatedTariff, 'bankCode' | 'effectiveFrom'>>({
    name: 'get-payout-tariff',
    text: `select ${DATED_COLUMNS} from payout_tariffs where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('tariff_not_found')
  const { bankCode, effectiveFrom } = rows[0]
  const now = clock()
  if (effectiveFrom.getTime() - now.getTime() <= WITHDRAWAL_LEAD_MS)
    throw new Refusal('tariff_in_force')
  // A trigger lets only a tariff be deleted that was marked as withdrawn before.
  await tx.query({
    name: 'withdraw-payout-tariff',
    text: 'update payout_tariffs set withdrawn_at = $2 where id = $1',
    values: [id, now],
  })
  await tx.query({
    name: 'delete-payout-tariff',
    text: 'delete from payout_tariffs where id = $1',
    values: [id],
  })
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'payout_tariff.withdraw',
    subject: `bank/${bankCode ?? 'all'}`,
    detail: { effectiveFrom: effectiveFrom.toISOString() },
  })
}

async function lockTariffs(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('payout_tariffs'))`)
}
