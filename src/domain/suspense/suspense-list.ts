// Lists suspense items with owner, reason, age and outcome. A client sees its own; an operator also
// sees unidentified money.

import type { Queryable } from '#db/pool.ts'
import type { Client } from '#domain/access/clients.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import type { LockedItem } from '#domain/credits/suspense-items.ts'
import { Refusal } from '#errors.ts'
import type { CreditId, SuspenseItemId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { JOIN_LAST_RETURN } from './returns.ts'

export type SuspenseEntry = {
  id: SuspenseItemId
  amountKobo: Kobo
  currency: string
  reason: string
  state: LockedItem['state']
  creditId: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  sourceAccountSealed: Buffer | null
  sourceAccountName: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentReference: string | null
  assignedPaymentReference: string | null
  assignedAccountNumber: string | null
  returnReference: string | null // Of the last return, whatever became of it.
  bankReference: string | null
  failureReason: string | null
  openedAt: Date
  closedAt: Date | null
}

type SuspenseFilter = {
  state: LockedItem['state'] | null
  reason: string | null
  beforeId: SuspenseItemId | null
  limit: number
}

const SELECT_ENTRY = `
  select i.id, i.amount_kobo as "amountKobo", c.currency, i.reason, i.state,
         i.credit_id as "creditId", c.session_id as "sessionId", c.bank_code as "bankCode",
         c.account_number as "accountNumber", c.source_account_sealed as "sourceAccountSealed",
         c.source_account_name as "sourceAccountName", c.source_bank_code as "sourceBankCode",
         c.narration, c.payment_id as "paymentReference",
         i.assigned_payment_id as "assignedPaymentReference",
         a.account_number as "assignedAccountNumber", r.reference as "returnReference",
         r.bank_reference as "bankReference", r.failure_reason as "failureReason",
         i.opened_at as "openedAt", i.closed_at as "closedAt"
    from suspense_items i
    join credits c on c.id = i.credit_id
    left join collection_accounts a on a.id = i.assigned_account_id
    ${JOIN_LAST_RETURN}
   where (i.client_id = $1 or ($2 and i.client_id is null))
     and ${inMerchantScope('c.collection_account_id', '$1')}`

export async function listSuspense(
  db: Queryable,
  client: Client,
  { state, reason, beforeId, limit }: SuspenseFilter,
): Promise<SuspenseEntry[]> {
  const { rows } = await db.query<SuspenseEntry>({
    name: 'list-suspense',
    text: `${SELECT_ENTRY}
              and ($3::text is null or i.state = $3)
              and ($4::text is null or i.reason = $4)
              and ($5::bigint is null or i.id < $5)
            order by i.id desc
            limit $6`,
    values: [client.id, client.isOperator, state, reason, beforeId, limit],
  })
  return rows
}

export async function getSuspense(
  db: Queryable,
  client: Client,
  id: SuspenseItemId,
): Promise<SuspenseEntry> {
  const { rows } = await db.query<SuspenseEntry>({
    name: 'get-suspense',
    text: `${SELECT_ENTRY} and i.id = $3`,
    values: [client.id, client.isOperator, id],
  })
  if (!rows[0]) throw new Refusal('suspense_not_found')
  return rows[0]
}
