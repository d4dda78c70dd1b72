// Changes that the service sends to the issuing bank: the new name of an account, and the request to block
// the number of a closed account. The transaction that changes the account queues them, and a worker sends
// each one until the bank answers.
//
//   pending ──▶ done | refused | dropped (the account was erased, or the bank has no such call)
//
// A rename does not store the name. The worker reads the account's name when it sends, so that the last
// name wins and no name outlives an erasure. Changes of one number are sent one after the other (I42).

import type { ChangeAnswer } from '#banks/connector.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { isDue } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray, quotedArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId } from '#ids.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { type AccountNumbers, allNumbers, MERCHANT_NAME } from './account.ts'

const LEASE_MS = 120_000
const RETRY_MS = 30_000
const RETRY_MAX_MS = 3_600_000
const WAIT_MAX_MS = Math.max(LEASE_MS, RETRY_MAX_MS)
const REASON_MAX = 200

type BankChange = 'rename' | 'block'

type QueuedChange = {
  change: BankChange
  accountIds: readonly AccountId[]
  bankCode?: string // Undefined means all banks.
}

// Queues the change for every number of these accounts that a bank reserved: the main number and the added
// ones. Returns how many changes it queued.
export async function queueBankChanges(
  tx: Transaction,
  now: Date,
  { change, accountIds, bankCode }: QueuedChange,
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'queue-bank-changes',
    text: `insert into bank_account_changes
             (client_id, collection_account_id, bank_code, account_number, change,
              next_attempt_at, created_at)
           select a.client_id, a.id, r.bank_code, r.account_number, $2, $3, $3
             from collection_accounts a
             cross join lateral (
               select a.account_number as number
               union all
               select n.account_number from numbers n
                where n.collection_account_id = a.id and n.added_at is not null) as own
             join reserved_numbers r on r.account_number = own.number
            where a.id = any($1::bigint[]) and ($4::text is null or r.bank_code = $4)
            order by a.id, r.bank_code`,
    values: [numberArray(accountIds), change, now, bankCode ?? null],
  })
  return rowCount ?? 0
}

// Queues a rename for each account with a number from a bank's pool: the bank reserved the number before it
// had an account, so it must learn the account's name.
export async function nameAtBanks(
  tx: Transaction,
  { banks, now }: { banks: readonly BankSettings[]; now: Date },
  accounts: readonly (AccountNumbers & { id: AccountId })[],
): Promise<void> {
  const issuers = new Set(banks.flatMap((bank) => (bank.numbers === 'reserved' ? bank.code : [])))
  const accountIds = accounts
    .filter((account) => allNumbers(account).some(({ bankCode }) => issuers.has(bankCode)))
    .map(({ id }) => id)
  if (accountIds.length > 0) await queueBankChanges(tx, now, { change: 'rename', accountIds })
}

// Queues a block after an erasure: the bank still has the customer's name and must stop accepting money.
// Drops renames that are still to be sent.
export async function queueBlock(tx: Transaction, now: Date, accountId: AccountId): Promise<void> {
  const queued = await queueBankChanges(tx, now, { change: 'block', accountIds: [accountId] })
  if (queued === 0) return
  await tx.query({
    name: 'drop-renames',
    text: `update bank_account_changes set state = 'dropped', finished_at = $2
            where collection_account_id = $1 and change = 'rename' and state = 'pending'`,
    values: [accountId, now],
  })
  await tx.query({
    name: 'block-reserved-numbers',
    text: `update reserved_numbers set state = 'blocked'
            where account_number in (select account_number from bank_account_changes
                                      where collection_account_id = $1 and change = 'block')`,
    values: [accountId],
  })
}

export type DueChange = {
  id: bigint
  change: BankChange
  accountNumber: string
  reference: string // The reservation's reference.
  attempts: number
  merchantName: string
  customerName: string
}

