// One advice or payment by any of its references (payment-references.ts), and what is in suspense of it.

import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { AdviceId, ClientId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { resolveReference } from './payment-references.ts'
import { getPayment, type Payment } from './payments.ts'

type FoundPayment = { payment: Payment; inSuspenseKobo: Kobo }

export async function findPayment(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<FoundPayment> {
  const referred = await resolveReference(db, clientId, reference)
  const paymentId = referred.find((each) => each.paymentId !== null)?.paymentId
  if (!paymentId) throw new Refusal('payment_not_found')
  const payment = await getPayment(db, clientId, { by: 'payment', reference: paymentId })
  return { payment, inSuspenseKobo: await sumInSuspense(db, payment) }
}

export async function getAdviceId(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<AdviceId> {
  const [referred] = await resolveReference(db, clientId, reference)
  if (!referred) throw new Refusal('advice_not_found')
  return referred.adviceId
}

// What its own credits have in suspense, in its own currency: kobo and cents do not add up.
async function sumInSuspense(db: Queryable, payment: Payment): Promise<Kobo> {
  const { rows } = await db.query<{ sum: Kobo }>({
    name: 'suspense-of-payment',
    text: `select coalesce(sum(i.amount_kobo), 0)::bigint as sum
             from credits c join suspense_items i on i.credit_id = c.id
            where c.payment_id = $1 and c.currency = $2 and i.state = 'open'`,
    values: [payment.id, payment.currency],
  })
  return rows[0]?.sum ?? kobo(0n)
}
