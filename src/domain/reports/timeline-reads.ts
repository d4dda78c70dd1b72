// Queries of a timeline: credits to any number of an account, issued numbers and their changes at banks,
// turns of a payment, assigned money.

import type { Queryable } from '#db/pool.ts'
import { idBounds, type Window } from '#db/time-bounds.ts'
import { type AccountNumbers, allNumbers } from '#domain/accounts/additional-numbers.ts'
import { listBankChanges } from '#domain/accounts/bank-account-changes.ts'
import { type CreditTrace, listCredits, type Viewer } from '#domain/credits/credit-list.ts'
import type { Payment } from '#domain/payments/payments.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import { type AccountId, type CreditId, leastIdAt, type PaymentId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import {
  bankChangeEntries,
  type IssuedNumber,
  numberEntry,
  type TimelineEntry,
} from './timeline-entries.ts'

const TURNS_MAX = 100 // Most payments have none.

export async function readNumbers(db: Queryable, paymentId: PaymentId): Promise<IssuedNumber[]> {
  const { rows } = await db.query<IssuedNumber>({
    name: 'numbers-of-payment',
    text: `select account_number as "accountNumber", bank_code as "bankCode",
                  issued_at as "issuedAt", routing
             from payment_numbers where payment_id = $1 order by issued_at, bank_code`,
    values: [paymentId],
  })
  return rows
}

type CreditPage = {
  sealer: Sealer
  viewer: Viewer
  after: CreditId | undefined
  limit: number
}

// To any of its numbers, newest first. Each number uses the index on its own.
export async function listCreditsOf(
  db: Queryable,
  account: AccountNumbers,
  { limit, ...page }: CreditPage,
): Promise<CreditTrace[]> {
  const credits: CreditTrace[] = []
  for (const { accountNumber } of allNumbers(account)) {
    credits.push(...(await listCredits(db, { ...page, filters: { accountNumber }, limit })))
  }
  return credits.sort((one, other) => (one.id > other.id ? -1 : 1)).slice(0, limit)
}

type Turn = { at: Date; creditId: CreditId | null }

// The times when a payment expired or was assigned money. No row keeps them once the payment is paid or
// the money has left it.
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

type Assignment = { creditId: CreditId; postedAt: Date }

// Money that was sent elsewhere and assigned to the account, within the time of a page, so it scans about
// as many transfers as the page has credits. The latest, including all of the last moment.
export async function readAssigned(
  db: Queryable,
  { id }: { id: AccountId },
  { from, to, limit }: Window & { limit: number },
): Promise<Assignment[]> {
  const { firstId, pastId } = await idBounds(db, 'transfers', { from, to })
  const { rows } = await db.query<Assignment>({
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

// Its additional numbers, and the changes of its numbers at banks.
export async function readBankEntries(
  db: Queryable,
  { id }: { id: AccountId },
  nameBank: NameBank,
): Promise<TimelineEntry[]> {
  const { rows } = await db.query<IssuedNumber>({
    name: 'additional-numbers-of-account',
    text: `select account_number as "accountNumber", bank_code as "bankCode",
                  added_at as "issuedAt"
             from numbers where collection_account_id = $1 and added_at is not null`,
    values: [id],
  })
  const changes = await listBankChanges(db, id)
  return [
    ...rows.map((number) => numberEntry(number, nameBank)),
    ...changes.flatMap((change) => bankChangeEntries(change, nameBank)),
  ]
}
