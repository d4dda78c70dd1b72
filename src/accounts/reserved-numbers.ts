// Numbers that a bank reserved for us in advance. Creating an account or initiating a payment takes
// them in its own transaction and never waits for the bank. Numbers with a request_hash belong to
// one request, not to the pool (openReservations in account.ts).
//
//   asked ──▶ available ──▶ used ──▶ blocked
//
// I41: a reserved number is used once, by the bank that reserved it and for the purpose it was
// reserved for.

import type { Reservations } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import { isAccountNumber } from '#banks/nuban.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Purpose } from '#config/number-settings.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { parseReference, timeOrderedId } from '#ids.ts'

// A reservation whose number the bank has not returned yet. For the same reference the bank returns the same
// number again.
export type Reservation = { reference: string; purpose: Purpose }

// Draws the numbers that were reserved first. Returns fewer than requested when the pool is used up.
export async function drawReserved(
  tx: Transaction,
  bank: Pick<BankSettings, 'code'>,
  { purpose, count }: { purpose: Purpose; count: number },
): Promise<string[]> {
  const { rows } = await tx.query<{ accountNumber: string }>({
    name: 'draw-reserved-numbers',
    text: `with drawn as (
             select r.id from reserved_numbers r
              where r.bank_code = $1 and r.purpose = $2 and r.state = 'available'
                and r.request_hash is null
                and not exists (select from numbers n where n.account_number = r.account_number)
              order by r.id
              limit $3
                for update of r skip locked
           )
           update reserved_numbers r set state = 'used'
             from drawn where r.id = drawn.id
           returning r.account_number`,
    values: [bank.code, purpose, count],
  })
  return rows.map((row) => row.accountNumber)
}

// Makes numbers available again that this transaction drew but does not need.
export async function makeAvailableAgain(
  tx: Transaction,
  accountNumbers: readonly string[],
): Promise<void> {
  if (accountNumbers.length === 0) return
  await tx.query({
    name: 'put-back-reserved-numbers',
    text: `update reserved_numbers set state = 'available'
            where account_number = any($1::text[])`,
    values: [accountNumbers],
  })
}

// Stores reservations for the pool, before the bank is asked for their numbers.
export async function addReservations(
  tx: Transaction,
  now: Date,
  { bankCode, purposes }: { bankCode: string; purposes: readonly Purpose[] },
): Promise<void> {
  if (purposes.length === 0) return
  await tx.query({
    name: 'add-reservations',
    text: `insert into reserved_numbers (bank_code, purpose, reference, asked_at)
           select $1, r.purpose, r.reference, $4
             from unnest($2::text[], $3::uuid[]) as r (purpose, reference)`,
    values: [bankCode, purposes, purposes.map(() => timeOrderedId(now)), now],
  })
}

// Finds the pool's reservations that wait for the bank's answer, oldest first.
export async function findReservations(
  tx: Transaction,
  bankCode: string,
  limit: number,
): Promise<Reservation[]> {
  const { rows } = await tx.query<Reservation>({
    name: 'find-reservations',
    text: `select reference, purpose from reserved_numbers
            where bank_code = $1 and state = 'asked' and request_hash is null
            order by id limit $2`,
    values: [bankCode, limit],
  })
  return rows
}

type ReservedNumber = { reference: string; accountNumber: string; accountName: string }

// Stores the number that the bank returned. If the number is unusable (not ten digits, or in use at any
// bank), drops the reservation and returns false.
export async function storeReserved(
  tx: Transaction,
  now: Date,
  { reference, accountNumber, accountName }: ReservedNumber,
): Promise<boolean> {
  if (isAccountNumber(accountNumber)) {
    const { rowCount } = await tx.query({
      name: 'store-reserved-number',
      text: `update reserved_numbers
                set state = 'available', account_number = $2, account_name = $3, reserved_at = $4
              where reference = $1 and state = 'asked'
                and not exists (select from numbers where account_number = $2)
                and not exists (select from reserved_numbers where account_number = $2)`,
      values: [reference, accountNumber, cleanText(accountName) ?? '', now],
    })
    if (rowCount === 1) return true
    if (await isStored(tx, { reference, accountNumber })) return true
  }
  await dropReservation(tx, reference)
  return false
}

// Whether another process has stored the same answer of the bank.
async function isStored(
  tx: Transaction,
  { reference, accountNumber }: Omit<ReservedNumber, 'accountName'>,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'is-reserved-number-stored',
    text: 'select from reserved_numbers where reference = $1 and account_number = $2',
    values: [reference, accountNumber],
  })
  return rowCount === 1
}

// Deletes a reservation that the bank refused, or answered with an unusable number. Does nothing once a
// number is stored for it.
export async function dropReservation(tx: Transaction, reference: string): Promise<void> {
  await tx.query({
    name: 'drop-reservation',
    text: `delete from reserved_numbers where reference = $1 and state = 'asked'`,
    values: [reference],
  })
}

// Translates between references and account numbers, for a bank that identifies the account of a transfer by
// our reference. The bank may send any text as a reference.
export function reservationsAt(db: Queryable, bankCode: string): Reservations {
  return {
    async numberOf(reference) {
      const { rows } = await db.query<{ accountNumber: string }>({
        name: 'find-number-of-reservation',
        text: `select account_number from reserved_numbers
                where bank_code = $1 and reference = $2::uuid and account_number is not null`,
        values: [bankCode, parseReference(reference) ?? null],
      })
      return rows[0]?.accountNumber
    },
    async referenceOf(accountNumber) {
      const { rows } = await db.query<{ reference: string }>({
        name: 'find-reservation-of-number',
        text: `select reference from reserved_numbers
                where bank_code = $1 and account_number = $2`,
        values: [bankCode, accountNumber],
      })
      return rows[0]?.reference
    },
  }
}
