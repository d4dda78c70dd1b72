// The locks of a reversal, in the common order: payments, suspense items, the credit, collection
// accounts, shared ledger accounts; each in id order.

import { numberArray } from '#db/arrays.ts'
import { BeginAgain, type Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { lockPayments } from './payment-balances.ts'
import { type LockedItem, lockItems } from './suspense-items.ts'

export type Reversal = {
  bankCode: string
  sessionId: string
  formerId?: string | undefined // Its id in an earlier release.
  place?: string | undefined // The bank's message, and the place in it.
  originalSessionId: string // Any identifier of the credit.
  amountKobo: Kobo
  isFromStatement?: boolean // Otherwise the bank reports it.
}

export type ReversedCredit = {
  id: CreditId
  clientId: ClientId | null
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
  amountKobo: Kobo
  suspendedKobo: Kobo
  reversedKobo: Kobo
  currency: string
}

// The credit is locked after its payments and items, so it is read twice: by the bank's identifier, and
// then by its id, because another credit may have got the same identifier meanwhile.
export async function lockOriginal(
  tx: Transaction,
  reversal: Reversal,
): Promise<{ credit: ReversedCredit; items: readonly LockedItem[] } | undefined> {
  const original = await findOriginal(tx, reversal)
  if (!original) return undefined
  const assigned = await tx.query<{ id: PaymentId }>({
    name: 'find-assigned-payments',
    text: `select assigned_payment_id as id from suspense_items
            where credit_id = $1 and assigned_payment_id is not null`,
    values: [original.id],
  })
  const paymentIds = [null, original.paymentId, ...assigned.rows.map((row) => row.id)]
  await lockPayments(
    tx,
    paymentIds.filter((id) => id !== null),
  )
  const items = await lockItems(tx, 'credit_id', original.id)
  if (items.some((item) => !paymentIds.includes(item.assignedPaymentId))) {
    throw new BeginAgain('A part of the credit was assigned to a payment meanwhile.')
  }
  const { rows } = await tx.query<ReversedCredit>({
    name: 'lock-original',
    text: `${SELECT_ORIGINAL} where id = $1 for no key update`,
    values: [original.id],
  })
  return rows[0] && { credit: rows[0], items }
}

const SELECT_ORIGINAL = `
  select id, client_id as "clientId", collection_account_id as "collectionAccountId",
         payment_id as "paymentId", amount_kobo as "amountKobo",
         suspended_kobo as "suspendedKobo", reversed_kobo as "reversedKobo", currency
    from credits`

const NAMED_CREDIT = `
  (select credit_id from credit_identifiers
    where value = $1 and bank_code = $2
    order by kind = 'session_id' desc, kind limit 1)`

async function findOriginal(
  tx: Transaction,
  reversal: Reversal,
): Promise<ReversedCredit | undefined> {
  const { rows } = await tx.query<ReversedCredit>({
    name: 'find-original',
    text: `${SELECT_ORIGINAL} where id = ${NAMED_CREDIT}`,
    values: [reversal.originalSessionId, reversal.bankCode],
  })
  return rows[0]
}

// Checked if there is no credit to lock: it may have been archived while we waited for its lock.
export async function isArchived(
  tx: Transaction,
  { originalSessionId, bankCode }: Reversal,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'find-archived-original',
    text: `select from archived_credits where id = ${NAMED_CREDIT}`,
    values: [originalSessionId, bankCode],
  })
  return rowCount === 1
}

// Returns their owners.
export async function lockCollections(
  tx: Transaction,
  credit: ReversedCredit,
  items: readonly LockedItem[],
) {
  const ids = items.flatMap((item) => item.assignedAccountId ?? [])
  if (credit.collectionAccountId) ids.push(credit.collectionAccountId)
  const { rows } = await tx.query<{ id: AccountId; clientId: ClientId }>({
    name: 'lock-collection-accounts-by-id',
    text: `select a.id, a.client_id as "clientId"
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = any($1::bigint[])
            order by l.id
              for no key update of l`,
    values: [ids],
  })
  return new Map(rows.map(({ id, clientId }) => [id, clientId]))
}

// Locks all accounts that the reversal may move at once, so that balances stay true until the move and
// nobody who moves several of them can deadlock with it.
export async function lockBalances(
  tx: Transaction,
  ids: readonly AccountId[],
): Promise<Map<AccountId, Kobo>> {
  const { rows } = await tx.query<{ id: AccountId; balanceKobo: Kobo }>({
    name: 'lock-balances',
    text: `select id, credits_kobo - debits_kobo as "balanceKobo" from ledger_accounts
            where id = any($1::bigint[]) order by id for no key update`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map(({ id, balanceKobo }) => [id, balanceKobo]))
}
