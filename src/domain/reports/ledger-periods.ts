// A ledger account over a period: opening balance, sums of both sides, closing balance. The opening
// balance and the sides are read in one snapshot, so opening + movements = closing.

import { idBounds, type Window } from '#db/time-bounds.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Kobo, kobo } from '#money.ts'
import { growsByDebits, type LedgerAccount } from './chart-of-accounts.ts'
import { openStatement } from './statements.ts'

export type LedgerPeriod = {
  openingKobo: Kobo
  debitsKobo: Kobo
  creditsKobo: Kobo
  closingKobo: Kobo
  transfers: bigint
}

const WITHIN = 'posted_at >= $2 and posted_at < $3'
const BETWEEN = `id >= $4 and id < $5 and ${WITHIN}`

// A bank's debits by credits have no index, so they are found through the credits.
const BANK_CREDITS = `
  union all
  select amount_kobo, null from transfers
   where credit_id >= $6 and credit_id < $7 and debit_account_id = $1 and reason = 'credit'
     and ${WITHIN}`

export async function readLedgerPeriod(
  tx: Transaction,
  account: LedgerAccount,
  period: Window,
): Promise<LedgerPeriod> {
  const { id, kind, currency } = account
  const isBank = kind === 'bank'
  const subject = { accountIds: [id], kind, currency }
  const { window, openingKobo } = await openStatement(tx, subject, period)
  const ids = await idBounds(tx, 'transfers', window)
  const credits = isBank ? await idBounds(tx, 'credits', window) : undefined
  const { rows } = await tx.query<Omit<LedgerPeriod, 'openingKobo' | 'closingKobo'>>({
    name: isBank ? 'ledger-period-of-bank' : 'ledger-period',
    text: `select coalesce(sum(debit), 0)::bigint as "debitsKobo",
                  coalesce(sum(credit), 0)::bigint as "creditsKobo", count(*) as transfers
             from (select null::bigint as debit, amount_kobo as credit from transfers
                    where credit_account_id = $1 and ${BETWEEN}
                   union all
                   select amount_kobo, null from transfers
                    where debit_account_id = $1 and reason <> 'credit' and ${BETWEEN}
                   ${isBank ? BANK_CREDITS : ''}) as sides`,
    values: [
      id,
      window.from ?? '-infinity',
      window.to ?? 'infinity',
      ids.firstId,
      ids.pastId,
      ...(credits ? [credits.firstId, credits.pastId] : []),
    ],
  })
  const sums = rows[0] as (typeof rows)[0]
  const changeKobo = growsByDebits(kind)
    ? sums.debitsKobo - sums.creditsKobo
    : sums.creditsKobo - sums.debitsKobo
  return { openingKobo, ...sums, closingKobo: kobo(openingKobo + changeKobo) }
}
