// A payment found by any of its references, which is what a payer's complaint comes with. Tried in
// this order, each within the client's own:
//   payment reference, advice reference, merchantRef, session id of a credit (the payment it is
//   booked to, then one it was assigned to, then the one it was sent to), account number (the
//   latest payment that had it).

import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { parseReference } from '#ids.ts'
import { getPayment, type Payment } from './payments.ts'

export type FoundPayment = { payment: Payment; inSuspenseKobo: bigint }

// What no reference of ours holds; PostgreSQL would refuse the first of them.
const NOT_TEXT = /[\p{Cc}\p{Cs}]/u

export async function findPayment(
  db: Queryable,
  clientId: bigint,
  reference: string,
): Promise<FoundPayment> {
  if (NOT_TEXT.test(reference)) throw new Refusal('payment_not_found')
  const { rows } = await db.query<{ id: string }>({
    name: 'find-payment-by-any-reference',
    text: `select id from (
             select 1 as place, id from payments where id = $2 and client_id = $1
             union all
             select 2, id from payments where advice_id = $2 and client_id = $1
             union all
             select 3, p.id from advices a join payments p on p.advice_id = a.id
              where a.client_id = $1 and a.merchant_ref = $3
             union all
             (select 4, p.id
                from credits c
               cross join lateral (
                 select c.payment_id as id,
                        case when c.amount_kobo > c.suspended_kobo + c.reversed_kobo
                             then 1 else 3 end as preference
                 union all
                 select assigned_payment_id, 2 from suspense_items where credit_id = c.id
               ) as holder
                join payments p on p.id = holder.id
               where c.session_id = $3 and p.client_id = $1
               order by c.id desc, holder.preference limit 1)
             union all
             (select 5, p.id from payment_numbers n join payments p on p.id = n.payment_id
               where n.account_number = $3 and p.client_id = $1
               order by n.issued_at desc limit 1)
           ) as found
           order by place limit 1`,
    values: [clientId, parseReference(reference) ?? null, reference],
  })
  if (!rows[0]) throw new Refusal('payment_not_found')
  const payment = await getPayment(db, clientId, 'payment', rows[0].id)
  return { payment, inSuspenseKobo: await sumInSuspense(db, payment) }
}

// What its own credits have in suspense, in its own currency: kobo and cents do not add up.
async function sumInSuspense(db: Queryable, payment: Payment): Promise<bigint> {
  const { rows } = await db.query<{ sum: bigint }>({
    name: 'suspense-of-payment',
    text: `select coalesce(sum(i.amount_kobo), 0)::bigint as sum
             from credits c join suspense_items i on i.credit_id = c.id
            where c.payment_id = $1 and c.currency = $2 and i.state = 'open'`,
    values: [payment.id, payment.currency],
  })
  return rows[0]?.sum ?? 0n
}
