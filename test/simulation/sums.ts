// Asserts after a simulation that for each client the sums of its events, of its transfers and of its
// balances are equal (I34).

import assert from 'node:assert/strict'
import type { ClientId } from '#ids.ts'
import { PARTS, type Part } from '#records/money-totals.ts'
import { readBalances } from '#reports/balances.ts'
import { readTotals } from '#reports/hourly-totals.ts'
import type { World } from './world.ts'

const EVENTS_MAX = 10_000_000

// Asserts, for each client and in naira only, that its balances, its hourly totals and the transfers of its
// credits (view client_movements) give the same sums.
export async function compareSums({ db }: World): Promise<void> {
  const { rows: clients } = await db.query<{ id: ClientId }>('select id from clients order by id')
  for (const { id } of clients) {
    const balance = (await readBalances(db, id)).find(({ currency }) => currency === 'NGN')
    const { hours } = await readTotals(db, id, { since: new Date(0), limit: EVENTS_MAX })
    const { rows } = await db.query<Record<Part, bigint>>(
      `select ${PARTS.map((part) => `coalesce(sum(${part}_kobo), 0)::bigint as ${part}`).join(', ')}
         from client_movements where client_id = $1 and currency = 'NGN'`,
      [id],
    )
    for (const part of PARTS) {
      const expectedKobo = balance?.[`${part}Kobo`]
      const total = hours.reduce((sum, hour) => sum + hour[`${part}Kobo`], 0n)
      const sums = [total, rows[0]?.[part]]
      assert.deepEqual(sums, [expectedKobo, expectedKobo], `${part} of client ${id}`)
    }
    const refunded = hours.reduce((sum, hour) => sum + hour.refundedKobo, 0n)
    assert.equal(refunded, balance?.refundedKobo, `refunded of client ${id}`)
  }
}
