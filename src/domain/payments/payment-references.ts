// Finds advices and payments by any reference a payer's complaint may come with. Tried in this
// order, each within the client's own:
//   payment reference, advice reference, merchantRef, session id of a credit (the payment it is
//   booked to, then one it was assigned to, then the one it was sent to), account number (latest
//   payment first).

import type { Queryable } from '#db/pool.ts'
import { pastPrefix } from '#db/prefixes.ts'
import { type AdviceId, type ClientId, type PaymentId, parseReference } from '#ids.ts'

// An advice has no payment before its first number.
type Referred = { adviceId: AdviceId; paymentId: PaymentId | null }

// What no reference of ours holds; PostgreSQL would refuse the first of them.
const NOT_TEXT = /[\p{Cc}\p{Cs}]/u

// All that it may mean, the likeliest first.
export async function resolveReference(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<Referred[]> {
  if (NOT_TEXT.test(reference)) return []
  const { rows } = await db.query<Referred>({
    name: 'find-referred',
    text: `select advice_id as "adviceId", payment_id as "paymentId" from (
             select 1 as place, advice_id, id as payment_id, null::bigint as newest,
                    null::timestamptz as latest, 0 as preference
               from payments where id = $2 and client_id = $1
             union all
             select 2, a.id, p.id, null, null, 0
               from advices a left join payments p on p.advice_id = a.id
              where a.id = $2 and a.client_id = $1
             union all
             select 3, a.id, p.id, null, null, 0
               from advices a left join payments p on p.advice_id = a.id
              where a.client_id = $1 and a.merchant_ref = $3
             union all
             select 4, p.advice_id, p.id, c.id, null, holder.preference
               from credits c
              cross join lateral (
                select c.payment_id as id,
                       case when c.amount_kobo > c.suspended_kobo + c.reversed_kobo
                            then 1 else 3 end as preference
                union all
                select assigned_payment_id, 2 from suspense_items where credit_id = c.id
              ) as holder
               join payments p on p.id = holder.id
              where c.id = any(array(select credit_id from credit_identifiers where value = $3))
                and p.client_id = $1
             union all
             select 5, p.advice_id, p.id, null, n.issued_at, 0
               from payment_numbers n join payments p on p.id = n.payment_id
              where n.account_number = $3 and p.client_id = $1
           ) as found
           order by place, newest desc, preference, latest desc`,
    values: [clientId, parseReference(reference) ?? null, reference],
  })
  return rows
}

// Of those that begin like this: a merchantRef, or a reference of ours. Newest first among the latter.
export async function resolvePrefix(
  db: Queryable,
  clientId: ClientId,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<Referred[]> {
  if (NOT_TEXT.test(prefix)) return []
  const hex = prefix.replaceAll('-', '').toLowerCase()
  const isId = /^[0-9a-f]{6,31}$/.test(hex)
  const { rows } = await db.query<Referred>({
    name: 'find-referred-by-prefix',
    text: `select advice_id as "adviceId", payment_id as "paymentId" from (
             (select a.id as advice_id, p.id as payment_id
                from advices a left join payments p on p.advice_id = a.id
               where a.client_id = $1 and a.merchant_ref >= $2 and a.merchant_ref < $3
               order by a.merchant_ref limit $6)
             union all
             (select advice_id, id from payments
               where client_id = $1 and id >= $4 and id <= $5 order by id desc limit $6)
             union all
             (select a.id, p.id from advices a left join payments p on p.advice_id = a.id
               where a.client_id = $1 and a.id >= $4 and a.id <= $5 order by a.id desc limit $6)
           ) as found limit $6`,
    values: [
      clientId,
      prefix,
      pastPrefix(prefix),
      isId ? hex.padEnd(32, '0') : null,
      isId ? hex.padEnd(32, 'f') : null,
      limit,
    ],
  })
  return rows
}
