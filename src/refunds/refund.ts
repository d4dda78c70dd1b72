// The types of refunds, and the queries that read and list them. A refund returns money to the payers of a
// payment, or to the payer of a credit to a collection account.
//
// A refund has one payout per credit (`parts`), and its status follows from theirs (refunds/states.ts).

import type { Window } from '#db/bounds.ts'
import { listQuery, type Order, pastPrefix } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type CreditId, newReference, type PaymentId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { PayoutStatus } from '#payouts/states.ts'
import { REFUND_IS, type RefundFilterStatus } from './states.ts'

export type RefundPart = {
  reference: string // The payout's reference.
  status: PayoutStatus
  approval: string
  amountKobo: Kobo
  creditId: CreditId
  bankCode: string
  toBankCode: string
  toAccountName: string
  toAccountSealed: Buffer
  bankReference: string | null
  failureReason: string | null
  settledAt: Date | null
}

export type Refund = {
  id: bigint
  reference: string
  clientId: ClientId
  paymentId: PaymentId | null
  creditId: CreditId | null
  amountKobo: Kobo
  currency: string
  reason: string
  requestedBy: string
  requestedAt: Date
  parts: RefundPart[]
}

const REFERENCE = /^RFD[0-9]{15}$/

export function newRefundReference(): string {
  return newReference('RFD')
}

// Returns the amount of a refund that the banks have confirmed.
export function sumConfirmed(parts: readonly RefundPart[]): Kobo {
  const confirmed = parts.filter(({ status }) => status === 'confirmed')
  return kobo(confirmed.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
}

// A part as PostgreSQL writes it in JSON: amounts, ids and times are strings.
type PartRow = Omit<RefundPart, 'amountKobo' | 'creditId' | 'toAccountSealed' | 'settledAt'> & {
  amountKobo: string
  creditId: string
  toAccountSealed: string
  settledAt: string | null
}

const SELECT_REFUND = `
  select r.id, r.reference, r.client_id, r.payment_id, r.credit_id, r.amount_kobo, r.currency,
         r.reason, r.requested_by, r.requested_at,
         (select json_agg(json_build_object(
                   'reference', p.reference, 'status', p.status, 'approval', p.approval,
                   'amountKobo', p.amount_kobo::text, 'creditId', p.credit_id::text,
                   'bankCode', p.bank_code, 'toBankCode', p.to_bank_code,
                   'toAccountName', p.to_account_name,
                   'toAccountSealed', encode(p.to_account_sealed, 'base64'),
                   'bankReference', p.bank_reference, 'failureReason', p.failure_reason,
                   'settledAt', p.settled_at) order by p.id)
            from payouts p where p.refund_id = r.id) as parts
    from refunds r`

// Converts the strings of the JSON parts to amounts, ids and times.
function toRefund(row: Omit<Refund, 'parts'> & { parts: PartRow[] }): Refund {
  return {
    ...row,
    parts: row.parts.map((part) => ({
      ...part,
      amountKobo: kobo(BigInt(part.amountKobo)),
      creditId: BigInt(part.creditId) as CreditId,
      toAccountSealed: Buffer.from(part.toAccountSealed, 'base64'),
      settledAt: part.settledAt === null ? null : new Date(part.settledAt),
    })),
  }
}

// Returns a refund of this client. A malformed reference is refused like an unknown one.
export async function getRefund(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<Refund> {
  const { rows } = await db.query<Parameters<typeof toRefund>[0]>({
    name: 'get-refund',
    text: `${SELECT_REFUND} where r.reference = $1 and r.client_id = $2`,
    values: [REFERENCE.test(reference) ? reference : null, clientId],
  })
  if (!rows[0]) throw new Refusal('refund_not_found')
  return toRefund(rows[0])
}

// Finds refunds whose reference starts with the prefix, newest first.
export async function findRefundsLike(
  db: Queryable,
  clientId: ClientId,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<Refund[]> {
  const { rows } = await db.query<Parameters<typeof toRefund>[0]>({
    name: 'find-refunds-like',
    text: `${SELECT_REFUND}
            where r.client_id = $1 and r.reference >= upper($2) and r.reference < upper($3)
            order by r.id desc limit $4`,
    values: [clientId, prefix, pastPrefix(prefix), limit],
  })
  return rows.map(toRefund)
}

export type RefundedCredit = Pick<RefundPart, 'status' | 'amountKobo' | 'settledAt'> & {
  reference: string // The refund's reference.
  creditId: CreditId
  currency: string
  bankReference: string | null
  failureReason: string | null
  requestedBy: string
  requestedAt: Date
}

// Reads this client's refunds of these credits, oldest first.
export async function readRefundsOfCredits(
  db: Queryable,
  clientId: ClientId,
  creditIds: readonly CreditId[],
): Promise<RefundedCredit[]> {
  const { rows } = await db.query<RefundedCredit>({
    name: 'refunds-of-credits',
    text: `select r.reference, p.status, p.amount_kobo, p.credit_id, p.currency, p.bank_reference,
                  p.failure_reason, r.requested_by, p.requested_at, p.settled_at
             from payouts p join refunds r on r.id = p.refund_id
            where p.credit_id = any($1::bigint[]) and p.client_id = $2
            order by p.id`,
    values: [numberArray(creditIds), clientId],
  })
  return rows
}

type RefundFilter = Window & {
  paymentId?: PaymentId | undefined
  creditId?: CreditId | undefined
  status?: RefundFilterStatus | undefined
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
}

type Paging = { order?: Order | undefined; after: bigint | null; limit: number }

// Lists refunds, newest first by default.
export async function listRefunds(
  db: Queryable,
  clientId: ClientId,
  { paymentId, creditId, status, minKobo, maxKobo, from, to, ...page }: RefundFilter & Paging,
): Promise<Refund[]> {
  const { rows } = await db.query<Parameters<typeof toRefund>[0]>(
    listQuery({
      select: SELECT_REFUND,
      where: [
        ['r.client_id = $', clientId],
        ['r.payment_id = $', paymentId],
        ['r.credit_id = $', creditId],
        ['r.amount_kobo >= $', minKobo],
        ['r.amount_kobo <= $', maxKobo],
        ['r.requested_at >= $', from],
        ['r.requested_at < $', to],
        status !== undefined && REFUND_IS[status],
      ],
      id: 'r.id',
      ...page,
    }),
  )
  return rows.map(toRefund)
}
