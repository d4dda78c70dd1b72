// Reads and writes suspense items: money in suspense, its history, and its changes when payments close and
// banks reverse. The states of items are in states.ts of this folder.
//
// I13: the open items of a suspense account sum to its balance.

import type { Queryable } from '#db/pool.ts'
import { numberArray, textArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, PaymentId, SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { SuspenseRow } from './decide.ts'
import { type ItemState, suspendAgain, transitionItem } from './states.ts'

// The history of suspense items is append-only and is written in the transaction that changes the item. The
// item itself has only its current state.

export const SUSPENSE_CHANGES = [
  'assigned', // To a payment or a collection account.
  'suspended_again', // The payment closed without being paid in full.
  'return_requested',
  'returned', // Confirmed by the bank.
  'return_failed', // The bank could not send it back.
  'reversed', // Taken back by the bank, whole or in part.
] as const

export type SuspenseChange = {
  change: (typeof SUSPENSE_CHANGES)[number]
  amountKobo: Kobo // The amount of the change.
  leftKobo: Kobo // The amount of the item after the change.
  reference: string | null // The payment reference, the account number, or the bank's reference.
  changedAt: Date
}

type Item = { id: bigint; clientId: ClientId | null; state: ItemState; amountKobo: Kobo }

type NewSuspenseChange = {
  item: Item // The item before the change.
  change: SuspenseChange['change']
  amountKobo?: Kobo // Defaults to the amount of the item.
  leftKobo?: Kobo
  reference?: string | null
}

// Appends changes to the history of suspense items.
export async function recordSuspenseChanges(
  tx: Transaction,
  now: Date,
  changes: readonly NewSuspenseChange[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query({
    name: 'record-suspense-changes',
    text: `insert into suspense_changes (item_id, client_id, change, from_state, amount_kobo,
                                         left_kobo, reference, changed_at)
           select s.*, $8 from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[],
                                      $5::bigint[], $6::bigint[], $7::text[]) as s`,
    values: [
      numberArray(changes.map(({ item }) => item.id)),
      numberArray(changes.map(({ item }) => item.clientId)),
      textArray(changes.map(({ change }) => change)),
      textArray(changes.map(({ item }) => item.state)),
      numberArray(changes.map(({ item, amountKobo }) => amountKobo ?? item.amountKobo)),
      numberArray(changes.map(({ item, leftKobo }) => leftKobo ?? item.amountKobo)),
      textArray(changes.map(({ reference }) => reference ?? null)),
      now,
    ],
  })
}

// Returns the changes by item, oldest first.
export async function readSuspenseChanges(
  db: Queryable,
  itemIds: readonly SuspenseItemId[],
): Promise<Map<SuspenseItemId, SuspenseChange[]>> {
  const byItem = new Map<SuspenseItemId, SuspenseChange[]>()
  if (itemIds.length === 0) return byItem
  const { rows } = await db.query<SuspenseChange & { itemId: SuspenseItemId }>({
    name: 'read-suspense-changes',
    text: `select item_id, change, amount_kobo, left_kobo, reference, changed_at
             from suspense_changes where item_id = any($1::bigint[]) order by item_id, id`,
    values: [numberArray(itemIds)],
  })
  for (const { itemId, ...change } of rows) {
    byItem.set(itemId, [...(byItem.get(itemId) ?? []), change])
  }
  return byItem
}

// Returns the amount of the item when it was opened. Only reversals change the amount, and the first one
// recorded both the reversed and the remaining part.
export function originalKobo(amountKobo: Kobo, changes: readonly SuspenseChange[]): Kobo {
  const firstReversal = changes.find(({ change }) => change === 'reversed')
  return firstReversal ? kobo(firstReversal.amountKobo + firstReversal.leftKobo) : amountKobo
}

// Opens a suspense item for each row.
export async function insertSuspense(
  tx: Transaction,
  now: Date,
  rows: readonly SuspenseRow[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query({
    name: 'insert-suspense',
    text: `insert into suspense_items
             (credit_id, client_id, account_id, amount_kobo, reason, opened_at)
           select s.*, $6
             from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) as s`,
    values: [
      numberArray(rows.map((row) => row.creditId)),
      numberArray(rows.map((row) => row.clientId)),
      numberArray(rows.map((row) => row.accountId)),
      numberArray(rows.map((row) => row.amountKobo)),
      rows.map((row) => row.reason),
      now,
    ],
  })
}

// An assigned item whose payment closed. `clientId` and `accountId` are those of the payment.
export type Resuspension = {
  id: SuspenseItemId
  creditId: CreditId
  clientId: ClientId
  accountId: AccountId
  amountKobo: Kobo
  paymentId: PaymentId
}

// Suspends money again that was assigned to a payment which then closed without being paid in full. If the
// money was unidentified before, it now belongs to the client of that payment.
export async function resuspend(
  tx: Transaction,
  now: Date,
  items: readonly Resuspension[],
): Promise<void> {
  if (items.length === 0) return
  await suspendAgain(tx, items)
  for (const { creditId } of items) await markCredit(tx, creditId, 'suspended')
  const changes = items.map(({ paymentId: reference, ...item }) => {
    return { item: { ...item, state: 'assigned' }, change: 'suspended_again', reference } as const
  })
  await recordSuspenseChanges(tx, now, changes)
}

export type LockedItem = {
  id: SuspenseItemId
  creditId: CreditId
  clientId: ClientId | null
  accountId: AccountId
  amountKobo: Kobo
  reason: string
  state: ItemState
  assignedAccountId: AccountId | null
  assignedPaymentId: PaymentId | null
  bankCode: string
  currency: string
  sessionId: string
}

// Locks the suspense item with this id, or all items of a credit, in id order.
export async function lockItems(
  tx: Transaction,
  by: 'id' | 'credit_id',
  value: bigint,
): Promise<LockedItem[]> {
  const { rows } = await tx.query<LockedItem>({
    name: `lock-suspense-items-by-${by}`,
    text: `select i.id, i.credit_id, i.client_id, i.account_id, i.amount_kobo, i.reason, i.state,
                  i.assigned_account_id, i.assigned_payment_id, c.bank_code, c.currency,
                  c.session_id
             from suspense_items i join credits c on c.id = i.credit_id
            where i.${by} = $1
            order by i.id
              for no key update of i`,
    values: [value],
  })
  return rows
}

// Sets the outcome of a fully suspended credit to the new state of its item. A credit with a booked part, or
// one that its bank has reversed in full, keeps its outcome.
export async function markCredit(
  tx: Transaction,
  creditId: CreditId,
  outcome: 'suspended' | 'assigned' | 'returned',
): Promise<void> {
  await tx.query({
    name: 'mark-credit',
    text: `update credits set outcome = $2
            where id = $1 and suspended_kobo + reversed_kobo = amount_kobo
              and outcome <> 'reversed'`,
    values: [creditId, outcome],
  })
}

// Reads the current outcomes of credits, for the events about them.
export async function readOutcomes(
  tx: Transaction,
  creditIds: readonly CreditId[],
): Promise<Map<CreditId, string>> {
  if (creditIds.length === 0) return new Map()
  const { rows } = await tx.query<{ id: CreditId; outcome: string }>({
    name: 'read-outcomes',
    text: 'select id, outcome from credits where id = any($1::bigint[])',
    values: [numberArray(creditIds)],
  })
  return new Map(rows.map(({ id, outcome }) => [id, outcome]))
}

type ItemReductions = {
  takings: readonly { item: LockedItem; takenKobo: Kobo }[]
  reference: string | null
}

// Takes reversed money from suspense items and records the changes. An item that the bank reversed in part
// keeps its state. An item that it reversed in full becomes `reversed`.
export async function reduceItems(
  tx: Transaction,
  now: Date,
  { takings, reference }: ItemReductions,
): Promise<void> {
  for (const { item, takenKobo } of takings) {
    if (takenKobo === item.amountKobo) {
      await transitionItem(tx, {
        name: 'reverse-suspense-item',
        id: item.id,
        from: item.state,
        to: 'reversed',
        set: 'assigned_account_id = null, assigned_payment_id = null, closed_at = $2',
        values: [now],
      })
    } else {
      await tx.query({
        name: 'take-from-suspense-item',
        text: 'update suspense_items set amount_kobo = amount_kobo - $2 where id = $1',
        values: [item.id, takenKobo],
      })
    }
  }
  const changes = takings.map(({ item, takenKobo }) => {
    const leftKobo = kobo(item.amountKobo - takenKobo)
    return { item, change: 'reversed', amountKobo: takenKobo, leftKobo, reference } as const
  })
  await recordSuspenseChanges(tx, now, changes)
}

// Money that a reversal takes from a suspense item.
type Taking = { item: LockedItem; takenKobo: Kobo }

// Adjusts open approval requests for suspended money that a bank reversed. A full reversal voids the request.
// A partial reversal is recorded as a change, and the request continues for the remaining money; its original
// amount stays on record. Locks: the item, then the request.
export async function adjustApprovalRequests(
  tx: Transaction,
  now: Date,
  takings: readonly Taking[],
): Promise<void> {
  for (const { item, takenKobo } of takings) {
    if (item.state !== 'open') continue // Only an open item can have an open request.
    const by = `bank:${item.bankCode}`
    if (takenKobo === item.amountKobo) {
      await tx.query({
        name: 'void-suspense-request',
        text: `update suspense_requests set state = 'void', decided_by = $2, decided_at = $3
                where item_id = $1 and state = 'open'`,
        values: [item.id, by, now],
      })
    } else {
      await tx.query({
        name: 'change-suspense-request',
        text: `insert into suspense_request_changes
                 (request_id, changed_by, changed_at, from_kobo, to_kobo)
               select id, $2, $3, $4, $5 from suspense_requests
                where item_id = $1 and state = 'open'
                  for no key update`,
        values: [item.id, by, now, item.amountKobo, item.amountKobo - takenKobo],
      })
    }
  }
}
