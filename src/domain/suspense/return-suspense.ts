// Requests the return of suspended money to its payer. A payout with the return's reference sends it; no
// transaction is open while the bank is called.
//
//   item    open ──requested──▶ returning ──confirmed──▶ returned
//             ▲                     │
//             └───────failed────────┘
//
// Each request creates a return (returns.ts) with a permanent reference. While it is pending, the money
// is on the bank's `returning` account. Every write to a return holds the lock of its item.

import type { Mode } from '#banks/connector.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Client, refuseSuspended } from '#domain/access/clients.ts'
import { recordSuspenseChanges } from '#domain/credits/suspense-history.ts'
import type { LockedItem } from '#domain/credits/suspense-items.ts'
import { createPayouts } from '#domain/payouts/create-payouts.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { SuspenseItemId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { formatKobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { lockVisibleItem } from './assign-suspense.ts'
import { refuseUnapproved } from './maker-checker.ts'
import { newReturnReference } from './returns.ts'

export type Sending = { sealer: Sealer; sharedAccounts: SharedAccounts; mode: Mode }

type ReturnRequest = Sending & {
  now: Date
  by: Client
  actor: string
  note: string | null
  isApproved?: boolean // By a second person, under maker-checker.
}

// Idempotent: does nothing if a return is pending or confirmed.
export async function requestReturn(
  tx: Transaction,
  { note, isApproved = false, ...request }: ReturnRequest,
  itemId: SuspenseItemId,
): Promise<void> {
  const { sharedAccounts, now, by, actor } = request
  const item = await lockVisibleItem(tx, by, itemId)
  if (item.state === 'returning' || item.state === 'returned') return
  if (item.state !== 'open') throw new Refusal('suspense_closed')
  if (item.clientId !== null) await refuseSuspended(tx, item.clientId)
  if (!isApproved) await refuseUnapproved(tx, by.id, item.id)
  const { bankCode, currency, creditId, amountKobo } = item
  const returning = { kind: 'returning', owner: bankOwner(bankCode), currency } as const
  await sharedAccounts.open([returning])
  const creditAccountId = sharedAccounts.id(returning)
  await postTransfers(tx, now, [
    { debitAccountId: item.accountId, creditAccountId, amountKobo, creditId, reason: 'return' },
  ])
  await tx.query({
    name: 'suspense-item-returning',
    text: `update suspense_items set state = 'returning', closed_at = $2 where id = $1`,
    values: [item.id, now],
  })
  const reference = newReturnReference()
  await tx.query({
    name: 'insert-return',
    text: `insert into returns (reference, item_id, amount_kobo, requested_by, requested_at)
           values ($1, $2, $3, $4, $5)`,
    values: [reference, item.id, amountKobo, actor, now],
  })
  await createPayout(tx, request, { item, reference })
  await recordSuspenseChanges(tx, now, [{ item, change: 'return_requested', reference }])
  await writeAuditLog(tx, now, {
    clientId: by.id,
    actor,
    action: 'suspense.return',
    subject: `suspense/${item.id}`,
    detail: { note, returnReference: reference, amount: formatKobo(amountKobo), currency },
  })
}

type Payer = { accountSealed: Buffer | null; accountName: string | null; bankCode: string | null }

// A bank cannot send money to a payer without an account: an operator executes that return. The sandbox's
// bank accepts it.
async function createPayout(
  tx: Transaction,
  { sealer, mode, now, actor }: Omit<ReturnRequest, 'note'>,
  { item, reference }: { item: LockedItem; reference: string },
): Promise<void> {
  const { creditId, clientId, bankCode, amountKobo, currency } = item
  const { rows } = await tx.query<Payer>({
    name: 'payer-of-credit',
    text: `select source_account_sealed as "accountSealed", source_account_name as "accountName",
                  source_bank_code as "bankCode"
             from credits where id = $1`,
    values: [creditId],
  })
  const payer = rows[0] as Payer
  const hasAccount = payer.accountSealed !== null && payer.bankCode !== null
  if (!hasAccount && mode === 'live') return
  const to = {
    bankCode: payer.bankCode ?? '',
    accountNumber: payer.accountSealed === null ? '' : sealer.open(payer.accountSealed),
    accountName: payer.accountName ?? '',
  }
  const order = { bankCode, amountKobo, currency, to, narration: `Return ${reference}` }
  const about = { clientId, purpose: 'return', creditId, reference } as const
  const payout = { ...about, ...order, requestedBy: actor, approversNeeded: 0 as const }
  await createPayouts(tx, { sealer, now }, [payout])
}
