// Locks the rows that a reversal changes, and finds earlier reports of the reversal.
//
// Locks: payments, suspense items, the credit, collection accounts, shared ledger accounts; each in id order.

import { numberArray } from '#db/sql.ts'
import { BeginAgain, type Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { lockPayments } from './balances.ts'
import { type LockedItem, lockItems } from './suspense-items.ts'

export type Reversal = {
  bankCode: string
  sessionId: string
  formerId?: string | undefined // The id that an earlier release gave the reversal.
  place?: string | undefined // The bank's message, and the position of the reversal in it.
  originalSessionId: string // Any identifier of the credit.
  amountKobo: Kobo
  isFromStatement?: boolean // False if the bank reported the reversal by a call.
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

// Finds and locks the credit that the reversal takes back, after the payments and suspense items of the
// credit. So it reads the credit twice: by the bank's identifier, and then by its id, because in the meantime
// another credit may have got the same identifier. BeginAgain makes the whole transaction start again,
// because a payment would otherwise be locked after the items.
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
  // Null lets the check below accept items that are assigned to no payment.
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
  select id, client_id, collection_account_id, payment_id, amount_kobo, suspended_kobo,
         reversed_kobo, currency
    from credits`

// SQL scalar: the id of the credit that the bank calls `$1`. A session id counts before identifiers of other
// kinds.
const NAMED_CREDIT = `
  (select credit_id from credit_identifiers
    where value = $1 and bank_code = $2
    order by kind = 'session_id' desc, kind limit 1)`

// Finds the credit by the bank's identifier, without a lock.
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

// Locks the collection accounts that hold a part of the credit. Returns their owners.
export async function lockCollections(
  tx: Transaction,
  credit: ReversedCredit,
  items: readonly LockedItem[],
) {
  const ids = items.flatMap((item) => item.assignedAccountId ?? [])
  if (credit.collectionAccountId) ids.push(credit.collectionAccountId)
  const { rows } = await tx.query<{ id: AccountId; clientId: ClientId }>({
    name: 'lock-collection-accounts-by-id',
    text: `select a.id, a.client_id
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = any($1::bigint[])
            order by l.id
              for no key update of l`,
    values: [ids],
  })
  return new Map(rows.map(({ id, clientId }) => [id, clientId]))
}

// Locks all accounts that the reversal may debit or credit, in one statement. So their balances stay true
// until the transfers, and no other transaction that moves several of them can deadlock with the reversal.
export async function lockBalances(
  tx: Transaction,
  ids: readonly AccountId[],
): Promise<Map<AccountId, Kobo>> {
  const { rows } = await tx.query<{ id: AccountId; balanceKobo: Kobo }>({
    name: 'lock-balances',
    text: `select id, credits_kobo - debits_kobo as balance_kobo from ledger_accounts
            where id = any($1::bigint[]) order by id for no key update`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map(({ id, balanceKobo }) => [id, balanceKobo]))
}

// An earlier report that may be of the same reversal.
type EarlierReport = {
  sessionId: string
  creditId: CreditId
  amountKobo: Kobo
  place: string | null
}

// Finds an earlier report of the reversal by its own id, or else by its former id with the same credit and
// amount.
export async function findEarlier(
  tx: Transaction,
  { sessionId, formerId, bankCode, amountKobo }: Reversal,
  creditId: CreditId | undefined,
): Promise<EarlierReport | undefined> {
  const { rows } = await tx.query<EarlierReport>({
    name: 'find-reversal',
    text: `select session_id, credit_id, amount_kobo, place
             from reversals
            where bank_code = $2
              and (session_id = $1 or session_id = $3 and credit_id = $4 and amount_kobo = $5)
            order by session_id = $1 desc limit 1`,
    values: [sessionId, bankCode, formerId ?? null, creditId ?? null, amountKobo],
  })
  return rows[0]
}

// Returns whether a report with the credit and amount of an earlier reversal may be about a second reversal.
// Some banks report every reversal of a credit under the id of the credit. With such an id, a report from
// another place in the bank's messages may be a second reversal; any other report is a repetition. A match by
// `formerId` alone is uncertain too.
export async function mayBeAnother(
  tx: Transaction,
  { sessionId, place, bankCode }: Reversal,
  earlier: EarlierReport,
): Promise<boolean> {
  if (earlier.sessionId !== sessionId) return true
  if (place === undefined || earlier.place === null || earlier.place === place) return false
  const { rowCount } = await tx.query({
    name: 'is-name-of-credit',
    text: `select from credits where id = $1 and session_id = $3
           union all
           select from credit_identifiers where credit_id = $1 and bank_code = $2 and value = $3`,
    values: [earlier.creditId, bankCode, sessionId],
  })
  return rowCount !== 0
}

// A bank may report a reversal after operators booked that reversal from a statement line (I67). The booked
// reversal then gets the bank's id. It can get an id only once, so a second report for the same credit and
// amount counts as another reversal.

// SQL list: the ids that a reversal booked from the statement line `l` may have until the bank reports it.
const PROVISIONAL_IDS = `('LINE-' || left(encode(l.hash, 'hex'), 40), l.session_id, l.bank_reference,
  l.end_to_end_id)`

// Looks for a reversal of this credit and amount that was booked from a statement line and still has an id
// from that line. Replaces that id with the bank's id. Returns whether there was such a reversal. The caller
// must hold the lock of the credit.
export async function giveBankIdToBookedReversal(
  tx: Transaction,
  { sessionId, amountKobo }: Reversal,
  creditId: CreditId,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'give-bank-id-to-booked-reversal',
    text: `update reversals set session_id = $3
            where id = (select r.id
                          from reversals r
                          join statement_matches m
                            on m.item_kind = 'reversal' and m.item_id = r.id and m.rule = 'booked'
                          join statement_lines l on l.id = m.line_id
                         where r.credit_id = $1 and r.amount_kobo = $2
                           and r.session_id in ${PROVISIONAL_IDS}
                         order by r.id limit 1)`,
    values: [creditId, amountKobo, sessionId],
  })
  return rowCount === 1
}
