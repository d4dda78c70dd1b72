// Money in suspense, as items:
//
//   open ──▶ assigned                     to a payment or a collection account
//     │          └───────▶ open           … to a payment that then closed without being paid in full
//     ├────▶ returning ──▶ returned       sent back to the payer
//     │          └───────▶ open           the bank could not send it back
//     └────▶ reversed                     the bank took it back
//
// I13: the open items of a suspense account sum to its balance.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, PaymentId, SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { SuspenseRow } from './decide-credits.ts'
import { type ItemState, recordSuspenseChanges } from './suspense-history.ts'

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

export async function reopenItems(tx: Transaction, ids: readonly SuspenseItemId[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query({
    name: 'reopen-suspense-items',
    text: `update suspense_items
              set state = 'open', assigned_payment_id = null, assigned_account_id = null,
                  closed_at = null
            where id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
}

export type Resuspension = {
  id: SuspenseItemId
  creditId: CreditId
  clientId: ClientId
  accountId: AccountId
  amountKobo: Kobo
  paymentId: PaymentId
}

// Suspends money again that was assigned to a payment which closed without being paid in full. The money
// may have been unidentified before; now it is that client's, with the rest of the payment's money.
export async function resuspend(
  tx: Transaction,
  now: Date,
  items: readonly Resuspension[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query({
    name: 'suspend-items-again',
    text: `update suspense_items i
              set state = 'open', client_id = a.client_id, account_id = a.account_id,
                  reason = 'underpaid', assigned_payment_id = null, closed_at = null
             from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as a (id, client_id, account_id)
            where i.id = a.id`,
    values: [
      numberArray(items.map((item) => item.id)),
      numberArray(items.map((item) => item.clientId)),
      numberArray(items.map((item) => item.accountId)),
    ],
  })
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

export async function lockItems(
  tx: Transaction,
  by: 'id' | 'credit_id',
  value: bigint,
): Promise<LockedItem[]> {
  const { rows } = await tx.query<LockedItem>({
    name: `lock-suspense-items-by-${by}`,
    text: `select i.id, i.credit_id as "creditId", i.client_id as "clientId",
                  i.account_id as "accountId", i.amount_kobo as "amountKobo", i.reason, i.state,
                  i.assigned_account_id as "assignedAccountId",
                  i.assigned_payment_id as "assignedPaymentId",
                  c.bank_code as "bankCode", c.currency, c.session_id as "sessionId"
             from suspense_items i join credits c on c.id = i.credit_id
            where i.${by} = $1
            order by i.id
              for no key update of i`,
    values: [value],
  })
  return rows
}

// The outcome of a fully suspended credit follows its item.
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

// A partly reversed item keeps its state; a fully reversed one becomes `reversed`.
export async function reduceItems(
  tx: Transaction,
  now: Date,
  { takings, reference }: ItemReductions,
): Promise<void> {
  for (const { item, takenKobo } of takings) {
    const isWhole = takenKobo === item.amountKobo
    await tx.query({
      name: `take-from-suspense-item-${isWhole ? 'whole' : 'part'}`,
      text: isWhole
        ? `update suspense_items
              set state = 'reversed', assigned_account_id = null, assigned_payment_id = null,
                  closed_at = $2
            where id = $1`
        : 'update suspense_items set amount_kobo = amount_kobo - $2 where id = $1',
      values: [item.id, isWhole ? now : takenKobo],
    })
  }
  const changes = takings.map(({ item, takenKobo }) => {
    const leftKobo = kobo(item.amountKobo - takenKobo)
    return { item, change: 'reversed', amountKobo: takenKobo, leftKobo, reference } as const
  })
  await recordSuspenseChanges(tx, now, changes)
}
