// Screening decisions: one row for each time a credit or payout broke a rule. Allowed credits have no row;
// screening_days only counts them.

import { type Conditions, listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type CreditId, type HoldId, newReference, type PayoutId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { PayoutStatus } from '#payouts/states.ts'
import type { Hit } from './judge.ts'
import type { Outcome, Subject } from './rule.ts'

export const HANDLINGS = ['held', 'waiting', 'unheld', 'awaits_review', 'reviewed'] as const

export type Decision = {
  id: bigint
  reference: string
  subject: Subject
  outcome: Outcome
  clientId: ClientId | null
  clientName: string | null
  creditId: CreditId | null
  sessionId: string | null
  payoutId: PayoutId | null
  payoutReference: string | null
  payoutStatus: PayoutStatus | null
  amountKobo: Kobo
  currency: string
  ruleSet: string
  hits: Hit[]
  decidedAt: Date
  holdId: HoldId | null
  holdReference: string | null
  unheldReason: 'nothing_left' | 'currency' | 'released' | null
  handling: (typeof HANDLINGS)[number]
}

// SQL query: decisions. `handling` says what became of the credit or payout: the latest decision on a held
// payout awaits review, until two people release or refuse it.
const SELECT = `
  select d.id, d.reference, case when d.credit_id is null then 'payout' else 'credit' end as subject,
         d.outcome, d.client_id, k.client_id as client_name, d.credit_id, c.session_id, d.payout_id,
         p.reference as payout_reference, p.status as payout_status,
         coalesce(c.amount_kobo, p.amount_kobo) as amount_kobo,
         coalesce(c.currency, p.currency) as currency, d.rule_set, d.hits, d.decided_at, d.hold_id,
         h.reference as hold_reference, d.unheld_reason,
         case when d.payout_id is not null
              then case when p.screening = 'held' and p.status in ('queued', 'sending') and d.id = (
                               select max(id) from screening_decisions where payout_id = d.payout_id)
                        then 'awaits_review' else 'reviewed' end
              when d.hold_id is not null then 'held'
              when d.unheld_reason is not null then 'unheld'
              else 'waiting' end as handling
    from screening_decisions d
    left join clients k on k.id = d.client_id
    left join credits c on c.id = d.credit_id
    left join payouts p on p.id = d.payout_id
    left join holds h on h.id = d.hold_id`

type Page = { where: Conditions; beforeId: bigint | null; limit: number }

// Lists decisions, newest first.
export async function listDecisions(db: Queryable, page: Page): Promise<Decision[]> {
  const { where, beforeId, limit } = page
  const list = { select: SELECT, where, id: 'd.id', after: beforeId, limit }
  const { rows } = await db.query<Decision>(listQuery(list))
  return rows
}

export async function getDecision(db: Queryable, reference: string): Promise<Decision> {
  const { rows } = await db.query<Decision>({
    name: 'get-screening-decision',
    text: `${SELECT} where d.reference = $1`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('screening_decision_not_found')
  return rows[0]
}

type NewDecision = Pick<
  Decision,
  'clientId' | 'creditId' | 'payoutId' | 'outcome' | 'ruleSet' | 'hits'
>

// Stores decisions, and returns the number of new ones. A credit has at most one decision per set of rules;
// inserting it again changes nothing, so that a batch can be repeated.
export async function insertDecisions(
  tx: Transaction,
  now: Date,
  decisions: readonly NewDecision[],
): Promise<number> {
  if (decisions.length === 0) return 0
  const column = <K extends keyof NewDecision>(key: K) => decisions.map((decision) => decision[key])
  const { rowCount } = await tx.query({
    name: 'insert-screening-decisions',
    text: `insert into screening_decisions
             (reference, client_id, credit_id, payout_id, outcome, rule_set, hits, decided_at)
           select d.*, $8
             from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[],
                         $7::jsonb[]) as d
           on conflict (credit_id, rule_set) where credit_id is not null do nothing`,
    values: [
      decisions.map(() => newReference('SCD')),
      column('clientId'),
      column('creditId'),
      column('payoutId'),
      column('outcome'),
      column('ruleSet'),
      decisions.map(({ hits }) => JSON.stringify(hits)),
      now,
    ],
  })
  return rowCount ?? 0
}
