// Accounts whose bank has not answered whose they are, and that settlements would be paid to: it is asked
// again, at once, after a minute, then at doubling intervals up to six hours. Others are asked about when
// something is paid out to them.

import type { Due } from '#client-time.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { ClientId } from '#ids.ts'
import type { BankAccount } from './bank-accounts.ts'

const FIRST_MS = 60_000 // No bank may take longer to answer: nobody else asks meanwhile.
const LONGEST_MS = 6 * 3_600_000

const IS_ASKED = `
  (b.status = 'unconfirmed' or b.name_at_bank = '') and b.is_active
    and exists (select from settlement_payees p
                 where p.client_id = b.client_id and p.bank_account_id = b.id)`

export type DueEnquiry = Pick<
  BankAccount,
  'id' | 'bankCode' | 'accountNumberSealed' | 'accountName'
>

// The longest due; due again later, whatever comes of it. Only one caller gets it.
export async function claimEnquiry(
  tx: Transaction,
  { now, only }: Due,
): Promise<DueEnquiry | undefined> {
  const { rows } = await tx.query<DueEnquiry>({
    name: 'claim-name-enquiry',
    text: `with due as materialized (
             select b.id from bank_accounts b
              where ${IS_ASKED} and (b.next_enquiry_at is null or b.next_enquiry_at <= $1)
                and ${livesIn('b.client_id', '$2')}
              order by b.next_enquiry_at nulls first, b.id limit 1
                for no key update of b skip locked)
           update bank_accounts b
              set enquiries = b.enquiries + 1,
                  next_enquiry_at = $1 + least($3 * power(2, least(b.enquiries, 20)), $4)
                                         * interval '1 millisecond'
             from due where b.id = due.id
           returning b.id, b.bank_code as "bankCode", b.account_name as "accountName",
                     b.account_number_sealed as "accountNumberSealed"`,
    values: [now, only ?? null, FIRST_MS, LONGEST_MS],
  })
  return rows[0]
}

// When the next of this client is due. Null: none is.
export async function findEnquiry(db: Queryable, clientId: ClientId): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>({
    name: 'next-enquiry-of-client',
    text: `select min(coalesce(b.next_enquiry_at, b.created_at)) as at from bank_accounts b
            where b.client_id = $1 and ${IS_ASKED}`,
    values: [clientId],
  })
  return rows[0]?.at ?? null
}
