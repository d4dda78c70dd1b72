// A bank's balance in the ledger at the end of a day: the current balance less the movements since. One
// statement, so all of it is from the same moment. For days that statements cover, the sums exist already
// (daily-proof.ts).

import type { Queryable } from '#db/pool.ts'
import { idBounds } from '#db/time-bounds.ts'
import type { Kobo } from '#money.ts'
import { itemSources, POSTED_SINCE } from './item-sources.ts'
import { type BankAccount, dayEnd } from './reconciled-banks.ts'

export async function readLedgerBalance(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  day: string,
): Promise<Kobo> {
  const end = dayEnd(day)
  const { firstId } = await idBounds(db, 'credits', { from: end })
  const { rows } = await db.query<{ kobo: Kobo }>({
    name: 'read-bank-balance',
    text: BALANCE,
    values: [bankCode, currency, end, firstId],
  })
  return (rows[0] as { kobo: Kobo }).kobo
}

const BALANCE = `
  select (coalesce((select debits_kobo - credits_kobo from ledger_accounts
                     where kind = 'bank' and owner = 'bank:' || $1 and currency = $2), 0)
          - coalesce((select sum(i.amount_kobo) from (${itemSources(POSTED_SINCE)}) as i), 0)
         )::bigint as kobo`
