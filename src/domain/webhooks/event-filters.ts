// Filters events by account number or payment. An event names its account, payment or credit; a credit
// names the number and payment that it was sent to.

import type { Queryable } from '#db/pool.ts'
import { accountWithNumber } from '#domain/accounts/additional-numbers.ts'
import type { AccountId, ClientId, PaymentId } from '#ids.ts'

type SubjectFilter = {
  accountNumber?: string | undefined
  paymentReference?: string | undefined
}

// Adds a value to a statement and returns its placeholder.
export type AddParameter = (value: unknown) => string

type SubjectRow = { accountId: AccountId | null; paymentIds: PaymentId[]; since: Date | null }

// The account and payment of the filter, and their age. Undefined: the client has no such account or
// payment, and so no event about it.
export type Subject = { since: Date | undefined; conditions: (add: AddParameter) => string[] }

export async function findSubject(
  db: Queryable,
  clientId: ClientId,
  { accountNumber, paymentReference }: SubjectFilter,
): Promise<Subject | undefined> {
  if (accountNumber === undefined && paymentReference === undefined) {
    return { since: undefined, conditions: () => [] }
  }
  const { rows } = await db.query<SubjectRow>({
    name: 'find-event-subject',
    text: `with owners as (
             select id as account_id, null::uuid as payment_id, created_at
               from collection_accounts
              where id = ${accountWithNumber('$2')} and client_id = $1
             union all
             select null, p.id, p.created_at
               from payment_numbers n join payments p on p.id = n.payment_id
              where n.account_number = $2 and p.client_id = $1
           )
           select max(account_id) as "accountId",
                  coalesce(array_agg(payment_id) filter (where payment_id is not null), '{}')
                  as "paymentIds",
                  greatest(min(created_at), (select created_at from payments
                                              where id = $3 and client_id = $1)) as since
             from owners
           having ($2::text is null or count(*) > 0)
              and ($3::uuid is null or exists (select from payments
                                                where id = $3 and client_id = $1))`,
    values: [clientId, accountNumber ?? null, paymentReference ?? null],
  })
  const subject = rows[0]
  if (!subject) return undefined
  return {
    since: subject.since ?? undefined,
    conditions: (add) => [
      ...(accountNumber ? [aboutNumber(add, accountNumber, subject)] : []),
      ...(paymentReference ? [aboutPayment(add, paymentReference)] : []),
    ],
  }
}

// Looks up the credit of each scanned event by id, never the other way round: an account may have
// millions of credits.
const OF_CREDIT = 'from all_credits c where c.id = e.credit_id'

function aboutNumber(add: AddParameter, accountNumber: string, subject: SubjectRow): string {
  return `(e.collection_account_id = ${add(subject.accountId)}::bigint
           or e.payment_id = any(${add(subject.paymentIds)}::uuid[])
           or (select c.account_number ${OF_CREDIT}) = ${add(accountNumber)})`
}

function aboutPayment(add: AddParameter, paymentReference: string): string {
  const id = `${add(paymentReference)}::uuid`
  return `(e.payment_id = ${id} or (select c.payment_id ${OF_CREDIT}) = ${id})`
}
