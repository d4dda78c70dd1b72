// Recognises a reversal that was booked from a statement when the bank reports it later under its own id
// (I67). The reversal takes that id, so it is found only once: a second report for the same credit and
// amount is another reversal.

import type { Transaction } from '#db/transaction.ts'
import type { CreditId } from '#ids.ts'
import type { Reversal } from './reversal-locks.ts'

// The ids of a reversal booked from the line `l` before the bank reports it.
const NAMES_OF_LINE = `('LINE-' || left(encode(l.hash, 'hex'), 40), l.session_id, l.bank_reference,
  l.end_to_end_id)`

// Returns whether there was one. The credit must be locked.
export async function claimBookedReversal(
  tx: Transaction,
  { sessionId, amountKobo }: Reversal,
  creditId: CreditId,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'claim-booked-reversal',
    text: `update reversals set session_id = $3
            where id = (select r.id
                          from reversals r
                          join statement_matches m
                            on m.item_kind = 'reversal' and m.item_id = r.id and m.rule = 'booked'
                          join statement_lines l on l.id = m.line_id
                         where r.credit_id = $1 and r.amount_kobo = $2
                           and r.session_id in ${NAMES_OF_LINE}
                         order by r.id limit 1)`,
    values: [creditId, amountKobo, sessionId],
  })
  return rowCount === 1
}
