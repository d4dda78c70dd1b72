// Numbers of banks that reserve a number only for a customer whom they can identify. There is no pool:
// the request that needs a number waits for the bank.
//
//   open    one transaction commits a reservation, with our reference for the request;
//   (ask)   the route asks the bank with that reference, outside transactions, and records the number;
//   use     the account takes the number, in its own transaction.
//
// I101: a repeated request finds its reservation and so asks the bank for the same number again. The
// reservation stores only a keyed hash of the customer's data, and deletes it when the number is used.

import type { AccountCustomer } from '#banks/connector.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { timeOrderedId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { accountName, MERCHANT_NAME } from './account-names.ts'

export type CustomerReservation = {
  bankCode: string
  reference: string
  isReserved: boolean // The bank has answered with a number.
  accountName: string // The name that the bank's name enquiry shows.
  customer: AccountCustomer
}

export type ReservationDeps = { sealer: Sealer; nameStyle: string; now: Date }

type NewReservation = {
  clientId: ClientId
  banks: readonly BankSettings[]
  request: readonly string[] // Equal requests share one reservation per bank.
  customer: AccountCustomer
}

export async function openReservations(
  tx: Transaction,
  { sealer, nameStyle, now }: ReservationDeps,
  { clientId, banks, request, customer }: NewReservation,
): Promise<CustomerReservation[]> {
  const hashOf = ({ code }: BankSettings) =>
    sealer.hash('reservation', JSON.stringify([String(clientId), code, ...request]))
  const { rows } = await tx.query<
    Pick<CustomerReservation, 'bankCode' | 'reference' | 'isReserved'> & { merchantName: string }
  >({
    name: 'open-customer-reservations',
    text: `with opened as (
             insert into reserved_numbers (bank_code, purpose, reference, request_hash, asked_at)
             select r.bank_code, 'static', r.reference, r.request_hash, $4
               from unnest($1::text[], $2::uuid[], $3::bytea[])
                    as r (bank_code, reference, request_hash)
             on conflict (request_hash) do update set request_hash = excluded.request_hash
             returning bank_code, reference, state
           )
           select o.bank_code as "bankCode", o.reference, o.state <> 'asked' as "isReserved",
                  ${MERCHANT_NAME.c}
             from opened o cross join clients c where c.id = $5
            order by o.bank_code`,
    values: [
      banks.map(({ code }) => code),
      banks.map(() => timeOrderedId(now)),
      banks.map(hashOf),
      now,
      clientId,
    ],
  })
  return rows.map(({ merchantName, ...reservation }) => ({
    ...reservation,
    accountName: accountName(nameStyle, { merchantName, customerName: customer.name }),
    customer,
  }))
}

// Maps each reference to a list of one number. Locks the rows until commit. Omits reservations
// without a number.
export async function findCustomerNumbers(
  tx: Transaction,
  references: readonly string[],
): Promise<Map<string, string[]>> {
  if (references.length === 0) return new Map()
  const { rows } = await tx.query<{ reference: string; accountNumber: string }>({
    name: 'find-customer-numbers',
    text: `select r.reference, r.account_number as "accountNumber" from reserved_numbers r
            where r.reference = any($1::uuid[]) and r.state = 'available'
              and r.request_hash is not null
              and not exists (select from numbers n where n.account_number = r.account_number)
            order by r.id
              for update`,
    values: [references],
  })
  return new Map(rows.map(({ reference, accountNumber }) => [reference, [accountNumber]]))
}

// Opened so long ago that no request can still be waiting for the bank.
const ABANDONED_MS = 3_600_000
const ABANDONED_MAX = 20 // Of a bank.

export type AbandonedReservation = {
  bankCode: string
  reference: string // The bank knows it.
  accountNumber: string | null // Null: the bank never answered, and may have reserved one.
  askedAt: Date
}

// Reservations whose account was never created. Only the same request can still use them. The oldest of
// each bank first.
export async function readAbandonedReservations(
  db: Queryable,
  now: Date,
): Promise<AbandonedReservation[]> {
  const { rows } = await db.query<AbandonedReservation>({
    name: 'read-abandoned-reservations',
    text: `select bank_code as "bankCode", reference, account_number as "accountNumber",
                  asked_at as "askedAt"
             from (select r.*, row_number() over (partition by bank_code order by asked_at, id) as place
                     from reserved_numbers r
                    where request_hash is not null and state in ('asked', 'available')
                      and asked_at < $1) as abandoned
            where place <= ${ABANDONED_MAX}
            order by bank_code, place`,
    values: [new Date(now.getTime() - ABANDONED_MS)],
  })
  return rows
}

export async function useCustomerNumbers(
  tx: Transaction,
  references: readonly string[],
): Promise<void> {
  if (references.length === 0) return
  await tx.query({
    name: 'use-customer-numbers',
    text: `update reserved_numbers set state = 'used', request_hash = null
            where reference = any($1::uuid[])`,
    values: [references],
  })
}
