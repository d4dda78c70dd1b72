// Repeats name enquiries for unconfirmed accounts that settlements would be paid to: at once, after a minute,
// then at doubling intervals up to six hours. For other accounts, the enquiry is repeated when a payout to
// them is requested.

import type { BankConnections, NameAnswer, NamedAccount } from '#banks/connector.ts'
import { systemClock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { CURRENCY, kobo } from '#money.ts'
import type { BankAccount } from './bank-accounts.ts'
import { chooseSendingBank } from './sending-bank.ts'

const FIRST_MS = 60_000 // Longer than a call may take, so that no other worker asks meanwhile.
const LONGEST_MS = 6 * 3_600_000

const IS_ASKED = `
  (b.status = 'unconfirmed' or b.name_at_bank = '') and b.is_active
    and exists (select from settlement_payees p
                 where p.client_id = b.client_id and p.bank_account_id = b.id)`

// SQL: a name enquiry is due.
export const HAS_DUE_ENQUIRIES = `exists (
  select from bank_accounts b
   where ${IS_ASKED} and (b.next_enquiry_at is null or b.next_enquiry_at <= clock.now))`

type DueEnquiry = Pick<BankAccount, 'id' | 'bankCode' | 'accountNumberSealed' | 'accountName'>

// Claims the enquiry that has been due longest, for one caller only. Plans the next enquiry, whether or not
// the bank answers.
export async function claimEnquiry(tx: Transaction, now: Date): Promise<DueEnquiry | undefined> {
  const { rows } = await tx.query<DueEnquiry>({
    name: 'claim-name-enquiry',
    text: `with due as materialized (
             select b.id from bank_accounts b
              where ${IS_ASKED} and (b.next_enquiry_at is null or b.next_enquiry_at <= $1)
              order by b.next_enquiry_at nulls first, b.id limit 1
                for no key update of b skip locked)
           update bank_accounts b
              set enquiries = b.enquiries + 1,
                  next_enquiry_at = $1 + least($2 * power(2, least(b.enquiries, 20)), $3)
                                         * interval '1 millisecond'
             from due where b.id = due.id
           returning b.id, b.bank_code, b.account_name, b.account_number_sealed`,
    values: [now, FIRST_MS, LONGEST_MS],
  })
  return rows[0]
}

// The time of the first enquiry that is due after `after`. Null: there is none.
export async function findEnquiry(db: Queryable, after: Date): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>({
    name: 'next-enquiry',
    text: `select min(coalesce(b.next_enquiry_at, b.created_at)) as at from bank_accounts b
            where ${IS_ASKED} and coalesce(b.next_enquiry_at, b.created_at) > $1`,
    values: [after],
  })
  return rows[0]?.at ?? null
}

// Asks a bank for the name of an account's holder. The caller has no transaction open. A failed call counts
// as `no_answer`.

// If no bank can be asked, accounts stay unconfirmed.
export function canEnquire(bankConnections: BankConnections): boolean {
  return [...bankConnections.values()].some(({ calls }) => calls.enquireName)
}

// Asks the bank that would send the money, or else the first bank that answers name enquiries.
export async function enquireName(
  db: Queryable,
  bankConnections: BankConnections,
  account: NamedAccount,
): Promise<NameAnswer> {
  const { bankCode } = await chooseSendingBank(db, {
    ...{ bankConnections, currency: CURRENCY, amountKobo: kobo(0n) },
    ...{ now: systemClock(), draw: 0 },
  })
  const calls = [bankConnections.get(bankCode), ...bankConnections.values()].map(
    (connection) => connection?.calls.enquireName,
  )
  const ask = calls.find((call) => call !== undefined)
  if (!ask) return { status: 'no_answer', reason: 'No bank can be asked for names.' }
  return ask(account, {})
}
