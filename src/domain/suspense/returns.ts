// Returns: attempts to send suspended money back to its payer, each with a permanent reference. Returns
// that no connector and no file can send, such as those in other currencies than naira, are executed at
// the bank by an operator.

import type { Queryable } from '#db/pool.ts'
import { pastPrefix } from '#db/prefixes.ts'
import type { Window } from '#db/time-bounds.ts'
import type { ReturnStatus } from '#domain/credits/credit-location.ts'
import { isTakenBack } from '#domain/payouts/blocked-payouts.ts'
import { LAST_RESTORED_AT } from '#domain/payouts/hold-payouts.ts'
import type { PayoutStatus } from '#domain/payouts/payouts.ts'
import type { CreditId, SuspenseItemId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import { newReference } from '#references.ts'

export const RETURN_STATUSES: readonly ReturnStatus[] = ['pending', 'confirmed', 'failed']

// `return_may_have_been_sent`: an operator may have sent it in the time that a restore lost (I82).
type ReturnBlock = 'client_suspended' | 'return_credit_reversed' | 'return_may_have_been_sent'

export type Return = {
  id: bigint
  reference: string
  itemId: SuspenseItemId
  creditId: CreditId
  status: ReturnStatus
  blockedBy: ReturnBlock | null // Only while it is pending and unsent.
  payoutStatus: PayoutStatus | null // Null: it has no payout.
  isInFile: boolean
  amountKobo: Kobo
  currency: string
  bankCode: string // The bank that holds the money.
  sessionId: string // The original transfer's.
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

// The sender of a pending return. Null: settled. `bankSends` returns the sender of a bank's queued naira
// payouts.
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

export function newReturnReference(): string {
  return newReference('RTN')
}

export function isReturnReference(value: unknown): value is string {
  return typeof value === 'string' && REFERENCE.test(value)
}

// Joins the last return of the item `i` as `r`.
export const JOIN_LAST_RETURN = `
  left join lateral (select * from returns where item_id = i.id order by id desc limit 1) as r
         on true`

const SELECT_RETURN = `
  select r.id, r.reference, r.item_id as "itemId", i.credit_id as "creditId", r.status,
         case when r.status <> 'pending' or p.status <> 'queued' then null
              when not o.is_active then 'client_suspended'
              when ${isTakenBack('c.id')} then 'return_credit_reversed'
              when r.requested_at <= ${LAST_RESTORED_AT} then 'return_may_have_been_sent'
              end as "blockedBy",
         p.status as "payoutStatus", p.batch_id is not null as "isInFile",
         r.amount_kobo as "amountKobo", c.currency, c.bank_code as "bankCode",
         c.session_id as "sessionId", o.client_id as "clientId",
         c.source_account_name as "payerName", c.source_bank_code as "payerBankCode",
         c.source_account_sealed as "payerAccountSealed", c.narration,
         r.bank_reference as "bankReference", r.failure_reason as "failureReason",
         r.requested_by as "requestedBy", r.requested_at as "requestedAt",
         r.settled_by as "settledBy", r.settled_at as "settledAt"
    from returns r
    join suspense_items i on i.id = r.item_id
    join credits c on c.id = i.credit_id
    left join clients o on o.id = i.client_id
    left join payouts p on p.reference = r.reference`

type ReturnFilter = Window & {
  status?: ReturnStatus | undefined
  bankCode?: string | undefined
  beforeId: bigint | null
  limit: number
}

// Newest first, of all clients: for operators.
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

export async function findReturn(db: Queryable, reference: string): Promise<Return | undefined> {
  const { rows } = await db.query<Return>({
    name: 'find-return',
    text: `${SELECT_RETURN} where r.reference = $1`,
    values: [reference],
  })
  return rows[0]
}

// Returns whose reference starts with the prefix, newest first.
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
