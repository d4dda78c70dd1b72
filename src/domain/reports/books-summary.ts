// A few figures of the books, so that a person sees at a glance whose they are and from when.

import type { Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Kobo } from '#money.ts'

export type BooksSummary = {
  clients: bigint
  credits: bigint
  creditedKobo: Kobo
  transfers: bigint
  lastTransferAt: Date | null
  openPayouts: bigint
  balances: { kind: string; currency: string; balanceKobo: Kobo }[] // Sums by kind.
}

export async function summariseBooks(pool: Pool): Promise<BooksSummary> {
  return withSnapshot(pool, async (tx) => {
    await tx.query(`set local statement_timeout = '15min'`)
    const { rows } = await tx.query<Omit<BooksSummary, 'balances'>>(
      `select (select count(*) from clients) as clients,
              (select count(*) from all_credits) as credits,
              (select coalesce(sum(amount_kobo), 0)::bigint from all_credits) as "creditedKobo",
              (select count(*) from transfers)
                + (select coalesce(sum(transfers - carried), 0) from archives)::bigint as transfers,
              (select posted_at from transfers order by id desc limit 1) as "lastTransferAt",
              (select count(*) from payouts
                where status in ('queued', 'sending', 'unknown')) as "openPayouts"`,
    )
    const balances = await tx.query<BooksSummary['balances'][number]>(
      `select kind, currency, sum(credits_kobo - debits_kobo)::bigint as "balanceKobo"
         from ledger_accounts group by kind, currency
        having sum(credits_kobo - debits_kobo) <> 0 order by kind, currency`,
    )
    return { ...(rows[0] as Omit<BooksSummary, 'balances'>), balances: balances.rows }
  })
}
