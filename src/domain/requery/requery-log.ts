// The calls that were made about a payment, for its timeline: those it was asked for itself, those
// its questions were merged into, and those that brought its money to light.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { CreditId, PaymentId } from '#ids.ts'
import type { RequeryReason } from './questions.ts'
import type { AnswerKind } from './repeat-schedule.ts'

const ATTEMPTS_MAX = 200

export type LoggedRequery = {
  askedAt: Date
  bankCode: string
  reason: RequeryReason
  subject: 'transfer' | 'number' | 'bank' // What was asked for.
  identifier: string | null
  answer: AnswerKind
  newCredits: number
  latencyMs: number
  error: string | null
}

const SUBJECT = `case when q.identifier is not null then 'transfer'
                      when q.account_number is not null then 'number' else 'bank' end`

// The latest. Of calls for a whole bank, only what concerns this payment is told: how much else a
// bank listed is nobody's business.
export async function readRequeries(
  db: Queryable,
  { paymentId, creditIds }: { paymentId: PaymentId; creditIds: readonly CreditId[] },
): Promise<LoggedRequery[]> {
  const { rows } = await db.query<LoggedRequery>({
    name: 'requeries-of-payment',
    text: `with asked as (
             select coalesce(merged_into, id) as id from requeries where payment_id = $1
             union
             select a.requery_id from requery_findings f
               join requery_attempts a on a.id = f.attempt_id
              where f.credit_id = any($2::bigint[]))
           select a.asked_at as "askedAt", a.bank_code as "bankCode", q.reason,
                  ${SUBJECT} as subject, q.identifier, a.answer, a.latency_ms as "latencyMs",
                  a.error, (select count(*)::int from requery_findings f
                             where f.attempt_id = a.id and f.credit_id = any($2::bigint[]))
                  as "newCredits"
             from asked
             join requeries q on q.id = asked.id
             join requery_attempts a on a.requery_id = q.id
            order by a.id desc limit ${ATTEMPTS_MAX}`,
    values: [paymentId, numberArray(creditIds)],
  })
  return rows
}
