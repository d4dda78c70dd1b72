// Reversals: a bank takes a credit back, whole or in part. Nothing booked is undone: new transfers
// carry the money from where it is now back to the bank (decide-reversal.ts says from where).
//
// Statuses, in the order they are checked:
//   duplicate                this reversal was taken before
//   session_reused           its session id was, on other terms; the operator is alerted
//   original_not_found       this bank never reported such a credit
//   amount_exceeds_original  more than is left of it
//   reversed                 done; what had left us already stands against the bank's shortfall
//                            account, and the operator is alerted

import type { Transaction } from '#db/transaction.ts'
import { discountReceipt } from '#domain/accounts/received-today.ts'
import {
  feeAccounts,
  readFees,
  recordReturned,
  returnTransfers,
  sumOfFees,
} from '#domain/fees/credit-fees.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { AccountId, ClientId, CreditId, PaymentId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { adjustApprovalRequests } from './adjust-approval-requests.ts'
import { sessionName } from './decide-credits.ts'
import {
  decideReversal,
  type Holder,
  type ReversalPlan,
  type ReversedCredit,
} from './decide-reversal.ts'
import { lockPayments, updatePayments } from './payment-balances.ts'
import { explainReversal } from './reversal-events.ts'
import { giveSharesBack, lockShares } from './reversed-shares.ts'
import { type LockedItem, lockItems, reduceItems } from './suspense-items.ts'

type Reversal = {
  bankCode: string
  sessionId: string
  originalSessionId: string // Any identifier of the credit.
  amountKobo: Kobo
}

export type ReversalAnswer =
  | 'duplicate'
  | 'session_reused'
  | 'original_not_found'
  | 'amount_exceeds_original'
  | 'reversed'

type Deps = { sharedAccounts: SharedAccounts; now: Date }

export async function takeReversal(
  tx: Transaction,
  deps: Deps,
  reversal: Reversal,
): Promise<ReversalAnswer> {
  const { credit, items = [] } = (await lockOriginal(tx, reversal)) ?? {}
  const earlier = await findEarlier(tx, reversal)
  if (earlier) {
    const isSame = earlier.creditId === credit?.id && earlier.amountKobo === reversal.amountKobo
    if (isSame) return 'duplicate'
    const detail = { reversalOf: reversal.originalSessionId }
    const alert = { kind: 'session_reused', subject: sessionName(reversal), detail } as const
    await appendEvents(tx, deps.now, await raiseAlerts(tx, deps.now, [alert]))
    return 'session_reused'
  }
  if (!credit) return 'original_not_found'
  const takenKobo = await sumOfReversals(tx, credit.id)
  if (takenKobo + reversal.amountKobo > credit.amountKobo) return 'amount_exceeds_original'

  const payments = await lockPayments(tx, [
    ...items.flatMap((item) => item.assignedPaymentId ?? []),
    ...(credit.paymentId ? [credit.paymentId] : []),
  ])
  const collections = await lockCollections(tx, credit, items)
  const fees = await readFees(tx, credit.id)
  const bank = { owner: bankOwner(reversal.bankCode), currency: credit.currency }
  const moved = { creditId: credit.id, fees, payments: payments.values(), items, bank }
  const split = await lockShares(tx, deps.sharedAccounts, moved)
  const known = { credit, items, fees, ...split, payments, collections }
  const plan = decideReversal(known, reversal.amountKobo)
  const isWhole = takenKobo + reversal.amountKobo === credit.amountKobo
  await write(tx, deps, { reversal, credit, plan, isWhole })
  return 'reversed'
}

type DecidedReversal = {
  reversal: Reversal
  credit: ReversedCredit
  plan: ReversalPlan
  isWhole: boolean
}

async function write(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { reversal, credit, plan, isWhole }: DecidedReversal,
): Promise<void> {
  const { shortfallKobo } = plan
  const { currency } = credit
  const owner = bankOwner(reversal.bankCode)
  const bank = { kind: 'bank', owner, currency } as const
  const shortfall = { kind: 'shortfall', owner, currency } as const
  await sharedAccounts.open([
    bank,
    shortfall,
    ...plan.takings.flatMap(({ holder }) => shared(holder)),
    ...plan.fees.flatMap(({ of }) => feeAccounts(of.clientId)),
  ])
  const takings = plan.takings.map(({ holder, amountKobo }) => ({
    accountId: holderAccount(sharedAccounts, holder),
    amountKobo,
  }))
  if (shortfallKobo > 0n) {
    takings.push({ accountId: sharedAccounts.id(shortfall), amountKobo: shortfallKobo })
    const detail = { creditId: credit.id.toString(), shortfallKobo: shortfallKobo.toString() }
    const alert = { kind: 'reversal_shortfall', subject: sessionName(reversal), detail } as const
    plan.events.push(...(await raiseAlerts(tx, now, [alert])))
  }
  const transfers = takings.map(
    ({ accountId, amountKobo }): Transfer => ({
      debitAccountId: accountId,
      creditAccountId: sharedAccounts.id(bank),
      amountKobo,
      creditId: credit.id,
      reason: 'reversal',
    }),
  )
  await insertReversal(tx, now, { reversal, creditId: credit.id, shortfallKobo })
  await tx.query({
    name: 'reverse-credit',
    // When nothing is booked any more, the outcome is what became of the part that was suspended.
    text: `update credits c
              set reversed_kobo = c.reversed_kobo + $2,
                  outcome = case
                    when $3 then 'reversed'
                    when c.outcome = 'booked'
                         and c.suspended_kobo + c.reversed_kobo + $2 = c.amount_kobo
                    then (select case when i.state in ('assigned', 'returned') then i.state
                                      else 'suspended' end
                            from suspense_items i
                           where i.credit_id = c.id and i.state <> 'reversed')
                    else c.outcome end
            where c.id = $1`,
    values: [credit.id, plan.bookedKobo, isWhole],
  })
  await reduceItems(tx, now, { takings: plan.items, reference: reversal.sessionId })
  await adjustApprovalRequests(tx, now, plan.items)
  await updatePayments(tx, now, [...plan.payments])
  const back = { plan, creditId: credit.id }
  const shares = await giveSharesBack(tx, sharedAccounts, back)
  const fees = await giveFeesBack(tx, sharedAccounts, back)
  await postTransfers(tx, now, [...shares, ...transfers, ...fees])
  const told = { sessionId: reversal.sessionId, amountKobo: reversal.amountKobo, shortfallKobo }
  await appendEvents(
    tx,
    now,
    await explainReversal(tx, credit.id, { reversal: told, events: plan.events }),
  )
}

