// Finds earlier reports of a reversal: by its id, or if that is the credit's id, by the place of the
// report.

import type { Transaction } from '#db/transaction.ts'
import type { CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Reversal } from './reversal-locks.ts'

type Earlier = {
  sessionId: string
  creditId: CreditId
  amountKobo: Kobo
  place: string | null
}

// By its own id, or else by its former id with the same credit and amount.
export async function findEarlier(
  tx: Transaction,
  { sessionId, formerId, bankCode, amountKobo }: Reversal,
  creditId: CreditId | undefined,
): Promise<Earlier | undefined> {
  const { rows } = await tx.query<Earlier>({
    name: 'find-reversal',
    text: `select session_id as "sessionId", credit_id as "creditId", amount_kobo as "amountKobo",
                  place
             from reversals
            where bank_code = $2
              and (session_id = $1 or session_id = $3 and credit_id = $4 and amount_kobo = $5)
            order by session_id = $1 desc limit 1`,
    values: [sessionId, bankCode, formerId ?? null, creditId ?? null, amountKobo],
  })
  return rows[0]
}

// A reversal with the credit and amount of an earlier one is a repeated report, unless it has another
// place and its id is the credit's.
export async function mayBeAnother(
  tx: Transaction,
  { sessionId, place, bankCode }: Reversal,
  earlier: Earlier,
): Promise<boolean> {
  if (earlier.sessionId !== sessionId) return true
  if (place === undefined || earlier.place === null || earlier.place === place) return false
  const { rowCount } = await tx.query({
    name: 'is-name-of-credit',
    text: `select from credits where id = $1 and session_id = $3
           union all
           select from credit_identifiers where credit_id = $1 and bank_code = $2 and value = $3`,
    values: [earlier.creditId, bankCode, sessionId],
  })
  return rowCount !== 0
}
