// Refunds: each exists once, is sent in full, never exceeds the money received, and its client gets
// an event for each part.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'

const REFUNDS = `
  select r.reason, r.reference, r.amount_kobo, coalesce(sum(p.amount_kobo), 0) as sent,
         count(*) filter (where p.status = 'confirmed') as confirmed,
         count(*) filter (where p.status = 'failed') as failed,
         bool_and(p.status = 'cancelled') as is_cancelled,
         coalesce(max(e.refunded), 0) as told_confirmed, coalesce(max(e.failed), 0) as told_failed
    from refunds r
    left join payouts p on p.refund_id = r.id
    left join (select facts->'refund'->>'reference' as reference,
                      count(*) filter (where type like '%.refunded') as refunded,
                      count(*) filter (where type like '%.refund_failed') as failed
                 from events where type like '%.refunded' or type like '%.refund_failed'
                group by 1) as e on e.reference = r.reference
   group by r.id`

// Payments and credits with more money refunded than received. Money that a bank reversed later counts as
// received.
const EXCESSIVE = `
  select 'payment ' || y.id::text as name, sum(p.amount_kobo) as refunded,
         y.amount_paid_kobo + coalesce((select sum(c.reversed_kobo) from credits c
                                         where c.payment_id = y.id), 0) as received
    from payouts p
    join refunds r on r.id = p.refund_id
    join payments y on y.id = r.payment_id
   where p.status not in ('failed', 'cancelled')
   group by y.id
  having sum(p.amount_kobo) > y.amount_paid_kobo
         + coalesce((select sum(c.reversed_kobo) from credits c where c.payment_id = y.id), 0)
  union all
  select 'credit ' || c.session_id, sum(p.amount_kobo), c.amount_kobo
    from payouts p join credits c on c.id = p.credit_id
   where p.purpose in ('refund', 'return') and p.status not in ('failed', 'cancelled')
   group by c.id, c.session_id, c.amount_kobo
  having sum(p.amount_kobo) > c.amount_kobo`

// Checks that each refund exists once, with the amount of its request, payouts of that amount and an event
// for each result, and that refunds never exceed the money received. A refund's reason is the key of its
// request.
export async function checkRefunds({ rows, testimony }: Books): Promise<string[]> {
  const refunds = await rows(REFUNDS)
  const excessive = await rows(EXCESSIVE)
  const intents = testimony.of('refund') // The requests of the run, each with its answers.
  const refundsByReference = new Map(refunds.map((refund) => [refund.reference, refund]))
  return [
    ...existsOnce('refund', { intents, rows: refunds, keyOf: (row) => row.reason as string }),
    ...sameAnswers('refund', intents, 'reference'),
    ...refunds.flatMap(({ reason: key = '', amount_kobo: amount, ...refund }) => [
      ...differs(
        `the amount of ${key}`,
        amount,
        testimony.intents.get(key)?.terms.amount ?? amount,
      ),
      ...differs(`the payouts of ${key}`, refund.sent, amount),
      ...differs(`refunded events of ${key}`, refund.told_confirmed, refund.confirmed),
      ...differs(`refund_failed events of ${key}`, refund.told_failed, refund.failed),
    ]),
    ...excessive.map(
      ({ name, refunded, received }) =>
        `${refunded} is refunded of ${name}, which brought ${received}`,
    ),
    ...testimony
      .of('refund_cancellation')
      .flatMap(({ terms: { reference }, acknowledged }) =>
        acknowledged.length > 0 && refundsByReference.get(reference)?.is_cancelled !== 'true'
          ? [`refund ${reference} was cancelled and is not`]
          : [],
      ),
  ]
}