type NewReversal = { reversal: Reversal; creditId: CreditId; shortfallKobo: Kobo }

async function insertReversal(
  tx: Transaction,
  now: Date,
  { reversal, creditId, shortfallKobo }: NewReversal,
): Promise<void> {
  await tx.query({
    name: 'insert-reversal',
    text: `insert into reversals
             (bank_code, session_id, credit_id, amount_kobo, shortfall_kobo, received_at)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [
      reversal.bankCode,
      reversal.sessionId,
      creditId,
      reversal.amountKobo,
      shortfallKobo,
      now,
    ],
  })
}

async function giveFeesBack(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { plan: { fees }, creditId }: { plan: ReversalPlan; creditId: CreditId },
): Promise<Transfer[]> {
  await recordReturned(tx, fees)
  const transfers: Transfer[] = []
  for (const { of, feeKobo, vatKobo } of fees) {
    const { clientId, accountId } = of
    const back = { clientId, accountId, creditId, feeKobo, vatKobo }
    transfers.push(...returnTransfers(back, (account) => sharedAccounts.id(account)))
    await discountReceipt(tx, { accountId, amountKobo: sumOfFees([back]) })
  }
  return transfers
}

function holderAccount(sharedAccounts: SharedAccounts, holder: Holder): AccountId {
  if (holder.kind === 'suspense' || holder.kind === 'collection') return holder.accountId
  return sharedAccounts.id(shared(holder)[0] as SharedAccount)
}

function shared(holder: Holder): SharedAccount[] {
  if (holder.kind === 'suspense' || holder.kind === 'collection') return []
  const { clientId, currency } = holder.payment
  return [{ kind: holder.kind, owner: clientOwner(clientId), currency }]
}

// Locks, as everywhere: payments, then the suspense items, then the credit; so it is read twice.
async function lockOriginal(
  tx: Transaction,
  reversal: Reversal,
): Promise<{ credit: ReversedCredit; items: readonly LockedItem[] } | undefined> {
  const read = async (lock: '' | 'for no key update') => {
    const { rows } = await tx.query<ReversedCredit>({
      name: lock === '' ? 'find-original' : 'lock-original',
      text: `select id, client_id as "clientId", collection_account_id as "collectionAccountId",
                    payment_id as "paymentId", amount_kobo as "amountKobo",
                    suspended_kobo as "suspendedKobo", reversed_kobo as "reversedKobo", currency
               from credits
              where id = (select credit_id from credit_identifiers
                           where value = $1 and bank_code = $2
                           order by kind = 'session_id' desc, kind limit 1) ${lock}`,
      values: [reversal.originalSessionId, reversal.bankCode],
    })
    return rows[0]
  }
  const found = await read('')
  if (!found) return undefined
  const assigned = await tx.query<{ id: PaymentId }>({
    name: 'find-assigned-payments',
    text: `select assigned_payment_id as id from suspense_items
            where credit_id = $1 and assigned_payment_id is not null`,
    values: [found.id],
  })
  const paymentIds = [found.paymentId, ...assigned.rows.map((row) => row.id)]
  await lockPayments(
    tx,
    paymentIds.filter((id) => id !== null),
  )
  const items = await lockItems(tx, 'credit_id', found.id)
  const credit = await read('for no key update')
  return credit && { credit, items }
}

async function findEarlier(tx: Transaction, { sessionId, bankCode }: Reversal) {
  const { rows } = await tx.query<{ creditId: CreditId; amountKobo: Kobo }>({
    name: 'find-reversal',
    text: `select credit_id as "creditId", amount_kobo as "amountKobo"
             from reversals where session_id = $1 and bank_code = $2`,
    values: [sessionId, bankCode],
  })
  return rows[0]
}

async function sumOfReversals(tx: Transaction, creditId: CreditId): Promise<Kobo> {
  const { rows } = await tx.query<{ sum: Kobo }>({
    name: 'sum-of-reversals',
    text: 'select coalesce(sum(amount_kobo), 0)::bigint as sum from reversals where credit_id = $1',
    values: [creditId],
  })
  return rows[0]?.sum ?? kobo(0n)
}

async function lockCollections(
  tx: Transaction,
  credit: ReversedCredit,
  items: readonly LockedItem[],
) {
  const ids = items.flatMap((item) => item.assignedAccountId ?? [])
  if (credit.collectionAccountId) ids.push(credit.collectionAccountId)
  const { rows } = await tx.query<{ id: AccountId; clientId: ClientId; balanceKobo: Kobo }>({
    name: 'lock-collection-accounts-by-id',
    text: `select a.id, a.client_id as "clientId",
                  l.credits_kobo - l.debits_kobo as "balanceKobo"
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = any($1::bigint[])
            order by l.id
              for no key update of l`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}