// SQL condition: the next attempt of a change is due.
const isAttemptDue = (now: string) =>
  `(attempts = 0 or ${isDue('next_attempt_at', { now, longest: WAIT_MAX_MS })})`

// SQL condition: whether one of these banks has a change that is due.
export const hasBankChanges = (bankCodes: readonly string[]) => `exists (
  select from bank_account_changes
   where state = 'pending' and bank_code = any (${quotedArray(bankCodes)})
     and ${isAttemptDue('clock.real_now')})`

// Claims the next due change; a lease keeps other workers from sending it.
export async function claimBankChange(
  tx: Transaction,
  now: Date,
  bankCode: string,
): Promise<DueChange | undefined> {
  const { rows } = await tx.query<DueChange>({
    name: 'claim-bank-change',
    text: `with due as (
             select c.id from bank_account_changes c
              where c.bank_code = $1 and c.state = 'pending'
                and ${isAttemptDue('$2')}
                -- Changes of one number are sent one after the other (I42).
                and not exists (select from bank_account_changes e
                                 where e.account_number = c.account_number
                                   and e.state = 'pending' and e.id < c.id)
              order by c.next_attempt_at
              limit 1
                for no key update of c skip locked
           )
           update bank_account_changes c
              set attempts = c.attempts + 1, next_attempt_at = $3
             from due, collection_accounts a, clients k, reserved_numbers r
            where c.id = due.id and a.id = c.collection_account_id and k.id = a.client_id
              and r.account_number = c.account_number
           returning c.id, c.change, c.account_number, r.reference, c.attempts,
                     ${MERCHANT_NAME.k}, a.account_name as customer_name`,
    values: [bankCode, now, new Date(now.getTime() + LEASE_MS)],
  })
  return rows[0]
}

export type ChangeResult = ChangeAnswer | { status: 'dropped'; reason: string }
type AnsweredChange = { bankCode: string; due: DueChange; answer: ChangeResult }

// Stores the bank's answer. Without an answer, the next attempt follows after 30 seconds, and after twice the
// time with each further attempt, up to an hour. A refusal raises an alert.
export async function recordBankAnswer(
  tx: Transaction,
  now: Date,
  { bankCode, due: { id, change, accountNumber, attempts }, answer }: AnsweredChange,
): Promise<void> {
  const isAnswered = answer.status !== 'no_answer'
  const reason = answer.status === 'done' ? null : answer.reason.slice(0, REASON_MAX)
  const waitMs = Math.min(RETRY_MS * 2 ** Math.min(attempts - 1, 10), RETRY_MAX_MS)
  const { rowCount } = await tx.query({
    name: 'record-bank-answer',
    text: `update bank_account_changes
              set state = $2, reason = $3, next_attempt_at = $4, finished_at = $5
            where id = $1 and state = 'pending'`,
    values: [
      id,
      isAnswered ? answer.status : 'pending',
      reason,
      new Date(now.getTime() + waitMs),
      isAnswered ? now : null,
    ],
  })
  if (rowCount !== 1 || answer.status !== 'refused') return
  const subject = `${bankCode} ${accountNumber}`
  const detail = { bank: bankCode, accountNumber, change, reason }
  const alert = { kind: 'account_change_refused', subject, detail } as const
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

export type BankChangeRecord = {
  change: BankChange
  state: 'pending' | 'done' | 'refused' | 'dropped'
  bankCode: string
  accountNumber: string
  reason: string | null
  createdAt: Date
  finishedAt: Date | null
}

const CHANGES_MAX = 100

export async function listBankChanges(
  db: Queryable,
  accountId: AccountId,
): Promise<BankChangeRecord[]> {
  const { rows } = await db.query<BankChangeRecord>({
    name: 'list-bank-changes',
    text: `select change, state, bank_code, account_number, reason, created_at, finished_at
             from bank_account_changes where collection_account_id = $1
            order by id desc limit ${CHANGES_MAX}`,
    values: [accountId],
  })
  return rows
}
