// What a timeline reads beside credits: numbers issued, turns of a payment, money assigned.

import type { Queryable } from '#db/pool.ts'
import { idBounds, type Window } from '#db/time-bounds.ts'
import type { Payment } from '#domain/payments/payments.ts'
import { type AccountId, type CreditId, leastIdAt, type PaymentId } from '#ids.ts'

const TURNS_MAX = 100 // Most have none.

type IssuedNumber = { accountNumber: string; bankCode: string; issuedAt: Date }

export async function readNumbers(db: Queryable, paymentId: PaymentId): Promise<IssuedNumber[]> {
  const { rows } = await db.query<IssuedNumber>({
    name: 'numbers-of-payment',
    text: `select account_number as "accountNumber", bank_code as "bankCode",
                  issued_at as "issuedAt"
             from payment_numbers where payment_id = $1 order by issued_at, bank_code`,
    values: [paymentId],
  })
  return rows
}

type Turn = { at: Date; creditId: CreditId | null }

// When a payment expired, and was given something: nothing else tells of these once it was paid, or
// what it was given has left it again.
export async function readTurns(
  db: Queryable,
  { id, clientId, createdAt }: Payment,
): Promise<Turn[]> {
  const { rows } = await db.query<Turn>({
    name: 'turns-of-payment',
    text: `select created_at as at, credit_id as "creditId" from events
            where payment_id = $1 and client_id = $2 and id >= $3
              and type in ('payment.expired', 'credit.assigned')
            order by id desc limit ${TURNS_MAX}`,
    values: [id, clientId, leastIdAt(createdAt.getTime())],
  })
  return rows
}

type Assigned = { creditId: CreditId; postedAt: Date }

// Money that was sent elsewhere and assigned to the account, within the time of a page: about as
// many transfers are looked at as the page has credits. The latest; of those of one moment all.
export async function readAssigned(
  db: Queryable,
  { id }: { id: AccountId },
  { from, to, limit }: Window & { limit: number },
): Promise<Assigned[]> {
  const { firstId, pastId } = await idBounds(db, 'transfers', { from, to })
  const { rows } = await db.query<Assigned>({
    name: 'credits-assigned-to-account',
    text: `select t.credit_id as "creditId", t.posted_at as "postedAt"
             from transfers t join credits c on c.id = t.credit_id
            where t.credit_account_id = $1 and t.id >= $2 and t.id < $3
              and t.posted_at >= $4 and t.posted_at < $5
              and t.reason = 'assign' and c.collection_account_id is distinct from $1
            order by t.posted_at desc fetch first ($6) rows with ties`,
    values: [id, firstId, pastId, from ?? '-infinity', to ?? 'infinity', limit],
  })
  return rows
}
