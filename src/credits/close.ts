// Closes payments that were not paid in full, because they expired or the merchant cancelled them. The money
// paid so far goes to suspense, credit by credit. An operator or the client then assigns or returns it.
//
// Locks: advices, then payments in id order, then the rows that the writes change.

import { numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, AdviceId, ClientId, PaymentId } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { closedRefusal, isOpen, statusAt } from '#payments/payment.ts'
import { updatePayments } from '#payments/states.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { overviewChanges } from '#records/money-totals.ts'
import { lockPayments, setPending } from './balances.ts'
import type { SuspenseRow } from './decide.ts'
import type { Holding, PaymentTarget } from './judge.ts'
import { insertSuspense, type Resuspension, readOutcomes, resuspend } from './suspense-items.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date }

const CLOSE_MAX = 500

// SQL condition: the grace period of some open payment is over. The worker checks it before it starts a
// round.
export const HAS_EXPIRED_PAYMENTS = `(
  select min(closes_at) from payments
   where status in ('Processing', 'PartPayment')) <= clock.now`

// One round of the expiry worker: closes payments whose grace is over. Returns how many it closed.
export async function closeExpired(tx: Transaction, deps: Deps): Promise<number> {
  const { rows } = await tx.query<{ id: PaymentId }>({
    name: 'payments-to-close',
    text: `select id from payments
            where status in ('Processing', 'PartPayment') and closes_at <= $1
            order by closes_at
            limit ${CLOSE_MAX}
              for no key update skip locked`,
    values: [deps.now],
  })
  await expirePayments(
    tx,
    deps,
    rows.map((row) => row.id),
  )
  return rows.length
}

// Closes these payments as expired. The caller checks that their grace period is over. Payments that are
// already closed stay unchanged.
export async function expirePayments(
  tx: Transaction,
  deps: Deps,
  ids: readonly PaymentId[],
): Promise<void> {
  if (ids.length === 0) return
  const payments = [...(await lockPayments(tx, ids)).values()].filter(({ status }) =>
    isOpen(status),
  )
  if (payments.length > 0) await closePayments(tx, deps, { payments, status: 'Expired' })
}

// Cancels a payment request and its open payment, if it has one. Cancelling a cancelled advice again changes
// nothing.
export async function cancelAdvice(
  tx: Transaction,
  deps: Deps & { actor: string },
  { clientId, adviceId }: { clientId: ClientId; adviceId: AdviceId },
): Promise<void> {
  const { rows } = await tx.query<{ cancelledAt: Date | null }>({
    name: 'lock-advice-to-cancel',
    text: `select cancelled_at from advices
            where id = $1 and client_id = $2 for no key update`,
    values: [adviceId, clientId],
  })
  if (!rows[0]) throw new Refusal('advice_not_found')
  if (rows[0].cancelledAt) return
  const payments = await tx.query<{ id: PaymentId; expiresAt: Date }>({
    name: 'payment-of-advice-to-cancel',
    text: 'select id, expires_at from payments where advice_id = $1',
    values: [adviceId],
  })
  const paymentRow = payments.rows[0] // An advice has one payment at most.
  const payment = paymentRow && (await lockPayments(tx, [paymentRow.id])).get(paymentRow.id)
  if (paymentRow && payment) {
    const status = statusAt({ status: payment.status, expiresAt: paymentRow.expiresAt }, deps.now)
    if (!isOpen(status)) throw closedRefusal(status)
    await closePayments(tx, deps, { payments: [payment], status: 'Cancelled' })
  }
  await tx.query({
    name: 'cancel-advice',
    text: 'update advices set cancelled_at = $2 where id = $1',
    values: [adviceId, deps.now],
  })
  await writeAuditLog(tx, deps.now, {
    clientId,
    actor: deps.actor,
    action: 'advice.cancel',
    subject: `advice/${adviceId}`,
    detail: {},
  })
}

