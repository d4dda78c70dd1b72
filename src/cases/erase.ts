// Erasure: five years after a case was closed, its summary, parties, notes and files are erased. The
// remaining data names nobody: kind, dates, amount, outcome, credits, holds, history, and the hashes of the
// files.
//
// Financial institutions must keep such records for five years (Money Laundering (Prevention and Prohibition)
// Act 2022, section 8). Until then a customer's request for erasure does not change a case (docs/cases.md).

import type { Transaction } from '#db/transaction.ts'
import type { CaseId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { recordChange } from './case.ts'

const KEPT_YEARS = 5

// Erases one case. Returns false if no case is due.
export async function eraseNextCase(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ id: CaseId; reference: string }>({
    name: 'erase-case',
    text: `update cases set erased_at = $1, summary_sealed = $2
            where id = (select id from cases
                         where erased_at is null
                           and closed_at <= $1::timestamptz - interval '${KEPT_YEARS} years'
                         order by closed_at limit 1 for no key update skip locked)
           returning id, reference`,
    values: [now, sealer.seal('')],
  })
  const erased = rows[0]
  if (!erased) return false
  await tx.query('delete from case_parties where case_id = $1', [erased.id])
  await tx.query('delete from case_notes where case_id = $1', [erased.id])
  await tx.query(
    `delete from case_evidence_chunks
      where evidence_id in (select id from case_evidence where case_id = $1)`,
    [erased.id],
  )
  const nameless = 'update case_evidence set name_sealed = $2 where case_id = $1'
  await tx.query(nameless, [erased.id, sealer.seal('')])
  await recordChange(
    tx,
    { actor: 'worker:erase', operatorId: null, now },
    { ...erased, change: 'erase' },
  )
  return true
}
