// Name enquiries that we make: we ask a bank for the holder of a bank account that payouts go to.
// src/credits/rail-routes.ts answers the enquiries that banks make about our numbers.

import type { BankConnections, NameAnswer, NamedAccount } from '#banks/connector.ts'
import { systemClock } from '#clock.ts'
import { isWaiting } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { CURRENCY, kobo } from '#money.ts'
import type { BankAccount } from './bank-accounts.ts'
import { chooseSendingBank } from './sending-bank.ts'

// Repeats name enquiries for unconfirmed accounts that settlements would be paid to: at once, after a minute,
// then at doubling intervals up to six hours. For other accounts, the enquiry is repeated when a payout to
// them is requested.

const FIRST_INTERVAL_MS = 60_000 // Longer than a call may take, so that no other worker asks during the call.
const LONGEST_INTERVAL_MS = 6 * 3_600_000

// SQL condition: workers repeat the enquiry for the account `b`, because settlements would be paid to it.
const IS_ENQUIRY_REPEATED = `
  (b.status = 'unconfirmed' or b.name_at_bank = '') and b.is_active
    and exists (select from settlement_payees p
                 where p.client_id = b.client_id and p.bank_account_id = b.id)`

// SQL condition: the enquiry for the account `b` is due. The first one has no planned time.
const isEnquiryDue = (now: string) =>
  `${IS_ENQUIRY_REPEATED} and not ${isWaiting('b.next_enquiry_at', { now, longest: LONGEST_INTERVAL_MS })}`

// SQL condition: a name enquiry is due.
export const HAS_DUE_ENQUIRIES = `exists (
  select from bank_accounts b where ${isEnquiryDue('clock.now')})`

type DueEnquiry = Pick<BankAccount, 'id' | 'bankCode' | 'accountNumberSealed' | 'accountName'>

// Claims the enquiry that has been due longest, for one caller only. Plans the next enquiry, whether or not
// the bank answers.
export async function claimEnquiry(tx: Transaction, now: Date): Promise<DueEnquiry | undefined> {
  const { rows } = await tx.query<DueEnquiry>({
    name: 'claim-name-enquiry',
    text: `with due as materialized (
             select b.id from bank_accounts b
              where ${isEnquiryDue('$1')}
              order by b.next_enquiry_at nulls first, b.id limit 1
                for no key update of b skip locked)
           update bank_accounts b
              set enquiries = b.enquiries + 1,
                  next_enquiry_at = $1 + least($2 * power(2, least(b.enquiries, 20)), $3)
                                         * interval '1 millisecond'
             from due where b.id = due.id
           returning b.id, b.bank_code, b.account_name, b.account_number_sealed`,
    values: [now, FIRST_INTERVAL_MS, LONGEST_INTERVAL_MS],
  })
  return rows[0]
}

// Returns the time of the first enquiry that is due after `after`, or null if there is none. A test clock
// stops at these times, so that workers can run.
export async function findNextEnquiryTime(db: Queryable, after: Date): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>({
    name: 'next-enquiry',
    text: `select min(coalesce(b.next_enquiry_at, b.created_at)) as at from bank_accounts b
            where ${IS_ENQUIRY_REPEATED} and coalesce(b.next_enquiry_at, b.created_at) > $1`,
    values: [after],
  })
  return rows[0]?.at ?? null
}

// Returns whether any bank answers name enquiries. If none does, accounts stay unconfirmed.
export function canEnquire(bankConnections: BankConnections): boolean {
  return [...bankConnections.values()].some(({ calls }) => calls.enquireName)
}

// Asks the bank that would send the money, or else the first bank that answers name enquiries, for the name
// of the account's holder. The caller has no transaction open. A failed call returns `no_answer`.
export async function enquireName(
  db: Queryable,
  bankConnections: BankConnections,
  account: NamedAccount,
): Promise<NameAnswer> {
  // Only the bank is of interest here: there is no amount, and the draw 0 admits every bank that takes
  // orders.
  const { bankCode } = await chooseSendingBank(db, {
    bankConnections,
    currency: CURRENCY,
    amountKobo: kobo(0n),
    now: systemClock(),
    draw: 0,
  })
  const calls = [bankConnections.get(bankCode), ...bankConnections.values()].map(
    (connection) => connection?.calls.enquireName,
  )
  const askForName = calls.find((call) => call !== undefined)
  if (!askForName) return { status: 'no_answer', reason: 'No bank can be asked for names.' }
  return askForName(account, {})
}
