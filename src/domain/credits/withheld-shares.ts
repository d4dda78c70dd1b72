// What each bank withheld from recent credits, in thousandths of their amount. Banks without a recent credit
// are absent.

import type { Queryable } from '#db/pool.ts'
import { CURRENCY } from '#money.ts'

const CREDITS = 2_000

export async function readWithheldShares(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query<{ bankCode: string; perMille: number }>({
    name: 'read-withheld-shares',
    text: `select bank_code as "bankCode",
                  round(1000 * sum(fee_kobo + vat_kobo + duty_kobo) / sum(amount_kobo))::int
                    as "perMille"
             from (select bank_code, fee_kobo, vat_kobo, duty_kobo, amount_kobo, currency
                     from credits order by id desc limit ${CREDITS}) as recent
            where currency = '${CURRENCY}' group by bank_code`,
  })
  return new Map(rows.map(({ bankCode, perMille }) => [bankCode, perMille]))
}
