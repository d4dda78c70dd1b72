// Returns: attempts to send suspended money back to its payer, each with a permanent reference. If neither a
// connector nor a file can send a return, such as one in another currency than naira, an operator executes
// it at the bank. This file reads, lists and requests returns; settle.ts settles them.

import { type Client, refuseSuspended } from '#access/permissions.ts'
import type { Mode } from '#banks/connector.ts'
import { type ReturnStatus, transitionItem } from '#credits/states.ts'
import { type LockedItem, recordSuspenseChanges } from '#credits/suspense-items.ts'
import type { Window } from '#db/bounds.ts'
import { DOUBTFUL_UNTIL } from '#db/moved-database.ts'
import { pastPrefix } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { isAllHeld, refuseHeldClient } from '#holds/hold.ts'
import { type CreditId, newReference, type SuspenseItemId, type UserId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { CURRENCY, formatKobo, type Kobo } from '#money.ts'
import { isTakenBack, isUnderReview } from '#payouts/holds.ts'
import { createPayouts } from '#payouts/request.ts'
import type { PayoutStatus } from '#payouts/states.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { refuseStopped } from '#screening/credits.ts'
import type { Sealer } from '#seal.ts'
import { lockVisibleItem, refuseUnapproved } from './assign.ts'

// `return_may_have_been_sent`: an operator may have sent the return in the time that a restore lost (I82).
type ReturnBlock =
  | 'client_suspended'
  | 'client_held'
  | 'payout_under_review'
  | 'return_credit_reversed'
  | 'return_may_have_been_sent'

export type Return = {
  id: bigint
  reference: string
  itemId: SuspenseItemId
  creditId: CreditId
  status: ReturnStatus
  blockedBy: ReturnBlock | null // Set only for a pending return that is unsent.
  payoutStatus: PayoutStatus | null // null if the return has no payout.
  isInFile: boolean
  amountKobo: Kobo
  currency: string
  bankCode: string // The bank that holds the money.
  sessionId: string // The session id of the original transfer.
  clientId: string | null // The owner of the suspended money, if known.
  payerName: string | null
  payerBankCode: string | null
  payerAccountSealed: Buffer | null
  narration: string | null
  bankReference: string | null
  failureReason: string | null
  requestedBy: string | null
  requestedAt: Date
  settledBy: string | null
  settledAt: Date | null
}

export const SENDERS = ['operator', 'connector', 'file'] as const
export type Sender = (typeof SENDERS)[number]

// Returns the sender of a pending return, or null if the return is settled. `bankSends` returns the sender of
// a bank's queued naira payouts.
export function senderOf(
  { status, payoutStatus, isInFile, bankCode, currency }: Return,
  bankSends: (bankCode: string) => Sender,
): Sender | null {
  if (status !== 'pending') return null
  if (payoutStatus === null) return 'operator'
  if (payoutStatus === 'queued') return currency === CURRENCY ? bankSends(bankCode) : 'operator'
  return isInFile ? 'file' : 'connector'
}

const REFERENCE = /^RTN[0-9]{12,15}$/ // Older references, made from the item's id, have twelve digits.

function newReturnReference(): string {
  return newReference('RTN')
}

export function isReturnReference(value: unknown): value is string {
  return typeof value === 'string' && REFERENCE.test(value)
}

// SQL join: the latest return of the item `i` as `r`.
export const JOIN_LAST_RETURN = `
  left join lateral (select * from returns where item_id = i.id order by id desc limit 1) as r
         on true`

// SQL scalar: the reason why the pending return `r` must not be sent now; null if it may be sent, or if its
// payout has left the queue.
const BLOCKED = `
  case when r.status <> 'pending' or p.status <> 'queued' then null
       when not o.is_active then 'client_suspended'
       when ${isAllHeld('o.id')} then 'client_held'
       when p.screening = 'held' then 'payout_under_review'
       when ${isTakenBack('c.id')} then 'return_credit_reversed'
       when r.requested_at <= ${DOUBTFUL_UNTIL} then 'return_may_have_been_sent' end`

const FROM_RETURNS = `
    from returns r
    join suspense_items i on i.id = r.item_id
    join credits c on c.id = i.credit_id
    left join clients o on o.id = i.client_id
    left join payouts p on p.reference = r.reference`

const SELECT_RETURN = `
  select r.id, r.reference, r.item_id, i.credit_id, r.status, ${BLOCKED} as blocked_by,
         p.status as payout_status, p.batch_id is not null as is_in_file, r.amount_kobo, c.currency,
         c.bank_code, c.session_id, o.client_id, c.source_account_name as payer_name,
         c.source_bank_code as payer_bank_code, c.source_account_sealed as payer_account_sealed,
         c.narration, r.bank_reference, r.failure_reason, r.requested_by, r.requested_at,
         r.settled_by, r.settled_at
    ${FROM_RETURNS}`

type ReturnFilter = Window & {
  status?: ReturnStatus | undefined
  bankCode?: string | undefined
  beforeId: bigint | null
  limit: number
}

// Lists the returns of all clients, newest first, for operators.
export async function listReturns(
  db: Queryable,
  { status, bankCode, from, to, beforeId, limit }: ReturnFilter,
): Promise<Return[]> {
  const { rows } = await db.query<Return>({
    name: 'list-returns',
    text: `${SELECT_RETURN}
            where ($1::text is null or r.status = $1)
              and ($2::text is null or c.bank_code = $2)
              and ($3::timestamptz is null or r.requested_at >= $3)
              and ($4::timestamptz is null or r.requested_at < $4)
              and ($5::bigint is null or r.id < $5)
            order by r.id desc
            limit $6`,
    values: [status ?? null, bankCode ?? null, from ?? null, to ?? null, beforeId, limit],
  })
  return rows
}

// Returns a return by its reference, for operators.
export async function findReturn(db: Queryable, reference: string): Promise<Return | undefined> {
  const { rows } = await db.query<Return>({
    name: 'find-return',
    text: `${SELECT_RETURN} where r.reference = $1`,
    values: [reference],
  })
  return rows[0]
}

// Returns the reason why each return must not be sent by hand now; returns without a reason are left out. A
// payout that was not screened yet is treated as under review.
export async function findBlocks(
  tx: Transaction,
  now: Date,
  references: readonly string[],
): Promise<Map<string, ReturnBlock>> {
  const { rows } = await tx.query<{ reference: string; block: ReturnBlock }>({
    name: 'blocks-of-returns',
    text: `select * from (
             select r.reference,
                    coalesce(${BLOCKED}, case when p.status = 'queued' and ${isUnderReview('$2')}
                                              then 'payout_under_review' end) as block
               ${FROM_RETURNS} where r.reference = any($1::text[])) as b
            where block is not null`,
    values: [references, now],
  })
  return new Map(rows.map(({ reference, block }) => [reference, block]))
}

// Finds returns whose reference starts with the prefix, newest first.
export async function findReturnsLike(
  db: Queryable,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<Return[]> {
  const { rows } = await db.query<Return>({
    name: 'find-returns-like',
    text: `${SELECT_RETURN}
            where r.reference >= upper($1) and r.reference < upper($2)
            order by r.id desc limit $3`,
    values: [prefix, pastPrefix(prefix), limit],
  })
  return rows
}

export type Sending = { sealer: Sealer; sharedAccounts: SharedAccounts; mode: Mode }

type ReturnRequest = Sending & {
  now: Date
  by: Client
  actor: string
  userId: UserId | null
  note: string | null
  isApproved?: boolean // Whether a second person has approved the return, under maker-checker.
}

// Requests the return of suspended money to its payer: creates a return, and a payout with the return's
// reference that sends the money. While the return is pending, the money is on the bank's `returning`
// account. Does nothing while a return of the item is pending, or after one was confirmed. Every write to a
// return holds the lock of its item.
export async function requestReturn(
  tx: Transaction,
  { note, isApproved = false, ...request }: ReturnRequest,
  itemId: SuspenseItemId,
): Promise<void> {
  const { sharedAccounts, now, by, actor } = request
  const item = await lockVisibleItem(tx, by, itemId)
  if (item.state === 'returning' || item.state === 'returned') return
  if (item.state !== 'open') throw new Refusal('suspense_closed')
  await refuseStopped(tx, item.creditId)
  if (item.clientId !== null) {
    await refuseSuspended(tx, item.clientId)
    await refuseHeldClient(tx, item.clientId)
  }
  if (!isApproved) await refuseUnapproved(tx, by.id, item.id)
  const { bankCode, currency, creditId, amountKobo } = item
  const returning = { kind: 'returning', owner: bankOwner(bankCode), currency } as const
  await sharedAccounts.open([returning])
  const creditAccountId = sharedAccounts.id(returning)
  await postTransfers(tx, now, [
    { debitAccountId: item.accountId, creditAccountId, amountKobo, creditId, reason: 'return' },
  ])
  await transitionItem(tx, {
    name: 'suspense-item-returning',
    id: item.id,
    from: 'open',
    to: 'returning',
    set: 'closed_at = $2',
    values: [now],
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

// Creates the payout of a return. If the payer's account is unknown, creates none, because no bank could send
// it; an operator then executes the return. The sandbox bank accepts even such a payout.
async function createPayout(
  tx: Transaction,
  { sealer, mode, now, actor, userId }: Omit<ReturnRequest, 'note'>,
  { item, reference }: { item: LockedItem; reference: string },
): Promise<void> {
  const { creditId, clientId, bankCode, amountKobo, currency } = item
  const { rows } = await tx.query<Payer>({
    name: 'payer-of-credit',
    text: `select source_account_sealed as account_sealed, source_account_name as account_name,
                  source_bank_code as bank_code
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
  const purpose = { clientId, purpose: 'return', creditId, reference } as const
  const maker = { requestedBy: actor, requestedByUser: userId }
  const payout = { ...purpose, ...order, ...maker, approversNeeded: 0 as const }
  await createPayouts(tx, { sealer, now }, [payout])
}