// Gives the payments their final status, and moves the money that they hold from the pending account of the
// client to its suspense account. Money that had come from suspense reopens its suspense item; each other
// credit gets a new item.
async function closePayments(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { payments, status }: { payments: readonly PaymentTarget[]; status: 'Expired' | 'Cancelled' },
): Promise<void> {
  await setPending(tx, payments)
  const withMoney = payments.filter((payment) => payment.pending.length > 0)
  await sharedAccounts.open(withMoney.flatMap(paymentAccounts))

  const transfers: Transfer[] = []
  const suspense: SuspenseRow[] = []
  const events: NewEvent[] = []
  const resuspensions: Resuspension[] = []
  const holdings: Holding[] = []
  for (const payment of payments) {
    const { clientId, paymentId, pending } = payment
    const suspendedKobo = payment.amountPaidKobo
    payment.status = status
    payment.amountPaidKobo = kobo(0n)
    events.push({
      clientId,
      type: status === 'Expired' ? 'payment.expired' : 'payment.cancelled',
      paymentId,
      facts: { status, amountPaidKobo: kobo(0n), amountSuspendedKobo: suspendedKobo },
    })
    if (pending.length === 0) continue
    const [pendingId, suspenseId] = paymentAccounts(payment).map((account) =>
      sharedAccounts.id(account),
    )
    for (const { creditId, amountKobo, itemId } of pending) {
      const [debitAccountId, accountId] = [pendingId as AccountId, suspenseId as AccountId]
      transfers.push({
        debitAccountId,
        creditAccountId: accountId,
        amountKobo,
        creditId,
        reason: 'suspend',
      })
      if (itemId)
        resuspensions.push({ id: itemId, creditId, clientId, accountId, amountKobo, paymentId })
      else {
        holdings.push({ creditId, amountKobo })
        suspense.push({ creditId, clientId, accountId, amountKobo, reason: 'underpaid' })
      }
      events.push({
        clientId,
        type: 'credit.suspended',
        paymentId,
        creditId,
        facts: { reason: 'underpaid', amountSuspendedKobo: amountKobo },
        ...overviewChanges(payment.currency, { suspended: amountKobo }),
      })
    }
  }
  await pipeline([
    updatePayments(tx, now, payments),
    postTransfers(tx, now, transfers),
    insertSuspense(tx, now, suspense),
    resuspend(tx, now, resuspensions),
    markSuspended(tx, holdings),
  ])
  // The events show the outcome of each credit, which depends on all its suspense items written above.
  const ids = transfers.flatMap((transfer) => ('creditId' in transfer ? transfer.creditId : []))
  const outcomes = await readOutcomes(tx, ids)
  await appendEvents(
    tx,
    now,
    events.map((event) => {
      if (event.type !== 'credit.suspended' || !event.creditId) return event
      return { ...event, facts: { ...event.facts, outcome: outcomes.get(event.creditId) } }
    }),
  )
}

// Returns the ledger account that holds part payments, and the one that the money moves to at closing.
function paymentAccounts({ clientId, currency }: PaymentTarget) {
  const owner = clientOwner(clientId)
  return [
    { kind: 'pending', owner, currency } as const,
    { kind: 'suspense', owner, currency } as const,
  ]
}

// Marks the money of these credits as suspended because the payment was not paid in full.
async function markSuspended(tx: Transaction, holdings: readonly Holding[]): Promise<void> {
  if (holdings.length === 0) return
  await tx.query({
    name: 'mark-credits-suspended',
    text: `update credits c
              set outcome = 'suspended', reason = 'underpaid',
                  suspended_kobo = c.suspended_kobo + h.amount_kobo
             from unnest($1::bigint[], $2::bigint[]) as h (id, amount_kobo)
            where c.id = h.id`,
    values: [
      numberArray(holdings.map((holding) => holding.creditId)),
      numberArray(holdings.map((holding) => holding.amountKobo)),
    ],
  })
}
