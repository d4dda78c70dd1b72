// Payouts that a bank reported for good and that are not settled yet, to be settled one by one.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import type { ToldPayout } from './settle-as-told.ts'

type Row = {
  id: PayoutId
  reference: string
  status: 'confirmed' | 'failed'
  bankReference: string | null
  reason: string | null
  by: string
}

export async function findReported(
  db: Queryable,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<ToldPayout[]> {
  const { rows } = await db.query<Row>({
    name: 'find-reported-payouts',
    text: `select p.id, p.reference, r.status, r.bank_reference as "bankReference", r.reason,
                  r.reported_by as by
             from payouts p join payout_results r on r.payout_id = p.id
            where p.status in ('sending', 'unknown') and p.id > $1
            order by p.id limit $2`,
    values: [afterId, limit],
  })
  return rows.map(({ id, reference, by, status, ...row }) => ({
    id,
    reference,
    by,
    outcome:
      status === 'confirmed'
        ? { status, bankReference: row.bankReference as string }
        : { status, reason: row.reason as string },
  }))
}

// What the bank reported of a payout, whether it is settled yet or not.
export async function findReport(tx: Transaction, id: PayoutId): Promise<Reported | undefined> {
  const { rows } = await tx.query<Reported>({
    name: 'find-report-of-payout',
    text: `select p.reference, r.status, r.bank_reference as "bankReference"
             from payout_results r join payouts p on p.id = r.payout_id where r.payout_id = $1`,
    values: [id],
  })
  return rows[0]
}

type Reported = Pick<Row, 'reference' | 'status' | 'bankReference'>
type Said = { status: 'confirmed'; bankReference: string } | { status: 'failed' | 'cancelled' }

// Whoever confirms it under our own reference names none of the bank's.
export function contradicts(report: Reported | undefined, said: Said): boolean {
  if (!report) return false
  if (said.status !== 'confirmed' || report.status !== 'confirmed')
    return report.status !== said.status
  return ![report.bankReference, report.reference].includes(said.bankReference)
}
