// What banks charge us for a payout: dated tariffs, of one bank or of all that have none of their
// own. The one in force when the payout is confirmed counts. Computed in whole kobo, VAT rounded half
// up.

import type { Queryable } from '#db/pool.ts'
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
