// What banks charge us for a payout: dated tariffs, of one bank or of all that have none of their
// own. The one in force when the payout is confirmed counts. Computed in whole kobo, VAT rounded half
// up.
//
// One that has not begun can be withdrawn, though not in the last minute: that is longer than the
// transaction takes, so no payout is booked by a tariff before it is gone.

import type { Clock } from '#clock.ts'
import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'

export type Tariff = {
  bandLimitsKobo: readonly bigint[] // Ascending, each included in its band.
  bandFeesKobo: readonly bigint[] // One more, for what is above the last limit.
  vatBps: number
  dutyKobo: Kobo
  dutyFromKobo: Kobo
}

export type PayoutCost = { costKobo: Kobo; costVatKobo: Kobo }

const ALL_BPS = 10_000n
const NOTHING: PayoutCost = { costKobo: kobo(0n), costVatKobo: kobo(0n) }

// Stamp duty bears no VAT.
export function costOf(tariff: Tariff, amountKobo: Kobo): PayoutCost {
  const above = tariff.bandLimitsKobo.filter((limit) => amountKobo > limit).length
  const feeKobo = tariff.bandFeesKobo[above] as bigint
  const dutyKobo = amountKobo >= tariff.dutyFromKobo ? tariff.dutyKobo : 0n
  const vatKobo = (2n * feeKobo * BigInt(tariff.vatBps) + ALL_BPS) / (2n * ALL_BPS)
  return { costKobo: kobo(feeKobo + dutyKobo), costVatKobo: kobo(vatKobo) }
}

// Arrays arrive as text.
type TariffRow = Omit<Tariff, 'bandLimitsKobo' | 'bandFeesKobo'> & {
  bandLimits: readonly string[]
  bandFees: readonly string[]
}

const TARIFF_COLUMNS = `
  band_limits_kobo::text[] as "bandLimits", band_fees_kobo::text[] as "bandFees",
  vat_bps as "vatBps", duty_kobo as "dutyKobo", duty_from_kobo as "dutyFromKobo"`

function toTariff({ bandLimits, bandFees, ...rest }: TariffRow): Tariff {
  return { ...rest, bandLimitsKobo: bandLimits.map(BigInt), bandFeesKobo: bandFees.map(BigInt) }
}

type Charged = { bankCode: string; amountKobo: Kobo; currency: string; now: Date }

export async function readCost(db: Queryable, charged: Charged): Promise<PayoutCost> {
  const { bankCode, amountKobo, currency, now } = charged
  if (currency !== CURRENCY) return NOTHING
  const { rows } = await db.query<TariffRow>({
    name: 'find-payout-tariff',
    text: `select ${TARIFF_COLUMNS} from payout_tariffs
            where (bank_code = $1 or bank_code is null) and effective_from <= $2
            order by bank_code is null, effective_from desc limit 1`,
    values: [bankCode, now],
  })
  return rows[0] ? costOf(toTariff(rows[0]), amountKobo) : NOTHING
}

// Those in force, by bank. Banks without one are absent.
export async function readTariffs(
  db: Queryable,
  now: Date,
  bankCodes: readonly string[],
): Promise<Map<string, Tariff>> {
  const { rows } = await db.query<TariffRow & { bankCode: string }>({
    name: 'read-tariffs-in-force',
    text: `select b.code as "bankCode", t.* from unnest($1::text[]) as b (code)
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

// Newest first.
export async function listTariffs(
  db: Queryable,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<DatedTariff[]> {
  const { rows } = await db.query<TariffRow & Omit<DatedTariff, keyof Tariff>>({
    name: 'list-payout-tariffs',
    text: `select ${TARIFF_COLUMNS}, ${DATED_COLUMNS} from payout_tariffs
            where $1::bigint is null or id < $1 order by id desc limit $2`,
    values: [beforeId, limit],
  })
  return rows.map(({ id, bankCode, effectiveFrom, createdAt, ...row }) => ({
    ...toTariff(row),
    id,
    bankCode,
    effectiveFrom,
    createdAt,
  }))
}

const DATED_COLUMNS = `
  id, bank_code as "bankCode", effective_from as "effectiveFrom", created_at as "createdAt"`

type NewTariff = { bankCode: string | null; tariff: Tariff; effectiveFrom?: Date | undefined }

// Ends the one before it where it begins. Never in the past: what was booked stays right.
export async function createTariff(
  tx: Transaction,
  { clientId, actor, now }: { clientId: ClientId; actor: string; now: Date },
  { bankCode, tariff, effectiveFrom = now }: NewTariff,
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

const LEAD_MS = 60_000

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
  if (effectiveFrom.getTime() - now.getTime() <= LEAD_MS) throw new Refusal('tariff_in_force')
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
